import Base
import Database
import Foundation
import Passkeys
import TokenTree

/// Tells every replica, with the commit of the transaction that revokes, which sessions of wallets are over, whoever
/// revokes: a login, an admin's command line, the person (token-tree.md, rule 2). For the `ended` of `Revocation`.
public struct SessionRevocations: Sendable {
    private static let mark: Character = "!"
    private static let all = "*"
    /// In one notice; an id has 22 letters.
    private static let most = 300

    let clock: WallClock

    public init(clock: WallClock) { self.clock = clock }

    /// Does nothing for what no session of a wallet hangs below.
    public func ended(_ ancestor: Ancestor, in executor: any SQLExecutor) async throws {
        switch ancestor.kind {
        case .epoch: try await tell(SessionRevocations.all, in: executor)
        case .session:
            guard ancestor.name.hasPrefix(LiquidSession.prefix) else { return }
            try await tell(String(ancestor.name.dropFirst(LiquidSession.prefix.count)), in: executor)
        case .key:
            guard let credential = Passkey.credential(of: ancestor) else { return }
            _ = try await executor.query(
                """
                select pg_notify(\(SignallingBus.channel), \(String(SessionRevocations.mark)) || string_agg(y.id,
                    ',')) from (
                    select x.id, (row_number() over (order by x.id) - 1) / \(SessionRevocations.most) as part
                        from liquid_session x
                    where x.credential = \(credential) and x.expires_at > \(clock.now())
                ) y group by y.part
                """)
        default: return
        }
    }

    private func tell(_ sessions: String, in executor: any SQLExecutor) async throws {
        _ = try await executor.query(
            "select pg_notify(\(SignallingBus.channel), \(String(SessionRevocations.mark) + sessions))")
    }

    /// `nil` for a notice that is about something else.
    static func read(_ notice: String) -> SignallingBus.Heard? {
        guard notice.first == mark else { return nil }
        let sessions = notice.dropFirst()
        return .over(sessions == all ? nil : sessions.split(separator: ",").map(String.init))
    }
}
