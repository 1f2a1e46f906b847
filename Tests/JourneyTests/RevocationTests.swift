import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("RFC 7009 revocation over HTTP", .server)
struct RevocationTests {
    private func revoke(
        _ token: String, at path: String = "/revoke", hint: String? = nil, _ headers: HTTPFields
    ) async throws -> Reply {
        try await TestServer.ofSuite.post(path, ["token": token, "token_type_hint": hint], headers: headers)
    }

    private func basic(_ client: (id: String, secret: String)) -> HTTPFields {
        [.authorization: "Basic \(Data("\(client.id):\(client.secret)".utf8).base64EncodedString())"]
    }

    @Test("a holder ends its own token, by access or refresh token, and all below", arguments: [true, false])
    func own(byRefreshToken: Bool) async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite), pat = try await phone.logIn()

        let reply = try await revoke(
            byRefreshToken ? pat.refreshToken : pat.accessToken, phone.dpop(.post, "/revoke", token: pat.accessToken))

        #expect(reply.outcome == "200" && reply.body.isEmpty && reply[header: "Cache-Control"] == "no-store")
        #expect(try await phone.get("/userinfo", token: pat.accessToken).outcome == "401 invalid_token")
        #expect(try await phone.refresh(pat.refreshToken).outcome == "400 invalid_grant")
        #expect(try await phone.logInForCode().outcome == "200", "the instance lives")
    }

    @Test("the instance token ends what is below it, and stands for its instance")
    func ancestor() async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite), pat = try await phone.logIn()

        #expect(
            try await revoke(pat.accessToken, phone.dpop(.post, "/revoke", token: phone.instance.accessToken)).outcome
                == "200")
        #expect(try await phone.get("/userinfo", token: pat.accessToken).outcome == "401 invalid_token")
        let second = try await phone.logIn()
        #expect(
            try await revoke(
                phone.instance.accessToken, phone.dpop(.post, "/revoke", token: phone.instance.accessToken)
            ).outcome == "200")
        #expect(try await phone.get("/userinfo", token: second.accessToken).outcome == "401 invalid_token")
        #expect(try await phone.logInForCode().outcome == "401 invalid_token")
        #expect(try await phone.refresh(phone.instance.refreshToken).outcome == "400 invalid_grant")
    }

    @Test("a token below cannot end the one above, nor a stranger anything; both are told nothing")
    func foreign() async throws {
        let server = try TestServer.ofSuite, phone = try await Phone.registered(in: server),
            pat = try await phone.logIn()
        let stranger = try await Phone.registered(in: server), strangerPAT = try await stranger.logIn(as: "bob")

        #expect(
            try await revoke(phone.instance.accessToken, phone.dpop(.post, "/revoke", token: pat.accessToken)).outcome
                == "200")
        #expect(
            try await revoke(pat.accessToken, stranger.dpop(.post, "/revoke", token: strangerPAT.accessToken)).outcome
                == "200")
        #expect(try await revoke(pat.accessToken, basic(server.residents.machine)).outcome == "200")
        #expect(
            try await revoke(pat.jti, hint: "jti", stranger.dpop(.post, "/revoke", token: strangerPAT.accessToken))
                .outcome == "200")
        #expect(
            try await revoke("nothing", stranger.dpop(.post, "/revoke", token: strangerPAT.accessToken)).outcome
                == "200")

        #expect(try await phone.get("/userinfo", token: pat.accessToken).outcome == "200")
        #expect(try await phone.logInForCode().outcome == "200")
    }

    @Test("who does not authenticate is refused; a request without token too")
    func unauthenticated() async throws {
        let server = try TestServer.ofSuite, phone = try await Phone.registered(in: server),
            pat = try await phone.logIn()

        #expect(try await revoke(pat.accessToken, [:]).outcome == "401 invalid_client")
        #expect(
            try await revoke(pat.accessToken, basic((server.residents.machine.id, "wrong"))).outcome
                == "401 invalid_client")
        #expect(
            try await server.post("/revoke", [:], headers: basic(server.residents.machine)).outcome
                == "400 invalid_request")
        #expect(try await revoke("x", at: "/services/learn/revoke", [:]).outcome == "401 invalid_token")
        #expect(try await phone.get("/userinfo", token: pat.accessToken).outcome == "200")
    }

    @Test("a service ends an assertion of its own by jti, and another's not")
    func assertion() async throws {
        let server = try TestServer.ofSuite, phone = try await Phone.registered(in: server),
            assertion = try await phone.assertion(phone.logIn())
        let jti = try #require(claims(of: assertion)["jti"]?.string)
        func isValid() async throws -> String {
            try await server.post(
                "/token/validate", json: ["jti": .string(jti)], headers: basic(server.residents.learn)
            ).outcome
        }

        #expect(try await revoke(jti, hint: "jti", basic(server.residents.quiet)).outcome == "200")
        #expect(try await isValid() == "200")
        #expect(try await revoke(jti, hint: "jti", basic(server.residents.learn)).outcome == "200")
        #expect(try await isValid() == "404 not_found")
    }

    @Test("at a service the instance ends its service token, and the app tokens below it; an app only its own")
    func service() async throws {
        let server = try TestServer.ofSuite, phone = try await Phone.registered(in: server),
            service = try await phone.joinService()
        let app = try await phone.authorizeApp(service), path = "/services/learn/revoke"
        let asApp: HTTPFields = [.authorization: "Bearer \(app.accessToken)"]
        func attributes(_ app: Reply) async throws -> String {
            try await server.get("/services/learn/attributes", headers: [.authorization: "Bearer \(app.accessToken)"])
                .outcome
        }

        #expect(try await revoke(service.accessToken, at: path, asApp).outcome == "200")
        #expect(try await attributes(app) == "200")
        #expect(try await revoke(app.accessToken, at: path, asApp).outcome == "200")
        #expect(try await attributes(app) == "401 invalid_token")
        let second = try await phone.authorizeApp(service)
        #expect(
            try await revoke(service.refreshToken, at: path, phone.dpop(.post, path, token: service.accessToken))
                .outcome == "200")
        #expect(try await attributes(second) == "401 invalid_token")
        #expect(try await phone.authorizeApp(service).outcome == "401 invalid_token")
    }

    @Test("a person disconnects an instance of theirs, and of nobody else")
    func instances() async throws {
        let server = try TestServer.ofSuite, phone = try await Phone.registered(in: server),
            other = try await Phone.registered(in: server), bobs = try await Phone.registered(in: server)
        let pat = try await phone.logIn(), otherPAT = try await other.logIn(), bobsPAT = try await bobs.logIn(as: "bob")
        func delete(_ id: String) async throws -> Reply {
            try await server.send(
                .delete, "/instances/\(id)", headers: phone.dpop(.delete, "/instances/\(id)", token: pat.accessToken))
        }

        #expect(try await delete(bobs.clientID).outcome == "404 not_found")
        #expect(try await delete("unknown").outcome == "404 not_found")
        #expect(try await delete(other.clientID).outcome == "204")
        #expect(try await delete(other.clientID).outcome == "404 not_found")

        #expect(try await other.get("/userinfo", token: otherPAT.accessToken).outcome == "401 invalid_token")
        #expect(try await bobs.get("/userinfo", token: bobsPAT.accessToken).outcome == "200")
        let listed = try await phone.get("/instances", token: pat.accessToken).json.array ?? []
        #expect(
            listed.contains { $0["id"]?.string == phone.clientID && $0["current"] == true }
                && !listed.contains { $0["id"]?.string == other.clientID })
    }

    @Test("a person changes what a device of theirs is called")
    func change() async throws {
        let server = try TestServer.ofSuite, phone = try await Phone.registered(in: server),
            pat = try await phone.logIn(), path = "/instances/\(phone.clientID)"
        func patch(_ body: JSONValue) async throws -> Reply {
            try await server.send(
                .patch, path, headers: phone.dpop(.patch, path, token: pat.accessToken).json, body: body.bytes)
        }

        let reply = try await patch(["name": "Kitchen", "app": "ignored", "os_version": .null])

        #expect(reply["name"] == "Kitchen" && reply["os_version"] == "19.1" && reply["app"] == Residents.app)
        for body: JSONValue in [
            ["name": ""], ["name": 1], [1], ["device_type": .string(String(repeating: "x", count: 801))],
        ] {
            #expect(try await patch(body).outcome == "400 invalid_request")
        }
    }
}

extension HTTPFields {
    fileprivate var json: HTTPFields {
        var headers = self
        headers[.contentType] = "application/json"
        return headers
    }
}
