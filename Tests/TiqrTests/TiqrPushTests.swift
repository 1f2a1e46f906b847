import Base
import Crypto
import Database
import Foundation
import Keys
import Push
import TestSupport
import Testing
import Tiqr

@Suite("backoffice.md: pushes of tiqr")
struct TiqrPushTests {
    private static let device = String(repeating: "AB", count: 32)

    private static let signing = P256.Signing.PrivateKey()

    private static func key() async throws -> ProviderKey {
        try await ProviderKey(pem: SecretBytes(signing.pemRepresentation.utf8), algorithm: .es256)
    }

    private static func apns(_ server: FakePushServer, _ clock: WallClock) async throws -> APNsSender {
        APNsSender(
            .init(endpoint: "https://apns.example", teamID: "TEAM", keyID: "KEY", topic: "org.example.tiqr"),
            key: try await key(), http: server.http,
            clock: clock)
    }

    private static func fcm(_ server: FakePushServer, _ clock: WallClock) async throws -> FCMSender {
        FCMSender(
            .init(
                endpoint: "https://fcm.example", project: "p1", clientEmail: "push@p1.example",
                tokenURL: "https://oauth.example/token"), key: try await key(),
            http: server.http, clock: clock)
    }

    private func sender(_ fixture: TiqrFixture) -> PushSender { PushSender(fixture.service, logger: .quiet) }

    private func waiting(_ fixture: TiqrFixture) async throws -> Int {
        try await fixture.database.value("select count(*) from tiqr_push")
    }

