import Base
import Database
import Foundation

/// Whether a login may ring somebody's phone. Who knows a password alone must not be able to, again and again, until
/// the person gives in (protocols/tiqr.md): only a client that completed a login of two factors before may, and three
/// times in a row; then there is a pause, until a login is complete.
public struct PushAllowance: Sendable {
    let database: Database
    let events: AuthenticationEvents
    let attempts: AttemptLimit

    public init(database: Database, clock: WallClock) {
        (self.database, events, attempts) = (database, AuthenticationEvents(clock: clock), AttemptLimit(clock: clock))
    }

    /// Counts one. False: show the code, and leave the phone alone.
    public func take(client: String, account: UUID) async throws -> Bool {
        guard try await events.hasCompleted("mfa", client: client, account: account, in: database) else { return false }
        return try await attempts.count([PushAllowance.step(account)], in: database) == nil
    }

    /// The person answered rightly.
    public func forgive(_ account: UUID, in executor: any SQLExecutor) async throws {
        try await attempts.forgive(PushAllowance.step(account), takingBack: [], in: executor)
    }

    private static func step(_ account: UUID) -> AttemptLimit.Step {
        AttemptLimit.Step(subject: "push \(account.uuidString.lowercased())", free: 2, pause: 600)
    }
}
