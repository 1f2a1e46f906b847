import Base
import HTTPTypes
import Operations
import ProtocolTestSupport
import TestSupport
import Testing

@testable import PowerAuth

@Suite("operations: phones of PowerAuth 4, over HTTP", .server)
struct OperationsFourTests {
    private static let list = PowerAuthPhone.operations + "/list"

    private func read(
        _ phone: PowerAuthFourPhone, _ path: String, with token: PowerAuthPhone.Token
    ) async throws -> PowerAuthReply {
        try await phone.post(path, [TokenHeader.name: phone.header(token).text], Array("{}".utf8))
    }

    private func signed(
        _ phone: inout PowerAuthFourPhone, _ name: String, _ uriID: String, _ object: JSONValue,
        _ type: FactorType = .possessionKnowledge, isWrong: Bool = false
    ) async throws -> PowerAuthReply {
        let body = JSONValue.object(["requestObject": object]).bytes
        let header = try phone.sign(uriID, body, type, isWrong: isWrong)
        return try await phone.post(
            PowerAuthPhone.operations + "/" + name, [SignatureHeader.name: header.text], body)
    }

    @Test("a service takes protocol 4 for its app; a phone activates, reads, approves and rejects with it")
    func whole() async throws {
        let party = try await OperationsParty.movedIn(TestServer.ofSuite)
        let chosen = try await party.call(
            .put, "/v2/applications/bank", ["protocols": ["3.3", "4.0"], "algorithms": ["EC_P384_ML_L3"]])
        var phone = try PowerAuthFourPhone(
            sdkConfig: chosen["sdkConfig"] ?? "", algorithm: .p384ML3, clock: party.server.time.clock,
            post: party.post)
        let started = try await party.startRegistration(
            "ada", ["commitPhase": "ON_KEY_EXCHANGE", "protocol": "4.0"])
        try await phone.activate(started["activationQrCodeData"] ?? "")
        let confirmed = try await phone.confirm()
        let token = try await phone.createToken(), first = try await party.order(), second = try await party.order()
        let listed = try await read(phone, Self.list, with: token)
        func subject(_ order: Reply) -> String { order["operationId"] ?? "" }
        let approval: JSONValue = ["id": .string(subject(first)), "data": .string(first["data"] ?? "")]
        let wrong = try await signed(
            &phone, "authorize", "/operation/authorize", approval, isWrong: true)
        let approved = try await signed(&phone, "authorize", "/operation/authorize", approval)
        let rejected = try await signed(
            &phone, "cancel", "/operation/cancel",
            ["id": .string(subject(second)), "reason": "INCORRECT_DATA"], .possession)
        let history = try await signed(&phone, "history", "/operation/history", [:])
        let shown = try await party.call(.get, "/v2/registrations/\(phone.activationID)")
        let one = try await party.call(.get, "/v2/operations/\(subject(first))")["status"],
            two = try await party.call(.get, "/v2/operations/\(subject(second))")["status"]

        #expect(chosen.status == 200 && chosen.json["protocols"] == ["3.3", "4.0"])
        #expect(chosen.json["algorithms"] == ["EC_P384_ML_L3"])
        #expect(confirmed.isOK && listed.isOK && approved.isOK && rejected.isOK && history.isOK)
        #expect(wrong.status == 401 && wrong.code == "POWERAUTH_AUTH_FAIL")
        #expect(one == "APPROVED" && two == "REJECTED")
        #expect(shown["protocol"] == "4.0" && shown["algorithm"] == "EC_P384_ML_L3")
        #expect(try shown["activationFingerprint"] == phone.fingerprint())
    }

