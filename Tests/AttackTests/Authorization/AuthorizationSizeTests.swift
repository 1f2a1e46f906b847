import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// What clients may send along, and get back: all of it, byte for byte, or none.
@Suite("Attacks on the authorization endpoint: state and nonce (group 15)", .server, .serialized)
struct AuthorizationSizeTests {
    /// The way of a request that is answered at once, of one that is kept while its person agrees, of a refusal, and of
    /// one that its client pushed.
    enum Way: Sendable, CaseIterable { case atOnce, throughPages, refused, pushed }

    private func answer(_ way: Way, _ changes: KeyValuePairs<String, String?>) async throws -> (WebApp, Reply) {
        let server = try TestServer.ofSuite
        guard way == .throughPages else {
            let scene = try await AuthorizationScene.ready()
            var draft = scene.draft(changes)
            if way == .refused { draft.set("scope", "admin") }
            guard way == .pushed else { return (scene.app, try await scene.ask(draft)) }
            let pushed = try await scene.push(draft)
            return (
                scene.app,
                try await scene.browser.open(
                    .get,
                    "/authorize?"
                        + FormCodec.write([("client_id", scene.app.id), ("request_uri", pushed["request_uri"] ?? "")]))
            )
        }
        let app = try await server.webApp(), browser = await AuthorizationLogins.all.browser(server),
            place = try await browser.signIn(AuthorizationDraft(app.id, changes: changes))
        guard case .outside = place else { return (app, try #require(place.page)) }
        return (app, await browser.pages[browser.pages.count - 1])
    }

    private static let texts = [
        String(repeating: "s", count: 8_192), String(repeating: "%", count: 2_000), "a b+c%20d&e=f#g?h;i/j\\k\"l'm<n>o",
        "\r\nSet-Cookie: pando_session=x\r\n\r\n<script>", "%0d%0aLocation:%20https://evil.example",
        String(String.UnicodeScalarView((1...31).compactMap(Unicode.Scalar.init))) + "\u{7F}",
        "é e\u{301} \u{212B} \u{FEFF}\u{202E}\u{200B}", "👩‍👩‍👧‍👦\u{10FFFF}\u{FFFE}", "null", "{\"a\":[1]}", " ", "+",
    ]

    @Test(
        "group 15: state comes back byte for byte, by every way, and 8 KB of it do", arguments: texts.indices,
        Way.allCases)
    func state(_ index: Int, _ way: Way) async throws {
        let text = AuthorizationSizeTests.texts[index]

        let (_, reply) = try await answer(way, ["state": text])

        #expect(
            reply.status == 303 && reply.authorizationAnswer["state"].map { Array($0.utf8) } == Array(text.utf8),
            "\(reply.location ?? reply.body)")
        #expect(reply.authorizationAnswer[way == .refused ? "error" : "code"] != nil)
        #expect(
            reply.headers[values: .setCookie].allSatisfy { !$0.contains("=x") }
                && reply.headers[values: .location].count == 1)
    }

    @Test(
        "group 15: nonce stands in the ID token byte for byte", arguments: texts.indices,
        [Way.atOnce, .throughPages, .pushed])
    func nonce(_ index: Int, _ way: Way) async throws {
        let text = AuthorizationSizeTests.texts[index], (app, reply) = try await answer(way, ["nonce": text])

        let tokens = try await app.redeem(reply.authorizationAnswer["code"])

        #expect(claims(of: tokens["id_token"] ?? "")["nonce"]?.string.map { Array($0.utf8) } == Array(text.utf8))
    }

