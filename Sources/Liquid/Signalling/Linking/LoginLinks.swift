import Base
import Database
import Foundation

/// A request of a login at the IdP, as its row says. Whoever comes first answers it.
struct LoginLink: Sendable {
    /// Of the passkey that answered, and its wallet; `nil` before one has.
    let answer: (wallet: String, credential: [UInt8])?
    let expiresAt: Date

    init(_ row: Row) throws(DatabaseError) {
        let wallet: String? = try row("wallet"), credential: [UInt8]? = try row("credential")
        if let wallet, let credential { answer = (wallet, credential) } else { answer = nil }
        expiresAt = try row("expires_at")
    }
}

/// Requests whose page is a login at the IdP. Its place is taken before the code is shown, by a name that no session
/// has: so no socket is ever linked with the wallet that answers, and no session is let in by it.
extension LinkStore {
    /// Seconds for which somebody may say yes to an answer that came at the last moment.
    static let confirmation: TimeInterval = 120
    private static let mark = "login "
    /// In the place of one that was used or dropped. Its row stays for a while, so that nobody else gets the id, which
    /// others may have seen: a wallet that is late would let them in.
    private static let over = mark + "over"

    static func isLogin(_ linker: String) -> Bool { linker.hasPrefix(mark) }

    private static func linker(_ request: RequestID) -> String { mark + request.key }

    func open(login request: RequestID, in executor: any SQLExecutor) async throws {
        let now = clock.now()
        _ = try await executor.execute(
            """
            insert into signalling_link (request, linker, created_at, expires_at)
            values (\(request.key), \(LinkStore.linker(request)), \(now), \(now + LinkStore.requestLifetime))
            """)
    }

    /// `nil` for one that is over.
    func find(login request: RequestID, in executor: any SQLExecutor) async throws -> LoginLink? {
        try await executor.query(
            """
            select l.wallet, l.credential, l.expires_at from signalling_link l
            where l.request = \(request.key) and l.linker = \(LinkStore.linker(request))
            """
        ).first.map { try LoginLink($0) }
    }

    /// Uses it up, once: the session of the wallet that gave this answer, `nil` where it has none any more.
    func take(
        login request: RequestID, wallet: String, credential: [UInt8], in transaction: any SQLExecutor
    ) async throws -> String? {
        let now = clock.now()
        return try await transaction.query(
            """
            update signalling_link l set linker = \(LinkStore.over),
                expires_at = least(l.expires_at, \(now)::timestamptz)
            where l.request = \(request.key) and l.linker = \(LinkStore.linker(request)) and l.wallet = \(wallet)
                and l.credential = \(credential) and l.expires_at > \(now - LinkStore.confirmation)
            returning l.session
            """
        ).first.map { try $0("session") }
    }

    /// No wallet can answer it any more, and no answer counts.
    func drop(login request: RequestID, in executor: any SQLExecutor) async throws {
        _ = try await executor.execute(
            """
            update signalling_link l set linker = \(LinkStore.over),
                expires_at = least(l.expires_at, \(clock.now())::timestamptz)
            where l.request = \(request.key) and l.linker = \(LinkStore.linker(request))
            """)
    }

    func isLogin(_ request: RequestID, in executor: any SQLExecutor) async throws -> Bool {
        try await !executor.query(
            """
            select l.request from signalling_link l
            where l.request = \(request.key) and l.linker = \(LinkStore.linker(request))
            """
        ).isEmpty
    }
}
