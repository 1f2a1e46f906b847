import Base
import Database
import Foundation
import Synchronization
import TestSupport
import Testing
import TokenTree

@testable import Liquid
@testable import SocketIO

/// The room as one process or more over one database, with a clock that stands still, and clients at its sockets.
struct SignallingScene: Sendable {
    let tree: TestTree
    /// One for each process; revocations of all are told by NOTIFY, as the server composes it.
    let services: [LiquidService]
    let revocation: Revocation
    let log: CapturedLog
    var service: LiquidService { services[0] }
    var hub: SignallingHub { services[0].signalling }
    var database: Database { tree.database }

    /// The session that a handshake opens.
    static func sid(_ reply: EngineReply) throws -> String {
        guard case .payload(let text) = reply, text.first == "0" else { throw EnginePacket.Malformed() }
        let sid = try JSONReader.read(Array(text.utf8.dropFirst()))["sid"]?.string
        return try #require(sid)
    }

    static func with(
        replicas: Int = 1, limits: SignallingLimits = .standard, _ body: (SignallingScene) async throws -> Void
    ) async throws {
        try await TestTree.with { tree in
            let sessionRevocations = SessionRevocations(clock: tree.time.clock), log = CapturedLog(),
                master = try MasterKey(SecretBytes([UInt8](repeating: 1, count: 32)))
            let revocation = Revocation(store: tree.store, ended: { try await sessionRevocations.ended($0, in: $1) }) {
                _, _, _ in
            }
            let services = (0..<replicas).map { _ in
                LiquidService(
                    store: tree.store, revocation: revocation, master: master, settings: LiquidFixture.settings,
                    limits: limits, clock: tree.time.clock,
                    randomness: .system, logger: log.logger)
            }
            try await body(SignallingScene(tree: tree, services: services, revocation: revocation, log: log))
        }
    }

    /// Two processes that hear one another, until `body` returns.
    static func running(
        limits: SignallingLimits = .standard, _ body: (SignallingScene) async throws -> Void
    ) async throws {
        try await with(replicas: 2, limits: limits) { scene in
            let (one, two) = (scene.services[0].signalling, scene.services[1].signalling)
            let tasks = [one, two].map { hub in Task { await hub.run() } }
            let result: Result<Void, any Error>
            do {
                try await SignallingScene.eventually("they know one another") { one.knows(two) && two.knows(one) }
                try await body(scene)
                result = .success(())
            } catch {
                result = .failure(error)
            }
            for task in tasks { task.cancel() }
            for task in tasks { await task.value }
            try result.get()
        }
    }

