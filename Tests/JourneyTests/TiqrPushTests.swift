import Base
import Crypto
import Foundation
import HTTPTypes
import Keys
import Push
import Synchronization
import TestSupport
import Testing
import Tiqr

@testable import Server

@Suite("tiqr: pushes, as the relying service sees them")
struct TiqrPushTests {
    /// What the webhook was sent.
    private final class Posts: Sendable {
        private let bodies = Mutex<[JSONValue]>([])

        var all: [JSONValue] { bodies.withLock { $0 } }

        var routes: PushRoutes {
            let http = PushHTTP { request in
                let body = (try? JSONReader.read(request.body)) ?? .null
                self.bodies.withLock { $0.append(body) }
                return PushHTTP.Answer(status: 204, body: [])
            }
            return PushRoutes(
                webhook: PushWebhook(
                    url: "https://push.example.org", secret: Randomness.system.secret(), http: http, clock: .system))
        }
    }

    private struct Away: Error {}

    @Test("a push is queued for whom there is an address, and carries the very link of the QR code")
    func queued() async throws {
        let posts = Posts()
        try await TestServer.with(options: TestServerOptions(pushes: posts.routes)) { server in
            let party = try await TiqrParty.movedIn(server), phone = TiqrPhone(server),
                identity = try await party.enroll(phone, ["external_id": "ada"])
            let mute = try await party.enroll(TiqrPhone(server, .android, push: nil))

            let started = try await party.startAuthentication(["identity": .string(identity.name), "push": true])
            let unheard = try await party.startAuthentication(["identity": .string(mute.name), "push": true])
            let anybody = try await party.startAuthentication(["push": true])
            try await PushSender(server.parts.tiqr, logger: .quiet).sendDue()

            #expect(started["push"] == "queued" && unheard["push"] == "no_address" && anybody["push"] == "no_address")
            let data = posts.all.first?["data"]
            #expect(
                posts.all.count == 1 && data?["challenge"] == .string(started.authURL) && data?["external_id"] == "ada"
                    && data?["notification_type"] == "APNS")
            #expect(try await phone.logsIn(data?["challenge"]?.string ?? "", identity))
        }
    }

    @Test("the page of metrics counts what came of pushes, those that nobody answered too")
    func counted() async throws {
        let registry = PrometheusRegistry(), number = Mutex(0)
        let http = PushHTTP { _ in
            let turn = number.withLock {
                $0 += 1
                return $0
            }
            guard turn < 3 else { throw Away() }
            return PushHTTP.Answer(status: turn == 1 ? 204 : 400, body: [])
        }
        let webhook = PushWebhook(
            url: "https://push.example.org", secret: Randomness.system.secret(), http: http, clock: .system)
        try await TestServer.with(options: TestServerOptions(pushes: PushRoutes(webhook: webhook))) { server in
            let party = try await TiqrParty.movedIn(server), identity = try await party.enroll(TiqrPhone(server))
            let sender = PushSender(
                server.parts.tiqr, logger: .quiet, metrics: PushMetrics(product: "tiqr", factory: registry))
            for _ in 0..<3 {
                _ = try await party.startAuthentication(["identity": .string(identity.name), "push": true])
                try await sender.sendDue()
            }

            let page = registry.page
            for outcome in ["delivered", "refused", "unanswered"] {
                #expect(
                    page.split(separator: "\n").contains {
                        $0.hasPrefix("pando_pushes_total{") && $0.contains("outcome=\"\(outcome)\"")
                            && $0.contains("product=\"tiqr\"") && $0.hasSuffix(" 1.0")
                    }, "\(outcome)")
            }
        }
    }

    /// Apple, Google and whoever takes the rest, all at one server that keeps what it is sent.
    private static func services(_ server: FakePushServer) async throws -> PushRoutes {
        let key = try await ProviderKey(
            pem: SecretBytes(P256.Signing.PrivateKey().pemRepresentation.utf8), algorithm: .es256)
        return PushRoutes(
            apns: APNsSender(
                .init(endpoint: "https://apns.example", teamID: "TEAM", keyID: "KEY", topic: "org.example.tiqr"),
                key: key, http: server.http, clock: .system),
            fcm: FCMSender(
                .init(
                    endpoint: "https://fcm.example", project: "p1", clientEmail: "push@p1.example",
                    tokenURL: "https://oauth.example/token"), key: key, http: server.http, clock: .system),
            webhook: PushWebhook(
                url: "https://push.example.org", secret: Randomness.system.secret(), http: server.http, clock: .system))
    }

    /// What the phone shows of it, whoever brings it.
    private static func words(_ request: PushHTTP.Request) -> String? {
        let json = request.json
        let text = json?["aps"]?["alert"]?["body"] ?? json?["message"]?["data"]?["text"] ?? json?["data"]?["text"]
        return text?.string
    }

    @Test(
        """
        every push service is given words in the language that the phone told last: the operator's where \
        `tiqr-texts` has some, else ours
        """,
        arguments: [
            ("APNS_DIRECT", String(repeating: "AB", count: 32)), ("FCM_DIRECT", "device-1"), ("OWN", "address-1"),
        ])
    func words(type: String, address: String) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "texts-\(UUID().uuidString)")
        try Data(#"{"fr":"Entrer chez {service}\u202f?","nl":"Inloggen bij {service}?"}"#.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let taker = FakePushServer { request, _ in
            PushHTTP.Answer(
                status: 200,
                body: request.url.hasSuffix("/token")
                    ? Array(#"{"access_token":"bearer-1","expires_in":3600}"#.utf8) : [])
        }
        var options = TestServerOptions(pushes: try await Self.services(taker))
        options.flags["tiqr-texts"] = file.path
        try await TestServer.with(options: options) { server in
            let party = try await TiqrParty.movedIn(server), phone = TiqrPhone(server, .android, push: (type, address))
            let pending = try await phone.readMetadata(try await party.startEnrollment().enrollURL)
            let enrolled = try await phone.register(pending, changes: ["language": "de_CH"])
            try #require(phone.saysYes(enrolled))
            let identity = pending.identity, sender = PushSender(server.parts.tiqr, logger: .quiet)
            /// What it reads; then it answers in a language of its own.
            func ask(then language: String) async throws -> String? {
                let started = try await party.startAuthentication([
                    "identity": .string(identity.name), "push": true, "service_provider": "Shop",
                ])
                try await sender.sendDue()
                let told = taker.requests.last.flatMap { Self.words($0) }
                let answer = try await phone.answer(started.authURL, identity, changes: ["language": language])
                try #require(phone.saysYes(answer))
                return told
            }

            let german = try await ask(then: "fr-CH"), french = try await ask(then: "nl"),
                dutch = try await ask(then: "sv"), swedish = try await ask(then: "en")

            #expect(german == "Bitte bestätigen Sie die Anmeldung bei Shop", "ours, for the operator has none")
            #expect(french == "Entrer chez Shop\u{202F}?", "the operator's, where we have some too")
            #expect(dutch == "Inloggen bij Shop?", "the operator's, where we have none")
            #expect(swedish == "Please authenticate for Shop", "nobody's language")
        }
    }

    @Test("where nothing reaches such a phone the answer says so, and the QR code works")
    func unreachable() async throws {
        try await TestServer.with { server in
            let party = try await TiqrParty.movedIn(server), phone = TiqrPhone(server),
                identity = try await party.enroll(phone)

            let started = try await party.startAuthentication(["identity": .string(identity.name), "push": true])

            #expect(started["push"] == "none")
            #expect(try await phone.logsIn(started.authURL, identity))
        }
    }
}
