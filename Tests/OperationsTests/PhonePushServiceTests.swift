import Base
import Crypto
import CryptoExtras
import Foundation
import Keys
import Push
import TestSupport
import Testing

@testable import Operations

@Suite("operations.md 1.5: pushes by Apple, Google and Huawei")
struct PhonePushServiceTests {
    private static let signing = P256.Signing.PrivateKey()
    private static let token = "5FBC85D0"

    private static let apns: JSONValue = [
        "teamId": "TEAM", "keyId": "KEY", "topic": "org.example.bank", "key": .string(signing.pemRepresentation),
    ]
    private static let hms: JSONValue = ["appId": "100", "clientSecret": "geheim"]

    /// Gives bearer tokens, and to everything else what the test says.
    private static func server(
        _ answer: @escaping @Sendable (Int) -> PushHTTP.Answer = { _ in PushHTTP.Answer(status: 200, body: []) }
    ) -> FakePushServer {
        FakePushServer { request, number in
            request.url.hasSuffix("/token")
                ? PushHTTP.Answer(
                    status: 200, body: Array("{\"access_token\":\"bearer-\(number)\",\"expires_in\":3600}".utf8))
                : answer(number)
        }
    }

    private static func coded(_ code: String, _ status: Int = 200) -> PushHTTP.Answer {
        PushHTTP.Answer(status: status, body: Array("{\"code\":\"\(code)\",\"msg\":\"text of theirs\"}".utf8))
    }

    private func sender(
        _ bank: OperationsBank, _ server: FakePushServer, own: [PushCredentials] = []
    ) async throws -> PhonePushSender {
        let clock = bank.time.clock
        let senders = try await AppSenders(own, PushEndpoints(), http: server.http, clock: clock)
        return PhonePushSender(
            bank.service,
            delivery: .services(
                server: senders, PushEndpoints(), webhook: Optional.none, http: server.http, clock: clock),
            logger: .quiet)
    }

    private func register(
        _ phone: BankPhone, _ platform: String, token: String = token, environment: String? = nil,
        language: String? = nil
    ) async throws {
        var members: JSONObject = ["platform": .string(platform), "token": .string(token)]
        if let environment { members["environment"] = .string(environment) }
        let reply = try await phone.call("/api/push/device/register", members, language: language)
        try #require(reply.isOK)
    }

    private func set(_ bank: OperationsBank, _ provider: String, _ json: JSONValue) async throws {
        _ = try await bank.fixture.service.setPush(provider, json, of: "bank-app", by: PhoneFixture.bank)
    }

