import Base
import Database
import OAuth
import Registration
import TokenTree

/// What housekeeping of the IdP ends and forgets of what nobody uses (docs/operate.md, "What leaves each table").
public struct GrowthPurge: Sendable {
    public let instances: InstancePurge
    private let registrations: RegisterClient
    private let settings: GrowthSettings
    private let databaseClock: DatabaseClock

    init(
        _ settings: GrowthSettings, database: Database, revocation: Revocation, registrations: RegisterClient,
        notices: AccountNotices, clock: WallClock, databaseClock: DatabaseClock
    ) {
        (self.settings, self.registrations, self.databaseClock) = (settings, registrations, databaseClock)
        instances = InstancePurge(
            database: database, revocation: revocation, unused: settings.instancesUnused,
            idle: settings.instancesIdle, tell: { try await notices.deviceIdle($0, until: $1, in: $2) }, clock: clock,
            databaseClock: databaseClock)
    }

    public func forget() async throws {
        try await instances.forget()
        try await registrations.forgetUnused(after: settings.clientsUnused, databaseClock: databaseClock)
    }
}
