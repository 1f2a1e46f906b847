import Accounts
import Base
import Database
import Foundation
import TokenTree

/// What the device says of itself (decisions.md, Federation 1).
public struct DeviceInformation: Sendable {
    public var name: String?
    public var deviceType: String?
    public var osVersion: String?
    public var other: JSONObject

    public init(name: String? = nil, deviceType: String? = nil, osVersion: String? = nil, other: JSONObject = [:]) {
        (self.name, self.deviceType, self.osVersion, self.other) = (name, deviceType, osVersion, other)
    }
}

/// Which instances a list shows.
public struct InstanceFilter: Sendable {
    public var account: UUID?
    public var app: String?
    public var version: String?
    public var status: String?
    public var after: String?
    public var limit: Int
    /// By the institution of the person, or by that of the app.
    public var institution = InstitutionFilter.everything

    public init(
        account: UUID? = nil, app: String? = nil, version: String? = nil, status: String? = nil, after: String? = nil,
        limit: Int = 100
    ) {
        (self.account, self.app, self.version, self.status, self.after, self.limit) = (
            account, app, version, status, after, limit
        )
    }
}

/// Rows of `app_instance`.
public struct InstanceStore: Sendable {
    let clock: WallClock

    public init(clock: WallClock) { self.clock = clock }

    public func find(_ id: String, in executor: any SQLExecutor) async throws -> AppInstance? {
        try await executor.query("select \(AppInstance.columns) from app_instance i where i.id = \(id)")
            .first.map { try AppInstance($0) }
    }

    /// Locked until the transaction ends: logins and upgrades of one instance come one after the other.
    public func lock(_ id: String, in executor: any SQLExecutor) async throws -> AppInstance? {
        try await executor.query("select \(AppInstance.columns) from app_instance i where i.id = \(id) for update of i")
            .first.map { try AppInstance($0) }
    }

    /// Below what its token hangs from, the signing key too: when that is revoked, the instance has ended.
    func insert(
        _ id: String, version: AppVersion, claims: InstanceAssertion, below token: TokenRow,
        in executor: any SQLExecutor
    ) async throws {
        let made: SQL = "(select \(token.lineage)::uuid[] as lineage) made"
        _ = try await executor.execute(insertion(id, version: version, claims: claims, from: made))
    }

    /// Of the instance that `made`, a row with the lineage of its token, is for.
    func insertion(_ id: String, version: AppVersion, claims: InstanceAssertion, from made: SQL = "made") -> SQL {
        let device = claims.device
        return """
            insert into app_instance (id, app, version, device_id, name, device_type, os_version, device,
                thumbprint, jwk, lineage, created_at, last_seen)
            select \(id), \(version.app), \(version.id), \(claims.deviceID), \(device.name), \(device.deviceType),
                \(device.osVersion),
                    \(JSONValue.object(device.other)), \(claims.key.thumbprint), \(claims.key.bare),
                        made.lineage[:cardinality(made.lineage) - 1], \(clock.now()), \(clock.now())
            from \(made)
            """
    }

    func move(
        _ id: String, to version: AppVersion, device: DeviceInformation, lineage: [NodeID], in executor: any SQLExecutor
    ) async throws {
        _ = try await executor.execute(
            """
            update app_instance set version = \(version.id), lineage = \(lineage), last_seen = \(clock.now()),
                name = coalesce(\(device.name), name),
                   device_type = coalesce(\(device.deviceType), device_type),
                       os_version = coalesce(\(device.osVersion), os_version)
            where id = \(id)
            """)
    }

    /// Gives the live instances of this app on this device with this key.
    static func twins(app: String, device: String, key: String) -> SQL {
        """
        select i.id from app_instance i
        where i.app = \(app) and i.device_id = \(device) and i.thumbprint = \(key)
          and not exists (select from revocation r where r.node = any (i.lineage))
        """
    }

