import Base
import HTTPTypes
import Operations
import TestSupport
import Testing

@testable import PowerAuth

@Suite("operations: what phones ask, over HTTP", .server)
struct OperationsPhoneTests {
    private static let list = PowerAuthPhone.operations + "/list"
    private static let paths = [
        "/pa/v3/status", "/pa/v3/signature/validate", "/pa/v4/auth/validate", PowerAuthPhone.operations + "/list",
        "/api/inbox/count",
    ]

    private func send(
        _ path: String, _ body: [UInt8] = Array("{}".utf8), headers: HTTPFields = [:],
        method: HTTPRequest.Method = .post
    ) async throws -> Reply {
        try await TestServer.ofSuite.send(method, OperationsParty.path + path, headers: headers, body: body)
    }

    private func field(_ name: String) throws -> HTTPField.Name { try #require(HTTPField.Name(name)) }

    @Test(
        """
        a phone of either system activates itself, signs, makes a token, reads with it, opens its vault and removes \
        itself
        """,
        arguments: PowerAuthPhone.System.allCases)
    func whole(_ system: PowerAuthPhone.System) async throws {
        let party = try await OperationsParty.movedIn(TestServer.ofSuite)
        var phone = try await party.phone("ada", system)

        let signed = try await phone.validate(), token = try await phone.createToken(),
            read = try await phone.read(Self.list, with: token)
        let status = try await phone.status(), vault = try await phone.unlockVault().reply,
            info = try await phone.userInfo()
        let told = try info.exchange.open(info.reply.json)
        let noToken = try await phone.removeToken(token), removed = try await phone.removeActivation(),
            after = try await phone.validate()
        let shown = try await party.call(.get, "/v2/registrations/\(phone.activationID)")

        #expect(signed.isOK && read.isOK && vault.status == 200 && status?.state == .active && told["sub"] == "ada")
        #expect(
            noToken.isOK && removed.isOK && after.outcome == "401 ERR_AUTHENTICATION"
                && shown["registrationStatus"] == "REMOVED")
    }

