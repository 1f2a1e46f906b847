import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("RFC 7644: people by SCIM")
struct SCIMUserTests {
    private typealias Fixture = DirectoryFixture

    @Test("a person is made, read, replaced and deleted, each with its line in the audit trail")
    func life() async throws {
        try await TestServer.with { server in
            let directory = try await Fixture.of("unibe", in: server)
            let made = try await directory.user(
                "anna.muster",
                [
                    "externalId": "17", "displayName": "Anna Muster",
                    "name": ["givenName": "Anna", "familyName": "Muster"],
                    "emails": [
                        ["value": "anna@home.example", "type": "home"], ["value": "anna@unibe.ch", "type": "work"],
                    ],
                    .init(Fixture.federation): ["eduperson_affiliation": ["student", "member"]],
                ])
            let path = "/Users/\(made.id)"

            #expect(made[header: "Content-Type"] == "application/scim+json")
            #expect(made[header: "Location"] == ServerParts.root + "/scim/v2" + path)
            #expect(made[header: "ETag"] == made.json["meta"]?["version"]?.string)
            #expect(made["externalId"] == "17" && made.json["active"] == true && made.json["password"] == nil)
            #expect(made.json["emails"] == [["value": "anna@unibe.ch", "type": "work"]])
            #expect(made.json["groups"]?.array?.first?["value"] == "unibe")
            #expect(made.json[Fixture.federation]?["eduperson_affiliation"] == ["student", "member"])

            let read = try await directory.get(path)
            #expect(read.json == made.json && read[header: "ETag"] == made[header: "ETag"])
            let replaced = try await directory.send(
                .put, path, .object(Fixture.body("anna.muster", ["displayName": "Anna M."])))
            #expect(replaced.status == 200 && replaced["displayName"] == "Anna M." && replaced["externalId"] == nil)
            #expect(replaced.json["emails"] == nil && replaced.json["name"] == nil)
            #expect(try await directory.send(.delete, path).status == 204)
            #expect(try await directory.get(path).status == 404)

            let actions: [String] = try await server.database.query(
                "select action from audit where account = \(UUID(uuidString: made.id)) order by id"
            ).map { try $0("action") }
            #expect(actions == ["accounts.create", "accounts.update", "accounts.delete"])
        }
    }

    @Test("active: false ends what acts for the person at once, and true lets them in again")
    func suspending() async throws {
        try await TestServer.with { server in
            let directory = try await Fixture.of(in: server), phone = try await Phone.registered(in: server)
            let pat = try await phone.logIn()
            let ada = try #require(try await directory.get("/Users?filter=userName%20eq%20%22ADA%22").resources.first)
            let path = "/Users/\(ada["id"]?.string ?? "")"
            func isLive() async throws -> Bool {
                let headers = try phone.dpop(.get, "/user-profile", token: pat.accessToken)
                return try await server.get("/user-profile", headers: headers).status == 200
            }
            #expect(try await isLive())

            // As Entra ID spells it.
            let off = try await directory.patch(path, ["op": "Replace", "path": "active", "value": "False"])
            #expect(off.status == 200 && off.json["active"] == false)
            #expect(try await !isLive())
            let on = try await directory.patch(path, ["op": "replace", "value": ["active": true]])
            #expect(on.json["active"] == true)
            #expect(try await !isLive(), "what was ended stays so")
        }
    }

    @Test("deleting a person ends what acts for them")
    func deleting() async throws {
        try await TestServer.with { server in
            let directory = try await Fixture.of(in: server), phone = try await Phone.registered(in: server)
            let pat = try await phone.logIn()
            let ada = try await directory.get("/Users?filter=userName%20eq%20%22ada%22").resources.first

            #expect(try await directory.send(.delete, "/Users/\(ada?["id"]?.string ?? "")").status == 204)
            let headers = try phone.dpop(.get, "/user-profile", token: pat.accessToken)
            #expect(try await server.get("/user-profile", headers: headers).outcome == "401 invalid_token")
        }
    }

