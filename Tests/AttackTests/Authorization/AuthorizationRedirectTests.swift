import Base
import Database
import Foundation
import HTTPTypes
import Registration
import TestSupport
import Testing
import Vocabulary

/// Where answers go. Registered are one address of a web client, and three of a native one.
@Suite("Attacks on the authorization endpoint: redirect URIs (groups 1 to 4)", .server, .serialized)
struct AuthorizationRedirectTests {
    enum Kind: Sendable { case web, native }

    private static let native = [
        "http://127.0.0.1/cb", "http://[::1]/cb", "http://localhost:8080/cb", "com.example.app:/cb",
    ]

    private func scene(_ kind: Kind) async throws -> AuthorizationScene {
        let server = try TestServer.ofSuite
        switch kind {
        case .web: return try await .ready(try await server.webApp())
        case .native:
            return try await .ready(
                try await server.webApp(redirectURIs: AuthorizationRedirectTests.native) {
                    $0.applicationType = .native
                }, redirectURI: "http://127.0.0.1/cb")
        }
    }

    // MARK: Group 1

    @Test(
        "group 1: a redirect URI that differs from the registered one in anything is refused on a page",
        arguments: [
            "https://rp.example.org/callback/more", "https://rp.example.org/callback/..",
            "https://rp.example.org/callback/../callback", "https://rp.example.org/x/../callback",
            "https://rp.example.org/./callback", "https://rp.example.org/%2e%2e/callback",
            "https://rp.example.org/callback/%2E%2e/evil", "https://rp.example.org/callback%2f..",
            "https://rp.example.org/callback/", "https://rp.example.org//callback", "https://rp.example.org/Callback",
            "https://rp.example.org/CALLBACK", "https://rp.example.org/%63allback",
            "https://RP.example.org/callback", "HTTPS://rp.example.org/callback", "https://rp.example.org/callback?",
            "https://rp.example.org/callback?next=evil",
            "https://rp.example.org/callback#", "https://rp.example.org/callback#evil",
            "https://rp.example.org/callback%23evil", "https://rp.example.org/callback;evil",
            "https://rp.example.org:443/callback", "https://rp.example.org:8443/callback",
            "http://rp.example.org/callback", "https://rp.example.org/call", "https://rp.example.org/",
            "https://rp.example.org", "https://rp.example.org./callback",
            "https://rp.example.org.evil.example/callback", "https://evil.rp.example.org/callback",
            "https://evil.example/callback", "https://evil.example/https://rp.example.org/callback", "/callback",
            "callback", "https://rp.example.org/callback https://evil.example/",
        ])
    func group1(_ uri: String) async throws {
        let scene = try await scene(.web)

        #expect(try await scene.isRefusedEverywhere(scene.draft(["redirect_uri": uri])))
    }

    @Test(
        "group 1: a query that was registered is compared as well",
        arguments: ["", "?tenant=2", "?tenant=1&", "?tenant=1&x=2", "?x=2&tenant=1", "?tenant=%31", "?Tenant=1"])
    func group1Query(_ query: String) async throws {
        let base = "https://rp.example.org/callback",
            app = try await TestServer.ofSuite.webApp(redirectURIs: [base + "?tenant=1"])
        let scene = try await AuthorizationScene.ready(app, redirectURI: base + "?tenant=1")

        #expect(try await scene.isRefusedEverywhere(scene.draft(["redirect_uri": base + query])))
    }

