import Accounts
import Base
import Database
import Foundation

/// Usernames in place of UUIDs, where people read a list: nobody knows a person by a number.
enum PeopleNames {
    /// The member that names an account in what commands tell.
    private static let member = "account"

    /// Items whose account is still there, with its username; all else as it was.
    static func replaced(in result: AdminResult, by executor: any SQLExecutor) async throws -> AdminResult {
        guard case .list(let items, let next) = result else { return result }
        let ids = Set(items.compactMap { $0[member]?.string.flatMap { UUID(uuidString: $0) } })
        guard !ids.isEmpty else { return result }
        let rows = try await executor.query(
            "select id, username from account where id = any(\(Array(ids)))")
        let names = try Dictionary(
            uniqueKeysWithValues: rows.map { row in (try row("id", as: UUID.self), try row("username", as: String.self))
            })
        let named = items.map { item -> JSONValue in
            guard var object = item.object, let id = object[member]?.string.flatMap({ UUID(uuidString: $0) }),
                let name = names[id]
            else { return item }
            object[member] = .string(name)
            return .object(object)
        }
        return .list(named, next: next)
    }
}
