import Base
import Database
import Foundation

/// Rows of `account_language`: in which language a person reads, as their browser said when they last logged in with
/// one.
public struct AccountLanguage: Sendable {
    public init() {}

    /// Written only when it is another.
    public func set(_ language: String, of account: UUID, in executor: any SQLExecutor) async throws {
        _ = try await executor.execute(
            """
            insert into account_language as l (account, language) values (\(account), \(language))
            on conflict (account) do update set language = excluded.language where l.language <> excluded.language
            """)
    }

    /// ISO 639-1; `nil` where nobody knows.
    public func find(_ account: UUID, in executor: any SQLExecutor) async throws -> String? {
        try await executor.query("select language from account_language where account = \(account)").first.map {
            try $0("language")
        }
    }
}
