import Base
import Database
import Foundation

/// What belongs to an institution, or to none.
public enum Belonging: Sendable, Equatable {
    case account(UUID)
    case app(String)
    case client(String)
    case service(String)
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
}
