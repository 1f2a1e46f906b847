import Base
import Database
import Foundation
import TokenTree

/// Rows of `service_refusal`: a person or a phone that is kept out of one service. A phone by its device id and its
/// key, so that it does not come back as another instance.
public struct ServiceRefusals: Sendable {
    /// Who is meant.
    public enum Party: Sendable {
        case account(UUID)
        /// `instance` is the one that was named.
        case phone(device: String, key: String, instance: String)

        var names: [(kind: String, name: String)] {
            switch self {
            case .account(let id): [("account", id.uuidString.lowercased())]
            case .phone(let device, let key, _): [("device", device), ("key", key)]
            }
        }

        var account: UUID? { if case .account(let id) = self { id } else { nil } }
        var instance: String? { if case .phone(_, _, let instance) = self { instance } else { nil } }
    }

    let clock: WallClock

    public init(clock: WallClock) { self.clock = clock }

    /// Holds while this person is not kept out of the service.
    public static func admits(_ account: UUID, at service: String) -> SQL {
        lacks("account", "\(account.uuidString.lowercased())", at: "\(service)")
    }

    private static func lacks(_ kind: SQL, _ name: SQL, at service: SQL) -> SQL {
        """
        not exists (select from service_refusal x
            where x.service = \(service) and x.kind = '\(kind)' and x.name = \(name))
        """
    }

    /// Holds while neither this person nor the phone that acts for them is kept out: by the device of the instance
    /// `client`, and by the key that was shown.
    public static func admits(_ account: UUID, client: String?, key: String?, at service: String) -> SQL {
        admits(account, client: client, key: key, at: "\(service)" as SQL)
    }

    /// The same of a column, in a statement that reads many services.
    static func admits(_ account: UUID, client: String?, key: String?, at service: SQL) -> SQL {
        let device: SQL = "(select i.device_id from app_instance i where i.id = \(client))"
        // Each by its own look at the index: a service may have refused very many.
        return [
            lacks("account", "\(account.uuidString.lowercased())", at: service), lacks("key", "\(key)", at: service),
            lacks("device", device, at: service),
        ]
        .joined(separator: " and ")
    }

    /// False when all of it was refused before. Who ends what lives does so afterwards, in the same transaction.
    public func refuse(
        _ party: Party, at service: String, by actor: AuditActor, in transaction: any SQLExecutor
    ) async throws -> Bool {
        var added = 0
        for (kind, name) in party.names {
            added += try await transaction.execute(
                """
                insert into service_refusal (service, kind, name, account, instance, refused_at, actor, reason)
                values (\(service), \(kind), \(name), \(party.account), \(party.instance), \(clock.now()),
                    \(actor.name), \(actor.reason))
                on conflict do nothing
                """)
        }
        return added > 0
    }

    /// False when nothing kept them out.
    public func allow(_ party: Party, at service: String, in transaction: any SQLExecutor) async throws -> Bool {
        var removed = 0
        for (kind, name) in party.names {
            removed += try await transaction.execute(
                "delete from service_refusal where service = \(service) and kind = \(kind) and name = \(name)")
        }
        if let instance = party.instance {
            removed += try await allow(instance: instance, at: service, in: transaction) ? 1 : 0
        }
        return removed > 0
    }

    /// What was written when this instance was named; it may be registered no more.
    public func allow(
        instance: String, at service: String, in transaction: any SQLExecutor
    ) async throws -> Bool {
        try await transaction.execute(
            "delete from service_refusal where service = \(service) and instance = \(instance)") > 0
    }

    /// Who is kept out of a service, by kind and name, as `pando admin services refusals` shows it.
    public static func list(
        _ service: String, after: (kind: String, name: String)?, limit: Int, in executor: any SQLExecutor
    ) async throws -> [JSONObject] {
        try await executor.query(
            """
            select kind, name, instance, refused_at, actor, reason from service_refusal
            where service = \(service) and (\(after?.kind)::text is null or (kind, name) > (\(after?.kind),
                \(after?.name)))
            order by kind, name limit \(limit)
            """
        ).map { row in
            [
                "kind": .string(try row("kind")), "name": .string(try row("name")),
                "instance": JSONValue(try row("instance") as String?),
                "refused_at": .string(try row("refused_at", as: Date.self).rfc3339), "actor": .string(try row("actor")),
                "reason": JSONValue(try row("reason") as String?),
            ]
        }
    }
}