    @Test("a password is checked by the rule, hashed, and told to nobody; without one there is none")
    func passwords() async throws {
        try await TestServer.with { server in
            let directory = try await Fixture.of(in: server)
            let short = try await directory.send(.post, "/Users", .object(Fixture.body("eve", ["password": "short"])))
            #expect(short.told == "400 invalidValue")
            let made = try await directory.user("eve", ["password": "a sentence nobody guesses"])
            #expect(!made.body.contains("sentence"))

            let change = try await directory.patch(
                "/Users/\(made.id)", ["op": "add", "path": "password", "value": "another sentence of hers"])
            #expect(change.status == 200 && !change.body.contains("sentence"))
            let hash: String = try await server.database.value("select password from account where username = 'eve'")
            #expect(hash.hasPrefix("$argon2id$"))
            _ = try await directory.user("finn")
            let other: String = try await server.database.value("select password from account where username = 'finn'")
            #expect(other.contains("cGFuZG8gc2F5cyBub2JvZHk"))
        }
    }

    @Test("entity tags: 304 for what is known, 412 for what is another by now")
    func conditions() async throws {
        try await TestServer.with { server in
            let directory = try await Fixture.of(in: server), made = try await directory.user("gina")
            let path = "/Users/\(made.id)", tag = made[header: "ETag"] ?? ""

            #expect(try await directory.get(path, headers: [.ifNoneMatch: tag]).status == 304)
            let changed = try await directory.patch(
                path, ["op": "add", "path": "displayName", "value": "Gina"], headers: [.ifMatch: tag])
            #expect(changed.status == 200 && changed[header: "ETag"] != tag)
            let body = JSONValue.object(Fixture.body("gina"))
            #expect(try await directory.send(.put, path, body, headers: [.ifMatch: tag]).status == 412)
            #expect(try await directory.send(.delete, path, headers: [.ifMatch: tag]).status == 412)
            #expect(try await directory.get(path)["displayName"] == "Gina")
            #expect(try await directory.send(.delete, path, headers: [.ifMatch: "*"]).status == 204)
        }
    }

    @Test(
        "what will not do",
        arguments: [
            ("no schemas", ["userName": "x"], "400 invalidSyntax"),
            ("no userName", ["schemas": [.string(Fixture.user)]], "400 invalidValue"),
            ("blanks", .object(Fixture.body("a b")), "400 invalidValue"),
            ("taken", .object(Fixture.body("ADA")), "409 uniqueness"),
            ("no address", .object(Fixture.body("h", ["emails": [["value": "nowhere"]]])), "400 invalidValue"),
            ("another type", .object(Fixture.body("h", ["displayName": 3])), "400 invalidValue"),
            (
                "unknown affiliation",
                .object(Fixture.body("h", [.init(Fixture.federation): ["eduperson_affiliation": ["king"]]])),
                "400 invalidValue"
            ),
            ("no object", [], "400 invalidSyntax"),
        ] as [(String, JSONValue, String)])
    func refused(about: String, body: JSONValue, told: String) async throws {
        try await TestServer.with { server in
            let directory = try await Fixture.of(in: server)
            let reply = try await directory.send(.post, "/Users", body)

            #expect(reply.told == told, "\(about)")
            #expect(reply.json["schemas"] == ["urn:ietf:params:scim:api:messages:2.0:Error"])
            #expect(reply["status"] == String(told.prefix(3)) && reply["detail"]?.isEmpty == false)
            #expect(reply[header: "Content-Type"] == "application/scim+json")
        }
    }

    @Test("one externalId is one person of an institution")
    func externalIDs() async throws {
        try await TestServer.with { server in
            let bern = try await Fixture.of("unibe", in: server), zurich = try await Fixture.of("uzh", in: server)
            _ = try await bern.user("ida", ["externalId": "1"])
            let twice = try await bern.send(.post, "/Users", .object(Fixture.body("jan", ["externalId": "1"])))
            #expect(twice.told == "409 uniqueness")
            #expect(try await zurich.user("kai", ["externalId": "1"])["externalId"] == "1")
        }
    }

    @Test("a database that is away is 503 with Retry-After, in the words of SCIM")
    func away() async throws {
        try await TestServer.with { server in
            let directory = try await Fixture.of(in: server)
            try await server.withoutDatabase { away in
                let reply = try await DirectoryFixture(server: away, token: directory.token).get("/Users")
                #expect(reply.status == 503 && reply[header: "Retry-After"] != nil && reply["status"] == "503")
            }
        }
    }
}
