import Accounts
import Base
import Foundation
import HTTP
import LDAP
import TestSupport
import Testing
import Vocabulary

@testable import Upstream

@Suite("Passwords that an institution's directory knows", .server)
struct DirectoryLoginTests {
    private typealias Answer = @Sendable (_ username: String, _ password: String) -> LDAPDirectory.Outcome

    private let client = "browser:directory"

    private func login(
        _ server: TestServer, _ changes: [Setting: String] = [:], answer: @escaping Answer
    ) async throws -> PasswordLogin {
        let id = "d" + UUID().uuidString.prefix(8).lowercased()
        try await server.database.execute(
            """
            insert into institution (id, name, domains, created_at)
            values (\(id), 'University', \(["uni.example"]), \(server.time.now))
            """)
        let settings: [Setting: String] = [
            .ldapURL: "ldaps://ldap.uni.example", .ldapBind: "uid={username}", .ldapInstitution: id,
        ]
        let values = try #require(try DirectoryValues(SettingValues(settings.merging(changes) { $1 })))
        let hasher = server.parts.hasher
        let people = DirectoryPeople(
            values, database: server.database, clock: server.time.clock, randomness: .system, logger: .quiet,
            hash: { try await hasher.hash($0) }, ask: { username, _, password in answer(username, password) })
        return PasswordLogin(
            database: server.database, hasher: hasher, clock: server.time.clock,
            directories: [PasswordDirectory { try await people.account($0, $1) }],
            open: server.parts.store.openPassword)
    }

    private func name() -> String { "e" + UUID().uuidString.prefix(10).lowercased() }

    @Test("who is right there has an account, with what the directory says, and the same one next time")
    func creates() async throws {
        let server = try TestServer.ofSuite, name = name()
        let login = try await login(server) { _, password in
            password == "right" ? .right(["displayName": ["Eva E"], "mail": ["eva@uni.example"]]) : .wrong
        }

        let first = try await login.logIn(username: name, password: "right", client: client, owner: nil)
        let again = try await login.logIn(username: name.uppercased(), password: "right", client: client, owner: nil)

        #expect(first.account.username == name && first.account.id == again.account.id)
        #expect(first.account.name == "Eva E" && first.account.email == "eva@uni.example")
        #expect(first.methods == ["pwd"] && first.password == nil)
    }

    @Test("a wrong password there is one, unless it is that of the account here")
    func wrong() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident()
        let login = try await login(server) { _, _ in .wrong }

        await #expect(throws: PasswordLogin.Refused.self) {
            try await login.logIn(username: account.username, password: "wrong", client: client, owner: nil)
        }
        let own = try await login.logIn(
            username: account.username, password: Residents.password, client: client, owner: nil)
        #expect(own.account.id == account.id && own.password != nil)
    }

    @Test("a directory that is away is 503 for whoever logs in, never a wrong password, and no attempt")
    func away() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident()
        let login = try await login(server) { _, _ in .away("no route") }

        for _ in 0..<12 {
            let error = await #expect(throws: OAuthError.self) {
                try await login.logIn(username: account.username, password: "x", client: client, owner: nil)
            }
            #expect(error?.status == 503 && error?.retryAfter == 30)
        }
    }

    @Test("a directory that is away clears no wrong attempts: whoever keeps it busy guesses no more than others")
    func awayClearsNothing() async throws {
        let server = try TestServer.ofSuite, name = name()
        let login = try await login(server) { _, password in password == "away" ? .away("busy") : .wrong }
        func attempt(_ password: String) async throws {
            _ = try await login.logIn(username: name, password: password, client: "browser:\(name)", owner: nil)
        }

        for password in Array(repeating: "x", count: 9) + ["away", "x", "x"] {
            await #expect(throws: (any Error).self) { try await attempt(password) }
        }
        let refused = await #expect(throws: PasswordLogin.Refused.self) { try await attempt("x") }

        guard case .tooMany = refused else {
            Issue.record("\(String(describing: refused)): the wrong ones before were forgotten")
            return
        }
    }

    @Test("without domains a name with an @ is the directory's only where it looks at the whole name")
    func domainOfNobody() async throws {
        let server = try TestServer.ofSuite, name = name(), whole = "\(name)@uni.example"
        let byName = try await login(server) { _, _ in .right([:]) }
        let byAddress = try await login(server, [.ldapBind: "mail={login}"]) { _, _ in .right([:]) }

        await #expect(throws: PasswordLogin.Refused.self) {
            try await byName.logIn(username: whole, password: "x", client: client, owner: nil)
        }
        let own = try await byAddress.logIn(username: whole, password: "x", client: client, owner: nil)

        #expect(own.account.username == whole)
    }

    @Test("an account that has moved to another institution is the directory's no more")
    func moved() async throws {
        let server = try TestServer.ofSuite, name = name(), other = try await FakeProvider(server)
        let login = try await login(server) { _, _ in .right([:]) }

        let before = try await login.logIn(username: name, password: "x", client: client, owner: nil)
        try await server.database.execute(
            "update account set institution = \(other.id) where id = \(before.account.id)")

        await #expect(throws: PasswordLogin.Refused.self) {
            try await login.logIn(username: name, password: "x", client: client, owner: nil)
        }
    }

    @Test("an account of another institution is not the directory's, whoever types its name")
    func foreign() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident()
        let other = try await FakeProvider(server)
        try await server.database.execute(
            "update account set institution = \(other.id) where id = \(account.id)")
        let login = try await login(server) { _, _ in .right([:]) }

        await #expect(throws: PasswordLogin.Refused.self) {
            try await login.logIn(username: account.username, password: "x", client: client, owner: nil)
        }
    }

    @Test("of some domains alone it is asked for names of these, and for what stands before the @")
    func domains() async throws {
        let server = try TestServer.ofSuite, name = name()
        let login = try await login(server, [.ldapDomains: "uni.example"]) { username, _ in
            username == name ? .right([:]) : .wrong
        }

        let own = try await login.logIn(
            username: "\(name)@uni.example", password: "x", client: client, owner: nil)
        for other in [name, "\(name)@elsewhere.example", "a@\(name)@uni.example"] {
            await #expect(throws: PasswordLogin.Refused.self) {
                try await login.logIn(username: other, password: "x", client: client, owner: nil)
            }
        }
        #expect(own.account.username == "\(name)@uni.example")
    }

    @Test("a directory that finds one's entry by another's name lets one in by one's own, where it tells which that is")
    func spellings() async throws {
        let server = try TestServer.ofSuite, name = name()
        let rest = name.dropFirst()
        let login = try await login(server) { _, _ in .right(["UID": [name]]) }

        let own = try await login.logIn(
            username: name.uppercased(), password: "x", client: client, owner: nil)
        for other in ["\u{E9}\(rest)", "e\u{301}\(rest)", "\(name)\u{AD}"] {
            await #expect(throws: PasswordLogin.Refused.self) {
                try await login.logIn(username: other, password: "x", client: client, owner: nil)
            }
        }
        let again = try await login.logIn(username: name, password: "x", client: client, owner: nil)

        #expect(again.account.id == own.account.id)
    }

    @Test("a suspended account stays out")
    func suspended() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident()
        _ = try await AccountStore(clock: server.time.clock).setStatus(account.id, .suspended, in: server.database)
        let login = try await login(server) { _, _ in .right([:]) }

        await #expect(throws: PasswordLogin.Refused.wrong(account: account.id, .suspended)) {
            try await login.logIn(username: account.username, password: "x", client: client, owner: nil)
        }
    }
}