    @Test(
        "an iPhone is reached with the key of its app's team, in development by the sandbox; without text it is silent",
        arguments: [("production", "api"), ("development", "api.sandbox"), (nil, "api")] as [(String?, String)])
    func iPhone(environment: String?, host: String) async throws {
        let server = Self.server()
        try await OperationsBank.with { bank in
            try await set(bank, "apns", Self.apns)
            try await register(try await bank.phone(), "ios", environment: environment)
            let pushes = try await sender(bank, server), order = try await bank.order()
            try await pushes.sendDue()
            try await bank.cancel(order)
            try await pushes.sendDue()
            try await pushes.sendDue()

            let sent = server.requests
            try #require(sent.count == 2)
            #expect(sent.allSatisfy { $0.url == "https://\(host).push.apple.com/3/device/5fbc85d0" })
            #expect(sent.allSatisfy { $0.header("apns-topic") == "org.example.bank" })
            #expect(sent[0].header("apns-push-type") == "alert" && sent[0].header("apns-priority") == "10")
            #expect(sent[0].json?["aps"]?["alert"]?["title"] == "Payment")
            #expect(sent[0].json?["operationId"]?.string == order.id)
            #expect(sent[1].header("apns-push-type") == "background" && sent[1].header("apns-priority") == "5")
            #expect(sent[1].json?["aps"] == ["content-available": 1])
            #expect(sent[1].json?["mtokenOperationResult"] == "operation.canceled")
            let shown = try JWT(try #require(sent[0].header("authorization")?.split(separator: " ").last))
            #expect(shown.kid == "KEY" && shown.string("iss") == "TEAM")
            #expect(sent[0].header("authorization") == sent[1].header("authorization"))
        }
    }

    @Test("Android gets strings, and title and body in the language that each phone asked for, both or neither")
    func android() async throws {
        let key = try _RSA.Signing.PrivateKey(keySize: .bits2048).pkcs8PEMRepresentation, server = Self.server()
        let account: JSONValue = [
            "account": [
                "project_id": "p1", "client_email": "push@p1.example", "private_key": .string(key),
                "token_uri": "https://elsewhere.example/token",
            ]
        ]
        try await OperationsBank.with { bank in
            try await set(bank, "fcm", account)
            try await register(try await bank.phone(), "android", token: "one", language: "cs;q=0.9, de;q=0.1")
            try await register(try await bank.phone(), "fcm", token: "two")
            let pushes = try await sender(bank, server), order = try await bank.order()
            try await pushes.sendDue()
            try await bank.cancel(order)
            try await pushes.sendDue()

            let sent = server.requests.filter { $0.url.hasSuffix("/v1/projects/p1/messages:send") }
                .compactMap { $0.json?["message"] }
            #expect(sent.count == 4)
            // An owner's file says no address that this server asks.
            #expect(!server.requests.contains { $0.url.contains("elsewhere") })
            let began = sent.filter { $0["data"]?["messageType"] == "mtoken.operationInit" }
            let titles = Dictionary(
                uniqueKeysWithValues: began.map { ($0["token"]?.string, $0["notification"]?["title"]?.string) })
            #expect(titles == ["one": "Platba", "two": "Payment"])
            #expect(began.allSatisfy { $0["notification"]?["body"]?.string?.isEmpty == false })
            let finished = sent.filter { $0["data"]?["messageType"] == "mtoken.operationFinished" }
            #expect(finished.count == 2 && finished.allSatisfy { $0["notification"] == nil })
            #expect(sent.allSatisfy { ($0["data"]?.object?.members ?? []).allSatisfy { $0.value.string != nil } })
        }
    }

    @Test("a phone of Huawei is reached with a token for the app's credentials, one for many")
    func huawei() async throws {
        let server = Self.server { _ in Self.coded("80000000") }
        try await OperationsBank.with { bank in
            try await set(bank, "hms", Self.hms)
            try await register(try await bank.phone(), "huawei", token: "device-1")
            let pushes = try await sender(bank, server), order = try await bank.order()
            try await pushes.sendDue()
            try await bank.cancel(order)
            try await pushes.sendDue()

            let asked = server.requests.filter { $0.url == "https://oauth-login.cloud.huawei.com/oauth2/v3/token" }
            let sent = server.requests.filter { $0.url == "https://push-api.cloud.huawei.com/v1/100/messages:send" }
            #expect(asked.count == 1 && sent.count == 2 && server.requests.count == 3)
            #expect(
                asked.first.map { String(decoding: $0.body, as: UTF8.self) }
                    == "grant_type=client_credentials&client_id=100&client_secret=geheim")
            #expect(sent.allSatisfy { $0.header("authorization") == "Bearer bearer-1" })
            let message = try #require(sent.first?.json?["message"]), data = try #require(message["data"]?.string)
            #expect(message["token"] == ["device-1"] && message["notification"]?["title"] == "Payment")
            #expect(message["android"]?["notification"]?["click_action"]?["type"] == 3)
            #expect(try JSONReader.read(Array(data.utf8))["operationId"]?.string == order.id)
            #expect(sent.last?.json?["message"]?["notification"] == nil)
            let left: Int = try await bank.database.value("select count(*) from phone_push")
            #expect(left == 0)
        }
    }

