import Base
import Registration
import TestSupport
import Testing
import Vocabulary

@Suite("RFC 9700, 2.1 and RFC 8252: redirect URIs", .server)
struct ClientMetadataRedirectTests {
    /// For web and native clients alike.
    private static let refused = [
        "javascript:alert(1)", "JavaScript:alert(1)", "data:text/html,x", "vbscript:x", "file:///etc/passwd",
        "about:blank", "blob:https://client.example/x", "/relative",
        "//client.example/cb", "client.example/cb", "",
        "https:", "https:/cb", "https:///cb", "https://", "https:client.example/cb", "http://client.example/cb",
        "ftp://client.example/cb", "custom:/cb",
        "com.example.app:cb", "com.example.app:", ".example:/cb", "com..app:/cb",
        "https://client.example/cb#", "https://client.example/cb#fragment", "https://user@client.example/cb",
        "https://user:pw@client.example/cb",
        "https://client.example@evil.example/cb", "http://localhost:80@evil.example/",
        "https://client.example\\@evil.example/cb", "https://client.example\\cb", "https:\\\\client.example\\cb",
        "https://client.example/a\\..\\cb",
        "https://client.example/cb\n", "https://client.example/\tcb", " https://client.example/cb",
        "https://client.example/c b", "https://client.example/cb\u{0}",
        "https://client.example/%00", "https://client.example/cb?x=%0d%0aSet-Cookie",
        "https://client.example/%7F", "https://client.example/%", "https://client.example/%2",
        "https://client.example/%zz", "https://client.example/%+1",
        "https://client.example/*", "https://*.client.example/cb", "https://client.example/cb?x=*",
        "https://client.example/../cb", "https://client.example/a/..", "https://client.example/./cb",
        "https://client.example/.", "https://client.example/%2e%2e/cb",
        "https://client.example/%2E/cb", "https://client.example/a%2fb", "https://client.example/a%5Cb",
        "https://client.éxample/cb", "https://ｃlient.example/cb", "https://client.example/é",
        "https://client。example/cb", "https://client.example/\u{212A}",
        "https://%63lient.example/cb", "https://client.example%2fevil/cb",
        "https://[fe80::1%25eth0]/cb", "https://[fe80::1%eth0]/cb", "https://[::1/cb", "https://::1/cb",
        "https://[localhost]/cb",
        "https://client..example/cb", "https://.client.example/cb", "https://client.example./cb",
        "https://client.example:/cb", "https://client.example:0/cb",
        "https://client.example:65536/cb", "https://client.example:08443/cb", "https://client.example:x/cb",
        "https://0x7f.1/cb", "https://2130706433/cb", "https://127.1/cb", "https://127.0.0.256/cb",
        "https://0177.0.0.1/cb", "https://1.2.3.4.5/cb", "https://client.0x7f/cb", "https://client.0X/cb",
        "https://\(String(repeating: "a", count: 64)).example/cb",
        "http://localhost.evil.example/cb", "http://127.0.0.1.evil.example/cb", "http://0.0.0.0/cb",
        "http://127.0.0.2/cb", "http://[::]/cb",
        "http://[::ffff:127.0.0.1]/cb", "http://10.0.0.1/cb",
        "https://client.example/<b>", "https://client.example/\"x", "https://client.example/`x",
        "https://client.example/{x}", "https://client.example/a|b",
        "https://client.example/cb?x=^",
    ]

    @Test("group 2, group 3: no client may register these", arguments: refused)
    func unacceptable(_ uri: String) {
        for type in [ClientMetadata.ApplicationType.web, .native] {
            #expect(throws: RedirectURI.Unacceptable.self) { try RedirectURI(registering: uri, applicationType: type) }
        }
    }

