import Base
import HTTP
import HTTPTypes
import TestSupport
import Testing
import Tiqr

@Suite("liquid: what wallets ask, over HTTP", .server)
struct LiquidWalletTests {
    /// `connect.sid` and its attributes, of an answer.
    private func line(_ reply: Reply) -> [String] {
        reply.headers[.setCookie]?.split(separator: ";").map { $0.drop { $0 == " " }.lowercased() } ?? []
    }

    @Test(
        """
        a wallet registers and logs in with 201, and reads itself; its cookie is another each time, and the old one \
        is dead
        """
    )
    func journey() async throws {
        let server = try TestServer.ofSuite
        var wallet = WalletDevice()

        let registered = try await wallet.register(in: server), first = wallet.cookie,
            user = try await wallet.send(.get, "/auth/user", in: server)
        let entered = try await wallet.logIn(in: server), second = wallet.cookie
        let session = try await wallet.send(.get, "/auth/session", in: server)
        wallet.cookie = first
        let old = try await wallet.send(.get, "/auth/user", in: server)

        #expect(registered.status == 201 && registered["wallet"] == wallet.address && registered.json["error"] == nil)
        #expect(user.status == 200 && user.json["credentials"]?.array?.first?["credId"]?.string == wallet.passkey.name)
        #expect(entered.status == 201 && first != second && session.json["user"]?["wallet"]?.string == wallet.address)
        #expect(old.status == 403)
    }

