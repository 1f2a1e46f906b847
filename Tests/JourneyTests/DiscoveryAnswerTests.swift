import Base
import Database
import HTTPTypes
import Keys
import TestSupport
import Testing

@testable import Federation
@testable import HTTP

@Suite("discovery: forms of the answer", .server)
struct DiscoveryAnswerTests {
    /// Somebody who asks for one name that only a service of this test offers.
    private struct Requester: Sendable {
        let phone: Phone
        let token: String
        let name: String
        var server: TestServer { phone.server }

        init(_ name: String, in server: TestServer) async throws {
            (phone, self.name) = (try await Phone.registered(in: server), name)
            token = try await phone.logIn().accessToken
        }

        func ask(_ headers: HTTPFields = [:], at other: TestServer? = nil) async throws -> Reply {
            var all = try phone.dpop(.post, "/protocol-discovery", token: token)
            for field in headers { all.append(field) }
            return try await (other ?? server).post("/protocol-discovery", json: [.string(name)], headers: all)
        }
    }

    private func asker(_ id: String) async throws -> Requester {
        let server = try TestServer.ofSuite
        try await IndexedService(id, ["org.example.\(id)", "org.ietf.oauth2"]).enter(
            server.database, at: server.time.now)
        return try await Requester("org.example.\(id)", in: server)
    }