    @Test("a push to an iPhone is the link of the QR code, sent once, with a token signed for the team")
    func iPhone() async throws {
        let server = FakePushServer()
        try await TiqrFixture.with(routes: { PushRoutes(apns: try await Self.apns(server, $0)) }) { fixture in
            let phone = try await fixture.enroll(push: ("APNS_DIRECT", Self.device))
            let started = try await fixture.challenge(phone, push: true)
            #expect(started.push == .queued && server.requests.isEmpty)

            try await sender(fixture).sendDue()
            try await sender(fixture).sendDue()

            let request = try #require(server.requests.first)
            #expect(server.requests.count == 1)
            #expect(request.url == "https://apns.example/3/device/" + Self.device.lowercased())
            #expect(request.header("apns-topic") == "org.example.tiqr" && request.header("apns-push-type") == "alert")
            #expect(request.json?["challenge"]?.string == started.authURL)
            #expect(request.json?["authenticationTimeout"]?.integer == 180)
            #expect(request.json?["aps"]?["alert"]?["body"]?.string == "Please authenticate for Example")
            let token = try JWT(try #require(request.header("authorization")?.split(separator: " ").last))
            #expect(token.algorithm == "ES256" && token.kid == "KEY" && token.string("iss") == "TEAM")
            let point = [UInt8](Self.signing.publicKey.rawRepresentation)
            let verifier = try await JSONWebKey([
                "kty": "EC", "crv": "P-256", "x": .string(Base64URL.encode(point[..<32])),
                "y": .string(Base64URL.encode(point[32...])),
            ])
            #expect(token.isSigned(by: verifier))
            #expect(!request.body.isEmpty && !String(decoding: request.body, as: UTF8.self).contains(started.view.id))
            let left = try await waiting(fixture)
            #expect(left == 0)
        }
    }

    @Test("a push to Android is data only, all strings, with one bearer token for many")
    func android() async throws {
        let server = FakePushServer { request, _ in
            PushHTTP.Answer(
                status: 200,
                body: request.url.hasSuffix("/token")
                    ? Array(#"{"access_token":"bearer-1","expires_in":3600}"#.utf8) : [])
        }
        try await TiqrFixture.with(routes: { PushRoutes(fcm: try await Self.fcm(server, $0)) }) { fixture in
            let phone = try await fixture.enroll(push: ("FCM_DIRECT", "device-1"))
            let first = try await fixture.challenge(phone, push: true)
            try await sender(fixture).sendDue()
            _ = try await fixture.challenge(phone, push: true)
            try await sender(fixture).sendDue()

            let sent = server.requests.filter { $0.url == "https://fcm.example/v1/projects/p1/messages:send" }
            #expect(sent.count == 2 && server.requests.count == 3)
            #expect(sent.first?.header("authorization") == "Bearer bearer-1")
            let message = try #require(sent.first?.json?["message"])
            #expect(message["token"]?.string == "device-1" && message["notification"] == nil)
            #expect(message["data"]?["challenge"]?.string == first.authURL)
            let values = message["data"]?.object?.members.map(\.value) ?? []
            #expect(!values.isEmpty && values.allSatisfy { $0.string != nil })
        }
    }

    @Test(
        "an address that is gone is forgotten, and QR codes go on",
        arguments: [(410, "Unregistered"), (410, "ExpiredToken"), (400, "BadDeviceToken")])
    func gone(status: Int, reason: String) async throws {
        let server = FakePushServer { _, _ in
            PushHTTP.Answer(status: status, body: Array("{\"reason\":\"\(reason)\"}".utf8))
        }
        try await TiqrFixture.with(routes: { PushRoutes(apns: try await Self.apns(server, $0)) }) { fixture in
            let phone = try await fixture.enroll(push: ("APNS_DIRECT", Self.device)),
                started = try await fixture.challenge(phone, push: true)
            try await sender(fixture).sendDue()

            let identity = try await fixture.service.identity(phone.identity, for: TiqrFixture.shop)
            let again = try await fixture.challenge(phone, push: true)
            let answer = try await fixture.send(try phone.right(started), phone, to: started)

            #expect(!identity.push)
            #expect(again.push == .noAddress)
            #expect(answer == .authenticated)
        }
    }

    @Test(
        "an answer that is about more than the address forgets none, and is not asked for again",
        arguments: [(400, "DeviceTokenNotForTopic"), (410, ""), (400, "BadTopic"), (404, "BadPath")])
    func kept(status: Int, reason: String) async throws {
        let server = FakePushServer { _, _ in
            PushHTTP.Answer(status: status, body: Array("{\"reason\":\"\(reason)\"}".utf8))
        }
        try await TiqrFixture.with(routes: { PushRoutes(apns: try await Self.apns(server, $0)) }) { fixture in
            let phone = try await fixture.enroll(push: ("APNS_DIRECT", Self.device))
            _ = try await fixture.challenge(phone, push: true)
            try await sender(fixture).sendDue()
            fixture.time.advance(3)
            try await sender(fixture).sendDue()
            let identity = try await fixture.service.identity(phone.identity, for: TiqrFixture.shop)

            #expect(identity.push && server.requests.count == 1)
        }
    }

    @Test("an exchange that is not there forgets no address, nor does a page of it; one that knows no token does")
    func exchangeAway() async throws {
        let device = Self.device
        let answers: [(Int, String, Bool)] = [
            (404, "404 page not found", true), (200, "<h1>Not found</h1>", true), (200, "error: not found", true),
            (200, "NOT FOUND", false), (200, device, true),
        ]
        for (status, text, isKept) in answers {
            let server = FakePushServer { request, _ in
                request.method == "GET"
                    ? PushHTTP.Answer(status: status, body: Array(text.utf8)) : PushHTTP.Answer(status: 200, body: [])
            }
            try await TiqrFixture.with(routes: { clock in
                PushRoutes(
                    apns: try await Self.apns(server, clock),
                    exchange: TokenExchange(url: "https://tx.example/tokenexchange/", http: server.http))
            }) { fixture in
                let phone = try await fixture.enroll(push: ("APNS", "pseudo"))
                _ = try await fixture.challenge(phone, push: true)
                try await sender(fixture).sendDue()
                let identity = try await fixture.service.identity(phone.identity, for: TiqrFixture.shop)

                #expect(identity.push == isKept, "\(status) \(text)")
            }
        }
    }

    @Test("a pseudo token is exchanged for the device's")
    func exchange() async throws {
        let device = Self.device
        let server = FakePushServer { request, _ in
            PushHTTP.Answer(status: 200, body: request.method == "GET" ? Array(device.utf8) : [])
        }
        try await TiqrFixture.with(routes: { clock in
            PushRoutes(
                apns: try await Self.apns(server, clock),
                exchange: TokenExchange(url: "https://tx.example/tokenexchange/", http: server.http))
        }) { fixture in
            let phone = try await fixture.enroll(push: ("APNS", "pseudo&1"))
            _ = try await fixture.challenge(phone, push: true)

            try await sender(fixture).sendDue()

            #expect(
                server.requests.map(\.url) == [
                    "https://tx.example/tokenexchange/?appId=tiqr&notificationToken=pseudo%261",
                    "https://apns.example/3/device/" + Self.device.lowercased(),
                ])
        }
    }

    @Test("other types go to the webhook, signed over id, time and body")
    func webhook() async throws {
        let server = FakePushServer(), secret = SecretBytes([UInt8](repeating: 9, count: 32))
        try await TiqrFixture.with(routes: {
            PushRoutes(webhook: PushWebhook(url: "https://hook.example/", secret: secret, http: server.http, clock: $0))
        }) { fixture in
            let phone = try await fixture.enroll(push: ("SOMETHING_NEW", "address-1")),
                started = try await fixture.challenge(phone, push: true)

            try await sender(fixture).sendDue()

            let request = try #require(server.requests.first), data = try #require(request.json?["data"])
            #expect(data["notification_address"]?.string == "address-1" && data["challenge"]?.string == started.authURL)
            let signed = [
                request.header("webhook-id"), request.header("webhook-timestamp"),
                String(decoding: request.body, as: UTF8.self),
            ].compactMap { $0 }
            let expected = Data(Base.Digest.hmac(key: secret, signed.joined(separator: ".").utf8)).base64EncodedString()
            #expect(request.header("webhook-signature") == "v1," + expected)
        }
    }

    @Test("a push that fails is tried again, later, until the authentication is over")
    func retried() async throws {
        let server = FakePushServer { _, number in PushHTTP.Answer(status: number == 1 ? 503 : 200, body: []) }
        try await TiqrFixture.with(routes: { PushRoutes(apns: try await Self.apns(server, $0)) }) { fixture in
            let phone = try await fixture.enroll(push: ("APNS_DIRECT", Self.device))
            _ = try await fixture.challenge(phone, push: true)
            try await sender(fixture).sendDue()
            try await sender(fixture).sendDue()
            #expect(server.requests.count == 1)

            fixture.time.advance(3)
            try await sender(fixture).sendDue()

            #expect(server.requests.count == 2)
            let left = try await waiting(fixture)
            #expect(left == 0)
        }
    }

    @Test("of eight workers at once one sends; nothing is sent for what was answered, cancelled or has expired")
    func workers() async throws {
        let server = FakePushServer()
        try await TiqrFixture.with(routes: { PushRoutes(apns: try await Self.apns(server, $0)) }) { fixture in
            let phone = try await fixture.enroll(push: ("APNS_DIRECT", Self.device))
            _ = try await fixture.challenge(phone, push: true)
            _ = try await crowd(8) { _ in try await PushSender(fixture.service, logger: .quiet).sendDue() }
            #expect(server.requests.count == 1)

            let cancelled = try await fixture.challenge(phone, push: true)
            try await fixture.service.cancelAuthentication(cancelled.view.id, for: TiqrFixture.shop)
            _ = try await fixture.challenge(phone, expiresIn: 1, push: true)
            fixture.time.advance(1)
            try await sender(fixture).sendDue()

            #expect(server.requests.count == 1)
        }
    }

    @Test("without sender a push is none, without address or identity it has none")
    func outcomes() async throws {
        try await TiqrFixture.with { fixture in
            let bare = try await fixture.enroll(), reachable = try await fixture.enroll(push: ("FCM", "x"))
            let outcomes = [
                try await fixture.challenge(bare, push: true).push, try await fixture.challenge(nil, push: true).push,
                try await fixture.challenge(reachable, push: true).push, try await fixture.challenge(reachable).push,
            ]

            #expect(outcomes == [.noAddress, .noAddress, .none, .none])
        }
    }
}
