import Accounts
import Base
import Foundation
import OAuth
import Testing
import Tiqr
import Vocabulary

/// People of the IdP with phones of their own, for logins of two factors.
extension TestServer {
    public var phones: TiqrLogin { TiqrLogin(parts.tiqr) }
    public var web: WebSide { parts.idp.web }

    /// A person whom no other test knows, with everybody's password.
    public func newResident(requires factor: Account.RequiredFactor = .none) async throws -> Account {
        let name = "n-\(UUID().uuidString.prefix(13).lowercased())"
        let hash: String = try await database.value("select password from account where username = 'ada'")
        let change = AccountChange(email: "\(name)@example.org", name: "New Resident", requiredFactor: factor)
        return try await AccountStore(clock: time.clock).create(
            username: name, password: PasswordHash(encoded: hash), change: change, in: database)
    }

    /// A phone of theirs, which answered once: until then it is no factor.
    public func enrollPhone(of account: Account, answering: Bool = true) async throws -> PhoneIdentity {
        let phone = TiqrPhone(self)
        let started = try await phones.enroll(account.id, displayName: account.username, below: [], actor: .server)
        let identity = try await phone.enroll(started.enrollURL)
        guard answering else { return identity }
        let first = try await phones.begin(
            account.id, phone: identity.name, to: nil, push: false, below: [], actor: .server)
        let isIn = try await phone.logsIn(first.authURL, identity)
        try #require(isIn, "the phone's first answer")
        return identity
    }

    // MARK: Browsers without pages

    public func browserContext() -> BrowserSessionContext {
        BrowserSessionContext(browser: web.login.cookie(), session: nil, device: "test", origin: "127.0.0.1")
    }

    /// The same browser, with the session behind a cookie.
    public func browserContext(_ before: BrowserSessionContext, cookie: String) async throws -> BrowserSessionContext {
        BrowserSessionContext(
            browser: before.browser, session: try await web.login.session(cookie: cookie), device: before.device,
            origin: before.origin)
    }

    /// Who typed the password.
    public func browserContext(as account: Account) async throws -> BrowserSessionContext {
        let blank = browserContext()
        for _ in 0..<300 {
            do {
                return try await browserContext(
                    blank,
                    cookie: try await web.login.logIn(username: account.username, password: Residents.password, blank))
            } catch BrowserLogin.Refused.busy {
                try await Task.sleep(for: .milliseconds(100))
            }
        }
        throw BrowserLogin.Refused.busy
    }
}
