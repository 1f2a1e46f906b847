import Base
import Crypto
import Foundation
import TestSupport
import Testing

@testable import Operations

@Suite("backoffice.md: what an app is pushed to with, and whose an address is")
struct PushCredentialTests {
    private static let hms: JSONValue = ["appId": "100", "clientSecret": "geheim"]

    @Test("credentials are told without the secret, replaced, sealed for their row, and forgotten; each in the trail")
    func kept() async throws {
        try await PhoneFixture.with { fixture in
            let service = fixture.service
            func set(_ json: JSONValue) async throws -> JSONValue {
                try await service.setPush("hms", json, of: "bank-app", by: PhoneFixture.bank)
            }

            let first = try await set(Self.hms), second = try await set(["appId": "200", "clientSecret": "anders"])
            let listed = try await service.pushes(of: "bank-app", for: PhoneFixture.bank)
            let stored: [UInt8] = try await fixture.database.value("select secret from phone_application_push")
            try await service.removePush("hms", of: "bank-app", by: PhoneFixture.bank)
            let none = try await service.pushes(of: "bank-app", for: PhoneFixture.bank)
            let again = await backOfficeRefusal {
                try await service.removePush("hms", of: "bank-app", by: PhoneFixture.bank)
            }
            let trail: Int = try await fixture.database.value(
                "select count(*) from audit where action = 'operations.application.push'")

            #expect(first["appId"] == "100" && second.object?.names == ["provider", "appId", "timestampCreated"])
            #expect(listed["push"]?.array == [second] && none == ["push": []])
            #expect(!String(decoding: stored, as: UTF8.self).contains("anders"))
            #expect(again == "ERROR_REQUEST" && trail == 3)
        }
    }

    @Test("a new master key seals them anew")
    func resealed() async throws {
        try await PhoneFixture.with { fixture in
            let next = try PhoneFixture.key(2)
            _ = try await fixture.service.setPush("hms", Self.hms, of: "bank-app", by: PhoneFixture.bank)
            let old = OperationsSecrets(master: try PhoneFixture.key(1), clock: fixture.time.clock)
            _ = try await fixture.database.atomically { try await old.reseal(under: next, in: $0) }

            let after = try await fixture.another(master: next).service.pushes(of: "bank-app", for: PhoneFixture.bank)

            #expect(after["push"]?.array?.first?["appId"] == "100")
        }
    }

    @Test("what is no credential is refused, and nobody else's application is there")
    func refused() async throws {
        let key = P256.Signing.PrivateKey().pemRepresentation
        let whole: JSONObject = ["teamId": "T", "keyId": "K", "topic": "org.example", "key": .string(key)]
        func without(_ name: String, _ other: JSONValue = .null) -> JSONValue {
            var members = whole
            members[name] = other
            return .object(members)
        }
        let bad: [(String, JSONValue)] =
            [
                ("windows", Self.hms), ("hms", ["appId": "100"]), ("hms", []),
                ("hms", ["appId": "a/b", "clientSecret": "x"]),
            ]
            + whole.map { ("apns", without($0.name)) }
            + [
                ("apns", without("key", "no key")), ("apns", without("topic", "a\r\nx: y")), ("fcm", ["account": [:]]),
                (
                    "fcm",
                    [
                        "account": [
                            "project_id": "p", "client_email": "e", "token_uri": "u", "private_key": .string(key),
                        ]
                    ]
                ),
            ]
        try await PhoneFixture.with { fixture in
            for (provider, json) in bad {
                let code = await backOfficeRefusal {
                    _ = try await fixture.service.setPush(provider, json, of: "bank-app", by: PhoneFixture.bank)
                }
                #expect(code == "ERROR_REQUEST", "\(provider) \(json.text)")
            }
            let strange = await backOfficeRefusal {
                _ = try await fixture.service.setPush("hms", Self.hms, of: "bank-app", by: PhoneFixture.stranger)
            }
            let rows: Int = try await fixture.database.value("select count(*) from phone_application_push")
            #expect(strange == "ERROR_APPLICATION_NOT_FOUND" && rows == 0)
        }
    }

    @Test("an address that another registration of the app tells is that one's, of eight at once the last one's")
    func address() async throws {
        try await OperationsBank.with { bank in
            var phones: [BankPhone] = []
            for number in 0..<4 { phones.append(try await bank.phone("person \(number)")) }
            let asked: JSONObject = ["platform": "fcm", "token": .string(String(repeating: "x", count: 4_000))]
            func holders() async throws -> [String] {
                try await bank.database.query("select id from phone_registration where push_token is not null")
                    .map { try $0("id") }
            }

            _ = try await phones[0].call("/api/push/device/register", asked)
            let first = try await holders()
            _ = try await phones[1].call("/api/push/device/register", asked)
            let second = try await holders()
            let all = phones
            let replies = try await crowd(8) { number in
                try await all[number % 4].call("/api/push/device/register", asked).isOK
            }
            let last = try await holders()
            // Tokens of two platforms are told apart.
            _ = try await phones[0].call("/api/push/device/register", ["platform": "fcm", "token": "00"])
            _ = try await phones[1].call("/api/push/device/register", ["platform": "apns", "token": "00"])
            let apart = try await holders()

            #expect(first == [phones[0].id] && second == [phones[1].id])
            #expect(replies.allSatisfy { $0 } && last.count == 1)
            #expect(Set(apart).isSuperset(of: [phones[0].id, phones[1].id]))
        }
    }
}
