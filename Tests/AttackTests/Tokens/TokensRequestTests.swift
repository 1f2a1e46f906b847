import Base
import Foundation
import HTTPTypes
import Registration
import TestSupport
import Testing

/// Requests to the token endpoint that are wrong in their form or in who sends them. The same request, sent right, gets
/// its tokens in every case.
@Suite("Attacks on the token endpoint: requests (groups 20 and 31)", .server, .serialized)
struct TokensRequestTests {
    private static let form = "application/x-www-form-urlencoded"

    private func fields(_ code: String) -> [(String, String)] {
        [
            ("grant_type", "authorization_code"), ("code", code), ("code_verifier", Phone.verifier),
            ("redirect_uri", Browser.callback),
        ]
    }

    // MARK: Group 20

    @Test(
        "group 20: the token endpoint takes POST alone",
        arguments: [HTTPRequest.Method.get, .head, .put, .patch, .delete, .options])
    func method(_ method: HTTPRequest.Method) async throws {
        let scene = try await AuthorizationScene.ready(), code = try await scene.code(),
            query = FormCodec.write(fields(code))

        let inQuery = try await scene.server.send(method, "/token?" + query, headers: scene.app.basic)
        let inBody = try await scene.server.send(
            method, "/token", headers: scene.app.basic.and(.contentType, TokensRequestTests.form),
            body: Array(query.utf8))

        // OPTIONS says so, and does nothing.
        let status = method == .options ? 204 : 405
        #expect(inQuery.status == status && inBody.status == status)
        #expect(inQuery.accessToken == "" && inBody.accessToken == "")
        #expect(try await scene.app.redeem(code).outcome == "200")
    }

