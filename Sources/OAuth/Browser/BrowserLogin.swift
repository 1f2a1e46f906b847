import Accounts
import Base
import Database
import Foundation
import TokenTree
import Vocabulary

/// Login in a browser. Every method ends in an `AuthenticationEvent`; `begin` makes it a session, whatever the method was.
public struct BrowserLogin: Sendable {
    public enum Refused: Error, Sendable, Equatable {
        case wrong
        case tooMany(seconds: Int)
        case busy
    }

    let database: Database
    let store: TokenStore
    let revocation: Revocation
    let passwords: PasswordLogin
    let sessions: SessionStore
    let clock: WallClock
    let randomness: Randomness

    /// The session behind a cookie.
    public func session(cookie: String?) async throws -> BrowserSession? {
        guard let cookie, cookie.utf8.count <= 128 else { return nil }
        guard let session = try await sessions.find(cookie: cookie, in: database) else { return nil }
        try await sessions.seen(session, in: database)
        return session
    }

    /// A new random cookie, for browser or session.
    public func cookie() -> String { Base64URL.encode(randomness.bytes(32)) }

    /// Username and password. Gives the session's new cookie; throws `Refused`.
    public func logIn(username: String, password: String, _ visitor: Visitor) async throws -> String {
        guard (1...255).contains(username.utf8.count), (1...1_024).contains(password.utf8.count) else { throw Refused.wrong }
        do {
            let owner = try await sessions.knows(visitor.client, account: username, in: database)
            return try await begin(try await passwords.logIn(username: username, password: password, client: visitor.client, owner: owner), visitor)
        } catch PasswordLogin.Refused.tooMany(let seconds) {
            throw Refused.tooMany(seconds: seconds)
        } catch is PasswordLogin.Refused {
            throw Refused.wrong
        } catch is PasswordHasher.Busy {
            throw Refused.busy
        }
    }

    /// The same person goes on in the same session; another person's ends (one browser, one login).
    func begin(_ event: AuthenticationEvent, _ visitor: Visitor) async throws -> String {
        let cookie = self.cookie()
        return try await database.atomically { transaction in
            if let session = visitor.session {
                if session.account.id == event.account.id, try await sessions.renew(session, by: event, cookie: cookie, in: transaction) { return cookie }
                try await revocation.cut(.virtual(Ancestor(.session, session.id)), by: visitor.actor().because("another login in the same browser"), in: transaction)
            }
            let id = randomness.identifier(), person = event.account.id.uuidString.lowercased()
            let lineage = try await store.generations(of: [.epoch, Ancestor(.account, person), Ancestor(.session, id)], in: transaction)
            // Who suspends the account waits for this login, or this login for them.
            try await store.hold(lineage, in: transaction)
            try await sessions.begin(event, id: id, lineage: lineage, cookie: cookie, device: visitor.device, origin: visitor.origin, in: transaction)
            try await AuditTrail.write(AuditEntry(actor: visitor.actor("account:\(person)"), action: "login", node: "session:\(id)", account: event.account.id,
                                                  detail: ["method": .string(event.method)]), at: clock.now(), in: transaction)
            return cookie
        }
    }
}
