import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("tiqr: the back office", .server)
struct TiqrBackOfficeTests {
    private static let routes: [(HTTPRequest.Method, String)] = [
        (.post, "/identifiers"), (.get, "/identifiers"), (.post, "/enrollments"), (.get, "/enrollments/x"),
        (.delete, "/enrollments/x"), (.get, "/enrollments/x.png"),
        (.post, "/authentications"), (.get, "/authentications/x"), (.delete, "/authentications/x"),
        (.post, "/authentications/x/otp"), (.get, "/authentications/x.svg"),
        (.get, "/identities"), (.get, "/identities/x"), (.put, "/identities/x/block"), (.delete, "/identities/x/block"),
        (.delete, "/identities/x"),
    ]

    @Test(
        "no route opens without a live token for tiqr",
        arguments: ["none", "nonsense", "basic", "another resource", "the IdP's", "revoked"])
    func locked(_ what: String) async throws {
        let server = try TestServer.ofSuite, party = try await TiqrParty.movedIn(server)
        let foreign = try await TiqrParty.ask(server, party.client, resource: ServerParts.base),
            own = try await TiqrParty.ask(server, party.client, resource: nil)
        let authorization: String? =
            switch what {
            case "none": nil
            case "nonsense": "Bearer nonsense"
            case "basic": party.client.basic[.authorization]
            case "another resource": "Bearer \(foreign.accessToken)"
            case "the IdP's": "Bearer \(own.accessToken)"
            default: "Bearer \(party.token)"
            }
        if what == "revoked" {
            #expect(try await server.post("/revoke", ["token": party.token], headers: party.client.basic).status == 200)
        }

        for (method, path) in Self.routes {
            var headers: HTTPFields = [.contentType: "application/json"]
            headers[.authorization] = authorization
            let reply = try await server.send(
                method, TiqrParty.path + path, headers: headers,
                body: method == .post || method == .put ? Array("{}".utf8) : nil)
            let challenges = reply.headers[values: .wwwAuthenticate]
            #expect(
                reply.outcome == "401 invalid_token"
                    && challenges.contains { $0.hasPrefix("Bearer error=\"invalid_token\"") }, "\(method) \(path)")
        }
    }

    @Test("a scope reaches its own routes; identities may be read with either")
    func scopes() async throws {
        let server = try TestServer.ofSuite, party = try await TiqrParty.movedIn(server, scope: "org.tiqr.auth")
        let maker = try await TiqrParty.movedIn(server, scope: "org.tiqr.enroll")

        for (method, path) in [
            (HTTPRequest.Method.post, "/identifiers"), (.post, "/enrollments"), (.get, "/enrollments/x"),
            (.put, "/identities/x/block"),
            (.delete, "/identities/x"),
        ] {
            let reply = try await party.call(method, path, method == .get || method == .delete ? nil : [:])
            #expect(
                reply.outcome == "403 insufficient_scope" && reply["scope"] == "org.tiqr.enroll", "\(method) \(path)")
        }
        let reply = try await maker.call(.post, "/authentications", [:])
        #expect(reply.outcome == "403 insufficient_scope" && reply["scope"] == "org.tiqr.auth")
        #expect(
            reply.headers[values: .wwwAuthenticate].contains {
                $0.hasPrefix("Bearer ") && $0.contains("scope=\"org.tiqr.auth\"")
            })
        for one in [party, maker] { #expect(try await one.call(.get, "/identities").json == ["identities": []]) }
        #expect(try await party.call(.post, "/authentications", [:]).status == 201)
    }

    @Test("what one client made does not exist for another")
    func strangers() async throws {
        let server = try TestServer.ofSuite, party = try await TiqrParty.movedIn(server),
            stranger = try await TiqrParty.movedIn(server), phone = TiqrPhone(server)
        let begun = try await party.startEnrollment(), identity = try await party.enroll(phone),
            login = try await party.startAuthentication(for: identity)

        for (method, path) in [
            (HTTPRequest.Method.get, "/enrollments/\(begun.id)"), (.delete, "/enrollments/\(begun.id)"),
            (.get, "/enrollments/\(begun.id).png"),
            (.get, "/authentications/\(login.id)"), (.delete, "/authentications/\(login.id)"),
            (.get, "/identities/\(identity.name)"),
            (.delete, "/identities/\(identity.name)"), (.delete, "/identities/\(identity.name)/block"),
        ] {
            #expect(try await stranger.call(method, path).outcome == "404 not_found", "\(method) \(path)")
        }
        #expect(try await stranger.call(.put, "/identities/\(identity.name)/block", [:]).outcome == "404 not_found")
        #expect(
            try await stranger.call(.post, "/authentications/\(login.id)/otp", ["otp": "123456"]).outcome
                == "404 not_found")
        #expect(
            try await stranger.call(.post, "/authentications", ["identity": .string(identity.name)]).outcome
                == "404 not_found")
        #expect(try await stranger.call(.get, "/identities").json == ["identities": []])
        #expect(try await phone.logsIn(login.authURL, identity))
    }

    @Test(
        "bodies that are refused, and change nothing",
        arguments: [
            ("/enrollments", "{}"), ("/enrollments", #"{"display_name":""}"#), ("/enrollments", #"{"display_name":7}"#),
            ("/enrollments", #"{"display_name":"a\nb"}"#),
            ("/enrollments", "{\"display_name\":\"\(String(repeating: "x", count: 101))\"}"),
            ("/enrollments", #"{"display_name":"x","expires_in":0}"#),
            ("/enrollments", #"{"display_name":"x","expires_in":3601}"#),
            ("/enrollments", #"{"display_name":"x","expires_in":"soon"}"#),
            ("/enrollments", #"{"display_name":"x","identifier":"not.known.example"}"#), ("/enrollments", "[]"),
            ("/enrollments", "{"),
            ("/authentications", #"{"expires_in":-1}"#), ("/authentications", #"{"expires_in":601}"#),
            ("/authentications", #"{"return_url":"javascript:alert(1)"}"#),
            ("/authentications", #"{"return_url":"https://h.example/?a=b"}"#),
            ("/authentications", #"{"service_provider":""}"#), ("/authentications", #"{"push":"yes"}"#),
            ("/authentications", #"{"identifier":"not.known.example"}"#),
            ("/identifiers", #"{"identifier":"a.example.org"}"#),
            (
                "/identifiers",
                #"{"identifier":"Upper.example.org","display_name":"x","suite":"OCRA-1:HOTP-SHA1-6:QH10-S064"}"#
            ),
            (
                "/identifiers",
                #"{"identifier":"h.example.org:80","display_name":"x","suite":"OCRA-1:HOTP-SHA1-6:QH10-S064"}"#
            ),
            (
                "/identifiers",
                #"{"identifier":"odd.example.org","display_name":"x","suite":"OCRA-1:HOTP-SHA1-6:QN10-S064"}"#
            ),
            (
                "/identifiers",
                #"{"identifier":"odd.example.org","display_name":"x","suite":"OCRA-1:HOTP-SHA1-6:QH10"}"#
            ),
        ])
    func refused(_ path: String, _ body: String) async throws {
        let party = try await TiqrParty.movedIn(TestServer.ofSuite)
        let headers: HTTPFields = [.authorization: "Bearer \(party.token)", .contentType: "application/json"]

        let reply = try await party.server.send(.post, TiqrParty.path + path, headers: headers, body: Array(body.utf8))

        #expect(
            reply.outcome == "400 invalid_request" && reply["error_description"]?.isEmpty == false
                && reply[header: "Cache-Control"] == "no-store")
    }

    @Test("bodies of other kinds: 415, and above 64 KiB 413")
    func kinds() async throws {
        let party = try await TiqrParty.movedIn(TestServer.ofSuite), path = TiqrParty.path + "/enrollments",
            token: HTTPFields = [.authorization: "Bearer \(party.token)"]

        #expect(
            try await party.server.post(path, ["display_name": "x"], headers: token).outcome
                == "415 unsupported_media_type")
        let large = JSONValue.object(["display_name": "x", "future": .string(String(repeating: "x", count: 70_000))])
        #expect(try await party.server.post(path, json: large, headers: token).outcome == "413 too_large")
        #expect(
            try await party.server.post(
                path, json: ["display_name": "x", "external_id": nil, "expires_in": nil], headers: token
            ).status == 201, "null is absent")
    }

    @Test("an identifier keeps its suite for ever; the host's own is always there and first")
    func identifiers() async throws {
        let party = try await TiqrParty.movedIn(TestServer.ofSuite), phone = TiqrPhone(party.server)
        let suite = "OCRA-1:HOTP-SHA256-8:QH10-S064",
            body: JSONValue = ["identifier": "desk.example.org", "display_name": "Desk", "suite": .string(suite)]

        #expect(try await party.call(.post, "/identifiers", body).status == 201)
        #expect(try await party.call(.post, "/identifiers", body).status == 200)
        let other: JSONValue = [
            "identifier": "desk.example.org", "display_name": "Desk", "suite": "OCRA-1:HOTP-SHA1-6:QH10-S064",
        ]
        #expect(try await party.call(.post, "/identifiers", other).outcome == "409 conflict")
        let listed = try await party.call(.get, "/identifiers").json["identifiers"]?.array ?? []
        let own: JSONObject = [
            "identifier": "localhost", "display_name": "Test server", "suite": "OCRA-1:HOTP-SHA1-6:QH10-S064",
            "default": true,
        ]
        let added: JSONObject = [
            "identifier": "desk.example.org", "display_name": "Desk", "suite": .string(suite), "default": false,
        ]
        func tells(_ one: JSONValue?, _ members: JSONObject) -> Bool {
            members.allSatisfy { one?[$0.name] == $0.value }
        }
        #expect(tells(listed.first, own) && listed.contains { tells($0, added) })

        let identity = try await party.enroll(phone, ["identifier": "desk.example.org"]),
            login = try await party.startAuthentication(for: identity)
        #expect(
            identity.suite == suite && phone.password(login.authURL, identity).count == 8
                && TiqrChallenge(login.authURL).identifier == "desk.example.org")
        #expect(try await phone.logsIn(login.authURL, identity))
    }

    @Test("a service gives its identifier an app of its own; what no app can use is refused")
    func ownApp() async throws {
        let party = try await TiqrParty.movedIn(TestServer.ofSuite)
        func add(_ name: String, _ more: JSONObject) async throws -> Reply {
            var body: JSONObject = [
                "identifier": .string(name), "display_name": "Own", "suite": "OCRA-1:HOTP-SHA1-6:QH10-S",
            ]
            for (member, value) in more { body[member] = value }
            return try await party.call(.post, "/identifiers", .object(body))
        }
        let schemes: JSONObject = ["enroll_scheme": "ownenroll", "auth_scheme": "ownauth"]

        let added = try await add("own.example.org", schemes)
        #expect(added.status == 201 && added.json["enroll_scheme"] == "ownenroll" && added.json["used"] == false)
        let started = try await party.call(
            .post, "/enrollments", ["display_name": "Ada", "identifier": "own.example.org"])
        #expect(started["enroll_url"]?.hasPrefix("ownenroll://http") == true)
        let link = try #require(started["universal_link"]?.replacing(ServerParts.root, with: ""))
        let landing = try await party.server.get(link)
        #expect(landing.status == 200 && landing.body.contains("href=\"ownenroll://"))

        let refused: [JSONObject] = [
            ["enroll_scheme": "ownenroll"], ["enroll_scheme": "javascript:", "auth_scheme": "ownauth"],
            ["link_base": "http://own.example.org"], ["info_url": "data:,x"], ["logo": "%"], ["logo": "PHN2Zy8+"],
            ["logo": 7], ["link_base": "https://evil.example"], ["link_base": "https://evilodd.example.org"],
        ]
        for members in refused {
            #expect(try await add("odd.example.org", members).outcome == "400 invalid_request", "\(members)")
        }
        let below = try await add("below.example.org", ["link_base": "https://app.below.example.org"])
        #expect(below.status == 201, "its own host, or one below it")
    }

    @Test("the logo of an identifier is read without login; where there is none of its own it is 404")
    func logo() async throws {
        let party = try await TiqrParty.movedIn(TestServer.ofSuite), path = TiqrParty.path + "/identifiers/"
        let picture: [UInt8] =
            [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
            + [0, 0, 0, 9, 0, 0, 0, 9, 8, 6, 0, 0, 0, 0, 0, 0, 0]
        try await party.server.database.execute(
            """
            insert into tiqr_identifier (identifier, display_name, suite, logo, logo_type, created_at)
            values ('logo.example.org', 'Logo', 'OCRA-1:HOTP-SHA1-6:QH10-S', \(picture), 'image/png', now())
            """)

        let shown = try await party.server.send(.get, path + "logo.example.org/logo")
        #expect(shown.status == 200 && shown[header: "Content-Type"] == "image/png")
        #expect(shown[header: "X-Content-Type-Options"] == "nosniff")
        for name in ["localhost", "none.example.org", "Upper.example.org", "a%00b"] {
            #expect(try await party.server.send(.get, path + name + "/logo").outcome == "404 not_found", "\(name)")
        }
    }

    @Test("identities are found by external_id, and never tell their secret")
    func identities() async throws {
        let party = try await TiqrParty.movedIn(TestServer.ofSuite), phone = TiqrPhone(party.server)
        let identity = try await party.enroll(phone, ["external_id": "ada"])
        _ = try await party.enroll(phone, ["external_id": "bob"])

        let found = try await party.call(.get, "/identities?external_id=ada")

        #expect(
            found.json["identities"]?.array?.count == 1
                && found.json["identities"]?.array?.first?["identity"] == .string(identity.name))
        #expect(
            found.json["identities"]?.array?.first?["external_id"] == "ada"
                && found.json["identities"]?.array?.first?["display_name"] == "Ada Lovelace")
        #expect(!found.body.contains("secret") && !found.body.contains("A1B2C3D4"))
        #expect(try await party.call(.get, "/identities").json["identities"]?.array?.count == 2)
        #expect(try await party.call(.get, "/identities?external_id=a&external_id=b").outcome == "400 invalid_request")
    }

    @Test(
        """
        a block by the relying service: without minutes a day is told, with minutes these; its end gives all \
        attempts back
        """
    )
    func blocks() async throws {
        let party = try await TiqrParty.movedIn(TestServer.ofSuite), phone = TiqrPhone(party.server),
            identity = try await party.enroll(phone)
        let block = "/identities/\(identity.name)/block"
        func duration() async throws -> JSONValue? {
            try await phone.answer(try await party.startAuthentication(for: identity).authURL, identity).json[
                "duration"]
        }

        #expect(try await party.call(.put, block).status == 204)
        #expect(try await duration() == 1_440)
        #expect(try await party.identity(identity)["blocked_until"] == nil)
        #expect(try await party.call(.put, block, ["minutes": 90]).status == 204)
        #expect(try await duration() == 90)
        #expect(try await party.identity(identity)["blocked_until"] != nil)
        for bad in [JSONValue.integer(0), "x", .integer(-1), .integer(1_000_000)] {
            #expect(try await party.call(.put, block, ["minutes": bad]).outcome == "400 invalid_request")
        }

        #expect(try await party.call(.delete, block).status == 204)
        #expect(try await party.identity(identity)["attempts_left"] == 5)
        let login = try await party.startAuthentication(for: identity)
        #expect(try await phone.logsIn(login.authURL, identity))
    }

    @Test("links name what the phone shall show and where it shall go back")
    func links() async throws {
        let party = try await TiqrParty.movedIn(TestServer.ofSuite),
            identity = try await party.enroll(TiqrPhone(party.server))

        let started = try await party.startAuthentication([
            "identity": .string(identity.name), "service_provider": "Book shop & more",
            "return_url": "http://127.0.0.1:9/done",
        ])

        let challenge = TiqrChallenge(started.authURL)
        #expect(
            challenge.serviceProvider == "Book shop & more" && challenge.returnURL == "http://127.0.0.1:9/done"
                && challenge.version == "2")
        #expect(challenge.user == identity.name)
        #expect(
            challenge.question.count == 10 && challenge.session.count == 32 && !started.authURL.contains(started.id))
        #expect(started["universal_link"]?.hasPrefix(ServerParts.root + "/tiqrauth/?") == true)
        #expect(started[header: "Location"] == "\(ServerParts.tiqrBase)/authentications/\(started.id)")
    }
}