    @Test("group 20: parameters in the query of a POST are not read")
    func query() async throws {
        let scene = try await AuthorizationScene.ready(), code = try await scene.code(),
            query = FormCodec.write(fields(code))
        func post(_ query: String, _ body: String) async throws -> Reply {
            try await scene.server.send(
                .post, "/token?" + query, headers: scene.app.basic.and(.contentType, TokensRequestTests.form),
                body: Array(body.utf8))
        }

        #expect(try await post(query, "").outcome == "400 invalid_request")
        #expect(
            try await post(FormCodec.write([("code", code)]), FormCodec.write(fields(code).filter { $0.0 != "code" }))
                .outcome == "400 invalid_request")
        #expect(try await scene.app.redeem(code).outcome == "200")
    }

    /// `nil` for the media type leaves the header out.
    struct Body: Sendable, CustomTestStringConvertible {
        let testDescription: String, type: String?, outcome: String
        let bytes: @Sendable ([(String, String)]) -> [UInt8]

        init(
            _ what: String, _ type: String?, _ outcome: String,
            _ bytes: @escaping @Sendable ([(String, String)]) -> [UInt8] = { Array(FormCodec.write($0).utf8) }
        ) {
            (testDescription, self.type, self.outcome, self.bytes) = (what, type, outcome, bytes)
        }

        static func json(_ fields: [(String, String)]) -> String {
            JSONValue.object(JSONObject(fields.map { ($0.0, .string($0.1)) })).text
        }
        static func utf16(_ fields: [(String, String)]) -> [UInt8] {
            Array(FormCodec.write(fields).utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] })
        }
    }

    @Test(
        "group 20: bodies of another type, or that say one thing and are another",
        arguments: [
            Body("no content type", nil, "415 unsupported_media_type"),
            Body("text/plain", "text/plain", "415 unsupported_media_type"),
            Body("empty type", "", "415 unsupported_media_type"),
            Body("multipart", "multipart/form-data; boundary=x", "415 unsupported_media_type") { fields in
                Array(
                    (fields.map { "--x\r\nContent-Disposition: form-data; name=\"\($0.0)\"\r\n\r\n\($0.1)\r\n" }
                        .joined() + "--x--\r\n").utf8)
            },
            Body("two types", "text/plain, application/x-www-form-urlencoded", "415 unsupported_media_type"),
            Body("a longer type", "application/x-www-form-urlencodedx", "415 unsupported_media_type"),
            Body("XML", "application/xml", "415 unsupported_media_type") { _ in
                Array("<grant_type>authorization_code</grant_type>".utf8)
            },
            Body("JSON called a form", "application/x-www-form-urlencoded", "400 invalid_request") {
                Array(Body.json($0).utf8)
            },
            Body("a form called JSON", "application/json", "400 invalid_request"),
            Body("JSON of another kind", "application/vnd.api+json", "415 unsupported_media_type") {
                Array(Body.json($0).utf8)
            },
            // The charset is not looked at: what is no UTF-8, or holds a NUL, is refused by its bytes.
            Body("UTF-16", "application/x-www-form-urlencoded; charset=utf-16", "400 invalid_request", Body.utf16),
            Body("UTF-16, not called so", "application/x-www-form-urlencoded", "400 invalid_request", Body.utf16),
            Body("Latin 1", "application/x-www-form-urlencoded; charset=iso-8859-1", "400 invalid_request") {
                Array(FormCodec.write($0).utf8) + Array("&x=".utf8) + [0xE9]
            },
            Body("gzip", "application/x-www-form-urlencoded", "400 invalid_request") { _ in
                [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]
            },
            Body("UTF-7", "application/x-www-form-urlencoded; charset=utf-7", "400 invalid_grant") { fields in
                Array(FormCodec.write(fields.map { $0.0 == "code" ? ("code", "+AEE-") : $0 }).utf8)
            },
            Body("a byte order mark", "application/x-www-form-urlencoded", "400 invalid_request") {
                [0xEF, 0xBB, 0xBF] + Array(FormCodec.write($0).utf8)
            },
            Body("semicolons between", "application/x-www-form-urlencoded", "400 unsupported_grant_type") {
                Array(FormCodec.write($0).replacing("&", with: ";").utf8)
            },
        ])
    func body(_ body: Body) async throws {
        let scene = try await AuthorizationScene.ready(), code = try await scene.code()

        let reply = try await scene.server.send(
            .post, "/token", headers: scene.app.basic.and(.contentType, body.type), body: body.bytes(fields(code)))

        #expect(reply.outcome == body.outcome && reply.accessToken == "", "\(reply.body)")
        #expect(try await scene.app.redeem(code).outcome == "200")
    }

    // The list expects 4xx for JSON. eduID's apps send it (api.md), so it is read, and as strictly as a form: once
    // each, text, UTF-8; no page elsewhere can send it without being asked (CORS).
    @Test(
        "group 20: JSON is read on purpose, by the rules of forms",
        arguments: [
            (#""code":"CODE","code":"CODE""#, "400 invalid_request"), (#""code":["CODE"]"#, "400 invalid_request"),
            (#""code":{"code":"CODE"}"#, "400 invalid_request"), (#""code":null"#, "400 invalid_request"),
            (#""code":"CODE\u0000""#, "400 invalid_request"), (#""CODE":"CODE""#, "400 invalid_request"),
            (#""code":"CODE""#, "200"),
        ])
    func json(_ member: String, _ outcome: String) async throws {
        let scene = try await AuthorizationScene.ready(), code = try await scene.code()
        let others = Body.json(fields(code).filter { $0.0 != "code" }).dropLast()

        let reply = try await scene.server.send(
            .post, "/token", headers: scene.app.basic.and(.contentType, "application/json"),
            body: Array("\(others),\(member.replacing("\"CODE", with: "\"" + code))}".utf8))

        #expect(reply.outcome == outcome, "\(reply.body)")
    }

    @Test(
        """
        group 20: at the socket, Content-Length with Transfer-Encoding, and lengths that disagree, are refused and \
        the connection ends
        """,
        arguments: [
            ["Content-Length: LENGTH", "Transfer-Encoding: chunked"],
            ["Transfer-Encoding: chunked", "Content-Length: 5"], ["Content-Length: LENGTH", "Content-Length: 5"],
            ["Content-Length: LENGTH, 5"], ["Content-Length: +LENGTH"], ["Content-Length: -1"],
            ["Content-Length: 0x10"], ["Content-Length: LENGTH", "Transfer-Encoding: identity"],
            ["Transfer-Encoding: chunked, identity"],
            ["Transfer-Encoding: xchunked"], ["Content-Length : LENGTH"], ["Content-Length: 99999999999999999999"],
        ])
    func framing(_ lines: [String]) async throws {
        let scene = try await AuthorizationScene.ready(), code = try await scene.code(),
            body = FormCodec.write(fields(code))
        let framing = lines.map { $0.replacing("LENGTH", with: "\(body.utf8.count)") }
        let head =
            [
                "POST /token HTTP/1.1", "Host: localhost", "Content-Type: \(TokensRequestTests.form)",
                "Authorization: \(scene.app.basic[.authorization] ?? "")",
            ] + framing
        let smuggled = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"

        try await AuthorizationSocket.with(scene.server) { socket in
            let answer = try await socket.send(
                Array((head.joined(separator: "\r\n") + "\r\n\r\n" + body + smuggled).utf8))

            #expect(answer.hasPrefix("HTTP/1.1 4") || answer.isEmpty, "\(answer)")
            #expect(!answer.contains("access_token") && !answer.contains("HTTP/1.1 200"), "\(answer)")
        }
        #expect(try await scene.app.redeem(code).outcome == "200")
    }

    // MARK: Group 31

    @Test(
        "group 31: a grant_type that is unknown, in other letters or in another alphabet is not offered",
        arguments: [
            "password", "implicit", "Authorization_Code", "AUTHORIZATION_CODE", "authorization-code",
            "authorization_code ", " authorization_code", "authorization_code\n", "authorization_code,refresh_token",
            "authorization_code refresh_token", "authorization_\u{0441}ode",
            "URN:ietf:params:oauth:grant-type:device_code", "urn:IETF:params:oauth:grant-type:device_code",
            "urn:ietf:params:oauth:grant-type:DEVICE_CODE", "urn:ietf:params:oauth:grant-type:device_code#",
            "urn:ietf:params:oauth:grant-type:authorization_code", "urn:ietf:params:oauth:grant-type:saml2-bearer",
            "urn:ietf:params:oauth:grant-type:uma-ticket", "urn:openid:params:grant-type:ciba",
            "urn:ietf:params:oauth:grant-type:", String(repeating: "a", count: 60_000),
        ])
    func grantType(_ type: String) async throws {
        let scene = try await AuthorizationScene.ready(), code = try await scene.code()
        let all =
            fields(code).map { $0.0 == "grant_type" ? ("grant_type", type) : $0 } + [
                ("device_code", code), ("refresh_token", code), ("assertion", code),
            ]

        let reply = try await scene.server.send(
            .post, "/token", headers: scene.app.basic.and(.contentType, TokensRequestTests.form),
            body: Array(FormCodec.write(all).utf8))

        #expect(
            reply.outcome == "400 unsupported_grant_type" && (reply["error_description"]?.utf8.count ?? 0) < 300,
            "\(reply.body.prefix(400))")
        #expect(try await scene.app.redeem(code).outcome == "200")
    }

    @Test(
        "group 31: a grant_type that is missing, doubled or an array is invalid_request",
        arguments: [
            (form, ""), (form, "grant_type="), (form, "grant_type=authorization_code&grant_type=authorization_code"),
            (form, "grant_type=authorization_code&grant%5Ftype=refresh_token"),
            (form, "grant_type[]=authorization_code"), (form, "grant_type=%00authorization_code"),
            ("application/json", #"{"grant_type":["authorization_code"]}"#),
            ("application/json", #"{"grant_type":{"0":"authorization_code"}}"#),
            ("application/json", #"{"grant_type":"authorization_code","grant_type":"refresh_token"}"#),
            ("application/json", #"{"grant_type":true}"#),
        ])
    func grantTypeShape(_ type: String, _ body: String) async throws {
        let scene = try await AuthorizationScene.ready(), code = try await scene.code(),
            rest = fields(code).filter { $0.0 != "grant_type" }
        let text =
            type == TokensRequestTests.form
            ? body + "&" + FormCodec.write(rest) : body.dropLast() + "," + Body.json(rest).dropFirst()

        let reply = try await scene.server.send(
            .post, "/token", headers: scene.app.basic.and(.contentType, type), body: Array(text.utf8))

        #expect(reply.outcome == "400 invalid_request", "\(reply.body)")
        #expect(try await scene.app.redeem(code).outcome == "200")
    }

    // eduID's own spelling `urn:ietf:param:oauth:` means the registered name (protocols/eduid.md, 3.8); nothing else
    // does.
    @Test(
        "group 31: a service takes the jwt-bearer grant in its two spellings alone",
        arguments: [
            ("urn:ietf:params:oauth:grant-type:jwt-bearer", "200"),
            ("urn:ietf:param:oauth:grant-type:jwt-bearer", "200"),
            ("urn:ietf:parameters:oauth:grant-type:jwt-bearer", "400 unsupported_grant_type"),
            ("URN:IETF:PARAMS:OAUTH:GRANT-TYPE:JWT-BEARER", "400 unsupported_grant_type"),
            ("urn:ietf:params:oauth:grant-type:JWT-bearer", "400 unsupported_grant_type"),
            ("urn:ietf:params:oauth:grant-type:jwt-bearer?", "400 unsupported_grant_type"),
            ("jwt-bearer", "400 unsupported_grant_type"), ("client_credentials", "400 unsupported_grant_type"),
        ])
    func urn(_ type: String, _ outcome: String) async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite),
            assertion = try await phone.assertion(try await phone.logIn())

        let reply = try await phone.server.post("/services/learn/token", ["grant_type": type, "assertion": assertion])

        #expect(reply.outcome == outcome, "\(reply.body)")
    }
}

extension HTTPFields {
    /// With one more; `nil` adds nothing.
    func and(_ name: HTTPField.Name, _ value: String?) -> HTTPFields {
        var fields = self
        if let value { fields[name] = value }
        return fields
    }
}
