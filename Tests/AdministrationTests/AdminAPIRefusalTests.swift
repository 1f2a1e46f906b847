import Accounts
import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import Console

@Suite("What the administration API refuses", .server)
struct AdminAPIRefusalTests {
    @Test("nothing shown, and what is dead, is 401 with both challenges")
    func nobody() async throws {
        let server = try TestServer.ofSuite
        for headers in [HTTPFields(), [.authorization: "Bearer x.y.z"]] {
            let reply = try await server.get("/admin/api/v1/apps", headers: headers)
            let challenges = reply.headers[values: .wwwAuthenticate]

            #expect(reply.outcome == "401 invalid_token")
            #expect(challenges.contains { $0.hasPrefix("DPoP ") } && challenges.contains { $0.hasPrefix("Bearer ") })
        }
    }

    @Test("each command of the catalog is there, and refuses a stranger before it looks at anything")
    func strangers() async throws {
        let server = try TestServer.ofSuite
        let places = server.parts.routes.endpoints.filter {
            $0.path.hasPrefix(AdminParty.root) && $0.tags == ["administration"]
        }
        for place in places {
            let path = place.path.replacing(#/\{[^}]*\}/#, with: "x")
            let reply = try await server.send(place.method, path, body: Array("{".utf8))

            #expect(reply.outcome == "401 invalid_token", "\(place.method) \(place.path)")
        }
        #expect(places.count > 80)
    }

    @Test("a token of another scope looks at nothing, one that only looks changes nothing")
    func scopes() async throws {
        let server = try TestServer.ofSuite
        let other = try await AdminParty.machine(server, scope: "read").ask(.get, "/apps")
        let reader = try await AdminParty.machine(server, scope: "admin.read")
        let change = try await reader.ask(.post, "/apps", ["app": "x", "name": "x"])

        #expect(other.outcome == "403 insufficient_scope")
        #expect(other.headers[values: .wwwAuthenticate].allSatisfy { $0.contains("scope=\"admin.read\"") })
        #expect(change.outcome == "403 insufficient_scope")
        #expect(change.headers[values: .wwwAuthenticate].allSatisfy { $0.contains("scope=\"admin\"") })
        #expect(try await reader.ask(.get, "/apps").status == 200)
    }

    @Test("what a person let an application have of this server does not administer, nor does the API's token inform")
    func audiences() async throws {
        let server = try TestServer.ofSuite
        try await AdminParty.give(.administrator, to: "bob", server)
        let general = try await AdminParty.person(server, as: "bob", resource: nil)
        let own = try await AdminParty.person(server, as: "bob")

        #expect(try await general.ask(.get, "/apps").outcome == "401 invalid_token")
        #expect(try await own.ask(.get, "/apps").status == 200)
        #expect(try await server.get("/userinfo", headers: own.headers).outcome == "401 invalid_token")
        #expect(try await server.get("/userinfo", headers: general.headers).status == 200)
    }

    @Test("a machine whose client may no longer is refused, whatever its token says")
    func withdrawnMachine() async throws {
        let server = try TestServer.ofSuite, party = try await AdminParty.machine(server)
        #expect(try await party.ask(.get, "/apps").status == 200)
        let client = claims(of: party.token)["client_id"]?.string ?? ""

        _ = try await server.database.execute("update client set scope = 'read' where id = \(client)")

        #expect(try await party.ask(.get, "/apps").outcome == "403 insufficient_scope")
    }

    @Test("a person is what their roles say at this moment: none, an auditor, an administrator, none again")
    func roles() async throws {
        try await TestServer.with { server in
            let party = try await AdminParty.person(server, as: "ada"), app = AdminParty.fresh()
            let body: JSONValue = ["app": .string(app), "name": "x"]
            #expect(try await party.ask(.get, "/apps").outcome == "403 forbidden")

            try await AdminParty.give(.auditor, to: "ada", server)
            #expect(try await party.ask(.get, "/apps").status == 200)
            #expect(try await party.ask(.post, "/apps", body).outcome == "403 forbidden")

            let grant = try await AdminParty.give(.administrator, to: "ada", server)
            let made = try await party.ask(.post, "/apps", body)
            #expect(made.status == 201, "\(made.body)")
            let told = try await party.ask(.get, "")
            #expect(told["username"] == "ada" && told["caller"]?.hasPrefix("account:") == true)

            _ = try await RoleStore(clock: server.time.clock).withdraw(grant, in: server.database)
            #expect(try await party.ask(.post, "/apps", body).outcome == "403 forbidden")
        }
    }

    @Test("what destroys wants a person's login that is not old, RFC 9470; what does not, and a dry run, do not")
    func stepUp() async throws {
        try await TestServer.with { server in
            try await AdminParty.give(.administrator, to: "ada", server)
            let app = AdminParty.fresh()
            let party = try await AdminParty.person(server, as: "ada")
            _ = try await party.ask(.post, "/apps", ["app": .string(app), "name": "x"])

            let fresh = try await party.ask(.post, "/apps/\(app)/refuse", [:])
            server.time.advance(3_000)
            let refused = try await party.ask(.post, "/apps/\(app)/refuse", [:])
            let dry = try await party.ask(.post, "/apps/\(app)/refuse", ["dry_run": true])
            let harmless = try await party.ask(.post, "/apps/\(app)/allow", [:])

            #expect(fresh.status == 200 && dry.status == 200 && harmless.status == 200, "\(harmless.body)")
            #expect(refused.outcome == "401 insufficient_user_authentication")
            let age = try #require(refused["max_age"])
            #expect(refused.headers[values: .wwwAuthenticate].allSatisfy { $0.contains("max_age=\"\(age)\"") })
        }
    }

    @Test(
        "arguments that the command line would not understand",
        arguments: [
            (HTTPRequest.Method.post, "/apps", #"{"name":"x"}"#, "400 usage"),
            (.post, "/apps", #"{"app":"x","name":"x","colour":"red"}"#, "400 usage"),
            (.post, "/apps", #"{"app":"x","name":{"a":1}}"#, "400 usage"),
            (.post, "/apps", #"{"app":"x","name":"x","dry_run":"yes"}"#, "400 usage"),
            (.post, "/apps", #"{"app":"x","app":"y","name":"x"}"#, "400 usage"),
            (.post, "/apps", #"{"app":"x","name":"x","config":"/etc/passwd"}"#, "400 usage"),
            (.post, "/apps", #"{"app":"x","name":"x","set":"port=1"}"#, "400 usage"),
            (.post, "/apps", #"{"app":"--help","name":"x"}"#, "422 invalid"),
            (.post, "/apps", "[]", "400 usage"), (.post, "/apps", "{", "400 usage"),
            (.post, "/apps?dry_run=true", #"{"app":"x","name":"x"}"#, "400 usage"),
            (.post, "/apps/x/refuse", #"{"app":"y"}"#, "400 usage"),
            (.patch, "/accounts/nobody-here", #"{"name":"x"}"#, "404 not_found"),
            (.post, "/accounts", #"{"username":"a b","password":"a sentence of some length"}"#, "422 invalid"),
            (.post, "/accounts", #"{"username":"eve"}"#, "400 usage"),
            (.delete, "/accounts/nobody-here", "", "404 not_found"),
        ])
    func arguments(method: HTTPRequest.Method, path: String, body: String, outcome: String) async throws {
        let party = try await AdminParty.machine(try TestServer.ofSuite)
        var headers = party.headers
        if !body.isEmpty { headers[.contentType] = "application/json" }

        let reply = try await party.server.send(
            method, AdminParty.root + path, headers: headers, body: body.isEmpty ? nil : Array(body.utf8))

        #expect(reply.outcome == outcome, "\(reply.body)")
        #expect(reply["error_description"]?.isEmpty == false)
    }

    @Test(
        "addresses that name nothing",
        arguments: [
            ("/apps/%00", "400 usage"), ("/apps/%ff", "400 usage"), ("/apps/%2e%2e%2f", "404 not_found"),
            ("/accounts/%69nvite", "404 not_found"), ("/accounts/-x", "404 not_found"), ("/nothing", "404 not_found"),
            ("/apps?query=x", "400 usage"), ("/apps?limit=1&limit=2", "400 usage"), ("/apps?limit=%ff", "400 usage"),
        ])
    func addresses(path: String, outcome: String) async throws {
        let party = try await AdminParty.machine(try TestServer.ofSuite)

        let reply = try await party.ask(.get, path)

        #expect(reply.outcome == outcome, "\(reply.body)")
    }

    @Test("a body of another type, and one that is too large")
    func bodies() async throws {
        let party = try await AdminParty.machine(try TestServer.ofSuite)
        let form = party.headers.merging(["Content-Type": "application/x-www-form-urlencoded"])
        let large = String(repeating: "x", count: 70_000)

        let typed = try await party.server.send(
            .post, AdminParty.root + "/apps", headers: form, body: Array("app=x&name=x".utf8))
        let huge = try await party.ask(.post, "/apps", ["app": "x", "name": .string(large)])

        #expect(typed.outcome == "415 unsupported_media_type" && huge.outcome == "413 too_large")
    }

    @Test("thousands of members, and of arguments in an address, are refused at the first that is none")
    func members() async throws {
        let party = try await AdminParty.machine(try TestServer.ofSuite)
        let many = JSONObject((0..<6_000).map { ("m\($0)", .integer(1)) })

        let body = try await party.ask(.post, "/apps", .object(many))
        let address = try await party.ask(.get, "/apps?" + (0..<500).map { "m\($0)=1" }.joined(separator: "&"))

        #expect(body.outcome == "400 usage" && body["error_description"] == "there is no member m0", "\(body.body)")
        #expect(address.outcome == "400 usage" && address["error_description"] == "there is no member m0")
    }

    @Test("who asks too often is told when to ask again")
    func limit() throws {
        let limit = AdminAPILimit(), now = Date()
        var taken = 0
        while (try? limit.take("a", at: now)) != nil { taken += 1 }

        #expect(taken == 600)
        #expect(throws: (any Error).self) { try limit.take("a", at: now) }
        try limit.take("b", at: now)
        try limit.take("a", at: now.addingTimeInterval(1))
    }

    @Test("over the limit all is 429 that tells when to come and nothing is done; a second later the same is done")
    func overLimit() async throws {
        try await TestServer.with { server in
            let party = try await AdminParty.machine(server), other = try await AdminParty.machine(server)
            let app = AdminParty.fresh(), key = HTTPFields().merging(["Idempotency-Key": app])
            let body: JSONValue = ["app": .string(app), "name": "x"]
            func lines() async throws -> Int { try await server.database.value("select count(*) from audit") }
            // What is refused for another reason counts, too.
            for _ in 0..<600 { _ = try await party.ask(.get, "/apps?query=x") }
            let before = try await lines()

            let change = try await party.ask(.post, "/apps", body, headers: key)
            let looks = [try await party.ask(.get, "/apps"), try await party.ask(.get, "")]
            let after = try await lines()
            let apps: Int = try await server.database.value("select count(*) from app where id = \(app)")
            let others = try await other.ask(.get, "/apps")
            server.time.advance(1)
            let later = try await party.ask(.post, "/apps", body, headers: key)

            for reply in [change] + looks {
                #expect(reply.outcome == "429 slow_down" && reply[header: "Retry-After"] == "1", "\(reply.body)")
                #expect(reply[header: "RateLimit-Policy"] == "\"administration\";q=600;w=30")
                #expect(reply[header: "RateLimit"] == "\"administration\";r=0;t=1")
            }
            #expect(apps == 0 && after == before)
            #expect(others.status == 200 && later.status == 201, "\(later.body)")
        }
    }

    @Test("a database that is away is no refusal")
    func away() async throws {
        let server = try TestServer.ofSuite, party = try await AdminParty.machine(server)
        try await server.withoutDatabase { away in
            let reply = try await away.get(AdminParty.root + "/apps", headers: party.headers)

            #expect(
                reply.outcome == "503 temporarily_unavailable" && reply[header: "Retry-After"] != nil, "\(reply.body)")
        }
    }
}

extension HTTPFields {
    fileprivate func merging(_ others: [String: String]) -> HTTPFields {
        var all = self
        for (name, value) in others { if let name = HTTPField.Name(name) { all[name] = value } }
        return all
    }
}