    @Test("group 15: more than 8 KB is refused", arguments: ["state", "nonce"], [8_193, 60_000])
    func tooLong(_ name: String, _ count: Int) async throws {
        let scene = try await AuthorizationScene.ready(),
            draft = scene.draft([name: String(repeating: "s", count: count)])

        let asked = try await scene.ask(draft),
            otherwise = try await scene.ask(
                AuthorizationDraft(
                    scene.app.id, changes: [name: draft.parameters.first { $0.0 == name }?.1, "request": "x.y.z"]))

        // What is too long to be sent back is not: no refusal is so long that proxies choke on it.
        #expect(
            name == "state"
                ? asked.isRefusedOnPage("invalid_request") : asked.isErrorTo(Browser.callback, "invalid_request"))
        #expect(
            name == "state"
                ? otherwise.isRefusedOnPage("invalid_request_object")
                : otherwise.isErrorTo(Browser.callback, "invalid_request_object"))
        #expect(try await scene.push(draft).outcome == "400 invalid_request")
    }

    @Test(
        "group 15: bytes that are no text are refused, not mended",
        arguments: [
            "%FF", "%C3%28", "%ED%A0%80", "%F4%90%80%80", "%C0%80", "%00", "a%00b", "%", "%2", "%GG", "\u{FF}",
        ], ["state", "nonce", "scope"])
    func notText(_ bytes: String, _ name: String) async throws {
        let scene = try await AuthorizationScene.ready()
        var draft = scene.draft()
        draft.set(name, nil)

        #expect(
            try await scene.browser.open(.get, draft.path + "&\(name)=\(bytes == "\u{FF}" ? "%ff" : bytes)")
                .isRefusedOnPage("invalid_request"))
        let body =
            Array(FormCodec.write(draft.parameters).utf8) + Array("&\(name)=".utf8)
            + bytes.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        let form: HTTPFields = [
            .contentType: "application/x-www-form-urlencoded", .authorization: scene.app.basic[.authorization] ?? "",
        ]
        for path in ["/authorize", "/par"] {
            #expect(
                try await scene.server.send(.post, path, headers: form, body: body).outcome == "400 invalid_request")
        }
    }

    // MARK: On the wire

    private func request(_ method: String, _ target: String, _ headers: [String] = [], body: String = "") -> [UInt8] {
        let lines =
            ["\(method) \(target) HTTP/1.1", "Host: localhost", "Connection: close", "Accept: text/html"] + headers
            + (body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"])
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
    }

    @Test(
        """
        group 15: at the socket an answer has the lines that we wrote, whatever is in state; 8 KB pass, and what is \
        too long is a clean refusal
        """
    )
    func wire() async throws {
        let scene = try await AuthorizationScene.ready(),
            cookies = await scene.browser.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
        try await AuthorizationSocket.with(scene.server) { socket in
            let split = try await socket.send(
                request(
                    "GET", scene.draft(["state": "x\r\nSet-Cookie: evil=1\r\n\r\n<html>"]).path, ["Cookie: \(cookies)"])
            )
            let head = split.components(separatedBy: "\r\n\r\n")[0]
            #expect(
                split.hasPrefix("HTTP/1.1 303 ")
                    && head.lowercased().components(separatedBy: "\r\nlocation:").count == 2
                    && !head.contains("\r\nSet-Cookie: evil"), "\(split)")

            let long = try await socket.send(
                request(
                    "GET", scene.draft(["state": String(repeating: "s", count: 8_192)]).path, ["Cookie: \(cookies)"]))
            #expect(
                long.hasPrefix("HTTP/1.1 303 ") && long.contains("state=" + String(repeating: "s", count: 8_192)),
                "\(long.prefix(300))")

            for count in [40_000, 200_000, 2_000_000] {
                let refused = try await socket.send(
                    request(
                        "GET", scene.draft(["state": String(repeating: "s", count: count)]).path, ["Cookie: \(cookies)"]
                    ))
                #expect(
                    ["HTTP/1.1 400 ", "HTTP/1.1 413 ", "HTTP/1.1 414 ", "HTTP/1.1 431 "].contains {
                        refused.hasPrefix($0)
                    } || refused.isEmpty, "\(count): \(refused.prefix(300))")
            }
            for raw in ["/authorize?state=a\rb", "/authorize?state=a\u{1}b", "/authorize?state=a\tb"] {
                let refused = try await socket.send(request("GET", raw))
                #expect(refused.hasPrefix("HTTP/1.1 400 "), "\(refused.prefix(300))")
            }
            // What a form becomes can be read: 8 KB of state, and a nonce that is long once it is encoded.
            var both = scene.draft([
                "state": String(repeating: "s", count: 8_192), "nonce": String(repeating: "%", count: 1_500),
            ])
            both.set("scope", "openid")
            let form = try await socket.send(
                request(
                    "POST", "/authorize", ["Content-Type: application/x-www-form-urlencoded"],
                    body: FormCodec.write(both.parameters)))
            #expect(form.hasPrefix("HTTP/1.1 303 "), "\(form.prefix(300))")
            let target =
                form.components(separatedBy: "\r\n").first { $0.lowercased().hasPrefix("location: ") }.map {
                    String($0.dropFirst("location: ".count + ServerParts.root.count))
                } ?? ""
            let followed = try await socket.send(request("GET", target, ["Cookie: \(cookies)"]))
            #expect(followed.hasPrefix("HTTP/1.1 303 ") && followed.contains("code="), "\(followed.prefix(300))")
            let posted = try await socket.send(
                request(
                    "POST", "/authorize", ["Content-Type: application/x-www-form-urlencoded"],
                    body: FormCodec.write([("state", String(repeating: "é", count: 10_000))])))
            #expect(
                posted.hasPrefix("HTTP/1.1 4"), "what could not be read as a GET is not made one: \(posted.prefix(60))")
        }
    }
}
