import Base
import Database
import Foundation
import TestSupport
import Testing
import TokenTree

@testable import Liquid
@testable import Passkeys
@testable import SocketIO

@Suite("Signalling: two processes over one database")
struct HubReplicaTests {
    private static func opened(_ scene: SignallingScene) async throws -> (sid: String, presented: SignallingSession) {
        let presented = scene.service.signallingSession(try await scene.presented(), page: nil)
        return (try SignallingScene.sid(await scene.hub.open(presented)), presented)
    }

    @Test("a session of one is polled and written to at the other")
    func polling() async throws {
        try await SignallingScene.running { scene in
            let (sid, _) = try await Self.opened(scene), other = scene.services[1].signalling
            let poll = Task { await other.poll(sid: sid) }
            try await SignallingScene.eventually("it waits over there") { scene.hub.locked { !$0.guests.isEmpty } }
            let posted = await other.post(sid: sid, Array("40".utf8)), polled = await poll.value
            guard case .payload(let text) = polled else { throw EnginePacket.Malformed() }
            #expect(posted == .taken && text.hasPrefix(#"40{"sid":"#) && other.count == 0 && scene.hub.count == 1)
            let large = await other.post(sid: sid, [UInt8](repeating: 0x34, count: other.limits.socket.maxPayload + 1))
            let odd = await other.post(sid: sid, [0x34, 0xFF]), next = await other.poll(sid: sid)
            #expect(
                large == .tooLarge && odd == .refused(.badRequest) && next == .refused(.unknownSession)
                    && scene.hub.count == 0)
        }
    }

    @Test("a poll that is given up at the other ends the session")
    func givenUp() async throws {
        try await SignallingScene.running { scene in
            let (sid, _) = try await Self.opened(scene), other = scene.services[1].signalling,
                poll = Task { await other.poll(sid: sid) }
            try await SignallingScene.eventually("it waits over there") { scene.hub.locked { !$0.guests.isEmpty } }
            poll.cancel()
            _ = await poll.value
            try await SignallingScene.eventually("the session ends") { scene.hub.count == 0 }
            let left = other.locked { $0.carriers.count + $0.passing.count }
            #expect(left == 0)
        }
    }

    @Test("a session of one goes over to a WebSocket at the other")
    func upgrade() async throws {
        try await SignallingScene.running { scene in
            let (sid, presented) = try await Self.opened(scene), other = scene.services[1].signalling
            let socket = try await SoftSocket.open(other, sid: sid, presented)
            await socket.say("2probe")
            try await SignallingScene.eventually("it is answered") { socket.frames == [.text("3probe")] }
            let polled = await other.poll(sid: sid)
            #expect(polled == .payload("6"))
            await socket.say("5")
            try await socket.join()
            let second = try await SoftSocket.open(other, sid: sid, presented)
            try await SignallingScene.eventually("a second one is closed") { second.isClosed }
            #expect(!socket.isClosed)
            await socket.say("1")
            try await SignallingScene.eventually("it closes") { socket.isClosed && scene.hub.count == 0 }
        }
    }

    @Test("a page at one and a wallet at the other are linked, and hear one another in order, also what is long")
    func relay() async throws {
        try await SignallingScene.running { scene in
            let couple = try await scene.couple(pageAt: 0, walletAt: 1)
            try await couple.page.heardPresence { $0["online"] == true && $0["deviceCount"] == 2 }
            try await couple.phone.heardPresence { $0["online"] == true && $0["deviceCount"] == 2 }
            let long = String(repeating: "a=candidate:ü\r\n", count: 1_000)
            await couple.phone.emit("offer-description", .string(long))
            for place in 0..<10 { await couple.phone.emit("offer-candidate", ["sdpMLineIndex": .integer(place)]) }
            await couple.phone.emit("offer-description", "last")
            _ = try await couple.page.heard { $0 == #"42["offer-description","last"]"# }
            let events = try couple.page.events.map { try JSONReader.read(Array($0.utf8.dropFirst(2))).array ?? [] }
            #expect(events.count == 12 && events[0] == ["offer-description", .string(long)])
            #expect(events.dropFirst().dropLast().compactMap { $0.last?["sdpMLineIndex"]?.integer } == Array(0..<10))
            await couple.page.emit("answer-description", "v=1")
            _ = try await couple.phone.heard { $0 == #"42["answer-description","v=1"]"# }
            #expect(couple.phone.events.count == 1)
        }
    }

    @Test(
        "whatever revokes a session closes its sockets at once, at every process, though nobody else says so",
        arguments: ["session", "passkey", "epoch", "door"])
    func revocations(what: String) async throws {
        try await SignallingScene.running { scene in
            let couple = try await scene.couple(pageAt: 0, walletAt: 1),
                here = try await scene.socket(cookie: couple.phoneCookie, at: 0)
            switch what {
            case "session":
                try await scene.revocation.revoke(.virtual(LiquidSession.node(couple.phoneSession)), by: .server)
            case "passkey":
                try await scene.revocation.revoke(.virtual(Passkey.node(couple.wallet.authenticator.id)), by: .server)
            case "epoch": try await scene.revocation.revoke(.virtual(.epoch), by: .server)
            default: _ = try await scene.services[0].logOut(try await scene.presented(couple.phoneCookie))
            }
            try await SignallingScene.eventually("the wallet's sockets close") {
                couple.phone.isClosed && here.isClosed
            }
            let endsPage = what == "passkey" || what == "epoch"
            if endsPage { try await SignallingScene.eventually("the page's closes") { couple.page.isClosed } }
            #expect(couple.page.isClosed == endsPage)
        }
    }

    @Test("a revocation that is undone closes nothing")
    func rolledBack() async throws {
        try await SignallingScene.running { scene in
            let couple = try await scene.couple(pageAt: 0, walletAt: 1)
            _ = try await scene.database.rollingBack {
                try await scene.revocation.revoke(
                    .virtual(LiquidSession.node(couple.phoneSession)), by: .server, in: $0)
            }
            await couple.phone.emit("offer-description", "still here")
            _ = try await couple.page.heard { $0 == #"42["offer-description","still here"]"# }
            #expect(!couple.phone.isClosed)
        }
    }

    @Test("a login with a cookie that stood before closes its sockets at the other process too")
    func rotation() async throws {
        try await SignallingScene.running { scene in
            let before = try await scene.presented(), socket = try await scene.socket(before, at: 1)
            try await scene.register(SoftWallet(), SignallingScene.request(), at: 0, as: before)
            try await SignallingScene.eventually("it closes") { socket.isClosed }
        }
    }

    @Test("a process that is silent for long is forgotten, with what its clients had here and what was passed to it")
    func silence() async throws {
        try await SignallingScene.with(replicas: 2) { scene in
            let (one, two) = (scene.hub, scene.services[1].signalling),
                guest = SignallingCarrier.Guest(replica: two.bus.replica, number: 7)
            let (sid, presented) = try await Self.opened(scene)
            one.locked { state in
                state.hears()
                _ = state.heard(BusMessage(from: two.bus.replica, number: 1, to: nil, .hello(asks: false)))
                _ = state.heard(
                    BusMessage(
                        from: two.bus.replica, number: 2, to: one.bus.replica,
                        .home(number: guest.number, .poll(sid: sid))))
            }
            let (first, second) = two.locked { ($0.newSID(), $0.newSID()) }
            let passed = try await SoftSocket.open(one, sid: first, presented),
                poll = Task { await one.poll(sid: second) }
            try await SignallingScene.eventually("both wait") { one.locked { $0.passing.count == 2 } }
            scene.tree.time.advance(HubState.silence + 1)
            one.locked { $0.forgetSilent() }
            let reply = await poll.value,
                left = one.locked { $0.passing.count + $0.guests.count + $0.carriers.count + $0.replicas.count }
            #expect(reply == .refused(.unknownSession) && passed.isClosed && left == 0 && one.count == 0)
        }
    }

    /// One process that has heard another; nothing runs.
    private static func acquainted(
        limits: SignallingLimits = .standard, _ body: (SignallingScene, SignallingHub, String) async throws -> Void
    ) async throws {
        try await SignallingScene.with(replicas: 2, limits: limits) { scene in
            let one = scene.hub, other = scene.services[1].signalling.bus.replica
            one.locked { state in
                state.hears()
                _ = state.heard(BusMessage(from: other, number: 1, to: nil, .hello(asks: false)))
            }
            try await body(scene, one, other)
        }
    }

    @Test(
        "only ids that a process of this server gave out are passed on", arguments: ["made up", "changed", "genuine"])
    func passedOn(what: String) async throws {
        try await Self.acquainted { scene, one, other in
            let genuine = scene.services[1].signalling.locked { $0.newSID() },
                name = genuine.split(separator: ".").map(String.init)
            try #require(name.count == 3 && name[0] == other)
            let sid =
                switch what {
                case "made up": other + ".anything"
                case "changed": [name[0], String(name[1].reversed()), name[2]].joined(separator: ".")
                default: genuine
                }
            let isGenuine = what == "genuine",
                presented = scene.service.signallingSession(try await scene.presented(), page: nil)
            #expect(one.knows(sid: sid) == isGenuine)
            let made = await one.connect(sid: sid, presented, writer: SocketWriter(send: { _ in true }, close: {})),
                passing = one.locked { $0.passing.count }
            #expect(passing == (isGenuine ? 1 : 0))
            if case .failure(let failure) = made { #expect(!isGenuine && failure.reply == .refused(.unknownSession)) }
            guard !isGenuine else { return }
            let posted = await one.post(sid: sid, Array("40".utf8)), polled = await one.poll(sid: sid)
            #expect(posted == .refused(.unknownSession) && polled == .refused(.unknownSession))
        }
    }

    @Test("what is passed on costs where it comes in, and a socket that is passed on has to be answered in time")
    func passedFlood() async throws {
        var limits = SignallingLimits()
        (limits.eventBurst, limits.eventRate) = (3, 0.01)
        try await Self.acquainted(limits: limits) { scene, one, other in
            let presented = scene.service.signallingSession(try await scene.presented(), page: nil)
            let (first, second, third) = scene.services[1].signalling.locked { ($0.newSID(), $0.newSID(), $0.newSID()) }
            let flooding = try await SoftSocket.open(one, sid: first, presented)
            for _ in 0..<2 { await flooding.say("2probe") }
            #expect(!flooding.isClosed)
            await flooding.say("2probe")
            let left = one.locked { $0.passing.count }, tooMany = await one.post(sid: first, Array("3".utf8))
            #expect(flooding.isClosed && left == 0 && tooMany == .refused(.badRequest))

            let silent = try await SoftSocket.open(one, sid: second, presented),
                answered = try await SoftSocket.open(one, sid: third, presented)
            one.locked { state in
                guard let number = state.carriers.first(where: { $0.value.sid == third })?.key else { return }
                _ = state.heard(
                    BusMessage(
                        from: other, number: 2, to: one.bus.replica, .edge(number: number, .frame(.text("3probe")))))
            }
            scene.tree.time.advance(limits.socket.upgradeTimeout)
            one.locked { $0.forgetSilent() }
            #expect(silent.isClosed && !answered.isClosed && answered.frames == [.text("3probe")])
        }
    }

    @Test(
        """
        a hole in what is heard ends what goes through it: after a lost connection all of it, after a lost message \
        that of its sender
        """,
        arguments: [true, false])
    func holes(isAll: Bool) async throws {
        try await Self.acquainted { scene, one, other in
            let (sid, presented) = try await Self.opened(scene),
                theirs = scene.services[1].signalling.locked { $0.newSID() }
            let passed = try await SoftSocket.open(one, sid: theirs, presented)
            one.locked {
                _ = $0.heard(BusMessage(from: other, number: 2, to: one.bus.replica, .home(number: 7, .poll(sid: sid))))
            }
            let before = one.locked { $0.guests.count + $0.passing.count }
            one.locked { $0.misses("another") }
            let same = one.locked { $0.guests.count + $0.passing.count }
            #expect(before == 2 && same == 2 && !passed.isClosed)
            one.locked { if isAll { $0.hears() } else { $0.misses(other) } }
            let left = one.locked { $0.guests.count + $0.passing.count + $0.carriers.count }
            #expect(left == 0 && passed.isClosed && one.count == 0 && one.knows(scene.services[1].signalling))
            let gapped = one.locked { $0.takeGapped() }
            #expect(gapped == (isAll ? [] : [other]))
        }
    }

    @Test(
        """
        who lost a message asks its sender, all sessions and all links at the next beat, once, however many were \
        lost; with no room it does not ask the sender
        """
    )
    func asking() async throws {
        let request = try #require(RequestID(SignallingScene.request()))
        try await Self.acquainted { _, one, other in
            var found: [PeriodicWork] = []
            for hasRoom in [true, false] {
                one.locked { state in
                    state.rooms = hasRoom ? [request: SignallingRoom(since: state.now)] : [:]
                    var times = PeriodicTimes()
                    _ = times.duties(&state)
                    for _ in 0..<3 { state.misses(other) }
                    state.misses("another")
                    for _ in 0..<2 { found.append(times.duties(&state)) }
                    state.rooms = [:]
                }
            }
            #expect(found.map(\.asked) == [[other], [], [], []] && found.map(\.looksUp) == [true, false, true, false])
        }
    }

    @Test("a process that ends says so, and is forgotten at once")
    func farewell() async throws {
        try await SignallingScene.with(replicas: 2) { scene in
            let (one, two) = (scene.hub, scene.services[1].signalling),
                runs = [one, two].map { hub in Task { await hub.run() } }
            try await SignallingScene.eventually("they know one another") { one.knows(two) && two.knows(one) }
            let socket = try await scene.socket(try await scene.presented(), at: 1)
            runs[1].cancel()
            await runs[1].value
            #expect(socket.isClosed && two.count == 0)
            try await SignallingScene.eventually("it is forgotten") { !one.knows(two) }
            let late = await two.open(scene.service.signallingSession(try await scene.presented(), page: nil))
            #expect(late == .full)
            runs[0].cancel()
            await runs[0].value
        }
    }

    @Test("whom another has is told to one who asks, and nothing to one who comes with no room")
    func asked() async throws {
        try await Self.acquainted { scene, one, other in
            let came = one.locked { $0.heard(BusMessage(from: "third", number: 1, to: nil, .hello(asks: false))) }
            let asking = one.locked { $0.heard(BusMessage(from: other, number: 2, to: nil, .hello(asks: true))) }
            #expect(came.looksUp && !came.isAsked && asking.looksUp && asking.isAsked)
            let couple = try await scene.couple(), request = try #require(RequestID(couple.request)),
                peopled = one.locked { $0.peopled }
            #expect(peopled == [request])
            one.locked {
                _ = $0.heard(
                    BusMessage(from: other, number: 3, to: nil, .rooms([.init(request: request, page: 3, wallet: 0)])))
            }
            try await couple.phone.heardPresence { $0["deviceCount"] == 5 }
        }
    }

    @Test("while the bus is not heard nobody is forgotten")
    func deaf() async throws {
        try await SignallingScene.with(replicas: 2) { scene in
            let (one, two) = (scene.hub, scene.services[1].signalling)
            _ = one.locked { $0.heard(BusMessage(from: two.bus.replica, number: 1, to: nil, .hello(asks: true))) }
            scene.tree.time.advance(HubState.silence + 1)
            one.locked { $0.forgetSilent() }
            #expect(one.knows(two))
            one.locked { $0.hears() }
            one.locked { $0.forgetSilent() }
            #expect(one.knows(two))
        }
    }
}
