import Base
import Foundation
import TestSupport
import Testing

@testable import Liquid
@testable import SocketIO

@Suite("Signalling: sockets of tokens and pairings at the hub")
struct HubAdmissionTests {
    private static let address = "192.0.2.1"

    private static func session(_ scene: SignallingScene, for seconds: TimeInterval) -> SignallingSession {
        SignallingSession(
            session: "token", isKept: false, origin: nil, address: address,
            until: scene.tree.time.clock.now() + seconds
        ) { _ in "token" }
    }

    /// A socket that shows nothing but what one side of a pairing keeps.
    private static func socket(_ scene: SignallingScene, of side: JSONValue?) async throws -> SoftSocket {
        let shown = PairingCredential(
            side?["pairingId"]?.string, role: side?["role"]?.string, credential: side?["credential"]?.string)
        let session = try await scene.service.signallingSession(shown, page: nil, address: address)
        let socket = try await SoftSocket.open(scene.hub, session)
        try await socket.join()
        return socket
    }

    /// Page and wallet are in the room, the latter by a session that `isWallets`.
    private static func together(
        _ scene: SignallingScene, _ isWallets: @escaping @Sendable (String) -> Bool
    ) async throws {
        try await SignallingScene.eventually("both sides are in the room") {
            scene.hub.locked { state in
                state.rooms.values.contains { room in
                    let sessions = room.sids.compactMap { state.sockets[$0]?.presented.session }
                    guard let link = room.link, sessions.count == 2 else { return false }
                    return isWallets(link.session) && Set(sessions) == [link.linker, link.session]
                }
            }
        }
    }

    @Test("a page that comes back by its pairing finds a wallet that knows of none, until the wallet shows its own")
    func plainWallet() async throws {
        try await SignallingScene.with { scene in
            let asking = try await scene.presented(),
                invited = try await scene.service.invite(Optional.none, by: asking, page: nil)
            let entered = try await scene.register(SoftWallet(), invited["pairingId"])
            let phone = try await scene.socket(cookie: entered.cookie), page = try await Self.socket(scene, of: invited)
            try await Self.together(scene) { $0 == entered.session }
            await phone.emit("offer-description", "v=0")
            _ = try await page.heard { $0.contains("v=0") }

            let paired = try await Self.socket(scene, of: entered.user["pairing"])
            try await Self.together(scene) { $0 != entered.session }
            await paired.emit("offer-description", "v=1")
            _ = try await page.heard { $0.contains("v=1") }
        }
    }

    @Test("a token that a CONNECT shows takes no second place at its address")
    func place() async throws {
        var limits = SignallingLimits()
        limits.maxSocketsPerAddress = 1
        try await SignallingScene.with(limits: limits) { scene in
            let own = Self.session(scene, for: 60), asking = try await scene.presented(from: Self.address)
            let opened = scene.service.signallingSession(asking, page: nil) { _ in .admitted(own) }
            let socket = try await SoftSocket.open(scene.hub, opened)
            await socket.say(#"40{"access_token":"x"}"#)
            _ = try await socket.heard { $0.hasPrefix(#"40{"sid":"#) }
            #expect(!socket.isClosed && scene.hub.count == 1)
            #expect(scene.hub.locked { $0.bySession["token"]?.count == 1 && $0.bySession[asking.id] == nil })
        }
    }

    @Test("an older token of a session, shown after a newer one, does not end it")
    func older() async throws {
        try await SignallingScene.with { scene in
            let now = scene.tree.time.clock.now()
            let newer = try await SoftSocket.open(scene.hub, Self.session(scene, for: 100)),
                older = try await SoftSocket.open(scene.hub, Self.session(scene, for: 10))
            scene.hub.locked { $0.closeExpired(at: now + 50) }
            #expect(!newer.isClosed && !older.isClosed)
            scene.hub.locked { $0.closeExpired(at: now + 100) }
            #expect(newer.isClosed && older.isClosed && scene.hub.count == 0)
        }
    }
}