    @Test("group 1: an empty redirect URI is none (RFC 6749, 3.1): the one that is registered, or with two a refusal")
    func group1Empty() async throws {
        let scene = try await self.scene(.web), many = try await self.scene(.native)

        #expect(
            try await scene.ask(scene.draft(["redirect_uri": ""])).location?.hasPrefix(Browser.callback + "?code=")
                == true)
        #expect(try await many.isRefusedEverywhere(many.draft(["redirect_uri": ""])))
    }

    @Test(
        "group 1: a phone gets an assertion for the service's own base URL only",
        arguments: [
            "http://localhost:8080/services/learn/more", "http://localhost:8080/services/learn/../quiet",
            "http://localhost:8080/services/%2e%2e/services/learn",
            "http://localhost:8080/services/Learn", "http://localhost:8080/services/learn?x=1",
            "http://localhost:8081/services/learn", "https://localhost:8080/services/learn",
            "http://x@localhost:8080/services/learn", "http://localhost:80@evil.example/services/learn",
            "http://localhost:8080\\@evil.example/services/learn", "//localhost:8080/services/learn",
            "http://localhost.evil.example:8080/services/learn", "javascript:alert(1)",
            "http://localhost:8080/services/learn\t", "http://ｌocalhost:8080/services/learn",
        ])
    func group1Instance(_ service: String) async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite), pat = try await phone.logIn()

        let reply = try await phone.askAssertion(pat, for: service)

        #expect(
            (400..<500).contains(reply.status) && reply["code"] == nil && reply["redirect_uri"] == nil, "\(reply.body)")
    }

    // MARK: Group 2

    @Test(
        """
        group 2: a redirect URI with userinfo, backslash, control characters or a host in disguise is refused on a \
        page
        """,
        arguments: [
            (Kind.web, "https://rp.example.org@evil.example/callback"),
            (.web, "https://rp.example.org:x@evil.example/callback"),
            (.web, "https://evil.example@rp.example.org/callback"),
            (.web, "https://@rp.example.org/callback"), (.web, #"https://rp.example.org\@evil.example/callback"#),
            (.web, #"https://evil.example\@rp.example.org/callback"#),
            (.web, #"https:\\rp.example.org\callback"#), (.web, #"https://rp.example.org/callback\.."#),
            (.web, "https://rp.example.org%40evil.example/callback"),
            (.web, "https://rp.example.org%2eevil.example/callback"),
            (.web, "https://rp.example.org%5c@evil.example/callback"),
            (.web, "https://rp.example.org/callback\t"), (.web, "https://rp.exa\tmple.org/callback"),
            (.web, "https://rp.example.org/callback\n"), (.web, "\nhttps://rp.example.org/callback"),
            (.web, "https://rp.example.org/callback\r\nSet-Cookie: pando_session=x"),
            (.web, "https://rp.example.org/callback%0d%0aSet-Cookie:x"), (.web, "https://rp.example.org/callback%00"),
            (.web, " https://rp.example.org/callback"), (.web, "https://rp.example.org/callback "),
            (.web, "https://rp.example.org/callback\u{7F}"),
            (.web, "https://ｒｐ.example.org/callback"), (.web, "https://rp。example。org/callback"),
            (.web, "https://rp.example.org／callback"), (.web, "https://rp.example.org\u{2044}callback"),
            (.web, "https://rp.example.org/callbac\u{212A}"), (.web, "https://rp.ex\u{00AD}ample.org/callback"),
            (.web, "https://rp.example.org/callback\u{200B}"),
            (.web, "https://xn--rp-example-org.example/callback"), (.web, "https://xn--rp.example.org/callback"),
            (.web, "https://rp.exаmple.org/callback"),
            (.web, "//evil.example/callback"), (.web, "///evil.example/callback"),
            (.web, "https:rp.example.org/callback"), (.web, "https:/rp.example.org/callback"),
            (.web, "https:///rp.example.org/callback"), (.web, "https://[::1%25eth0]/callback"),
            (.web, "https://rp.example.org:/callback"), (.web, "https://rp.example.org:0443/callback"),
            (.native, "http://127.0.0.1:80@evil.example/cb"), (.native, "http://localhost:80@evil.example/cb"),
            (.native, "http://localhost:8080@evil.example/cb"),
            (.native, "http://127.0.0.1\\@evil.example/cb"), (.native, "http://[::1%25lo]/cb"),
            (.native, "http://[::1%lo]/cb"), (.native, "http://[fe80::1%25eth0]:9000/cb"),
            (.native, "http://[::1]evil.example/cb"), (.native, "http://[::1]:80:80/cb"), (.native, "http://[::1/cb"),
            (.native, "com.example.app://evil.example/cb"),
            (.native, "com.example.app:cb"), (.native, "com.example.app:///cb"), (.native, "COM.example.app:/cb"),
        ])
    func group2(_ kind: Kind, _ uri: String) async throws {
        let scene = try await scene(kind)

        #expect(try await scene.isRefusedEverywhere(scene.draft(["redirect_uri": uri])))
    }

    @Test(
        "group 2: a NUL in a redirect URI is refused before anything is looked at",
        arguments: ["https://rp.example.org/callback\0", "https://evil.example\0https://rp.example.org/callback"])
    func group2NUL(_ uri: String) async throws {
        let scene = try await scene(.web)

        #expect(try await scene.ask(scene.draft(["redirect_uri": uri])).isRefusedOnPage("invalid_request"))
        #expect(try await scene.push(scene.draft(["redirect_uri": uri])).outcome == "400 invalid_request")
        let posted = try await scene.askByForm(scene.draft(["redirect_uri": uri]))
        #expect(posted.status == 400 && posted.location == nil)
    }

    // MARK: Group 3

    private static let scripts = [
        "javascript:alert(1)", "javascript://rp.example.org/%0aalert(1)", "JavaScript:alert(1)",
        "data:text/html,<script>alert(1)</script>", "data:text/html;base64,PHNjcmlwdD4=",
        "vbscript:msgbox(1)", "file:///etc/passwd", "file://rp.example.org/callback", "blob:https://rp.example.org/1",
        "about:blank", "ftp://rp.example.org/callback",
        "ws://rp.example.org/callback", "view-source:https://rp.example.org/callback",
        "intent://rp.example.org#Intent;scheme=https;end", "myapp:/cb", "urn:ietf:wg:oauth:2.0:oob",
        "x-javascript.evil:alert(1)", "http://rp.example.org/callback",
    ]

    @Test(
        """
        group 3: a scheme that runs, reads or belongs to nobody cannot be registered, by operator or client, for web \
        or native
        """,
        arguments: scripts)
    func group3Registration(_ uri: String) async throws {
        let server = try TestServer.ofSuite
        for kind in [ClientMetadata.ApplicationType.web, .native] {
            await #expect(throws: WebClientStore.Unacceptable.self, "\(kind)") {
                _ = try await server.webApp(redirectURIs: [uri]) { $0.applicationType = kind }
            }
            let token = try await server.initialAccessToken()
            let reply = try await server.post(
                "/register",
                json: [
                    "client_name": "Evil", "application_type": .string(kind.rawValue), "redirect_uris": [.string(uri)],
                ],
                headers: [.authorization: "Bearer \(token)"])
            #expect(reply.outcome == "400 invalid_redirect_uri" && reply["client_id"] == nil, "\(kind): \(reply.body)")
        }
    }

    @Test(
        "group 3: neither is it taken at use, not even where it stands in the row", arguments: scripts,
        [Kind.web, .native])
    func group3Use(_ uri: String, _ kind: Kind) async throws {
        let scene = try await scene(kind)

        #expect(try await scene.isRefusedEverywhere(scene.draft(["redirect_uri": uri])))
        try await scene.server.database.execute(
            "update client set redirect_uris = redirect_uris || \([uri]) where id = \(scene.app.id)")
        #expect(try await scene.isRefusedEverywhere(scene.draft(["redirect_uri": uri])), "it stands in the row")
    }

    @Test(
        "group 3: an app's scheme is taken from the client that registered it, and from no other",
        arguments: ["com.example.other:/cb", "com.example.app:/other", "com.example:/cb"])
    func group3App(_ uri: String) async throws {
        let scene = try await scene(.native)

        #expect(try await scene.isRefusedEverywhere(scene.draft(["redirect_uri": uri])))
        #expect(
            try await scene.ask(scene.draft(["redirect_uri": "com.example.app:/cb"])).location?.hasPrefix(
                "com.example.app:/cb?code=") == true)
        let web = try await self.scene(.web)
        #expect(try await web.isRefusedEverywhere(web.draft(["redirect_uri": "com.example.app:/cb"])))
    }

    // MARK: Group 4

    @Test(
        "group 4: a native client's loopback address takes any port, and the code asks for the same port again",
        arguments: [
            "http://127.0.0.1:51004/cb", "http://127.0.0.1:1/cb", "http://127.0.0.1:65535/cb", "http://127.0.0.1/cb",
            "http://[::1]:51004/cb", "http://[::1]/cb", "http://localhost:8080/cb",
        ])
    func group4Accepted(_ uri: String) async throws {
        let scene = try await scene(.native)

        let reply = try await scene.ask(scene.draft(["redirect_uri": uri])),
            code = try #require(reply.authorizationAnswer["code"], "\(reply.body)")

        #expect(reply.location?.hasPrefix(uri + "?code=") == true)
        #expect(
            try await scene.app.redeem(code, redirectURI: "http://127.0.0.1:4711/cb").outcome == "400 invalid_grant")
        #expect(try await scene.app.redeem(code, redirectURI: uri).outcome == "200")
    }

    @Test(
        "group 4: what only looks like loopback is refused on a page",
        arguments: [
            "http://localhost.evil.example:8080/cb", "http://127.0.0.1.evil.example/cb", "http://evil.example/cb",
            "http://0.0.0.0/cb", "http://0.0.0.0:51004/cb", "http://0/cb", "http://127.1/cb",
            "http://127.0.0.2/cb", "http://127.0.0.1.:51004/cb", "http://0x7f000001/cb", "http://2130706433/cb",
            "http://0177.0.0.1/cb", "http://127.000.000.001/cb", "http://[::]/cb",
            "http://[::ffff:127.0.0.1]/cb", "http://[0:0:0:0:0:0:0:1]:51004/cb", "http://localhost:51004/cb",
            "http://LOCALHOST:8080/cb", "http://localhost.:8080/cb", "http://localhost/cb",
            "https://127.0.0.1:51004/cb", "http://127.0.0.1:51004/other", "http://127.0.0.1:51004/cb/",
            "http://127.0.0.1:51004/cb?x=1", "http://127.0.0.1:51004/cb#x",
            "http://127.0.0.1:0/cb", "http://127.0.0.1:65536/cb", "http://127.0.0.1:080/cb", "http://127.0.0.1:+80/cb",
            "http://127.0.0.1:/cb",
        ])
    func group4Refused(_ uri: String) async throws {
        let scene = try await scene(.native)

        #expect(try await scene.isRefusedEverywhere(scene.draft(["redirect_uri": uri])))
    }

    @Test(
        "group 4: the port is free for native clients only",
        arguments: ["http://127.0.0.1:51004/cb", "http://[::1]:51004/cb", "http://127.0.0.1/cb", "http://[::1]/cb"])
    func group4Web(_ uri: String) async throws {
        let app = try await TestServer.ofSuite.webApp(redirectURIs: [
            "http://127.0.0.1:3000/cb", "http://[::1]:3000/cb",
        ])
        let scene = try await AuthorizationScene.ready(app, redirectURI: "http://127.0.0.1:3000/cb")

        #expect(try await scene.isRefusedEverywhere(scene.draft(["redirect_uri": uri])))
    }

    @Test(
        "group 4: hosts that only look like loopback cannot be registered",
        arguments: [
            "http://localhost.evil.example/cb", "http://127.0.0.1.evil.example/cb", "http://0.0.0.0/cb",
            "http://127.1/cb", "http://2130706433/cb", "http://[::]/cb", "http://[::ffff:127.0.0.1]/cb",
        ], [ClientMetadata.ApplicationType.web, .native])
    func group4Registration(_ uri: String, _ kind: ClientMetadata.ApplicationType) async throws {
        let server = try TestServer.ofSuite

        await #expect(throws: WebClientStore.Unacceptable.self) {
            _ = try await server.webApp(redirectURIs: [uri]) { $0.applicationType = kind }
        }
    }
}
