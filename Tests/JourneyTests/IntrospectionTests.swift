import Base
import Foundation
import HTTPTypes
import Keys
import TestSupport
import Testing

@Suite("RFC 7662 introspection and eduID's /token/validate", .server)
struct IntrospectionTests {
    private func basic(_ client: (id: String, secret: String)) -> HTTPFields {
        [.authorization: "Basic \(Data("\(client.id):\(client.secret)".utf8).base64EncodedString())"]
    }

    private func introspect(
        _ token: String, _ headers: HTTPFields, at path: String = "/introspect"
    ) async throws -> Reply {
        try await TestServer.ofSuite.post(path, ["token": token], headers: headers)
    }

    @Test("a holder looks at its own tokens; a revoked one is inactive and says nothing more")
    func holder() async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite), pat = try await phone.logIn()
        func look(_ token: String) async throws -> Reply {
            try await introspect(token, phone.dpop(.post, "/introspect", token: phone.instance.accessToken))
        }

        let live = try await look(pat.accessToken), refresh = try await look(pat.refreshToken)
        #expect(
            live.json["active"] == true && live["token_type"] == "DPoP" && live["jti"] == pat.jti
                && live["iss"] == ServerParts.root)
        #expect(live["client_id"] == phone.clientID && live.json["cnf"]?["jkt"] == .string(phone.key.thumbprint))
        #expect(
            live.json["exp"] == claims(of: pat.accessToken)["exp"] && live.json["iat"] == .integer(phone.server.now))
        #expect(refresh.json["active"] == true)
        _ = try await phone.server.post(
            "/revoke", ["token": pat.accessToken],
            headers: phone.dpop(.post, "/revoke", token: phone.instance.accessToken))

        for token in [pat.accessToken, pat.refreshToken, "nonsense", pat.accessToken + "x"] {
            #expect(try await look(token).json == ["active": false])
        }
    }

    @Test("others' tokens look like none")
    func foreign() async throws {
        let server = try TestServer.ofSuite, phone = try await Phone.registered(in: server),
            stranger = try await Phone.registered(in: server), pat = try await phone.logIn()

        for headers in [
            try stranger.dpop(.post, "/introspect", token: stranger.instance.accessToken),
            basic(server.residents.machine), basic(server.residents.learn),
        ] {
            let reply = try await introspect(pat.accessToken, headers)
            #expect(reply.status == 200 && reply.json == ["active": false])
        }
        #expect(try await introspect(pat.accessToken, [:]).outcome == "401 invalid_client")
        #expect(try await introspect("", basic(server.residents.machine)).outcome == "400 invalid_request")
    }

    @Test("a service looks at assertions made for it")
    func assertion() async throws {
        let server = try TestServer.ofSuite, phone = try await Phone.registered(in: server),
            assertion = try await phone.assertion(phone.logIn())

        let own = try await introspect(assertion, basic(server.residents.learn)),
            other = try await introspect(assertion, basic(server.residents.quiet))

        #expect(
            own.json["active"] == true && own.json["sub"] == claims(of: assertion)["sub"]
                && own.json["lineage"] == claims(of: assertion)["lineage"])
        #expect(other.json == ["active": false])
    }

    @Test("RFC 9701: a signed answer, when it is asked for")
    func signed() async throws {
        let server = try TestServer.ofSuite, phone = try await Phone.registered(in: server),
            pat = try await phone.logIn()
        var headers = try phone.dpop(.post, "/introspect", token: pat.accessToken)
        headers[.accept] = "application/token-introspection+jwt"

        let reply = try await introspect(pat.accessToken, headers)

        #expect(reply[header: "Content-Type"] == "application/token-introspection+jwt")
        let jwt = try JWT(reply.body)
        #expect(
            jwt.type == "token-introspection+jwt" && jwt.string("aud") == phone.clientID && jwt["sub"] == nil
                && jwt["exp"] == nil)
        #expect(jwt["token_introspection"]?["active"] == true)
        #expect(try await server.parts.keys.verify(jwt))
    }

    @Test("a service's own endpoint looks at its tokens, not at the IdP's")
    func service() async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite), pat = try await phone.logIn(),
            path = "/services/learn/introspect"
        let service = try await phone.redeem(assertion: phone.assertion(pat)),
            app = try await phone.authorizeApp(service)
        func look(_ token: String, _ headers: HTTPFields) async throws -> JSONValue {
            try await introspect(token, headers, at: path).json
        }

        #expect(
            try await look(service.accessToken, phone.dpop(.post, path, token: service.accessToken))["active"] == true)
        #expect(
            try await look(pat.accessToken, phone.dpop(.post, path, token: service.accessToken)) == ["active": false])
        let ownApp = try await look(app.accessToken, [.authorization: "Bearer \(app.accessToken)"])
        #expect(
            ownApp["active"] == true && ownApp["scope"] == .string(ServerParts.viewerScope)
                && ownApp["client_id"] == .string(Phone.bundle))
        #expect(try await look(service.accessToken, [.authorization: "Bearer \(app.accessToken)"]) == ["active": false])
    }

    @Test("/token/validate tells the service sub, azp, iat and email, and nobody else anything")
    func validate() async throws {
        let server = try TestServer.ofSuite, phone = try await Phone.registered(in: server),
            assertion = try await phone.assertion(phone.logIn())
        let body: JSONValue = ["jti": claims(of: assertion)["jti"] ?? .null]
        func validate(_ headers: HTTPFields, _ body: JSONValue) async throws -> Reply {
            try await server.post("/token/validate", json: body, headers: headers)
        }

        let reply = try await validate(basic(server.residents.learn), body)
        #expect(
            reply.json == [
                "sub": claims(of: assertion)["sub"] ?? .null, "azp": .string(Residents.app),
                "iat": .integer(server.now), "email": "ada@example.org",
            ])
        #expect(try await validate(basic(server.residents.quiet), body).outcome == "404 not_found")
        #expect(try await validate(basic(server.residents.machine), body).outcome == "403 forbidden")
        #expect(try await validate([:], body).outcome == "401 invalid_client")
        #expect(try await validate(basic(server.residents.learn), ["jti": "unknown"]).outcome == "404 not_found")
        #expect(
            try await validate(basic(server.residents.learn), ["jti": .string(phone.instance.jti)]).outcome
                == "404 not_found")
        #expect(try await validate(basic(server.residents.learn), [:]).outcome == "400 invalid_request")
        #expect(try await validate(basic(server.residents.learn), ["jti": 5]).outcome == "400 invalid_request")
    }
}