    @Test(
        """
        the cookie has the name and the shape that the SDKs cut an id out of, and is for scripts and other sites out \
        of reach
        """
    )
    func cookie() async throws {
        let reply = try await TestServer.ofSuite.post("/attestation/request", json: ["extensions": ["liquid": true]])
        let line = line(reply), raw = reply.headers[.setCookie] ?? ""

        #expect(raw.firstMatch(of: #/^connect\.sid=s%3A[A-Za-z0-9_-]{20,}\.[A-Za-z0-9%]{27,};/#) != nil, "\(raw)")
        #expect(
            Set(["path=/", "httponly", "samesite=lax"]).isSubset(of: line) && line.contains { $0.hasPrefix("max-age=") }
                && !line.contains("secure"))
        #expect(reply.headers[.cacheControl] == "no-store")
    }

    @Test(
        "without the liquid extension registering is 501, and gives no cookie",
        arguments: ["", "{}", #"{"extensions":{}}"#, #"{"extensions":{"liquid":false}}"#, #"{"extensions":true}"#])
    func noExtension(_ body: String) async throws {
        let reply = try await TestServer.ofSuite.send(
            .post, "/attestation/request", headers: [.contentType: "application/json"], body: Array(body.utf8))
        #expect(
            reply.status == 501 && reply["reason"] == "not_implemented" && reply.error == "Liquid extension is required"
        )
        #expect(reply.headers[values: .setCookie] == [])
    }

    @Test("where somebody is logged in, registering without the extension takes nothing from them")
    func noExtensionInSession() async throws {
        let server = try TestServer.ofSuite
        var wallet = WalletDevice()
        _ = try await wallet.register(in: server)

        let refused = try await wallet.send(.post, "/attestation/request", [:], in: server),
            user = try await wallet.send(.get, "/auth/user", in: server)

        #expect(refused.status == 501 && user.status == 200 && user.json["wallet"]?.string == wallet.address)
    }

    @Test(
        "registering as something that is no object, or under a name that is no text, is 400 with a string `error`",
        arguments: [
            "[]", "null", "true", #""x""#, #"{"extensions":{"liquid":true},"username":true}"#,
            #"{"extensions":{"liquid":true},"displayName":5}"#, #"{"username":["x"]}"#,
        ])
    func noRegistration(_ body: String) async throws {
        let reply = try await TestServer.ofSuite.send(
            .post, "/attestation/request", headers: [.contentType: "application/json"], body: Array(body.utf8))

        #expect(reply.status == 400 && reply.error == "Bad Request", "\(reply.body)")
    }

    @Test(
        "an answer that is no JSON is 400, one that answers nothing is 401; both have a string `error`",
        arguments: ["/attestation/response", "/assertion/response"])
    func malformed(_ path: String) async throws {
        let server = try TestServer.ofSuite
        for body in ["", "{", #"{"id":"a","id":"b"}"#] {
            let reply = try await server.send(
                .post, path, headers: [.contentType: "application/json"], body: Array(body.utf8))
            #expect(
                reply.status == 400 && reply.error == "Bad Request" && reply.json["statusCode"] == 400
                    && reply["message"] != nil, "\(body)")
        }
        for body in ["[]", "null", "{}"] {
            let reply = try await server.send(
                .post, path, headers: [.contentType: "application/json"], body: Array(body.utf8))
            #expect(
                reply.status == 401 && reply["reason"] == "unauthorized" && reply.error == "Challenge not found",
                "\(body)")
        }
        let long = try await server.send(
            .post, path, headers: [.contentType: "application/json"], body: [UInt8](repeating: 0x20, count: 70_000))
        #expect(long.status == 413 && long.error == "Payload Too Large")
    }

    @Test(
        """
        options for a passkey are asked with every body that an SDK sends; what is no JSON is 400, an unknown \
        passkey 401
        """
    )
    func options() async throws {
        let server = try TestServer.ofSuite
        var wallet = WalletDevice()
        _ = try await wallet.register(in: server)
        for body in [
            "", "{}", #"{"extensions":true}"#,
            #"{"extensions":{"liquid":true},"authenticatorSelection":{"userVerification":"required"}}"#,
        ] {
            let reply = try await server.send(
                .post, "/assertion/request/\(wallet.passkey.name)", headers: [.contentType: "application/json"],
                body: Array(body.utf8))
            #expect(
                reply.status == 201
                    && reply.json["allowCredentials"]?.array?.first?["id"]?.string == wallet.passkey.name, "\(body)")
        }
        let any = try await server.post("/assertion/request", json: [:]),
            none = try await server.post("/assertion/request/bm9ib2R5", json: [:])
        let broken = try await server.send(.post, "/assertion/request/\(wallet.passkey.name)", body: Array("{".utf8))

        #expect(any.status == 201 && any.json["allowCredentials"]?.array == [])
        #expect(
            none.status == 401 && none["reason"] == "not_found" && none.error == "User not found"
                && broken.status == 400)
    }

    @Test("nobody is nobody: 403 where a wallet is needed, null where one is asked for")
    func nobody() async throws {
        let server = try TestServer.ofSuite
        let user = try await server.get("/auth/user"), session = try await server.get("/auth/session"),
            removed = try await server.send(.delete, "/auth/keys/bm9ib2R5")

        #expect(
            user.status == 403
                && user.json == ["message": "Forbidden resource", "error": "Forbidden", "statusCode": 403])
        #expect(session.status == 200 && session.json["user"] == .null && removed.status == 403)
    }

    @Test("a wallet logs out to /, and removes its own passkeys only")
    func leaving() async throws {
        let server = try TestServer.ofSuite
        var one = WalletDevice(), other = WalletDevice()
        _ = try await one.register(in: server)
        _ = try await other.register(in: server)

        let stolen = try await other.send(.delete, "/auth/keys/\(one.passkey.name)", in: server)
        let cookie = other.cookie, left = try await other.send(.get, "/auth/logout", in: server)
        other.cookie = cookie
        let after = try await other.send(.get, "/auth/user", in: server)
        let removed = try await one.send(.delete, "/auth/keys/\(one.passkey.name)", in: server)
        let asked = try await one.send(.post, "/assertion/request/\(one.passkey.name)", in: server)

        #expect(stolen.status == 404 && left.status == 302 && left[header: "Location"] == "/" && after.status == 403)
        #expect(removed.status == 200 && removed.json == ["success": true] && asked.status == 401)
    }

    @Test("from one address so many challenges and no more: 429, with the seconds and a string `error`")
    func pace() async throws {
        try await TestServer.with { server in
            for _ in 0..<200 {
                let one = try await server.post("/attestation/request", json: [:]),
                    other = try await server.post("/assertion/request/bm9ib2R5", json: [:])
                try #require(one.status == 501 && other.status == 401)
            }
            for path in ["/attestation/request", "/assertion/request", "/assertion/request/bm9ib2R5"] {
                let reply = try await server.post(path, json: ["extensions": ["liquid": true]])
                #expect(
                    reply.status == 429 && reply[header: "Retry-After"] == "1" && reply.error == "Too many requests",
                    "\(path)")
                #expect(reply["reason"] == "too_many_requests", "\(path)")
            }
            server.time.advance(1)
            let later = try await server.post("/attestation/request", json: ["extensions": ["liquid": true]])
            #expect(later.status == 201)
        }
    }

    static let described: [(String, [String])] = [
        ("/attestation/request", ["options", "post"]), ("/attestation/response", ["options", "post"]),
        ("/assertion/request", ["options", "post"]),
        ("/assertion/request/{credential}", ["options", "post"]), ("/assertion/response", ["options", "post"]),
        ("/auth/user", ["get", "options"]),
        ("/auth/session", ["get", "options"]), ("/auth/logout", ["get"]),
        ("/auth/keys/{credential}", ["delete", "options"]),
        ("/socket.io/", ["delete", "get", "options", "patch", "post", "put"]),
        ("/.well-known/assetlinks.json", ["get"]),
        ("/.well-known/apple-app-site-association", ["get"]), ("/.well-known/webauthn", ["get"]),
    ]

    @Test("/openapi.yaml has every path of docs/liquid.md, with its methods")
    func openAPI() async throws {
        let lines = try await TestServer.ofSuite.get("/openapi.yaml").body.split(separator: "\n")
        for (path, methods) in Self.described {
            let place = lines.firstIndex { $0 == "  \(path):" }, start = try #require(place, "\(path)")
            let told = lines[(start + 1)...].prefix { $0.hasPrefix("    ") }.compactMap {
                $0.wholeMatch(of: #/ {4}([a-z]+):/#).map { String($0.1) }
            }
            #expect(told.sorted() == methods, "\(path)")
        }
    }

    @Test("a database that is away is 503 and no refusal")
    func away() async throws {
        try await TestServer.ofSuite.withoutDatabase { server in
            let reply = try await server.post("/attestation/request", json: ["extensions": ["liquid": true]])
            #expect(reply.status == 503 && reply.error == "Service Unavailable" && reply[header: "Retry-After"] != nil)
        }
    }

    @Test("FIDO's conformance test finds its paths where the operator has opened them, and nowhere else")
    func conformance() async throws {
        let asked: JSONValue = ["username": "tester", "displayName": "Tester"]
        let closed = try await TestServer.ofSuite.post("/attestation/options", json: asked)
        #expect(closed.status == 404)
        try await TestServer.with(options: TestServerOptions(isTested: true)) { server in
            let open = try await server.post("/attestation/options", json: asked),
                wrong = try await server.post("/attestation/result", json: [:])
            #expect(open.status == 200 && open["status"] == "ok" && wrong.status == 400 && wrong["status"] == "failed")
        }
    }

    @Test(
        """
        the documents of this host name its apps and web origins, without a redirect; its RSD2 says
            where the protocols are
        """
    )
    func documents() async throws {
        let server = try TestServer.ofSuite
        let links = try await server.get("/.well-known/assetlinks.json"),
            apple = try await server.get("/.well-known/apple-app-site-association")
        let related = try await server.get("/.well-known/webauthn"),
            rsd = try await server.get("/services/liquid/rsd", headers: [.accept: "application/json"])
        let app = links.json.array?.last,
            prints = app?["target"]?["sha256_cert_fingerprints"]?.array?.first?.string ?? ""

        #expect(
            links.status == 200 && app?["target"]?["package_name"] == "org.example.wallet"
                && prints.hasPrefix("00:01:02:") && prints.hasSuffix(":1E:1F"))
        #expect(app?["relation"]?.array?.contains("delegate_permission/common.handle_all_urls") == true)
        #expect(
            apple.json == ["webcredentials": ["apps": ["TEAMID1234.org.example.wallet"]]]
                && apple[header: "Content-Type"] == "application/json")
        #expect(
            related.json["origins"]?.array?.contains(.string(ServerParts.root)) == true
                && !related.body.contains("android:"))
        for name in ["org.ietf.oauth2", "org.w3.webauthn", "com.liquidauth.signaling"] {
            #expect(rsd.body.contains(name), "\(name)")
        }
        #expect(rsd.body.contains("/socket.io/") || rsd.body.contains(#"\/socket.io\/"#))
    }
}
