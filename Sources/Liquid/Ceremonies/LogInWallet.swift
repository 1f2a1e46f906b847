import Base
import Database
import Foundation
import Passkeys
import TokenTree
import WebAuthn

/// A wallet's passkey answers (protocols/liquid.md, 1.2 and 1.6). A signature by the account's key need not come with
/// it; one that comes must be right (decisions.md, liquid 5). A counter that did not go up is noted and let through
/// (liquid 3).
struct LogInWallet: Sendable {
    let parts: LiquidServices

    func options(_ credential: String?, for presented: PresentedSession) async throws -> JSONValue {
        try parts.pace.challenge(for: presented, at: parts.clock.now())
        let passkey: Passkey?
        if let credential {
            let id = Base64URL.decode(credential)
            passkey = if let id { try await parts.passkeys.find(id, in: parts.database) } else { nil }
            guard passkey?.flow == .liquid else { throw LiquidRefusal.userNotFound }
        } else {
            passkey = nil
        }
        let challenge = try await parts.challenges.issue(
            .liquidLogin, holder: presented.sid.hash, credential: passkey?.id, lifetime: parts.settings.walletTimeout,
            in: parts.database)
        // Without transports: iOS and Android read `id` and `type`.
        let allow = passkey.map { [CredentialDescriptor(id: $0.id)] } ?? []
        return RequestOptions(
            party: parts.settings.wallets, challenge: challenge, timeout: Int(parts.settings.walletTimeout * 1_000),
            allow: allow
        ).json
    }

    func finish(_ body: JSONValue, by presented: PresentedSession) async throws -> EnteredUser {
        guard
            let issued = try await parts.challenges.consume(
                .liquidLogin, holder: presented.sid.hash, in: parts.database)
        else {
            throw LiquidRefusal.challengeNotFound
        }
        let passkey = try await named(body), claims = LiquidExtension(body)
        let outcome: AssertionOutcome
        do {
            outcome = try verified(body, issued, passkey)
            if let claims, claims.isSigned { try await check(claims, issued, of: passkey) }
        } catch let refusal as LiquidRefusal {
            try await note(refusal, of: passkey, presented)
            throw refusal
        }
        let (entered, user, cookie) = try await parts.database.atomically { transaction in
            try await store(passkey, outcome, claims, presented, in: transaction)
        }
        await parts.signals.announced(entered)
        if let old = presented.session { await parts.signals.over([old.id]) }
        return EnteredUser(user: user, cookie: cookie, session: entered.session)
    }

    private func note(_ refusal: LiquidRefusal, of passkey: Passkey, _ presented: PresentedSession) async throws {
        guard case .verificationFailed(let step) = refusal, let wallet = passkey.wallet else { return }
        let actor = AuditActor.wallet(wallet, origin: presented.origin)
        try await PasskeyAudit.refuse(
            "liquid.login", step, actor, about: passkey.id, account: passkey.account, at: parts.clock.now(),
            in: parts.database)
    }

    private func named(_ body: JSONValue) async throws -> Passkey {
        let id: [UInt8]
        do { id = try AuthenticationCeremony.credentialID(body) } catch {
            throw parts.refuse(.refused(error), "assertion")
        }
        guard let passkey = try await parts.passkeys.find(id, in: parts.database), passkey.flow == .liquid,
            passkey.wallet != nil
        else {
            throw LiquidRefusal.credentialNotFound
        }
        return passkey
    }

    private func verified(_ body: JSONValue, _ issued: IssuedChallenge, _ passkey: Passkey) throws -> AssertionOutcome {
        let allowed: Set<[UInt8]>? = issued.credential.map { [$0] }
        do {
            return try AuthenticationCeremony.verify(
                body, challenge: issued.challenge, credential: try passkey.known(), party: parts.settings.wallets,
                allowed: allowed)
        } catch {
            throw parts.refuse(.refused(error), "assertion")
        }
    }

    private func check(_ claims: LiquidExtension, _ issued: IssuedChallenge, of passkey: Passkey) async throws {
        let address: WalletAccount
        do {
            // The passkey is known: nothing of it is to be won by a challenge that was passed on.
            address = try await claims.signer(
                of: issued.challenge, for: passkey.id, at: parts.settings.wallets.id, isBoundOnly: false,
                by: parts.authority)
        } catch {
            throw parts.refuse(.refused(error), "assertion")
        }
        guard address.text == passkey.wallet else {
            throw parts.refuse(.refused(WalletRefusal.addressMismatch), "assertion")
        }
    }

    private func store(
        _ passkey: Passkey, _ outcome: AssertionOutcome, _ claims: LiquidExtension?, _ presented: PresentedSession,
        in transaction: any SQLExecutor
    ) async throws -> (EnteredWallet, JSONValue, String) {
        guard let wallet = passkey.wallet,
            let use = try await parts.passkeys.use(passkey, outcome, strictly: false, in: transaction)
        else {
            throw LiquidRefusal.credentialNotFound
        }
        let detail: JSONObject = [
            "wallet": .string(wallet), "counter_regressed": .bool(use.counterRegressed),
            "eligibility_changed": .bool(use.eligibilityChanged),
        ]
        let actor = AuditActor.wallet(wallet, origin: presented.origin),
            word = use.counterRegressed ? "flagged" : "done"
        try await PasskeyAudit.write(
            "liquid.login", actor, about: passkey.id, outcome: word, detail, at: parts.clock.now(), in: transaction)
        return try await parts.enter(presented, wallet: wallet, credential: passkey.id, claims, in: transaction)
    }
}
