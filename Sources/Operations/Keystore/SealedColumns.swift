import Base
import Database

/// A column of secrets (decisions.md, operations 3). What is sealed for one row and column opens in no other.
enum SealedColumn: String, CaseIterable {
    case applicationMaster = "phone_application.master_private"
    case applicationKeys = "phone_application_key.private"
    case versionSecret = "phone_application_version.secret"
    case serverPrivate = "phone_registration.server_private"
    case registrationSecrets = "phone_registration.secrets"
    case upgrade = "phone_registration.upgrade"
    case otp = "phone_registration.otp"
    case temporaryPrivate = "phone_temporary_key.private"
    /// Of rows of protocol 4. Sealed apart, so that a server of a release that knows one protocol alone cannot take
    /// such a row for one of its own: the phone that it was agreed upon with knows it, and it would do for a private
    /// key.
    case temporarySecret = "phone_temporary_key.private 4.0"
    case tokenSecret = "phone_token.secret"
    case proximitySeed = "phone_operation.seed"
    case callbackSecret = "operations_callback.secret"
    case pushCredentials = "phone_application_push.secret"

    /// Opened with nearly every request of a phone.
    var isRemembered: Bool { self == .versionSecret || self == .tokenSecret }

    var table: String { String(rawValue.prefix { $0 != "." }) }
    var column: String { String(rawValue.drop { $0 != "." }.dropFirst().prefix { $0 != " " }) }

    /// Which rows of the table have it, where two share a column.
    var rows: SQL {
        switch self {
        case .temporaryPrivate: "protocol = \(PhoneProtocol.three.rawValue)"
        case .temporarySecret: "protocol = \(PhoneProtocol.four.rawValue)"
        default: "true"
        }
    }

    var key: String {
        switch self {
        case .versionSecret: "application_key"
        case .applicationKeys: "application"
        default: "id"
        }
    }

    var sealedBy: String {
        switch self {
        case .applicationMaster: "master_sealed_by"
        case .versionSecret, .tokenSecret: "secret_sealed_by"
        case .serverPrivate: "server_sealed_by"
        case .registrationSecrets: "secrets_sealed_by"
        case .upgrade: "upgrade_sealed_by"
        case .otp: "otp_sealed_by"
        case .temporaryPrivate, .temporarySecret: "private_sealed_by"
        case .applicationKeys, .proximitySeed, .callbackSecret, .pushCredentials: "sealed_by"
        }
    }

    func place(_ key: String) -> String { "\(rawValue) \(key)" }
}

/// Seals and opens the secrets of this part of the room under the master key.
struct SealedColumns: Sendable {
    private struct Place: Hashable {
        let column: SealedColumn
        let key: String
        let bytes: [UInt8]
    }

    let master: MasterKey
    /// What was opened, by all that it was opened from.
    private let opened = BoundedMemory<Place, SecretBytes>(most: 10_000)

    init(master: MasterKey) { self.master = master }

    func seal(_ secret: SecretBytes, _ column: SealedColumn, of key: String) throws -> Sealed {
        try SealedColumns.seal(secret, column, of: key, under: master)
    }

    private static func seal(
        _ secret: SecretBytes, _ column: SealedColumn, of key: String, under master: MasterKey
    ) throws -> Sealed {
        Sealed(bytes: try master.seal(secret, row: column.place(key)), by: master.id)
    }

    func open(_ sealed: Sealed, _ column: SealedColumn, of key: String) throws -> SecretBytes {
        guard sealed.by == master.id else {
            throw ForeignSeal(place: column.place(key), by: sealed.by, ours: master.id)
        }
        guard column.isRemembered else { return try master.open(sealed.bytes, row: column.place(key)) }
        let place = Place(column: column, key: key, bytes: sealed.bytes)
        if let secret = opened[place] { return secret }
        let secret = try master.open(sealed.bytes, row: column.place(key))
        opened[place] = secret
        return secret
    }

    /// Every secret that another master key sealed, in batches; how many. What is made meanwhile is sealed by its own
    /// process's key. Throws when one is sealed under neither key; then nothing of the transaction counts.
    func reseal(under successor: MasterKey, in transaction: any SQLExecutor) async throws -> Int {
        var count = 0
        for column in SealedColumn.allCases { count += try await reseal(column, under: successor, in: transaction) }
        return count
    }

    private func reseal(
        _ column: SealedColumn, under successor: MasterKey, in transaction: any SQLExecutor
    ) async throws -> Int {
        var count = 0, last = ""
        while true {
            let rows = try await transaction.query(
                """
                select \(identifier: column.key) as key, \(identifier: column.column) as secret,
                    \(identifier: column.sealedBy) as sealed_by
                from \(identifier: column.table)
                where \(identifier: column.sealedBy) <> \(successor.id) and \(identifier: column.key) > \(last)
                    and \(column.rows)
                order by \(identifier: column.key) limit 500 for no key update
                """)
            for row in rows {
                let key: String = try row("key")
                last = key
                guard let sealed = try Sealed(row, "secret", by: "sealed_by") else { continue }
                let anew = try SealedColumns.seal(try open(sealed, column, of: key), column, of: key, under: successor)
                _ = try await transaction.execute(
                    """
                    update \(identifier: column.table) set \(identifier: column.column) = \(anew.bytes),
                        \(identifier: column.sealedBy) = \(anew.by)
                    where \(identifier: column.key) = \(key)
                    """)
                count += 1
            }
            guard !rows.isEmpty else { return count }
        }
    }
}
