import Base
import Database
import Foundation
import Passkeys

/// Rows of `liquid_wallet`: addresses whose key signed a challenge once.
struct WalletStore: Sendable {
    /// More than anybody has devices for.
    static let mostPasskeys = 20

    let clock: WallClock
    let randomness: Randomness

    /// Made where it is not known, and held until the transaction ends: of two who register the first passkey of an
    /// address at once, the second sees the first's.
    func hold(_ address: String, in transaction: any SQLExecutor) async throws {
        _ = try await transaction.execute(
            """
            insert into liquid_wallet (address, handle, created_at)
                values (\(address), \(randomness.bytes(32)), \(clock.now())) on conflict (address) do nothing
            """)
        _ = try await transaction.query(
            "select w.address from liquid_wallet w where w.address = \(address) for no key update")
    }

    /// The user JSON (protocols/liquid.md, 1.3). It never has a member `error`: iOS would take it for a failure.
    func user(_ address: String, in executor: any SQLExecutor) async throws -> JSONValue {
        let handle: [UInt8]? = try await executor.query(
            "select w.handle from liquid_wallet w where w.address = \(address)"
        ).first.map { try $0("handle") }
        guard let handle else { throw LiquidRefusal.forbidden }
        let passkeys = try await PasskeyStore(clock: clock).list(wallet: address, in: executor)
        return [
            "id": .string(Base64URL.encode(handle)), "wallet": .string(address),
            "credentials": .array(passkeys.map(\.json)),
        ]
    }
}