    @Test("a payment is listed in the phone's language, approved once, and stands in the history")
    func approved() async throws {
        let party = try await OperationsParty.movedIn(TestServer.ofSuite), order = try await party.order()
        var phone = try await party.phone()
        let token = try await phone.createToken()

        let english = try await phone.read(Self.list, with: token),
            czech = try await phone.read(Self.list, with: token, language: "cs,en;q=0.5")
        let approved = try await phone.approve(order), again = try await phone.approve(order)
        let history = try await phone.signed(PowerAuthPhone.operations + "/history", "/operation/history")
        let shown = try await party.call(.get, "/v2/operations/\(order["operationId"] ?? "")")

        #expect(
            english.object?.array?.first?["formData"]?["title"] == "Payment"
                && czech.object?.array?.first?["formData"]?["title"] == "Platba")
        #expect(english.json["currentTimestamp"]?.string?.hasSuffix("+0000") == true)
        #expect(approved.isOK && again.outcome == "400 OPERATION_ALREADY_FINISHED")
        #expect(history.object?.array?.first?["status"] == "APPROVED" && history.json["currentTimestamp"] == nil)
        #expect(shown["status"] == "APPROVED" && shown["signatureType"] == "possession_knowledge")
    }

    @Test("an operation is looked at, claimed and rejected; wrong data counts")
    func claimed() async throws {
        let party = try await OperationsParty.movedIn(TestServer.ofSuite), order = try await party.order(nil),
            id: JSONValue = ["id": .string(order["operationId"] ?? "")]
        var phone = try await party.phone()
        let token = try await phone.createToken()

        let seen = try await phone.read(PowerAuthPhone.operations + "/detail", id, with: token)
        let claimed = try await phone.read(PowerAuthPhone.operations + "/detail/claim", id, with: token)
        let wrong = try await phone.approve(order, data: "A1*other"),
            wordy = try await phone.reject(order, reason: String(repeating: "x", count: 257))
        let rejected = try await phone.reject(order)
        let shown = try await party.call(.get, "/v2/operations/\(order["operationId"] ?? "")")

        #expect(seen.isOK && claimed.object?["id"] == id["id"])
        #expect(wrong.outcome == "401 OPERATION_FAILED" && wordy.outcome == "400 INVALID_REQUEST" && rejected.isOK)
        #expect(
            shown["status"] == "REJECTED" && shown["rejectReason"] == "UNEXPECTED_OPERATION"
                && shown.json["failureCount"] == 1)
    }

    @Test("pushes are registered under both paths, messages are counted, read and marked")
    func inbox() async throws {
        let party = try await OperationsParty.movedIn(TestServer.ofSuite)
        var active = try await party.phone()
        let token = try await active.createToken(), phone = active
        let address: JSONValue = ["platform": "ios", "token": .string(String(repeating: "AB", count: 32))]
        let made = try await party.call(
            .post, "/v2/inbox/messages",
            ["userId": "ada", "subject": "Hello", "summary": "Short", "body": "Long", "silent": true])
        let id: JSONValue = ["id": .string(made["id"] ?? "")]

        for path in ["/api/push/device/register", "/api/push/device/register/token"] {
            let registered = try await phone.read(path, address, with: token)
            #expect(registered.isOK, "\(path)")
        }
        let pigeon = try await phone.read(
            "/api/push/device/register", ["platform": "pigeon", "token": "x"], with: token)
        let unread = try await phone.read("/api/inbox/count", with: token)
        let listed = try await phone.read(
            "/api/inbox/message/list", ["page": 0, "size": 10, "onlyUnread": true], with: token)
        let whole = try await phone.read("/api/inbox/message/detail", id, with: token),
            marked = try await phone.read("/api/inbox/message/read", id, with: token)
        let all = try await phone.read("/api/inbox/message/read-all", with: token),
            left = try await phone.read("/api/inbox/count", with: token)

        #expect(pigeon.outcome == "400 PUSH_REGISTRATION_FAILED")
        #expect(
            unread.object == ["countUnread": 1] && listed.object?.array?.count == 1 && whole.object?["body"] == "Long")
        #expect(marked.isOK && all.isOK && left.object == ["countUnread": 0])
    }

    // MARK: Refusals

    @Test(
        "without a signature or token: 401 with the code of the family, and nothing of OAuth",
        arguments: [
            ("/pa/v3/signature/validate", "ERR_AUTHENTICATION"), ("/pa/v4/auth/validate", "ERR_AUTHENTICATION"),
            (PowerAuthPhone.operations + "/list", "POWERAUTH_AUTH_FAIL"),
            (PowerAuthPhone.operations + "/authorize", "POWERAUTH_AUTH_FAIL"),
            ("/api/push/device/register", "POWERAUTH_AUTH_FAIL"),
            ("/api/inbox/count", "POWERAUTH_AUTH_FAIL"),
        ])
    func unsigned(_ path: String, _ code: String) async throws {
        for authorization in ["", "PowerAuth", "Bearer x"] {
            let reply = try await send(
                path,
                headers: [try field(SignatureHeader.name): authorization, try field(TokenHeader.name): authorization])
            #expect(
                reply.refusal == "401 \(code)" && reply.error == nil && reply[header: "WWW-Authenticate"] == nil,
                "\(authorization)")
        }
    }

    @Test("a header that comes twice is refused, though each of both is right")
    func repeated() async throws {
        let party = try await OperationsParty.movedIn(TestServer.ofSuite)
        var phone = try await party.phone()
        let token = try await phone.createToken(), body = Array("{}".utf8)
        var signed = HTTPFields(), read = HTTPFields(), encrypted = HTTPFields()
        for _ in 0..<2 {
            signed.append(
                HTTPField(
                    name: try field(SignatureHeader.name), value: try phone.sign("/pa/signature/validate", body).text))
            read.append(HTTPField(name: try field(TokenHeader.name), value: phone.header(token).text))
            encrypted.append(
                HTTPField(
                    name: try field(EncryptionHeader.name),
                    value: phone.encryptionHeader(inActivation: true)[EncryptionHeader.name] ?? ""))
        }

        let validated = try await send("/pa/v3/signature/validate", body, headers: signed),
            listed = try await send(Self.list, body, headers: read)
        let opened = try await send("/pa/v3/user/info", body, headers: encrypted), next = try await phone.validate()

        #expect(
            validated.refusal == "401 ERR_AUTHENTICATION" && listed.refusal == "401 POWERAUTH_AUTH_FAIL"
                && opened.refusal == "400 ERR_ENCRYPTION")
        #expect(next.isOK, "nothing was counted")
    }

    @Test(
        "bodies that cannot be read",
        arguments: [
            "", "[]", "{", #"{"requestObject":{}}"#, #"{"requestObject":{"id":7}}"#, #"{"requestObject":null}"#,
        ])
    func malformed(_ text: String) async throws {
        let party = try await OperationsParty.movedIn(TestServer.ofSuite)
        var phone = try await party.phone()
        let token = try await phone.createToken()

        let reply = try await send(
            PowerAuthPhone.operations + "/detail", Array(text.utf8),
            headers: [try field(TokenHeader.name): phone.header(token).text])
        let keystore = try await send("/pa/v3/keystore/create", Array(text.utf8))

        #expect(reply.refusal == "400 INVALID_REQUEST" && reply[header: "Content-Type"] == "application/json")
        #expect(keystore.refusal == "400 ERR_TEMPORARY_KEY")
    }

    @Test("a body above 64 KiB is 413 in the same envelope", arguments: paths)
    func large(_ path: String) async throws {
        let reply = try await send(path, [UInt8](repeating: UInt8(ascii: " "), count: 64 * 1024 + 1))

        #expect(reply.refusal == "413 INVALID_REQUEST" && reply.error == nil)
    }

    @Test(
        "what is not there is 404 in the same envelope, and another method 405",
        arguments: [
            "/pa/v3/none", "/pa/v4/none", "/pa/v5/status", "/pa", "/api/none", "/api/activation/code", "/api",
            PowerAuthPhone.operations,
        ])
    func unknown(_ path: String) async throws {
        let reply = try await send(path), otherMethod = try await send(Self.list, method: .get)

        #expect(reply.refusal == "404 ERROR_NOT_FOUND" && otherMethod.refusal == "405 INVALID_REQUEST")
    }

    @Test(
        "upgrade and recovery are refused with their own codes",
        arguments: [
            ("upgrade/start", "ERR_UPGRADE"), ("upgrade/commit", "ERR_UPGRADE"),
            ("upgrade/x/y", "ERR_UPGRADE"), ("recovery/confirm", "ERR_RECOVERY"),
        ])
    func notOffered(_ path: String, _ code: String) async throws {
        let reply = try await send("/pa/v3/" + path)

        #expect(reply.refusal == "400 \(code)")
    }

    @Test("a database that is away is 503 in the same envelope, and no verdict")
    func away() async throws {
        try await TestServer.with { server in
            let party = try await OperationsParty.movedIn(server)
            var phone = try await party.phone()
            let token = try await phone.createToken(),
                signature = try phone.sign("/pa/signature/validate", Array("{}".utf8)).text,
                read = phone.header(token).text

            try await server.withoutDatabase { away in
                let fields: [(String, HTTPFields)] = [
                    ("/pa/v3/signature/validate", [try field(SignatureHeader.name): signature]),
                    (Self.list, [try field(TokenHeader.name): read]),
                ]
                for (path, headers) in fields {
                    let reply = try await away.send(
                        .post, OperationsParty.path + path, headers: headers, body: Array("{}".utf8))
                    #expect(
                        reply.refusal == "503 ERROR_GENERIC" && reply[header: "Retry-After"] != nil,
                        "\(path): \(reply.body)")
                }
                let office = try await away.get(
                    OperationsParty.path + "/v2/templates", headers: [.authorization: "Bearer \(party.token)"])
                #expect(
                    office.refusal == "503 ERROR_INTERNAL_API" && office[header: "Retry-After"] != nil, "\(office.body)"
                )
            }
        }
    }
}
