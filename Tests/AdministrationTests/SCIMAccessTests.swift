import Base
import Foundation
import HTTPTypes
import Registration
import TestSupport
import Testing

@Suite("Who may provision by SCIM, and whom")
struct SCIMAccessTests {
    private typealias Fixture = DirectoryFixture

    private static let places: [(HTTPRequest.Method, String)] = [
        (.get, "/Users"), (.post, "/Users"), (.get, "/Users/x"), (.put, "/Users/x"), (.patch, "/Users/x"),
        (.delete, "/Users/x"), (.post, "/Users/.search"), (.get, "/Groups"), (.post, "/Groups"), (.get, "/Groups/x"),
        (.put, "/Groups/x"), (.patch, "/Groups/x"), (.delete, "/Groups/x"), (.post, "/Groups/.search"),
        (.post, "/Bulk"), (.get, "/Me"), (.post, "/.search"), (.get, "/nothing"),
    ]

    @Test("no token, a dead one, and one without the scope are refused everywhere, with a challenge")
    func refused() async throws {
        try await TestServer.with { server in
            let app = try await server.webApp(
                "Directory", redirectURIs: [], scope: "scim read", grants: ["client_credentials"])
            let unfit = try await Fixture.token(of: app, scope: "read"), phone = try await Phone.registered(in: server),
                pat = try await phone.logIn()
            for (method, path) in Self.places {
                func ask(_ headers: HTTPFields) async throws -> Reply {
                    try await server.send(method, "/scim/v2" + path, headers: headers)
                }
                let none = try await ask([:]), dead = try await ask([.authorization: "Bearer x.y.z"])
                let other = try await ask([.authorization: "Bearer \(unfit)"])
                let person = try await ask(try phone.dpop(method, "/scim/v2" + path, token: pat.accessToken))

                #expect(none.status == 401 && dead.status == 401, "\(path)")
                #expect(other.status == 403 && person.status == 403, "\(path)")
                #expect(none[header: "WWW-Authenticate"] != nil && none["status"] == "401")
                #expect(none.headers[values: .contentLength] == [String(none.body.utf8.count)], "\(path)")
                #expect(other[header: "Content-Type"] == "application/scim+json")
            }
        }
    }

    @Test("a client that may not provision any more does not, whatever its token says")
    func withdrawn() async throws {
        try await TestServer.with { server in
            let directory = try await Fixture.of(in: server)
            #expect(try await directory.get("/Users").status == 200)
            _ = try await server.database.execute("update client set scope = 'read' where name = 'Directory'")
            #expect(try await directory.get("/Users").status == 403)
        }
    }

    @Test("a token for provisioning alone does, and one for the administration does not")
    func resources() async throws {
        try await TestServer.with { server in
            let app = try await server.webApp(
                "Directory", redirectURIs: [], scope: "scim", grants: ["client_credentials"])
            func ask(_ resource: String) async throws -> Reply {
                let reply = try await server.post(
                    "/token", ["grant_type": "client_credentials", "resource": ServerParts.root + resource],
                    headers: app.basic)
                return try await DirectoryFixture(server: server, token: reply.accessToken).get("/Users")
            }

            #expect(try await ask("/scim/v2").status == 200)
            #expect(try await ask("/admin/api/v1").status == 401)
        }
    }

