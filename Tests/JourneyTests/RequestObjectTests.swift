import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("Requests that are pushed or signed (RFC 9126, RFC 9101)", .server)
struct RequestObjectTests {
    typealias Variant = Spoilt<JSONObject>

    private struct Signer {
        let app: WebApp
        let key: PhoneKey

        /// The parameters of a right request as a signed object.
        func object(
            _ spoilt: Spoilt<JSONObject>? = nil, header: JSONObject = [:], by other: PhoneKey? = nil
        ) throws -> String {
            var claims = JSONObject(AuthorizationDraft(app.id).parameters.map { ($0.0, JSONValue.string($0.1)) })
            for member in [
                "iss": .string(app.id), "aud": .string(ServerParts.root), "exp": .integer(app.server.now + 300),
            ] as JSONObject { claims[member.name] = member.value }
            if let spoilt { claims = try spoilt.applied(to: claims) }
            return try (other ?? key).sign(
                claims, header: (["typ": "oauth-authz-req+jwt", "kid": "k"] as JSONObject).with(header))
        }

        func path(_ object: String) -> String {
            "/authorize?"
                + FormCodec.write([("client_id", app.id), ("redirect_uri", Browser.callback), ("request", object)])
        }
    }

    private func signer() async throws -> Signer {
        let key = PhoneKey()
        return Signer(
            app: try await TestServer.ofSuite.webApp(method: .privateKeyJWT, jwks: ["keys": [key.jwk(kid: "k")]]),
            key: key)
    }

    @Test("a signed request is taken by value; what stands outside does not count")
    func signed() async throws {
        let signer = try await signer(), browser = Browser(signer.app.server)

        let outside = signer.path(try signer.object()) + "&state=outside&scope=admin"
        let place = try await browser.goOn(try await browser.follow(try await browser.open(.get, outside)))

        #expect(place.answer["code"] != nil && place.answer["state"] == "s-1")
    }

    @Test(
        "a request object is refused",
        arguments: [
            Variant("another issuer", "invalid_request_object") { $0["iss"] = "other" },
            Variant("another audience", "invalid_request_object") { $0["aud"] = "https://other.example" },
            Variant("an audience of two", "invalid_request_object") {
                $0["aud"] = [.string(ServerParts.root), "https://other.example"]
            },
            Variant("no expiry", "invalid_request_object") { $0["exp"] = nil },
            Variant("a past expiry", "invalid_request_object") { $0["exp"] = 1_700_000_000 },
            Variant("a far expiry", "invalid_request_object") { $0["exp"] = 2_000_000_000 },
            Variant("not yet valid", "invalid_request_object") { $0["nbf"] = 1_800_000_061 },
            Variant("nbf as text", "invalid_request_object") { $0["nbf"] = "1800000000" },
            Variant("another client inside", "invalid_request_object") { $0["client_id"] = "other" },
            Variant("a boolean for text", "invalid_request_object") { $0["state"] = true },
            Variant("a request within", "invalid_request_object") { $0["request"] = "x" },
            Variant("no response type inside", "invalid_request") { $0["response_type"] = nil },
        ])
    func refused(_ spoilt: Variant) async throws {
        let signer = try await signer(), browser = Browser(signer.app.server)

        let place = try await browser.follow(try await browser.open(.get, signer.path(try signer.object(spoilt))))

        #expect(place.answer["error"] == spoilt.outcome, "\(spoilt.what)")
    }

    @Test("the wrong key, typ or no signature are refused", arguments: ["key", "typ", "none"])
    func forged(_ fault: String) async throws {
        let signer = try await signer(), browser = Browser(signer.app.server)
        let object =
            switch fault {
            case "key": try signer.object(by: PhoneKey())
            case "typ": try signer.object(header: ["typ": "at+jwt"])
            default: try signer.object(header: ["alg": "none"])
            }
        #expect(
            try await browser.follow(try await browser.open(.get, signer.path(object))).answer["error"]
                == "invalid_request_object")
    }

    @Test("a pushed request works once, for its client and the browser that opens it first")
    func pushedOnce() async throws {
        let server = try TestServer.ofSuite, app = try await server.webApp(), other = try await server.webApp(),
            browser = Browser(server)
        func push() async throws -> String {
            var headers = app.basic
            headers[.contentType] = "application/x-www-form-urlencoded"
            let reply = try await server.send(
                .post, "/par", headers: headers,
                body: Array(FormCodec.write(AuthorizationDraft(app.id).parameters).utf8))
            #expect(reply.status == 201)
            return reply["request_uri"] ?? ""
        }
        func open(_ uri: String, _ client: String, in browser: Browser) async throws -> Reply {
            try await browser.open(
                .get, "/authorize?" + FormCodec.write([("client_id", client), ("request_uri", uri)]))
        }

        let uri = try await push()
        #expect(try await open(uri, other.id, in: browser).status == 400)
        let first = try await open(uri, app.id, in: browser)
        #expect(try await open(uri, app.id, in: Browser(server)).status == 400)
        #expect(try await browser.goOn(try await browser.follow(first)).answer["code"] != nil)
    }

    @Test("a pending login is worth nothing in another browser")
    func boundToBrowser() async throws {
        let server = try TestServer.ofSuite, app = try await server.webApp(), victim = Browser(server)
        let page = try await Browser(server).open(.get, AuthorizationDraft(app.id).path)

        let stolen = try await victim.follow(page)

        #expect(stolen.page?.status == 400)
    }

    @Test("a client that pushes or signs its requests is held to it")
    func held() async throws {
        let server = try TestServer.ofSuite, browser = Browser(server)
        let pushing = try await server.webApp { $0.wantsPushedRequest = true }
        let signing = try await server.webApp(jwks: ["keys": [PhoneKey().jwk(kid: "k")]]) {
            $0.wantsSignedRequest = true
        }

        for app in [pushing, signing] {
            #expect(
                try await browser.follow(try await browser.open(.get, AuthorizationDraft(app.id).path)).answer["error"]
                    == "invalid_request")
        }
    }
}
