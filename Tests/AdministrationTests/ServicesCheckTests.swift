import Administration
import Base
import Database
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("services check, as a server does it for others", .timeLimit(.minutes(30)))
struct ServicesCheckTests {
    private static let learn: JSONObject = ["service": "learn"]

    private func lines(_ it: Administered) async throws -> [String] {
        try await it.server.database.query(
            "select node || ' ' || actor as line from audit where action = 'services.check' order by id"
        ).map { try $0("line") }
    }

    /// What a check at the database makes.
    private func made(_ it: Administered) async throws -> [String] {
        try await it.server.database.query(
            """
            select id as name from app where id = 'pando.check'
            union all select username from account where username like 'pando-check-%'
            """
        ).map { try $0("name") }
    }

    @Test("an owner's own service is asked, and the trail says by whom; a dry run leaves nothing, and nothing is made")
    func own() async throws {
        try await Administered.with { (it: Administered) async throws in
            var dry = Self.learn
            dry["dry_run"] = true

            let tried = try await it.told("services check", dry, as: it.owner), before = try await lines(it)
            let told = try await it.told("services check", Self.learn, as: it.owner)

            #expect(told["service"]?.string == ServerParts.base && told["assertions"] == "none")
            // Nobody answers there.
            let findings = told["findings"]?.array ?? []
            #expect(findings.contains { $0["id"] == "document" && $0["severity"] == "error" })
            #expect((told["errors"]?.integer ?? 0) > 0 && tried["findings"]?.array?.count == findings.count)
            #expect(before == [])
            #expect(try await lines(it) == ["service:learn test"])
            #expect(try await made(it) == [])
        }
    }

    @Test("what is somebody else's is not there, who has no such role may not, and nobody is asked")
    func foreign() async throws {
        try await Administered.with { (it: Administered) async throws in
            for service in ["quiet", "nowhere"] {
                for authority in [it.owner, it.ofInstitution] {
                    let refusal = try await it.refusal(
                        "services check", ["service": .string(service)], as: authority)
                    #expect(refusal?.code == .notFound, "\(service)")
                }
            }
            for authority in [it.auditor, it.nobody] {
                #expect(try await it.refusal("services check", Self.learn, as: authority)?.code == .forbidden)
            }
            #expect(try await lines(it) == [])
        }
    }

    @Test("over HTTP another owner's service is 404, and who owns none is 403")
    func status() async throws {
        try await Administered.with { (it: Administered) async throws in
            let party = try await AdminParty.person(it.server, as: "bob")

            let without = try await party.ask(.post, "/services/learn/check", [:])
            try await it.give(.serviceOwner, to: "bob")
            let other = try await party.ask(.post, "/services/quiet/check", [:])
            let own = try await party.ask(.post, "/services/learn/check", [:])

            #expect(without.outcome == "403 forbidden")
            #expect(other.outcome == "404 not_found")
            #expect(own.status == 200 && own.body.contains("\"findings\""), "\(own.body)")
        }
    }

    @Test("a service that is not active is not asked, and a server makes nobody up")
    func refused() async throws {
        try await Administered.with { (it: Administered) async throws in
            for (name, value) in [("as", "ada"), ("bundle", "org.example.app"), ("patience", "1")] {
                var arguments = Self.learn
                arguments[name] = .string(value)
                #expect(
                    try await it.refusal("services check", arguments, as: it.administrator)?.code == .usage, "\(name)")
            }
            try await it.run("services suspend", Self.learn)

            #expect(try await it.refusal("services check", Self.learn, as: it.owner)?.code == .conflict)
            #expect(try await lines(it) == [])
        }
    }

    @Test("the console shows an owner what the check found, in answer to the form")
    func console() async throws {
        try await TestServer.with { server in
            let visitor = try await ConsoleVisitor.with([(.serviceOwner, nil, "learn")], as: "bob", server)

            let page = try await visitor.open("/admin/services/show?service=learn")
            let shown = try await visitor.submit("/admin/services/check?service=learn", step: "save")

            #expect(page.body.contains("/admin/services/check?service=learn"))
            #expect(shown.status == 200, "\(shown.status)")
            #expect(shown.body.contains("What the check found") && shown.body.contains("join-the-federation.md"))
        }
    }
}
