import Base
import Commands
import HTTPTypes
import TestSupport
import Testing

@testable import Administration
@testable import Console

@Suite("The administration API", .server)
struct AdminAPITests {
    @Test("what is made is answered with its place, and is there; a dry run makes nothing")
    func makes() async throws {
        let party = try await AdminParty.machine(try TestServer.ofSuite), app = AdminParty.fresh()
        let body: JSONValue = ["app": .string(app), "name": "Wallet"]

        let dry = try await party.ask(.post, "/apps", ["app": .string(app), "name": "Wallet", "dry_run": true])
        let missing = try await party.ask(.get, "/apps/\(app)")
        let made = try await party.ask(.post, "/apps", body)
        let place = try #require(made[header: "Location"])
        let shown = try await party.server.get(
            String(place.dropFirst(ServerParts.root.count)), headers: party.headers)

        #expect(dry.status == 200 && dry.json["dry_run"] == true && missing.outcome == "404 not_found")
        #expect(made.status == 201 && made["id"] == app && made["name"] == "Wallet")
        #expect(place == "\(AdminParty.resource)/apps/\(app)" && shown.json == made.json)
        #expect(made[header: "Cache-Control"] == "no-store")
    }

    @Test("lists go by pages")
    func pages() async throws {
        let party = try await AdminParty.machine(try TestServer.ofSuite, scope: "admin.read")

        let first = try await party.ask(.get, "/accounts?limit=1")
        let next = try #require(first["next"])
        let second = try await party.ask(.get, "/accounts?limit=1&after=\(next)")

        #expect(first.json.object?.names == ["items", "next"] && first.json["items"]?.array?.count == 1)
        #expect(second.json["items"]?.array?.first?["username"] != first.json["items"]?.array?.first?["username"])
        #expect(try await party.ask(.get, "/accounts?limit=0").outcome == "400 usage")
    }

    @Test("whoever asks is told what they may ask for")
    func offers() async throws {
        let server = try TestServer.ofSuite
        let reader = try await AdminParty.machine(server, scope: "admin.read").ask(.get, "")
        let writer = try await AdminParty.machine(server).ask(.get, "")

        func commands(_ reply: Reply) -> [String] {
            (reply.json["items"]?.array ?? []).compactMap { $0["command"]?.string }
        }
        #expect(reader.json["changes"] == false && reader["caller"]?.hasPrefix("client:") == true)
        #expect(commands(reader).contains("apps list") && !commands(reader).contains("apps create"))
        #expect(Set(commands(writer)).isSuperset(of: ["apps list", "apps create", "tokens revoke"]))
        let create = writer.json["items"]?.array?.first { $0["command"] == "apps create" }
        #expect(create?["method"] == "POST" && create?["path"] == "/admin/api/v1/apps")
        #expect(create?["arguments"]?.array?.contains { $0["name"] == "name" && $0["in"] == "body" } == true)
    }

    @Test("a change has its author, their reason and their address in the audit trail")
    func audit() async throws {
        let party = try await AdminParty.machine(try TestServer.ofSuite), app = AdminParty.fresh()
        _ = try await party.ask(.post, "/apps", ["app": .string(app), "name": "x", "reason": "asked for by mail"])

        let line = try await party.ask(.get, "/audit?node=app:\(app)").json["items"]?.array?.first

        #expect(line?["actor"]?.string?.hasPrefix("client:") == true && line?["reason"] == "asked for by mail")
        #expect(line?["action"] == "apps.create")
    }

    @Test("addresses that differ by the names of their parameters alone would be one: there are none")
    func patterns() {
        let routes = AdminCatalog.ofServer.entries.map(\.route)
        let spellings = Dictionary(grouping: routes, by: \.pattern).mapValues { Set($0.map(\.path)) }

        #expect(spellings.filter { $0.value.count > 1 }.values.flatMap(\.self).sorted() == [])
        for route in routes { #expect(Set(route.parameters).count == route.parameters.count, "\(route.path)") }
    }

    @Test("a name may hold what separates others: it is percent-encoded", arguments: ["tree", "tokens"])
    func names(_ noun: String) async throws {
        let server = try TestServer.ofSuite, party = try await AdminParty.machine(server)
        let node = "use%3Aada%2Flearn"

        let reply =
            noun == "tree"
            ? try await party.ask(.get, "/tree/\(node)")
            : try await party.ask(.post, "/tokens/\(node)/revoke", ["dry_run": true])

        #expect([200, 404].contains(reply.status) && reply.error != "method_not_allowed", "\(reply.body)")
        #expect(reply.status == 200 || reply["error_description"]?.contains("at this address") == false)
    }

    @Test("a token is told about in a body, never in an address")
    func why() async throws {
        let party = try await AdminParty.machine(try TestServer.ofSuite)

        let reply = try await party.ask(.post, "/tokens/why", ["token": .string(party.token)])

        #expect(reply.json["live"] == true && reply["rule"] == "live", "\(reply.body)")
    }

    @Test("no file of the server is read, whatever stands where the command line names one")
    func files() async throws {
        let party = try await AdminParty.machine(try TestServer.ofSuite), app = AdminParty.fresh()
        _ = try await party.ask(.post, "/apps", ["app": .string(app), "name": "x"])

        let path = try await party.ask(.post, "/apps/\(app)/versions", ["version": "1", "jwk": "/etc/passwd"])
        let dash = try await party.ask(.post, "/apps/\(app)/versions", ["version": "1", "jwk": "-"])
        let key = try await party.ask(.post, "/apps/\(app)/versions", ["version": "1", "jwk": PhoneKey().jwk])

        #expect(path.outcome == "422 invalid" && !path.body.contains("root:"))
        #expect(dash.outcome == "422 invalid", "\(dash.body)")
        #expect(key.status == 201 && key["app"] == app, "\(key.body)")
    }
}
