import Base
import Foundation
import HTTPTypes
import Push
import Synchronization
import TestSupport
import Testing
import Tiqr

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
