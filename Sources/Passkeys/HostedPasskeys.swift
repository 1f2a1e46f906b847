import Accounts
import Base
import HTTP
import OAuth
import Pages
import WebAuthn

extension Product {
    /// Passkeys of people: no service of the federation, but a way to log in to the IdP.
    public static let passkeys = Product(
        "passkeys", hasRole: false, loginFactor: "passkey", settings: Setting.ofPasskeys,
        values: { try PasskeyValues($0, issuer: $1) }, administration: .passkeys,
        held: HeldData.passkeys
    ) { context, values in
        guard context.takesPasskeys else { return nil }
        let party = RelyingParty(
            id: values.rpID, name: values.name, origins: values.origins, algorithms: COSEAlgorithm.usual,
            attestation: try values.attestation(isServing: context.http != nil))
        let passkeys = PasskeyLogin(
            database: context.database, party: party, clock: context.clock, randomness: context.randomness,
            logger: context.logger)
        return HostedService(
            "passkeys", model: passkeys, schemas: OpenAPISchema.passkeys,
            login: .passkeys(passkeys, randomness: context.randomness),
            housekeeping: { try await passkeys.tidy() })
    }
}

extension Product.Context {
    /// A passkey is bound to a name (WebAuthn, 5.1.2): an address in the issuer has none.
    public var takesPasskeys: Bool { logsIn && issuer.host.contains(where: \.isLetter) && !issuer.host.hasPrefix("[") }
}

extension LoginMethod {
    /// A person's own passkeys, and those of wallets that they linked.
    static func passkeys(_ passkeys: PasskeyLogin, randomness: Randomness) -> LoginMethod {
        LoginMethod(
            factors: [.passkey(passkeys, randomness: randomness), .wallet(passkeys, randomness: randomness)],
            onPasswordPage: { place, formToken, language in
                .passkeys(language, formToken: formToken, reference: place.reference, returnTo: place.returnTo)
            },
            pages: { web in
                let context = PasskeyRequestContext(login: passkeys, web: web)
                let script = HealthRoutes.asset(
                    "passkey.js", "text/javascript", "Script of pages that ask for a passkey", PasskeyScript.text)
                return [script] + PasskeyLoginRoutes.endpoints(context) + AccountPasskeyRoutes.endpoints(context)
            },
            sections: { account, language in
                [.passkeys(try await passkeys.passkeys(of: account.id).map { OwnPasskey($0) }, language)]
            },
            notices: AccountNotice.ofPasskeys,
            apps: OpenAPIAppLogin(
                asked: [("credential:<PasskeyAssertion>", "What the passkey answered, for `passkey` and `wallet`.")],
                shown: [
                    ("passkey:PasskeyQuestion", "What to ask a passkey of this person."),
                    ("wallet:PasskeyQuestion", "What to ask a linked wallet's passkey."),
                ]),
            offer: { account, language in
                guard try await passkeys.passkeys(of: account.id).allSatisfy({ $0.flow != .idp }) else { return nil }
                let texts = language.passkey.offer
                return PageLink(label: texts.submit, href: AccountPasskeyRoutes.add).map {
                    AccountOffer(Passkey.Flow.idp.factor, title: texts.title, text: texts.lead, link: $0)
                }
            })
    }
}
