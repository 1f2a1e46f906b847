import Base
import Crypto
import CryptoExtras
import Database
import Foundation
import Push
import TestSupport
import Testing
import TokenTree

@testable import Operations

@Suite("operations: what a push service refuses is told, and forgets no phone")
struct RefusedPushTests {
    private static let apns: JSONValue = [
        "teamId": "TEAM", "keyId": "KEY", "topic": "org.example.bnak",
        "key": .string(P256.Signing.PrivateKey().pemRepresentation),
    ]

    private func sender(_ bank: OperationsBank, _ server: FakePushServer) async throws -> PhonePushSender {
        let clock = bank.time.clock
        return PhonePushSender(
            bank.service,
            delivery: .services(
                server: try await AppSenders([], PushEndpoints(), http: server.http, clock: clock), PushEndpoints(),
                webhook: Optional.none, http: server.http, clock: clock), logger: .quiet)
    }

    private func addresses(_ bank: OperationsBank) async throws -> Int {
        try await bank.database.value("select count(*) from phone_registration where push_token is not null")
    }

    private func listed(_ bank: OperationsBank) async throws -> JSONValue? {
        try await bank.fixture.service.pushes(of: "bank-app", for: PhoneFixture.bank)["push"]?.array?.first
    }

    @Test("a topic that was mistyped keeps the addresses, and stands with the credentials until there are others")
    func topic() async throws {
        let server = FakePushServer { _, _ in
            PushHTTP.Answer(status: 400, body: Array(#"{"reason":"DeviceTokenNotForTopic"}"#.utf8))
        }
        try await OperationsBank.with { bank in
            let service = bank.fixture.service
            _ = try await service.setPush("apns", Self.apns, of: "bank-app", by: PhoneFixture.bank)
            _ = try await bank.phone().call("/api/push/device/register", ["platform": "ios", "token": "00ff"])
            let before = try await listed(bank)
            bank.time.advance(5)
            _ = try await bank.order()
            try await sender(bank, server).sendDue()
            let told = try await listed(bank)
            let room = OperationsOperator(
                service, bank.service, bank.tree.revocation, actor: AuditActor(name: "admin:root"))
            let shown = try await room.pushes(of: "bank-app", nil, in: bank.database).map(\.operatorJSON)
            bank.time.advance(30)
            _ = try await bank.order()
            try await sender(bank, server).sendDue()
            let soon = try await listed(bank)
            bank.time.advance(31)
            _ = try await bank.order()
            try await sender(bank, server).sendDue()
            let later = try await listed(bank)
            let kept = try await addresses(bank)
            bank.time.advance(5)
            _ = try await service.setPush("apns", Self.apns, of: "bank-app", by: PhoneFixture.bank)
            let anew = try await listed(bank)

            #expect(server.requests.count == 3 && kept == 1)
            #expect(before?["refusal"] == nil && anew?["refusal"] == nil && anew?["timestampRefused"] == nil)
            #expect(told?["refusal"] == "APNs: status 400 DeviceTokenNotForTopic")
            // Once a minute for one word.
            #expect(told?["timestampRefused"] == soon?["timestampRefused"])
            #expect(told?["timestampRefused"] != later?["timestampRefused"])
            #expect(shown.first?["refusal"] == told?["refusal"] && shown.first?["refused_at"]?.string != nil)
        }
    }

    @Test("404 of a project that is not there keeps the addresses; of a token that is not there it forgets one")
    func project() async throws {
        let key = try _RSA.Signing.PrivateKey(keySize: .bits2048).pkcs8PEMRepresentation
        let account: JSONValue = [
            "account": [
                "project_id": "p2", "client_email": "push@p2.example", "private_key": .string(key),
                "token_uri": "https://elsewhere.example/token",
            ]
        ]
        let details = #""details":[{"@type":"a"},{"@type":"b","errorCode":"UNREGISTERED"}]"#
        for (more, left) in [("", 1), ("," + details, 0)] {
            let server = FakePushServer { request, _ in
                request.url.hasSuffix("/token")
                    ? PushHTTP.Answer(status: 200, body: Array(#"{"access_token":"a","expires_in":3600}"#.utf8))
                    : PushHTTP.Answer(
                        status: 404, body: Array(#"{"error":{"code":404,"status":"NOT_FOUND"\#(more)}}"#.utf8))
            }
            try await OperationsBank.with { bank in
                _ = try await bank.fixture.service.setPush("fcm", account, of: "bank-app", by: PhoneFixture.bank)
                _ = try await bank.phone().call("/api/push/device/register", ["platform": "fcm", "token": "device"])
                _ = try await bank.order()
                try await sender(bank, server).sendDue()
                let kept = try await addresses(bank), told = try await listed(bank)

                #expect(kept == left)
                #expect(told?["refusal"]?.string == (left == 1 ? "FCM: status 404 NOT_FOUND" : nil))
            }
        }
    }

    @Test("an address of Apple's in capitals and in small letters is one, whoever stores it; others keep their letters")
    func spelling() async throws {
        try await OperationsBank.with { bank in
            let first = try await bank.phone("ada"), second = try await bank.phone("bob")
            func holders() async throws -> [String] {
                try await bank.database.query(
                    "select id || ' ' || push_token as line from phone_registration where push_token is not null"
                ).map { try $0("line") }
            }
            _ = try await first.call("/api/push/device/register", ["platform": "apns", "token": "00FF"])
            let one = try await holders()
            _ = try await second.call("/api/push/device/register", ["platform": "apns", "token": "00ff"])
            let other = try await holders()
            // As a server of the version before stores it.
            _ = try await bank.database.execute(
                """
                update phone_registration set push_platform = 'apns', push_token = '00Ff', push_environment = null
                where id = \(first.id)
                """)
            let before = try await holders()
            _ = try await first.call("/api/push/device/register", ["platform": "fcm", "token": "aB"])
            _ = try await second.call("/api/push/device/register", ["platform": "fcm", "token": "ab"])
            let apart = try await holders()

            #expect(one == [first.id + " 00ff"] && other == [second.id + " 00ff"] && before == one)
            #expect(Set(apart) == [first.id + " aB", second.id + " ab"])
        }
    }
}