    @Test("what a server of the version before stores leaves the registration that had the address")
    func before() async throws {
        try await OperationsBank.with(pushes: true) { bank in
            let phone = try await bank.phone()
            try await register(phone, "fcm", token: "one")
            _ = try await bank.phone()

            let changed = try await bank.database.execute(
                """
                update phone_registration set push_platform = 'fcm', push_token = 'one', push_environment = null
                where push_token is null
                """)

            let left: Int = try await bank.database.value(
                "select count(*) from phone_registration where push_token = 'one' and push_language is null")
            let all: Int = try await bank.database.value("select count(*) from phone_registration")
            #expect(changed == 1 && left == 1 && all == 2)
        }
    }

    @Test(
        "what Huawei answers: sent, gone, tried again with another token, tried again, given up; without its words",
        arguments: [
            (coded("80000000"), .delivered), (coded("80300007"), .addressGone),
            (coded("80200003"), .later("HMS: status 200 80200003")),
            (coded("80200001", 401), .later("HMS: status 401 80200001")),
            (coded("81000001"), .later("HMS: status 200 81000001")), (coded("", 503), .later("HMS: status 503")),
            (coded("80300002"), .refused("HMS: status 200 80300002")),
            (coded("80100001", 400), .refused("HMS: status 400 80100001")),
            (PushHTTP.Answer(status: 200, body: Array("<html>".utf8)), .later("HMS: status 200")),
            (coded("device-1 is no token"), .later("HMS: status 200")),
        ] as [(PushHTTP.Answer, PushResult)])
    func answers(answer: PushHTTP.Answer, expected: PushResult) async throws {
        let server = Self.server { _ in answer }, time = SettableClock(Date(timeIntervalSince1970: 1_800_000_000))
        let sender = HMSSender(
            .init(appID: "100"), secret: SecretBytes("geheim".utf8), http: server.http, clock: time.clock)
        let message = HMSNotification(
            address: "device-1", data: ["a": "b"], expiresAt: time.now.addingTimeInterval(60))

        let result = try await sender.deliver(message)
        _ = try await sender.deliver(message)

        let isRenewed = [401].contains(answer.status) || answer.json?["code"] == "80200003"
        #expect(result == expected)
        #expect(server.requests.count(where: { $0.url.hasSuffix("/token") }) == (isRenewed ? 2 : 1))
    }

    @Test("an address that is gone is forgotten, and without a way to the phones nothing is written")
    func gone() async throws {
        let server = FakePushServer { _, _ in
            PushHTTP.Answer(status: 410, body: Array(#"{"reason":"Unregistered"}"#.utf8))
        }
        try await OperationsBank.with { bank in
            try await register(try await bank.phone(), "ios")
            _ = try await bank.order()
            let none: Int = try await bank.database.value("select count(*) from phone_push")
            try await set(bank, "apns", Self.apns)
            _ = try await bank.order()
            try await sender(bank, server).sendDue()

            let left: Int = try await bank.database.value(
                "select count(*) from phone_registration where push_token is not null")
            #expect(none == 0 && server.requests.count == 1 && left == 0)
        }
    }

    @Test("the settings' credentials are the server's own app's alone")
    func settings() async throws {
        let server = Self.server()
        let own = try PushCredentials(.apns, Self.apns)
        try await OperationsBank.with(pushes: true) { bank in
            try await register(try await bank.phone(), "ios")
            _ = try await bank.order()
            try await sender(bank, server, own: [own]).sendDue()
            let push = PhonePush(
                platform: "apns", token: "00", environment: nil, title: nil, body: nil, payload: [:],
                expiresAt: bank.time.now, credentials: nil, isOfServer: true)
            let delivered = try await sender(bank, server, own: [own]).delivery.deliver(push)

            #expect(server.requests.map(\.url) == ["https://api.push.apple.com/3/device/00"])
            #expect(delivered == .delivered)
        }
    }
}
