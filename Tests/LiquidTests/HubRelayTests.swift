import Base
import Foundation
import TestSupport
import Testing
import TokenTree

@testable import Liquid
@testable import Passkeys

@Suite("Signalling: relay, presence, the end of sessions")
struct HubRelayTests {
    /// Whoever hears the answer has heard all that came before it.
    private static func settle(_ socket: SoftSocket, _ number: Int) async throws {
        await socket.say("42\(number)" + #"["presence",{}]"#)
        _ = try await socket.heard { $0.hasPrefix("43\(number)[") }
    }

    @Test(
        """
        offers, answers and candidates go to the other side as they were written, in order, never back, and to \
        nobody else
        """
    )
    func relay() async throws {
        try await SignallingScene.with { scene in
            let (one, other) = (try await scene.couple(), try await scene.couple())
            let offer = #"42["offer-description",  {"sdp":"v=0\r\n","type":"offer"} ]"#
            await one.phone.say(offer)
            for place in 0..<20 {
                await one.phone.emit(
                    "offer-candidate", ["candidate": "c", "sdpMid": "0", "sdpMLineIndex": .integer(place)])
            }
            await one.page.emit("answer-description", "v=1")
            await one.page.emit("answer-candidate", ["candidate": "d"])
            try await Self.settle(one.page, 7)
            try await Self.settle(one.phone, 7)
            let places = one.page.events.dropFirst().compactMap {
                try? JSONReader.read(Array($0.utf8.dropFirst(2))).array?.last?["sdpMLineIndex"]?.integer
            }
            #expect(one.page.events.first == offer && places == Array(0..<20))
            #expect(
                one.phone.events == [#"42["answer-description","v=1"]"#, #"42["answer-candidate",{"candidate":"d"}]"#])
            #expect(other.page.events.isEmpty && other.phone.events.isEmpty)
        }
    }

    @Test("every socket of the other side hears it")
    func severalSockets() async throws {
        try await SignallingScene.with { scene in
            let couple = try await scene.couple(), second = try await scene.socket(cookie: couple.pageCookie)
            try await second.heardPresence { $0["deviceCount"] == 3 }
            await couple.phone.emit("offer-description", "v=0")
            for page in [couple.page, second] { _ = try await page.heard { $0 == #"42["offer-description","v=0"]"# } }
            await couple.page.emit("answer-description", "v=1")
            _ = try await couple.phone.heard { $0.hasPrefix(#"42["answer"#) }
            try await Self.settle(second, 7)
            #expect(second.events.count == 1)
        }
    }

    @Test("what is no description and no candidate is dropped, and so is everything of whoever is not linked")
    func dropped() async throws {
        var limits = SignallingLimits()
        limits.maxRelayed = 1_000
        try await SignallingScene.with(limits: limits) { scene in
            let couple = try await scene.couple(), stranger = try await scene.socket()
            let odd = [
                #"["offer-description"]"#, #"["offer-description",1]"#, #"["offer-description","a","b"]"#,
                #"["offer-candidate","a"]"#,
                #"["offer-candidate",null]"#, #"["link-response",{}]"#, #"["auth",{"wallet":"x"}]"#,
                #"["presence",{"online":true}]"#,
            ]
            for event in odd { await couple.phone.say("42" + event) }
            await couple.phone.emit("offer-description", .string(String(repeating: "x", count: 1_000)))
            await couple.phone.say(#"451-["offer-candidate",{"_placeholder":true,"num":0}]"#)
            await couple.phone.send(.binary([1]))
            await stranger.emit("offer-description", "stranger")
            await couple.phone.emit("offer-description", "last")
            _ = try await couple.page.heard { $0 == #"42["offer-description","last"]"# }
            #expect(couple.page.events.count == 1 && !couple.phone.isClosed)
        }
    }

    @Test("presence is of one's own room: asked about another, or without a room, there is no answer")
    func presence() async throws {
        try await SignallingScene.with { scene in
            let couple = try await scene.couple(), stranger = try await scene.socket(), asked = couple.request.text
            await couple.page.say(#"425["presence",{"requestId":\#(asked)}]"#)
            let answer = try await couple.page.heard { $0.hasPrefix("435[") }
            #expect(answer == #"435[{"requestId":\#(asked),"deviceCount":2,"online":true}]"#)
            await couple.page.say(#"426["presence",{"requestId":"00000000-0000-4000-8000-000000000000"}]"#)
            await stranger.say(#"426["presence",{"requestId":\#(asked)}]"#)
            try await Self.settle(couple.page, 7)
            #expect(!couple.page.packets.contains { $0.hasPrefix("436") } && stranger.packets.count == 1)
            await couple.phone.leave()
            try await couple.page.heardPresence { $0["online"] == false && $0["deviceCount"] == 1 }
        }
    }

    @Test("who comes back with a linked session is in its room again")
    func comesBack() async throws {
        try await SignallingScene.with { scene in
            let couple = try await scene.couple()
            await couple.page.leave()
            await couple.phone.leave()
            let page = try await scene.socket(cookie: couple.pageCookie),
                phone = try await scene.socket(cookie: couple.phoneCookie)
            try await page.heardPresence { $0["online"] == true }
            await phone.emit("offer-description", "again")
            _ = try await page.heard { $0 == #"42["offer-description","again"]"# }
        }
    }

    @Test("logging out takes the session's sockets out, and leaves the other side's")
    func logout() async throws {
        try await SignallingScene.with { scene in
            let couple = try await scene.couple(), phone = try await scene.presented(couple.phoneCookie)
            _ = try await scene.service.logOut(phone)
            #expect(couple.phone.isClosed && !couple.page.isClosed && !couple.phone.packets.contains("41"))
            try await couple.page.heardPresence { $0["online"] == false }
            await couple.page.emit("answer-description", "into the void")
            let back = try await scene.socket(cookie: couple.phoneCookie)
            await back.emit("offer-description", "nobody")
            try await Self.settle(couple.page, 7)
            #expect(couple.page.events.isEmpty && back.packets.count == 1)
        }
    }

    @Test("a beat closes what is over, was revoked without a word of it, or says nothing")
    func beats() async throws {
        try await SignallingScene.with { scene in
            let couple = try await scene.couple(), silent = try await scene.socket()
            var times = PeriodicTimes()
            await scene.hub.beat(&times)
            #expect(!couple.page.isClosed && !couple.phone.isClosed)
            try await scene.revocation.revoke(.virtual(Passkey.node(couple.wallet.authenticator.id)), by: .server)
            #expect(!couple.page.isClosed)
            scene.tree.time.advance(61)
            for socket in [couple.page, couple.phone, silent] { await socket.say("3") }
            await scene.hub.ask([couple.pageSession, couple.phoneSession])
            #expect(couple.page.isClosed && couple.phone.isClosed && !silent.isClosed)
            scene.hub.tick()
            scene.tree.time.advance(30)
            scene.hub.tick()
            #expect(silent.isClosed && scene.hub.count == 0)
        }
    }

    @Test("sessions with open sockets count as used")
    func noted() async throws {
        try await SignallingScene.with { scene in
            let couple = try await scene.couple(),
                before = try #require(try await scene.service.sessions.find(couple.phoneSession, in: scene.database))
            var times = PeriodicTimes()
            await scene.hub.beat(&times)
            scene.tree.time.advance(3_601)
            await scene.hub.beat(&times)
            let after = try #require(try await scene.service.sessions.find(couple.phoneSession, in: scene.database))
            #expect(after.lastSeen == scene.tree.time.now && after.lastSeen > before.lastSeen && !couple.phone.isClosed)
        }
    }
}
