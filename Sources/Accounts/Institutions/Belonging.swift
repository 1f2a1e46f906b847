import Base
import Database
import Foundation

/// What belongs to an institution, or to none.
public enum Belonging: Sendable, Equatable {
    case account(UUID)
    case app(String)
    case client(String)
    case service(String)

    /// A lock of its own, so that nobody who logs in or registers waits for who asks whose a thing is.
    fileprivate var lockNumber: Int64 {
        let label =
            switch self {
            case .account(let id): "account \(id.uuidString.lowercased())"
            case .app(let id): "app \(id)"
            case .client(let id): "client \(id)"
            case .service(let id): "service \(id)"
            }
        return NodeID(digestOf: "institution of \(label)").lockNumber
    }
}

extension InstitutionStore {
    /// `nil` takes it away. A service's own client goes with it. Throws `Refused.unknown` for an institution that is
    /// not there, for as long as the transaction lasts.
    public func assign(_ thing: Belonging, to institution: String?, in transaction: any SQLExecutor) async throws {
        if let institution {
            let there = try await transaction.query(
                "select i.id from institution i where i.id = \(institution) for key share")
            guard !there.isEmpty else { throw Refused.unknown(institution) }
        }
        _ = try await transaction.execute("select pg_advisory_xact_lock(\(thing.lockNumber))")
        let statements: [SQL] =
            switch thing {
            case .account(let id): ["update account set institution = \(institution) where id = \(id)"]
            case .app(let id): ["update app set institution = \(institution) where id = \(id)"]
            case .client(let id): ["update client set institution = \(institution) where id = \(id)"]
            case .service(let id):
                [
                    "update service set institution = \(institution) where id = \(id)",
                    """
                    update client set institution = \(institution)
                    where id = (select s.client from service s where s.id = \(id))
                    """,
                ]
            }
        _ = try await transaction.batch(statements)
    }

    /// Until the transaction ends, it belongs to whom it belongs: `assign` waits.
    public static func hold(_ thing: Belonging, in transaction: any SQLExecutor) async throws {
        _ = try await transaction.execute("select pg_advisory_xact_lock_shared(\(thing.lockNumber))")
    }
}