    /// Live instances on a device or with a key, whichever is named.
    public func holders(device: String?, key: String?, in executor: any SQLExecutor) async throws -> [String] {
        try await executor.query(
            """
            select i.id from app_instance i
            where (i.device_id = \(device) or i.thumbprint = \(key)) and not exists (select from revocation r
                where r.node = any (i.lineage)) order by i.id
            """
        ).map { try $0("id") }
    }

    /// An instance is for one person: false when it is another's.
    public func assign(_ id: String, to account: UUID, in executor: any SQLExecutor) async throws -> Bool {
        try await !executor.query(assigning(id, to: account)).isEmpty
    }

    /// The statement of `assign`, to be sent with others: it gives a row if the instance is that person's.
    public func assigning(_ id: String, to account: UUID) -> SQL {
        """
        update app_instance set account = \(account), last_seen = \(clock.now()) where id = \(id)
            and (account is null or account = \(account))
            and exists (select from account a where a.id = \(account))
        returning id
        """
    }

    /// Locks its row until the transaction ends.
    public static func holding(_ id: String) -> SQL { "select from app_instance where id = \(id) for no key update" }

    public func change(
        _ id: String, _ device: DeviceInformation, in executor: any SQLExecutor
    ) async throws -> AppInstance? {
        try await executor.query(
            """
            update app_instance i set name = coalesce(\(device.name), i.name),
                device_type = coalesce(\(device.deviceType), i.device_type),
                   os_version = coalesce(\(device.osVersion), i.os_version)
            where i.id = \(id) returning \(AppInstance.columns)
            """
        ).first.map { try AppInstance($0) }
    }

    /// To be sent with others. Its rows are for `lastSeen` again.
    public static func lastSeen(_ id: String?) -> SQL { "select last_seen from app_instance where id = \(id)" }

    public static func lastSeen(_ rows: [Row]) throws -> Date? { try rows.first.map { try $0("last_seen") } }

    /// Whether it is time to note that an instance was `seen`: a minute's precision is enough to recognise a phone, and
    /// spares a write for each request.
    public func isDue(lastSeen: Date) -> Bool { lastSeen < clock.now().addingTimeInterval(-60) }

    /// Gives when that was.
    public func seen(_ id: String, in database: Database) async throws -> Date {
        let now = clock.now()
        _ = try await database.batchAlone([
            "update app_instance set last_seen = greatest(last_seen, \(now)) where id = \(id)"
        ])
        return now
    }

    /// Newest first: what an operator looks for was seen lately.
    public func list(_ filter: InstanceFilter, in executor: any SQLExecutor) async throws -> [AppInstance] {
        let (ofPerson, ofApp) = (
            filter.institution.condition("a.institution"), filter.institution.condition("p.institution")
        )
        let owned: SQL =
            filter.institution == .everything
            ? "true"
            : """
            (exists (select from account a where a.id = i.account and \(ofPerson))
                or exists (select from app p where p.id = i.app and \(ofApp)))
            """
        return try await executor.query(
            """
            select found.id, found.app, found.version_id, found.version, found.device_id, found.name,
                found.device_type, found.os_version, found.thumbprint,
                   found.jwk, found.account, found.lineage, found.created_at, found.last_seen, found.is_revoked,
                       found.is_blocked
            from (
                select \(AppInstance.columns) from app_instance i
                where (\(filter.account)::uuid is null or i.account = \(filter.account))
                    and (\(filter.app)::text is null or i.app = \(filter.app)) and \(owned)
                  and (\(filter.after)::text is null or (i.created_at, i.id) < (select b.created_at, b.id
                      from app_instance b where b.id = \(filter.after)))
            ) found
            where (\(filter.version)::text is null or found.version = \(filter.version))
              and (\(filter.status)::text is null or \(filter.status) = case when found.is_blocked then 'blocked'
                  when found.is_revoked then 'revoked' else 'live' end)
            order by found.created_at desc, found.id desc limit \(filter.limit)
            """
        ).map { try AppInstance($0) }
    }
}
