import Base
import Foundation
import HTTPTypes
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
