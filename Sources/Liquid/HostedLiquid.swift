import Accounts
import Base
import HTTP
import OAuth
import Pages

extension HostedService {
    /// liquid: wallets that register passkeys and find one another; without a role it is here for the passkeys of people alone.
    public static func liquid(
        _ doors: LiquidEndpoints, role: ServiceRole?, login: LoginMethod?, root: String, workers: [Worker] = []
    ) -> HostedService {
        HostedService(
            "liquid", role: role, endpoints: role == nil ? [] : LiquidRoutes.endpoints(doors, root: root),
            schemas: OpenAPISchema.passkeys + OpenAPISchema.liquid, login: login, workers: workers,
            housekeeping: { try await doors.liquid.tidy() })
    }
}

extension LoginMethod {
    /// A person's own passkeys, and those of wallets that they linked.
    public static func passkeys(_ passkeys: PasskeyLogin, randomness: Randomness) -> LoginMethod {
        LoginMethod(
            factors: [.passkey(passkeys, randomness: randomness), .wallet(passkeys, randomness: randomness)],
            pages: { web in
                let context = PasskeyRequestContext(house: passkeys, web: web)
                let script = HealthRoutes.asset("passkey.js", "text/javascript", "Script of pages that ask for a passkey", PasskeyScript.text)
                return [script] + PasskeyLoginRoutes.endpoints(context) + AccountPasskeyRoutes.endpoints(context)
            },
            sections: { account, language in
                let own = try await passkeys.passkeys(of: account.id), keys = AccountSection.passkeys(own.map { OwnPasskey($0) }, language)
                guard own.contains(where: { $0.flow == .liquid }) else { return [keys] }
                return [keys, .openedPages(try await passkeys.walletSessions(of: account.id).map { OpenedPage($0) }, language)]
            },
            notices: AccountPage.Notice.ofPasskeys,
            apps: OpenAPIAppLogin(
                asked: [("credential:<PasskeyAssertion>", "What the passkey answered, for `passkey` and `wallet`.")],
                shown: [
                    ("passkey:PasskeyQuestion", "What to ask a passkey of this person."),
                    ("wallet:PasskeyQuestion", "What to ask a linked wallet's passkey."),
                ]))
    }
}

extension ServiceProfile {
    /// `root` is the URL of this host's root.
    /// What it offers stands where the SDKs look for it: at the host's root.
    public static func liquid(_ root: String) -> ServiceProfile {
        ServiceProfile(
            id: "liquid", name: "Liquid Auth", base: root + "/services/liquid",
            offers: [.init("org.w3.webauthn", link: root), .init("com.liquidauth.signaling", link: root + "/socket.io/")])
    }
}
