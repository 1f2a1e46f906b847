import Base
import TestSupport
import Testing

@Suite("backoffice.md: what an owner chooses for an app of operations", .server)
struct OperationsApplicationSettingTests {
    private static let hms: JSONValue = ["appId": "100", "clientSecret": "geheim"]

    @Test("push credentials go in, are told without their secret, and are forgotten")
    func credentials() async throws {
        let party = try await OperationsParty.movedIn(TestServer.ofSuite), path = "/v2/applications/bank/push"
        let none = try await party.call(.get, path), set = try await party.call(.put, path + "/hms", Self.hms)
        let listed = try await party.call(.get, path), gone = try await party.call(.delete, path + "/hms")
        let again = try await party.call(.delete, path + "/hms")

        #expect(none.status == 200 && none.json["push"] == [])
        #expect(set.status == 200 && set["provider"] == "hms" && set["appId"] == "100")
        #expect(!set.body.contains("geheim") && !listed.body.contains("geheim"))
        #expect(listed.json["push"]?.array == [set.json])
        #expect(gone.status == 204 && gone.body.isEmpty && again.refusal == "400 ERROR_REQUEST")
    }

    @Test(
        "what is no credential, no provider or no application is refused",
        arguments: [
            ("/v2/applications/bank/push/windows", hms, "400 ERROR_REQUEST"),
            ("/v2/applications/bank/push/hms", ["appId": "100"], "400 ERROR_REQUEST"),
            ("/v2/applications/bank/push/apns", hms, "400 ERROR_REQUEST"),
            ("/v2/applications/bank/push/hms", "hms", "400 ERROR_REQUEST"),
            ("/v2/applications/none/push/hms", hms, "400 ERROR_APPLICATION_NOT_FOUND"),
            ("/v2/applications/bank/blocks", ["blockMinutes": [0]], "400 ERROR_REQUEST"),
            ("/v2/applications/bank/blocks", [:], "400 ERROR_REQUEST"),
            ("/v2/applications/none/blocks", ["blockMinutes": [1]], "400 ERROR_APPLICATION_NOT_FOUND"),
        ] as [(String, JSONValue, String)])
    func refusals(path: String, body: JSONValue, refusal: String) async throws {
        let party = try await OperationsParty.movedIn(TestServer.ofSuite)

        let reply = try await party.call(.put, path, body)

        #expect(reply.refusal == refusal, "\(reply.body)")
    }

    @Test("an app chooses its blocks, and a phone that is blocked for a while tells until when")
    func blocks() async throws {
        try await TestServer.with { server in
            let party = try await OperationsParty.movedIn(server)
            let chosen = try await party.call(.put, "/v2/applications/bank/blocks", ["blockMinutes": [1, 5]])
            var phone = try await party.phone()
            for _ in 0..<5 { _ = try await phone.validate(isWrong: true) }
            let blocked = try await party.call(.get, "/v2/registrations/\(phone.activationID)")
            server.time.advance(60)
            let after = try await party.call(.get, "/v2/registrations/\(phone.activationID)")
            let valid = try await phone.validate()

            #expect(chosen.status == 200 && chosen.json["blockMinutes"] == [1, 5])
            #expect(blocked["registrationStatus"] == "BLOCKED")
            #expect(blocked.json["timestampBlockedUntil"]?.integer == (server.now) * 1_000)
            #expect(after["registrationStatus"] == "ACTIVE" && after.json["timestampBlockedUntil"] == nil && valid.isOK)
        }
    }
}
