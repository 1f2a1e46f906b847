import Base
import Foundation
import TestSupport
import Testing

@testable import Liquid
@testable import SocketIO

@Suite("Signalling: limits, and HTTP long-polling at the hub")
struct HubLimitTests {
    private static func sid(_ reply: EngineReply) throws -> String {
        try SignallingScene.sid(reply)
    }

    private static func refusal(
        _ hub: SignallingHub, sid: String? = nil, _ presented: SignallingSession
    ) async -> EngineReply? {
        let made = await hub.connect(sid: sid, presented, writer: SocketWriter(send: { _ in true }, close: {}))
        return if case .failure(let failure) = made { failure.reply } else { nil }
    }

    @Test(
        "a process, and an address, have so many sockets, and places that are left are free again",
        arguments: ["process", "address"])
    func places(what: String) async throws {
        var limits = SignallingLimits()
        if what == "process" { limits.maxSockets = 2 } else { limits.maxSocketsPerAddress = 2 }
        try await SignallingScene.with(limits: limits) { scene in
            let (one, two, three) = (
                try await scene.presented(), try await scene.presented(), try await scene.presented()
            )
            let first = try await scene.socket(one)
            _ = try await scene.socket(two)
            let presented = scene.service.signallingSession(three, page: nil), polled = await scene.hub.open(presented),
                refused = await Self.refusal(scene.hub, presented)
            #expect(polled == .full && refused == .full && scene.hub.count == 2)
            let elsewhere = try await scene.presented(from: "192.0.2.77"),
                other = await scene.hub.open(scene.service.signallingSession(elsewhere, page: nil))
            #expect((other == .full) == (what == "process"))
            await first.leave()
            if what != "process" { #expect(scene.hub.count == 2) }
            let again = await scene.hub.open(presented)
            _ = try Self.sid(again)
        }
    }

    @Test("a session that has all its sockets loses the oldest to a new one")
    func oldest() async throws {
        var limits = SignallingLimits()
        limits.maxSocketsPerSession = 2
        try await SignallingScene.with(limits: limits) { scene in
            let presented = try await scene.presented(), first = try await scene.socket(presented),
                second = try await scene.socket(presented)
            let third = try await scene.socket(presented)
            #expect(first.isClosed && !second.isClosed && !third.isClosed && scene.hub.count == 2)
        }
    }

    @Test(
        "sockets are counted by IPv4 address, mapped or not, and by the /64 of an IPv6 one",
        arguments: [
            ("192.0.2.1", "::ffff:192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false),
            ("2001:db8:0:1::1", "2001:db8:0:1:ffff::2", true),
            ("2001:db8:0:1::1", "2001:db8:0:2::1", false),
        ])
    func networks(one: String, other: String, isSame: Bool) async throws {
        var limits = SignallingLimits()
        limits.maxSocketsPerAddress = 1
        try await SignallingScene.with(limits: limits) { scene in
            _ = try await scene.socket(try await scene.presented(from: one))
            let presented = try await scene.presented(from: other),
                reply = await scene.hub.open(scene.service.signallingSession(presented, page: nil))
            #expect((reply == .full) == isSame)
        }
    }

    @Test("every frame costs, also one that is never looked at", arguments: ["3", "6", #"42["presence",{}]"#, "large"])
    func everyFrame(frame: String) async throws {
        var limits = SignallingLimits()
        (limits.eventBurst, limits.eventRate, limits.maxRelayed) = (10, 1, 1_000)
        try await SignallingScene.with(limits: limits) { scene in
            let socket = try await scene.socket(),
                sent = frame == "large" ? #"42["x",""# + String(repeating: "x", count: 1_000) + #""]"# : frame
            for _ in 0..<9 { await socket.say(sent) }
            #expect(!socket.isClosed)
            await socket.say(sent)
            #expect(socket.isClosed && socket.packets.last == "41" && scene.hub.count == 0)
        }
    }

    @Test("bytes cost, and come back with time; a frame of more than the bucket passes when it is full")
    func bytes() async throws {
        var limits = SignallingLimits()
        (limits.byteBurst, limits.byteRate) = (1_000, 100)
        try await SignallingScene.with(limits: limits) { scene in
            let socket = try await scene.socket(), large = #"42["x",""# + String(repeating: "x", count: 2_000) + #""]"#
            scene.tree.time.advance(1)
            await socket.say(large)
            #expect(!socket.isClosed)
            scene.tree.time.advance(12)
            await socket.say("3")
            #expect(!socket.isClosed)
            await socket.say(#"42["x",""# + String(repeating: "x", count: 900) + #""]"#)
            #expect(socket.isClosed && scene.hub.count == 0)
        }
    }

    @Test("a POST costs by its packets before it is read, and whoever sends too many is out")
    func postedFlood() async throws {
        var limits = SignallingLimits()
        (limits.eventBurst, limits.eventRate) = (10, 1)
        try await SignallingScene.with(limits: limits) { scene in
            let sid = try Self.sid(
                await scene.hub.open(scene.service.signallingSession(try await scene.presented(), page: nil)))
            let six = Array(Array(repeating: "6", count: 6).joined(separator: "\u{1E}").utf8)
            let first = await scene.hub.post(sid: sid, six), second = await scene.hub.post(sid: sid, six)
            #expect(
                first == .taken && second == .refused(.unknownSession) && scene.hub.count == 0
                    && !scene.hub.knows(sid: sid))
        }
    }

    @Test("when too much waits for all together, the socket for which most waits goes")
    func waitingOfAll() async throws {
        var limits = SignallingLimits()
        limits.maxWaitingOfAll = 80
        try await SignallingScene.with(limits: limits) { scene in
            let hub = scene.hub
            let little = try Self.sid(
                await hub.open(scene.service.signallingSession(try await scene.presented(), page: nil)))
            let much = try Self.sid(
                await hub.open(scene.service.signallingSession(try await scene.presented(), page: nil)))
            for sid in [little, much] { _ = await hub.post(sid: sid, Array("40".utf8)) }
            let before = hub.locked { $0.waitingBytes }
            #expect(hub.count == 2 && before > 0)
            _ = await hub.post(sid: much, Array("40/x".utf8))
            #expect(hub.count == 1 && hub.knows(sid: little))
            let polled = await hub.poll(sid: little), after = hub.locked { $0.waitingBytes }
            guard case .payload(let text) = polled else { throw EnginePacket.Malformed() }
            #expect(text.hasPrefix("40{") && after == 0)
        }
    }

    @Test("who says too much at once is sent away, and does not come back by itself")
    func flood() async throws {
        var limits = SignallingLimits()
        (limits.eventBurst, limits.eventRate) = (10, 1)
        try await SignallingScene.with(limits: limits) { scene in
            let socket = try await scene.socket()
            for _ in 0..<9 { await socket.emit("presence", [:]) }
            #expect(!socket.isClosed)
            scene.tree.time.advance(1)
            await socket.emit("presence", [:])
            #expect(!socket.isClosed)
            await socket.say("431[]")
            #expect(socket.isClosed && socket.packets.last == "41" && scene.hub.count == 0)
        }
    }

    @Test("who asks to be linked too often is sent away; where an address does so together, each waits for its turn")
    func linkFlood() async throws {
        var limits = SignallingLimits()
        (limits.linkBurst, limits.addressLinkBurst, limits.addressLinkRate) = (3, 4, 1)
        try await SignallingScene.with(limits: limits) { scene in
            let socket = try await scene.socket(), other = try await scene.socket()
            for count in 1...3 {
                await socket.link(SignallingScene.request(), 1)
                try await SignallingScene.eventually("each is dealt with") { try await scene.rows() == count }
            }
            await socket.link(SignallingScene.request(), 1)
            try await SignallingScene.eventually("it is sent away") { socket.isClosed }
            #expect(socket.packets.last == "41")
            await other.link(SignallingScene.request(), 1)
            try await SignallingScene.eventually("the first is dealt with") { try await scene.rows() == 4 }
            let stale = SignallingScene.request(), shown = SignallingScene.request()
            await other.link(stale, 2)
            let isWaiting = scene.hub.locked { $0.sockets.values.contains { $0.isWorking } }
            #expect(isWaiting && !other.isClosed)
            // The page shows another code by now: nobody waits for the one before.
            await other.link(shown, 3)
            scene.tree.time.advance(1)
            try await SignallingScene.eventually("the last has its turn") { try await scene.rows() == 5 }
            let rooms = scene.hub.locked { Set($0.rooms.keys) }
            #expect(!other.isClosed && rooms == Set([RequestID(shown)].compactMap(\.self)))
        }
    }

    @Test(
        "buckets fill again; what is in use is kept when others are forgotten, and beyond ten thousand one makes room")
    func buckets() {
        var table = BucketTable<String>(), now = Date(numericDate: 1_800_000_000)
        let taken = (0..<3).map { _ in table.take("a", burst: 2, rate: 0.1, at: now) }
        #expect(taken == [nil, nil, 10])
        now += 21
        _ = table.take("b", burst: 2, rate: 0.1, at: now)
        #expect(table.count == 1)
        now += 15
        _ = (0..<2).map { _ in table.take("busy", burst: 2, rate: 0.1, at: now) }
        now += 6
        let busy = table.take("busy", burst: 2, rate: 0.1, at: now)
        #expect(busy != nil && table.count == 1)
        for place in 0..<20_000 { _ = table.take("\(place)", burst: 2, rate: 0.1, at: now) }
        let new = table.take("new", burst: 2, rate: 0.1, at: now)
        #expect(new == nil && table.count == BucketTable<String>.most)
    }

    @Test("a client that cannot take what is sent is closed")
    func slowReader() async throws {
        try await SignallingScene.with { scene in
            let presented = scene.service.signallingSession(try await scene.presented(), page: nil),
                full = SocketWriter(send: { _ in false }, close: {})
            _ = await scene.hub.connect(sid: nil, presented, writer: full)
            #expect(scene.hub.count == 0)
        }
    }

    @Test("by long-polling: a poll waits until there is something, and one that is given up ends the session")
    func polling() async throws {
        try await SignallingScene.with { scene in
            let hub = scene.hub,
                sid = try Self.sid(
                    await hub.open(scene.service.signallingSession(try await scene.presented(), page: nil)))
            let poll = Task { await hub.poll(sid: sid) }
            try await SignallingScene.eventually("it waits") { hub.locked { !$0.carriers.isEmpty } }
            let posted = await hub.post(sid: sid, Array("40".utf8)), polled = await poll.value
            guard case .payload(let text) = polled else { throw EnginePacket.Malformed() }
            #expect(posted == .taken && text.hasPrefix(#"40{"sid":"#))
            let given = Task { await hub.poll(sid: sid) }
            try await SignallingScene.eventually("it waits") { hub.locked { !$0.carriers.isEmpty } }
            given.cancel()
            _ = await given.value
            let (next, late) = (await hub.poll(sid: sid), await hub.post(sid: sid, Array("3".utf8)))
            #expect(next == .refused(.unknownSession) && late == .refused(.unknownSession) && hub.count == 0)
        }
    }

    @Test("a task that is cancelled before it polls comes out, and ends the session")
    func cancelledBefore() async throws {
        try await SignallingScene.with { scene in
            let hub = scene.hub,
                sid = try Self.sid(
                    await hub.open(scene.service.signallingSession(try await scene.presented(), page: nil)))
            let poll = Task {
                while !Task.isCancelled { await Task.yield() }
                return await hub.poll(sid: sid)
            }
            poll.cancel()
            let reply = await poll.value
            #expect(reply == .refused(.unknownSession) && hub.count == 0)
        }
    }

    @Test("what names no session is refused, over HTTP and before the 101", arguments: ["nobody", ".", "a.b", ""])
    func unknown(sid: String) async throws {
        try await SignallingScene.with { scene in
            let presented = scene.service.signallingSession(try await scene.presented(), page: nil)
            let polled = await scene.hub.poll(sid: sid), posted = await scene.hub.post(sid: sid, Array("40".utf8))
            let refused = await Self.refusal(scene.hub, sid: sid, presented),
                unknown = EngineReply.refused(.unknownSession)
            #expect(polled == unknown && posted == unknown && refused == unknown)
        }
    }

    @Test("a WebSocket takes a polled session over; a second one, and one for a session that is over, is refused")
    func upgrade() async throws {
        try await SignallingScene.with { scene in
            let hub = scene.hub, presented = scene.service.signallingSession(try await scene.presented(), page: nil),
                sid = try Self.sid(await hub.open(presented))
            let socket = try await SoftSocket.open(hub, sid: sid, presented),
                second = await Self.refusal(hub, sid: sid, presented)
            await socket.say("2probe")
            await socket.say("5")
            try await socket.join()
            let third = await Self.refusal(hub, sid: sid, presented), polled = await hub.poll(sid: sid)
            #expect(
                second == .refused(.badRequest) && third == .refused(.badRequest) && polled == .refused(.badRequest)
                    && hub.count == 1)
            await socket.leave()
            let fourth = await Self.refusal(hub, sid: sid, presented)
            #expect(fourth == .refused(.unknownSession) && hub.count == 0)
        }
    }
}
