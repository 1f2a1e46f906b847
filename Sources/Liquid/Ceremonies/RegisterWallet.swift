import Base
import Database
import Foundation
import Passkeys
import TokenTree
import WebAuthn

/// A wallet registers a passkey (protocols/liquid.md, 1.1 and 1.6; decisions.md, liquid 1): its account's key signs the
/// challenge that the passkey signs too. That suffices for the first. As the account's key signs nothing but the
/// challenge, which a stranger's page can pass on, further ones need a session that one of the wallet's passkeys opened
/// as well.
struct RegisterWallet: Sendable {
    let parts: LiquidServices

    func options(_ body: JSONValue?, for presented: PresentedSession) async throws -> JSONValue {
        try parts.pace.challenge(for: presented, at: parts.clock.now())
        let asked = body?.object ?? [:], party = parts.settings.wallets
        guard asked["extensions"]?["liquid"] == .bool(true) else { throw LiquidRefusal.extensionRequired }
        let challenge = try await parts.challenges.issue(
            .liquidRegister, holder: presented.sid.hash, lifetime: parts.settings.walletTimeout, in: parts.database)
        let exclude =
            if let wallet = presented.session?.wallet {
                try await parts.passkeys.list(wallet: wallet, in: parts.database)
            } else { [Passkey]() }
        return CreationOptions(
            party: party, user: user(asked), challenge: challenge, timeout: Int(parts.settings.walletTimeout * 1_000),
            exclude: exclude.map(\.descriptor), selection: selection(asked["authenticatorSelection"]?.object),
            extensions: [
                "liquid": true,
                "liquidTypes": JSONValue(
                    strings: WalletSignatureType.offered(isBoundOnly: parts.settings.isBoundOnly).map(\.rawValue)),
            ]
        ).json
    }

    /// Apps send the address and put their own bytes for `id`; pages send nothing.
    private func user(_ asked: JSONObject) -> CreationOptions.User {
        let named = asked["username"]?.string.flatMap { $0.utf8.count <= 64 && DeviceName.fit($0) == $0 ? $0 : nil }
        let shown = DeviceName.fit(asked["displayName"]?.string)
        return CreationOptions.User(
            id: named ?? Base64URL.encode(parts.randomness.bytes(32)), name: named ?? parts.settings.wallets.name,
            displayName: shown ?? named ?? parts.settings.wallets.name)
    }

    /// What was asked, as far as it is something; the user is verified whatever was asked.
    private func selection(_ asked: JSONObject?) -> JSONValue {
        var selection: JSONObject = [:]
        if let attachment = asked?["authenticatorAttachment"],
            ["platform", "cross-platform"].contains(attachment.string)
        {
            selection["authenticatorAttachment"] = attachment
        }
        selection["userVerification"] = .string(parts.settings.wallets.userVerification.rawValue)
        if let required = asked?["requireResidentKey"], required.bool != nil {
            selection["requireResidentKey"] = required
        }
        if let resident = asked?["residentKey"], ["required", "preferred", "discouraged"].contains(resident.string) {
            selection["residentKey"] = resident
        }
        return .object(selection)
    }

    func finish(_ body: JSONValue, by presented: PresentedSession) async throws -> EnteredUser {
        guard
            let issued = try await parts.challenges.consume(
                .liquidRegister, holder: presented.sid.hash, in: parts.database)
        else {
            throw LiquidRefusal.challengeNotFound
        }
        guard let claims = LiquidExtension(body) else { throw LiquidRefusal.extensionNotFound }
        let fresh: NewCredential, address: WalletAccount
        do {
            fresh = try await RegistrationCeremony.verify(
                body, challenge: issued.challenge, party: parts.settings.wallets, at: parts.clock.now())
        } catch {
            throw parts.refuse(.refused(error), "attestation")
        }
        do {
            address = try await claims.signer(
                of: issued.challenge, for: fresh.id, at: parts.settings.wallets.id,
                isBoundOnly: parts.settings.isBoundOnly, by: parts.authority)
        } catch {
            throw parts.refuse(.refused(error), "attestation")
        }
        if try await !isKnown(address.text) { try parts.pace.wallet(of: presented, at: parts.clock.now()) }
        let (entered, user, cookie) = try await parts.database.atomically { transaction in
            try await store(fresh, of: address.text, claims, device: claims.device(body), presented, in: transaction)
        }
        await parts.signals.announced(entered)
        if let old = presented.session { await parts.signals.over([old.id]) }
        return EnteredUser(user: user, cookie: cookie, session: entered.session)
    }

    private func isKnown(_ address: String) async throws -> Bool {
        try await !parts.database.query("select w.address from liquid_wallet w where w.address = \(address)").isEmpty
    }

    private func store(
        _ fresh: NewCredential, of address: String, _ claims: LiquidExtension, device: String?,
        _ presented: PresentedSession,
        in transaction: any SQLExecutor
    ) async throws -> (EnteredWallet, JSONValue, String) {
        try await parts.wallets.hold(address, in: transaction)
        let known = try await parts.passkeys.list(wallet: address, in: transaction)
        if !known.isEmpty {
            guard let session = presented.session, session.wallet == address, session.entered == .credential,
                try await parts.sessions.hold(session, in: transaction)
            else {
                throw parts.refuse(.refused(WalletRefusal.ownershipUnproven), "attestation")
            }
        }
        guard known.count < WalletStore.mostPasskeys else {
            throw parts.refuse(.refused(WalletRefusal.tooManyPasskeys), "attestation")
        }
        guard
            try await parts.passkeys.add(
                fresh, owner: .wallet(address), name: device ?? "Passkey", device: device, in: transaction)
        else {
            throw parts.refuse(.refused(WebAuthnRefusal.credentialExists), "attestation")
        }
        let actor = AuditActor.wallet(address, origin: presented.origin), now = parts.clock.now()
        let detail: JSONObject = [
            "wallet": .string(address), "format": .string(fresh.format.rawValue),
            "trust": .string(fresh.trust.rawValue),
            "first": .bool(known.isEmpty),
        ]
        try await PasskeyAudit.write("liquid.register", actor, about: fresh.id, detail, at: now, in: transaction)
        return try await parts.enter(presented, wallet: address, credential: fresh.id, claims, in: transaction)
    }
}

extension LiquidServices {
    /// The wallet's new session, and what signalling writes about it, in the transaction of the login.
    func enter(
        _ presented: PresentedSession, wallet: String, credential: [UInt8], _ claims: LiquidExtension?,
        in transaction: any SQLExecutor
    ) async throws -> (EnteredWallet, JSONValue, String) {
        let sid = try await sessions.enter(presented, wallet: wallet, credential: credential, in: transaction)
        let entered = EnteredWallet(
            wallet: wallet, credential: credential, requestID: claims?.requestID, session: sid.id,
            replaced: presented.id)
        try await signals.entered(entered, transaction)
        var user = try await wallets.user(wallet, in: transaction).object ?? [:]
        user["pairing"] = try await pairings.approve(entered, in: transaction)
        return (entered, .object(user), cookies.value(sid))
    }
}