    @Test("a directory of an institution sees, changes and deletes its own people and nobody else")
    func foreign() async throws {
        try await TestServer.with { server in
            let bern = try await Fixture.of("unibe", in: server), zurich = try await Fixture.of("uzh", in: server)
            let anna = try await bern.user("anna"), path = "/Users/\(anna.id)"

            #expect(try await bern.get("/Users").json["totalResults"] == 1, "not those of the federation")
            #expect(try await zurich.get("/Users").json["totalResults"] == 0)
            let body = JSONValue.object(Fixture.body("anna"))
            for reply in [
                try await zurich.get(path), try await zurich.send(.put, path, body),
                try await zurich.patch(path, ["op": "replace", "path": "active", "value": false]),
                try await zurich.send(.delete, path), try await zurich.get("/Groups/unibe"),
                try await zurich.send(.delete, "/Groups/unibe"),
            ] { #expect(reply.status == 404) }
            #expect(try await bern.get("/Groups").resources.compactMap { $0["id"]?.string } == ["unibe"])
            #expect(try await bern.patch("/Groups/unibe", ["op": "remove", "path": "members"]).status == 403)
            #expect(try await bern.get(path).json["active"] == true)
        }
    }

    @Test("who administers more than the institution is not taken over from there, but may be suspended")
    func administrators() async throws {
        try await TestServer.with { server in
            let bern = try await Fixture.of("unibe", in: server), whole = try await Fixture.of(in: server)
            let anna = try await bern.user("anna", ["emails": [["value": "anna@unibe.ch"]]]), path = "/Users/\(anna.id)"
            _ = try await server.database.execute(
                """
                insert into role_grant (account, role, granted_at, granted_by)
                values (\(UUID(uuidString: anna.id)), 'administrator', now(), 'test')
                """)

            for change: JSONValue in [
                ["op": "replace", "path": "emails", "value": [["value": "eve@unibe.ch"]]],
                ["op": "add", "path": "password", "value": "a sentence of another"],
                ["op": "replace", "path": "userName", "value": "eve"],
            ] {
                #expect(try await bern.patch(path, change).status == 403)
                #expect(try await whole.get(path).json == anna.json)
            }
            let active = try await bern.patch(path, ["op": "replace", "path": "active", "value": false])
            #expect(active.status == 200)
            // Whom the federation keeps out, an institution does not let in.
            let resumed = try await bern.patch(path, ["op": "replace", "path": "active", "value": true])
            #expect(resumed.status == 403 && resumed["detail"]?.contains("administers more") == true)
            let address = try await whole.patch(
                path, ["op": "replace", "path": "emails[type eq \"work\"].value", "value": "anna@id.unibe.ch"])
            #expect(address.status == 200)
        }
    }

    @Test("an institution speaks for its own domains, the federation for all")
    func domains() async throws {
        try await TestServer.with { server in
            let bern = try await Fixture.of("unibe", in: server), whole = try await Fixture.of(in: server)
            _ = try await server.database.execute("update institution set domains = '{unibe.ch}' where id = 'unibe'")
            func said(_ domain: String) -> JSONObject {
                [.init(Fixture.federation): ["eduperson_scoped_affiliation": [.string("student@\(domain)")]]]
            }

            let anna = try await bern.user("anna", said("phil.unibe.ch")), path = "/Users/\(anna.id)"
            let foreign = try await bern.send(.post, "/Users", .object(Fixture.body("beat", said("uzh.ch"))))
            let change = try await bern.send(.put, path, .object(Fixture.body("anna", said("uzh.ch"))))
            #expect(foreign.status == 403 && change.status == 403)
            #expect(try await whole.send(.put, path, .object(Fixture.body("anna", said("uzh.ch")))).status == 200)
            // What the federation said stays when the institution changes something else.
            let name = try await bern.patch(path, ["op": "add", "path": "displayName", "value": "Anna"])
            #expect(name.status == 200)
        }
    }

    @Test("nobody gets the scope by registering")
    func registering() async throws {
        try await TestServer.with { server in
            let refusal = await #expect(throws: WebClientStore.Unacceptable.self) {
                _ = try await InvitationStore(clock: server.time.clock, randomness: .system).make(
                    uses: 1, lifetime: 60, policy: RegistrationPolicy(scopes: ["scim"]), below: [], in: server.database)
            }
            #expect(refusal?.description.contains("scim") == true)
        }
    }

    @Test("who asks without end is told when to come again")
    func pace() async throws {
        try await TestServer.with { server in
            let directory = try await Fixture.of(in: server)
            let operations = (0..<1_000).map { number -> JSONValue in
                ["method": "DELETE", "path": .string("/Nothing/\(number)")]
            }
            let bulk: JSONValue = [
                "schemas": ["urn:ietf:params:scim:api:messages:2.0:BulkRequest"], "Operations": .array(operations),
            ]
            var replies: [Reply] = []
            for _ in 0..<6 { replies.append(try await directory.send(.post, "/Bulk", bulk)) }

            #expect(replies.first?.status == 200)
            let last = try #require(replies.last)
            #expect(last.status == 429 && last[header: "Retry-After"] != nil && last["status"] == "429")
        }
    }
}