    /// Half a minute at most, for servers that have much to do.
    static func eventually(_ what: Comment, _ condition: () async throws -> Bool) async throws {
        for _ in 0..<3_000 {
            if try await condition() { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        Issue.record(what)
        throw EnginePacket.Malformed()
    }

    // MARK: People

    func presented(_ cookie: String? = nil, from address: String = "192.0.2.1") async throws -> PresentedSession {
        try await service.presented(cookie: cookie, device: "test", origin: address)
    }

    /// Joined, at one of the processes.
    func socket(_ presented: PresentedSession, at place: Int = 0) async throws -> SoftSocket {
        let socket = try await SoftSocket.open(
            services[place].signalling, services[place].signallingSession(presented, page: "https://page.example"))
        try await socket.join()
        return socket
    }

    func socket(cookie: String? = nil, at place: Int = 0) async throws -> SoftSocket {
        try await socket(try await presented(cookie), at: place)
    }

    /// A wallet that nobody knows yet answers for a request.
    @discardableResult
    func register(_ request: JSONValue) async throws -> EnteredUser { try await register(SoftWallet(), request) }

    @discardableResult
    func register(
        _ wallet: SoftWallet, _ request: JSONValue?, at place: Int = 0, as presented: PresentedSession? = nil
    ) async throws -> EnteredUser {
        let service = services[place]
        let somebody = if let presented { presented } else { try await self.presented() }
        let challenge = try await service.attestationOptions(["extensions": ["liquid": true]], for: somebody).raw(
            "challenge")
        return try await service.attest(
            try wallet.attestation(challenge) { if let request { $0["requestId"] = request } }, by: somebody)
    }

    func logIn(_ wallet: SoftWallet, _ request: JSONValue, at place: Int = 0) async throws -> EnteredUser {
        let service = services[place], somebody = try await presented()
        let challenge = try await service.assertionOptions(Base64URL.encode(wallet.authenticator.id), for: somebody)
            .raw("challenge")
        return try await service.assert(try wallet.assertion(challenge, ["requestId": request]), by: somebody)
    }

    /// A page and a wallet, linked, each with a socket.
    func couple(pageAt: Int = 0, walletAt: Int = 0) async throws -> Couple {
        let request = SignallingScene.request(), asking = try await presented(), wallet = SoftWallet(),
            cookie = try #require(asking.newCookie)
        let page = try await socket(asking, at: pageAt)
        await page.link(request, 1)
        try await SignallingScene.eventually("the page waits") { try await self.isWaiting(asking.id) }
        let entered = try await register(wallet, request, at: walletAt)
        _ = try await page.heard { $0.hasPrefix("431[") }
        let phone = try await socket(cookie: entered.cookie, at: walletAt)
        try await SignallingScene.eventually("the wallet is in the room") {
            services[walletAt].signalling.locked { state in
                state.sockets.values.contains {
                    $0.presented.session == entered.session && $0.room.flatMap { state.rooms[$0]?.link } != nil
                }
            }
        }
        return Couple(
            request: request, page: page, phone: phone, pageCookie: cookie, pageSession: asking.id,
            phoneCookie: entered.cookie, phoneSession: entered.session,
            wallet: wallet)
    }

    struct Couple: Sendable {
        let request: JSONValue
        let page: SoftSocket
        let phone: SoftSocket
        let pageCookie: String
        let pageSession: String
        let phoneCookie: String
        let phoneSession: String
        let wallet: SoftWallet
    }

    static func request() -> JSONValue { .string(UUID().uuidString.lowercased()) }

    func rows() async throws -> Int { try await database.value("select count(*) from signalling_link") }

    private func isWaiting(_ session: String) async throws -> Bool {
        try await database.value("select count(*) > 0 from signalling_link where linker = \(session)")
    }

    func wallet(of session: String) async throws -> String? {
        try await service.sessions.find(session, in: database)?.wallet
    }
}

extension SignallingHub {
    func knows(_ other: SignallingHub) -> Bool { locked { $0.replicas[other.bus.replica] != nil } }
}

/// A client at a WebSocket, that answers no pings.
final class SoftSocket: Sendable {
    private struct State {
        var frames: [EngineData] = []
        var isClosed = false
    }

    private let state = Mutex(State())
    private let connection = Mutex<SignallingConnection?>(nil)

    static func open(
        _ hub: SignallingHub, sid: String? = nil, _ presented: SignallingSession
    ) async throws -> SoftSocket {
        let socket = SoftSocket()
        let writer = SocketWriter(
            send: { data in
                socket.state.withLock { $0.frames.append(data) }
                return true
            }, close: { socket.state.withLock { $0.isClosed = true } })
        let made = try await hub.connect(sid: sid, presented, writer: writer).get()
        socket.connection.withLock { $0 = made }
        return socket
    }

    func send(_ data: EngineData) async { await connection.withLock { $0 }?.receive(data) }

    func say(_ packet: String) async { await send(.text(packet)) }

    func join() async throws {
        await say("40")
        _ = try await heard { $0.hasPrefix(#"40{"sid":"#) }
    }

    func link(_ request: JSONValue, _ acknowledgement: Int? = nil) async {
        let number = acknowledgement.map(String.init) ?? ""
        await say("42\(number)" + JSONValue.array(["link", ["requestId": request]]).text)
    }

    func emit(_ event: String, _ payload: JSONValue) async {
        await say("42" + JSONValue.array([.string(event), payload]).text)
    }

    /// The client goes.
    func leave() async { await connection.withLock { $0 }?.closed() }

    var frames: [EngineData] { state.withLock { $0.frames } }
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// The packets of Socket.IO that came, in order, but for presence.
    var packets: [String] {
        frames.compactMap { frame -> String? in
            guard case .text(let text) = frame, text.hasPrefix("4"), !text.hasPrefix(#"42["presence""#) else {
                return nil
            }
            return text
        }
    }

    /// Events without presence.
    var events: [String] { packets.filter { $0.hasPrefix("42") } }

    /// The first packet that is so; waits for it.
    func heard(_ isIt: (String) -> Bool) async throws -> String {
        var found: String?
        try await SignallingScene.eventually("a packet comes; so far \(frames)") {
            found = packets.first(where: isIt)
            return found != nil
        }
        return try #require(found)
    }

    func heardPresence(_ isIt: (JSONValue) -> Bool) async throws {
        try await SignallingScene.eventually("presence is told; so far \(frames)") {
            frames.contains { frame in
                guard case .text(let text) = frame, text.hasPrefix(#"42["presence","#),
                    let json = try? JSONReader.read(Array(text.utf8.dropFirst(2)))
                else {
                    return false
                }
                return json.array?.last.map(isIt) ?? false
            }
        }
    }
}