    @Test(
        "group 3: neither by registration nor at logout, and a row that has one all the same is not honoured",
        arguments: [
            "javascript:alert(1)", "https://client.example/cb#x", "com.example.app:/cb",
        ])
    func everywhere(_ uri: String) async throws {
        let fixture = RegistrationFixture(server: try .ofSuite)

        let both: JSONObject = ["redirect_uris": [.string(RegistrationFixture.redirect), .string(uri)]]
        #expect(try await fixture.ask(RegistrationFixture.usual.with(both)).outcome == "400 invalid_redirect_uri")
        #expect(
            try await fixture.ask(RegistrationFixture.usual.with(["post_logout_redirect_uris": [.string(uri)]])).outcome
                == "400 invalid_client_metadata")
        let registered = try await fixture.registered()
        try await fixture.server.database.execute(
            "update client set redirect_uris = array[\(uri)] where id = \(registered.id)")
        let client = try #require(
            try await WebClientStore(clock: fixture.server.time.clock, randomness: .system).find(
                registered.id, in: fixture.server.database))
        #expect(!client.accepts(redirectURI: uri))
    }

    @Test(
        "web clients: https, and http on loopback for development",
        arguments: [
            "https://client.example", "https://client.example/", "https://client.example:8443/cb?x=1&y=%20z",
            "https://xn--bcher-kva.example/cb", "https://10.1.2.3/cb",
            "https://[2001:db8::1]/cb", "https://client.example//cb", "https://client.example/..a/b..",
            "https://client.example/cb?next=../x&to=%2Fy", "https://Client.Example/cb", "http://localhost/cb",
            "http://localhost:3000/cb", "http://127.0.0.1:1/cb",
            "http://[::1]:65535/cb",
        ])
    func web(_ uri: String) throws {
        #expect(try RedirectURI(registering: uri, applicationType: .web).matches(uri))
        #expect(try RedirectURI(registering: uri, applicationType: .native).matches(uri))
    }

    @Test(
        "private-use schemes are a native client's",
        arguments: [
            "com.example.app:/cb", "com.example.app:/", "com.example.app://callback",
            "com.example.app://callback/x?y=1",
        ])
    func native(_ uri: String) throws {
        #expect(try RedirectURI(registering: uri, applicationType: .native).matches(uri))
        #expect(throws: RedirectURI.Unacceptable.self) { try RedirectURI(registering: uri, applicationType: .web) }
    }

    @Test(
        "group 1, group 2: what is presented must be the same, byte for byte",
        arguments: [
            "https://client.example/cb/", "https://client.example/cb/extra", "https://client.example/x/../cb",
            "https://client.example/%63b", "https://client.example/CB",
            "https://CLIENT.example/cb", "HTTPS://client.example/cb",
            "https://client.example:443/cb", "https://client.example:8443/cb", "https://client.example/cb?",
            "https://client.example/cb?x=1", "https://client.example/cb#x",
            "https://client.example/cb\n", " https://client.example/cb", "http://client.example/cb",
            "//client.example/cb", "https://client.example.evil.example/cb", "https://client.example@evil.example/cb",
            "https://client.example/c", "",
            "https://client.example/cb\u{0}", "https://client.example/cb\u{34F}",
        ])
    func different(_ presented: String) throws {
        #expect(try !RedirectURI(registering: "https://client.example/cb", applicationType: .web).matches(presented))
        #expect(try !RedirectURI(registering: "https://client.example/cb", applicationType: .native).matches(presented))
    }

    @Test("group 59: what is canonically equivalent is not the same: KELVIN SIGN is no K")
    func equivalent() throws {
        let presented = "https://client.example/\u{212A}"

        #expect(presented == "https://client.example/K", "so Swift says")
        #expect(try !RedirectURI(registering: "https://client.example/K", applicationType: .web).matches(presented))
    }

    @Test(
        "group 4: any port of a native client's loopback address, and of nothing else",
        arguments: [
            (ClientMetadata.ApplicationType.native, "http://127.0.0.1/cb", "http://127.0.0.1:50123/cb", true),
            (
                .native, "http://127.0.0.1:1/cb", "http://127.0.0.1:50123/cb",
                true
            ), (.native, "http://[::1]/cb?x", "http://[::1]:9/cb?x", true),
            (.native, "http://127.0.0.1:9/cb", "http://127.0.0.1/cb", true),
            (.web, "http://127.0.0.1/cb", "http://127.0.0.1:50123/cb", false),
            (
                .web, "http://[::1]:1/cb",
                "http://[::1]:2/cb", false
            ),
            (.native, "http://localhost/cb", "http://localhost:50123/cb", false),
            (.native, "https://127.0.0.1/cb", "https://127.0.0.1:50123/cb", false),
            (
                .native,
                "https://client.example/cb", "https://client.example:1/cb", false
            ),
            (.native, "http://127.0.0.1/cb", "http://[::1]/cb", false),
            (.native, "http://127.0.0.1/cb", "http://localhost/cb", false),
            (
                .native, "http://127.0.0.1/cb",
                "https://127.0.0.1/cb", false
            ),
            (.native, "http://127.0.0.1/cb", "http://127.0.0.1:1/other", false),
            (.native, "http://127.0.0.1/cb", "http://127.0.0.1:1/cb?x", false),
            (
                .native,
                "http://127.0.0.1/cb", "http://127.0.0.1:99999/cb", false
            ),
            (.native, "http://127.0.0.1/cb", "http://127.0.0.1:80@evil.example/cb", false),
            (.native, "http://127.0.0.1/cb", "http://127.0.0.1:1/cb#x", false),
            (
                .native,
                "http://127.0.0.1/cb", "http://127.0.0.1.evil.example/cb", false
            ),
            (.native, "http://127.0.0.1/cb", "http://0.0.0.0:1/cb", false),
            (.native, "com.example.app:/cb", "com.example.app:/other", false),
            (
                .native,
                "com.example.app:/cb", "com.example.other:/cb", false
            ),
        ])
    func loopback(
        _ type: ClientMetadata.ApplicationType, _ registered: String, _ presented: String, _ matches: Bool
    ) throws {
        #expect(try RedirectURI(registering: registered, applicationType: type).matches(presented) == matches)
    }

    @Test("a client accepts what it registered, for redirects and after logout")
    func client() async throws {
        let fixture = RegistrationFixture(server: try .ofSuite)
        let registered = try await fixture.registered([
            "application_type": "native", "redirect_uris": ["http://127.0.0.1/cb"],
            "post_logout_redirect_uris": ["https://client.example/bye", "http://[::1]/bye"],
        ])

        let client = try #require(
            try await WebClientStore(clock: fixture.server.time.clock, randomness: .system).find(
                registered.id, in: fixture.server.database))

        #expect(
            client.accepts(redirectURI: "http://127.0.0.1:4711/cb")
                && !client.accepts(redirectURI: "https://client.example/bye"))
        #expect(
            client.accepts(postLogoutRedirectURI: "https://client.example/bye")
                && client.accepts(postLogoutRedirectURI: "http://[::1]:4711/bye"))
        #expect(!client.accepts(postLogoutRedirectURI: "http://127.0.0.1/cb"))
    }
}
