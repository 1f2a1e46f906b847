import Base
import Database
import Passkeys
import TokenTree

extension Passkey {
    /// A member of `credentials` (protocols/liquid.md, 1.3).
    var json: JSONValue {
        [
            "device": .string(device ?? ""), "publicKey": .string(Base64URL.encode(key)), "credId": .string(text),
            "prevCounter": .integer(Int(counter)),
        ]
    }
}

extension LiquidServices {
    /// Removes a wallet's passkey; sessions that it let in end. Gives these, `nil` when it is none of the wallet's. One
    /// that an account is linked with is that account's too, and may be the last that it has: it is unlinked there
    /// first. Held before the link is read, so that nobody links it meanwhile.
    func removePasskey(
        _ id: [UInt8], wallet: String, by actor: AuditActor, in transaction: any SQLExecutor
    ) async throws -> [String]? {
        guard let held = try await passkeys.hold(id, in: transaction), held.wallet == wallet else { return nil }
        guard held.account == nil else { throw LiquidRefusal.forbidden }
        guard try await transaction.execute("delete from passkey where id = \(id) and wallet = \(wallet)") == 1 else {
            return nil
        }
        try await revocation.revoke(.virtual(Passkey.node(id)), by: actor.because("passkey removed"), in: transaction)
        // After the revocation, which waits for whoever is linking a session below it now.
        let ended = try await sessions.below(Passkey.node(id), in: transaction)
        try await PasskeyAudit.write(
            "liquid.remove", actor, about: id, ["wallet": .string(wallet)], at: clock.now(), in: transaction)
        return ended
    }
}
