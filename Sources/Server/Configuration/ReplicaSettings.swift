import Database
import Foundation
import HTTP
import Logging

extension Setting {
    static let databaseReplica = Setting(
        "database-replica",
        "libpq connection string of a streaming standby, asked where answers may be a little old; empty for none",
        isSecret: true)
    static let databaseReplicaLag = Setting(
        "database-replica-lag", "milliseconds by which it may lag, at most, to be asked", default: "1000")

    static let ofReplica = [databaseReplica, databaseReplicaLag]
}

/// A standby that answers for the primary where that may be (docs/read-replicas.md).
public struct ReplicaSettings: Sendable {
    let database: String
    let mostLag: Duration

    /// `nil` for none.
    init?(_ values: SettingValues) throws {
        mostLag = .milliseconds(try values.number(.databaseReplicaLag, in: 100...60_000))
        database = values[.databaseReplica]
        guard !database.isEmpty else { return nil }
        guard database != values[.database] else {
            throw SettingValues.unacceptable(
                .databaseReplica, "that is the database itself: name a standby, or leave it empty")
        }
    }

    /// Opens nothing until it is asked.
    func replica(of primary: Database, connections: Int, isServing: Bool, logger: Logger) -> ReadReplica {
        let settings = ReadReplica.settings(
            database, connections: isServing ? connections : 2, forCommand: !isServing)
        return ReadReplica(Database(settings, logger: logger), of: primary, mostLag: mostLag, logger: logger)
    }
}
