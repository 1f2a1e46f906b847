import Administration
import Base
import Database
import Foundation
import TestSupport
import Testing

@testable import Server

@Suite("That the database went back, as operators see it")
struct SetbackCommandTests {
    /// A phone whose newest refresh was committed and is lost.
    private func lost(_ server: TestServer) async throws -> (phone: Phone, newest: String) {
        let phone = try await Phone.registered(in: server), pat = try await phone.logIn()
        let next = try await phone.refresh(pat.refreshToken)
        try await server.database.execute(
            """
            update family set sequence = sequence - 1
            where id = (select t.family from token t where t.id = \(try #require(NodeID(next.jti))))
            """)
        return (phone, next.refreshToken)
    }

    @Test("the phone gets its next pair; command, doctor and console tell, until it is settled, which is audited")
    func told() async throws {
        try await TestServer.with { server in
            #expect(try await server.object("epoch show") == ["epoch": 1, "setback": .null])
            #expect(try await server.refusal("epoch settle", [:]) == .conflict)
            let (phone, newest) = try await lost(server)

            let next = try await phone.refresh(newest)
            let shown = try await server.object("epoch show")
            let settled = try await server.object("epoch settle")

            #expect(next.outcome == "200" && next.refreshToken != newest)
            #expect(try await phone.get("/userinfo", token: next.accessToken).outcome == "200")
            #expect(shown["setback"]?["families"] == 1 && shown["setback"]?["ahead"] == 1)
            #expect(settled["setback"] == shown["setback"])
            #expect(try await server.object("epoch show")["setback"] == .null)
            let lines = try await server.database.query("select node from audit where action = 'epoch.settle'")
            #expect(lines.count == 1)
        }
    }

    @Test("the overview of the console leads to it")
    func overview() async throws {
        try await TestServer.with { server in
            let person = try await server.newResident(), browser = Browser(server)
            try await server.database.execute(
                """
                insert into role_grant (account, role, granted_at, granted_by)
                values (\(person.id), 'administrator', \(server.time.now), 'admin:test')
                """)
            let login = try await browser.open(.get, "/login?return_to=/account")
            _ = try await browser.goOn(.page(login), as: person.username)
            let before = try await browser.open(.get, "/admin")
            let (phone, newest) = try await lost(server)
            _ = try await phone.refresh(newest)

            let after = try await browser.open(.get, "/admin"), page = try await browser.open(.get, "/admin/epoch/show")

            #expect(!before.body.contains("role=\"alert\"") && after.body.contains("role=\"alert\""))
            #expect(after.body.contains("/admin/epoch/show") && page.status == 200)
            #expect(page.body.contains("Database went back"))
        }
    }

    @Test("doctor calls it an error and says what to do")
    func doctor() async throws {
        try await TestServer.with { server in
            #expect(DatabaseChecks.history(nil).status == .ok)
            let (phone, newest) = try await lost(server)
            _ = try await phone.refresh(newest)

            let found = DatabaseChecks.history(try await .standing(in: server.database))

            #expect(found.status == .error && found.advice?.contains("epoch bump") == true)
        }
    }
}