    @Test("an operation is approved without a network by typed digits, once; the code is for this phone alone")
    func offline() async throws {
        let party = try await OperationsParty.movedIn(TestServer.ofSuite)
        let chosen = try await party.call(.put, "/v2/applications/bank", ["protocols": ["4.0"]])
        var phone = try PowerAuthFourPhone(
            sdkConfig: chosen["sdkConfig"] ?? "", clock: party.server.time.clock, post: party.post)
        try await phone.activate(
            try await party.startRegistration("ada", ["commitPhase": "ON_KEY_EXCHANGE"])["activationQrCodeData"] ?? "")
        try #require(try await phone.confirm().isOK)
        let path = "/v2/operations/\(try await party.order()["operationId"] ?? "")"
        let shown = try await party.call(.get, path + "/offline/qr?registrationId=\(phone.activationID)")
        let code = try #require(ScannedOfflineCode(shown["operationQrCodeData"] ?? ""))
        let data = OfflineAnswer.data(
            operationID: code.operationID, data: code.data, totp: code.totp, nonce: code.nonce)
        let keys = try #require(phone.keys)
        let digits = FactorSignature.decimal(
            .v40, keys: keys.keys(.possessionKnowledge), counter: try #require(phone.counter), data: data)
        func answer(_ otp: String) async throws -> Reply {
            try await party.call(
                .post, path + "/offline/otp",
                [
                    "otp": .string(otp), "nonce": .string(shown["nonce"] ?? ""),
                    "registrationId": .string(phone.activationID),
                ])
        }
        // The phone has no biometry on: the key that could be derived for it is of no use.
        let biometric = FactorSignature.decimal(
            .v40, keys: keys.keys(.possessionBiometry), counter: try #require(phone.counter), data: data)
        let off = try await answer(biometric)
        let wrong = try await answer("00000000-00000000"), right = try await answer(digits)
        let again = try await answer(digits)

        #expect(code.keyType == "2")
        #expect(
            try code.signature
                == KMAC256.mac(key: keys.personalizedData, Array(code.signedText.utf8), .offlineCode))
        #expect(code.flags.contains("B") && off.json["otpValid"] == false)
        #expect(wrong.json["otpValid"] == false && right.json["otpValid"] == true)
        #expect(right["signatureType"] == "possession_knowledge" && again.status == 400)
    }

    @Test("a choice that is none is refused, and apps may choose nothing")
    func refusedChoices() async throws {
        let party = try await OperationsParty.movedIn(TestServer.ofSuite)
        let none = try await party.call(.put, "/v2/applications/bank", ["protocols": ["5.0"]])
        let unknown = try await party.call(.put, "/v2/applications/other", ["protocols": ["3.3"]])
        let nobody = try await party.call(
            .put, "/v2/applications/bank", ["protocols": ["3.3"]], authorization: "Bearer none")

        #expect(none.status == 400 && none.json["responseObject"]?["code"] == "ERROR_REQUEST")
        #expect(
            unknown.status == 400 && unknown.json["responseObject"]?["code"] == "ERROR_APPLICATION_NOT_FOUND")
        #expect(nobody.status == 401 && nobody[header: "WWW-Authenticate"] != nil)
    }

    @Test("a database that is away is 503 with a time to come back, and refuses nobody")
    func away() async throws {
        try await TestServer.with { server in
            let party = try await OperationsParty.movedIn(server)
            let chosen = try await party.call(.put, "/v2/applications/bank", ["protocols": ["4.0"]])
            var phone = try PowerAuthFourPhone(
                sdkConfig: chosen["sdkConfig"] ?? "", clock: server.time.clock, post: party.post)
            try await phone.activate(
                try await party.startRegistration("ada", ["commitPhase": "ON_KEY_EXCHANGE"])["activationQrCodeData"]
                    ?? "")
            try #require(try await phone.confirm().isOK)
            let token = try await phone.createToken(), body = Array("{}".utf8)
            let signature = try phone.sign("/pa/auth/validate", body).text, read = phone.header(token).text
            let sealed = try phone.encrypt(
                .genericActivation, [:], with: try await phone.temporaryKey(inActivation: true)
            ).request.json.bytes
            let encryption = phone.encryptionHeader(inActivation: true)[EncryptionHeader.name] ?? ""

            try await server.withoutDatabase { away in
                let asked: [(String, String, String, [UInt8])] = [
                    ("/pa/v4/auth/validate", SignatureHeader.name, signature, body),
                    ("/pa/v4/activation/status", EncryptionHeader.name, encryption, sealed),
                    (Self.list, TokenHeader.name, read, body),
                ]
                for (path, name, value, body) in asked {
                    let reply = try await away.send(
                        .post, OperationsParty.path + path, headers: [try #require(HTTPField.Name(name)): value],
                        body: body)
                    #expect(reply.status == 503 && reply[header: "Retry-After"] != nil, "\(path): \(reply.body)")
                }
            }
            #expect(try await phone.validate().isOK)
        }
    }
}
