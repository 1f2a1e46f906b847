import Base
import Database
import Foundation
import Vocabulary

/// Origins of pages that clients registered (`web_origins`), by origin.
///
/// A preflight names an origin and no client, so it is answered by whether some client registered it: that is
/// remembered for a short time, strangers apart from the registered, so that who makes origins up drives nobody out.
/// Whether it is the origin of the client in question is asked of the database each time.
public final class RegisteredOrigins: Sendable {
    /// Seconds for which it is remembered that an origin is registered, or is not.
    static let known: TimeInterval = 60, unknown: TimeInterval = 10

    let database: Database
    let clock: WallClock
    /// Until when.
    private let registered = BoundedMemory<String, Date>(most: 10_000)
    private let strangers = BoundedMemory<String, Date>(most: 2_000)
    private let lookups = AddressRateLimit("origins", burst: 200, rate: 2)

    public init(database: Database, clock: WallClock) { (self.database, self.clock) = (database, clock) }

    /// Whether some client registered this origin. `address` is who asks; it may have so many looked up.
    ///
    /// Throws `slow_down` (429), and what the database throws while it is away; an origin that was registered when it
    /// was last asked for still is then.
    public func contains(_ origin: String, from address: String?) async throws -> Bool {
        guard (try? WebOrigin(origin)) != nil else { return false }
        let now = clock.now()
        if let until = registered[origin], until > now { return true }
        if let until = strangers[origin], until > now { return false }
        if let seconds = lookups.take(from: address, at: now) {
            throw OAuthError.exceeded(
                lookups.exceeded(seconds), "too many origins were asked for from your address")
        }
        do {
            // The second condition is that of the index.
            let rows = try await database.query(
                """
                select id from client
                where metadata -> 'web_origins' ? \(origin) and metadata ? 'web_origins' limit 1
                """)
            registered[origin] = rows.isEmpty ? nil : now.addingTimeInterval(RegisteredOrigins.known)
            strangers[origin] = rows.isEmpty ? now.addingTimeInterval(RegisteredOrigins.unknown) : nil
            return !rows.isEmpty
        } catch {
            guard registered[origin] != nil else { throw error }
            return true
        }
    }

    /// Of these names those of web clients, each with whether it registered this origin.
    public func clients(_ names: Set<String>, of origin: String) async throws -> [String: Bool] {
        guard !names.isEmpty else { return [:] }
        let rows = try await database.query(
            """
            select id, coalesce(metadata -> 'web_origins' ? \(origin), false) as is_its_own
            from client where id = any (\(Array(names)))
            """)
        var found: [String: Bool] = [:]
        for row in rows { found[try row("id")] = try row("is_its_own") as Bool }
        return found
    }
}