    @Test("the list under the issuer's signature, for whoever asked and for five minutes")
    func signed() async throws {
        let asker = try await asker("signed"), server = asker.server

        let plain = try await asker.ask(), reply = try await asker.ask([.accept: "application/jwt"]),
            jwt = try JWT(reply.body)
        let keys = try await JSONWebKey.set(try await server.get("/jwks.json").json)

        #expect(
            reply.status == 200 && reply[header: "Content-Type"] == "application/jwt"
                && reply[header: "Vary"] == "Accept")
        // It carries a nonce (RFC 9449, 8.2): no cache may keep it; the app keeps answer and ETag itself.
        #expect(reply[header: "Cache-Control"] == "no-store")
        #expect(jwt.type == "discovery+jwt" && keys.contains { $0.kid == jwt.kid && jwt.isSigned(by: $0) })
        #expect(jwt.string("iss") == ServerParts.root && jwt.string("aud") == asker.phone.clientID && jwt["sub"] == nil)
        #expect(jwt["iat"]?.integer == server.now && jwt["exp"]?.integer == server.now + 300)
        #expect(jwt["services"] == plain.json && plain.json.array?.count == 1)
    }

    @Test("a signed list is no token, whoever shows it")
    func noToken() async throws {
        let asker = try await asker("notoken"), list = try await asker.ask([.accept: "application/jwt"]).body

        for scheme in ["Bearer", "DPoP"] {
            let reply = try await asker.server.get("/userinfo", headers: [.authorization: "\(scheme) \(list)"])
            #expect(reply.status == 401, "\(scheme)")
        }
    }

    @Test("each form has its own ETag, and the signed one keeps it while the list stays")
    func tags() async throws {
        let asker = try await asker("tags")

        let plain = try await asker.ask(), signed = try await asker.ask([.accept: "application/jwt"]),
            again = try await asker.ask([.accept: "application/jwt"])
        let tag = try #require(signed[header: "ETag"]), plainTag = try #require(plain[header: "ETag"])
        let same = try await asker.ask([.accept: "application/jwt", .ifNoneMatch: tag])
        let crossed = try await asker.ask([.accept: "application/jwt", .ifNoneMatch: plainTag])

        #expect(
            tag.hasPrefix("W/\"") && plainTag.hasPrefix("\"") && again[header: "ETag"] == tag
                && signed.body != again.body)
        #expect(
            same.status == 304 && same.body.isEmpty && same[header: "ETag"] == tag && same[header: "Vary"] == "Accept")
        #expect(crossed.status == 200)
    }

    @Test("If-None-Match as RFC 9110 has it")
    func conditions() async throws {
        let asker = try await asker("conditions"), etag = try #require(try await asker.ask()[header: "ETag"])

        for field in [etag, "W/\(etag)", "\"x\", \(etag)", "\"x\",W/\"y\" ,\t\(etag),", "*", " * "] {
            let reply = try await asker.ask([.ifNoneMatch: field])
            #expect(reply.status == 304, "\(field)")
        }
        for field in [
            "\"x\"", "W/\"x\"", "\"*\"", String(etag.dropFirst().dropLast()), "\(etag) \"x\"", "\(etag), x",
            "w/\(etag)", "*, \(etag)", ",",
        ] {
            let reply = try await asker.ask([.ifNoneMatch: field])
            #expect(reply.status == 200, "\(field)")
        }
    }

    @Test(
        "lists of tags are read as RFC 9110, 8.8.3 writes them",
        arguments: [
            ("\"a\"", ["\"a\""]), ("W/\"a\"", ["\"a\""]), ("\"\"", ["\"\""]),
            ("\"a,b\" , \"c\"", ["\"a,b\"", "\"c\""]), (", \"a\",,", ["\"a\""]), ("*", ["*"]),
            ("\"ä\"", ["\"ä\""]), ("", nil), ("a", nil), ("\"a", nil), ("\"a\"\"b\"", nil), ("W \"a\"", nil),
            ("\"a b\"", nil), ("* *", nil),
        ] as [(String, [String]?)])
    func tagLists(_ field: String, _ tags: [String]?) {
        #expect(EntityTags.read(field) == tags)
    }

    @Test(
        "of If-Match the strong tags count, beside their weak twins too",
        arguments: [
            (#""a", W/"b""#, [#""a""#]), (#"W/"a", "a""#, [#""a""#]), (#"W/"a""#, []), ("*", ["*"]), ("a", nil),
        ] as [(String, [String]?)])
    func strongTags(_ field: String, _ tags: [String]?) {
        #expect(EntityTags.strong(field) == tags)
    }

    @Test(
        "the form follows Accept",
        arguments: [
            ("", false), ("*/*", false), ("application/*", false), ("application/json", false),
            ("application/jwt", true), ("APPLICATION/JWT", true),
            ("application/jwt, */*", true), ("application/json, application/jwt", false),
            ("application/json;q=0.5, application/jwt", true),
            ("application/jwt;q=0.5, application/json", false), ("application/jwt;q=0.5, */*;q=0.1", true),
            ("application/jwt;q=0, */*", false),
            ("text/html", false), ("application/json;q=0", false), ("application/json;q=0, application/*", true),
            ("application/jwt; q=0.8 , text/html", true),
            ("application/jwt;q=2", false), ("application/jwt;q=nan", false), ("application/jwtx", false),
            (";;,=", false), ("application/jwt;charset=utf-8", true),
        ])
    func accepted(_ field: String, _ isSigned: Bool) {
        #expect(
            AcceptedType.choose(among: ["application/json", "application/jwt"], accepting: field)
                == (isSigned ? "application/jwt" : "application/json"))
    }

    @Test("a change at one process is seen by the other's memory; so are suspension and a document that went bad")
    func replicas() async throws {
        try await TestServer.with(connections: 10) { server in
            try await server.withReplica { replica in
                let places = [server, replica], now = server.time.now,
                    service = IndexedService("campus", ["org.example.campus", "org.ietf.oauth2"])
                let asker = try await Requester("org.example.campus", in: server)
                let watches = places.map { place in Task { await place.parts.discovery.watch() } }
                defer { for watch in watches { watch.cancel() } }
                func see(_ count: Int) async throws -> Bool {
                    try await eventually {
                        for place in places {
                            let reply = try await asker.ask(at: place)
                            guard reply.json.array?.count == count else { return false }
                        }
                        return true
                    }
                }
                #expect(try await eventually { places.allSatisfy { $0.parts.discovery.memory.isListening } })

                let nothing = try await see(0)
                try await service.enter(server.database, at: now)
                let entered = try await see(1)
                try await service.move(server.database, to: .suspended, at: now)
                let suspended = try await see(0)
                try await service.move(server.database, to: .active, at: now)
                let back = try await see(1)

                // Notifications of other tests may empty it at any moment.
                let remembered = try await eventually {
                    _ = try await see(1)
                    return places.allSatisfy { $0.parts.discovery.memory.held.entries == 1 }
                }
                #expect(nothing && entered && suspended && back && remembered)
            }
        }
    }

    /// Polls for half a minute at most.
    private func eventually(_ condition: () async throws -> Bool) async throws -> Bool {
        for _ in 0..<600 {
            if try await condition() { return true }
            try await Task.sleep(for: .milliseconds(50))
        }
        return false
    }
}
