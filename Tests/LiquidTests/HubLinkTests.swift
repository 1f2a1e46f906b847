import Base
import Database
import Foundation
import TestSupport
import Testing
import TokenTree

@testable import Liquid

@Suite("Signalling: linking")
struct HubLinkTests {
    @Test("a page that waits is answered when a wallet names its request, and is logged in from then on")
    func linkThenLogin() async throws {
        try await SignallingScene.with { scene in
            let couple = try await scene.couple(), answer = try await couple.page.heard { $0.hasPrefix("431[") }
            let told = try JSONReader.read(Array(answer.utf8.dropFirst(3)))
            let passkey = Base64URL.encode(couple.wallet.authenticator.id)
            let data: JSONValue = [
                "credId": .string(passkey), "requestId": couple.request, "wallet": .string(couple.wallet.address),
            ]
            #expect(told == [["data": data]])
            let wallet = try await scene.wallet(of: couple.pageSession)
            #expect(wallet == couple.wallet.address)
        }
    }

    @Test("a number stays a number, and the text of it is another request")
    func types() async throws {
        try await SignallingScene.with { scene in
            let page = try await scene.socket(), other = try await scene.socket()
            await page.link(.number(0.6050027432326752), 1)
            await other.link("0.6050027432326752", 2)
            try await SignallingScene.eventually("one waits") { try await scene.rows() == 1 }
            try await scene.register(.number(0.6050027432326752))
            let answer = try await page.heard { $0.hasPrefix("431[") }
            #expect(answer.contains(#""requestId":0.6050027432326752,"#) && other.packets.count == 1)
        }
    }

    @Test("a link after the wallet's login is answered at once, within five minutes of it and not later")
    func loginThenLink() async throws {
        try await SignallingScene.with { scene in
            let (soon, late) = (SignallingScene.request(), SignallingScene.request())
            try await scene.register(soon)
            try await scene.register(late)
            let page = try await scene.socket()
            await page.link(soon, 1)
            _ = try await page.heard { $0.hasPrefix("431[") }
            scene.tree.time.advance(301)
            let another = try await scene.presented(), second = try await scene.socket(another)
            await second.link(late, 2)
            await second.link(SignallingScene.request(), 3)
            try await SignallingScene.eventually("what came after it is dealt with") { try await scene.rows() == 3 }
            let wallet = try await scene.wallet(of: another.id)
            #expect(wallet == nil && second.packets.count == 1)
        }
    }

    @Test("the first linker owns a request: another is never acknowledged, and neither logged in nor kept")
    func firstLinker() async throws {
        try await SignallingScene.with { scene in
            let request = SignallingScene.request(), page = try await scene.socket(),
                thief = try await scene.presented(),
                stranger = try await scene.socket(thief)
            await page.link(request, 1)
            try await SignallingScene.eventually("the page waits") { try await scene.rows() == 1 }
            await stranger.link(request, 1)
            try await SignallingScene.eventually("it is refused") {
                scene.hub.locked { $0.sockets.values.allSatisfy { !$0.isWorking } }
            }
            try await scene.register(request)
            _ = try await page.heard { $0.hasPrefix("431[") }
            let row = try await scene.service.sessions.find(thief.id, in: scene.database)
            #expect(row == nil && stranger.packets.count == 1)
            await stranger.link(request, 2)
            await stranger.link(SignallingScene.request(), 3)
            try await SignallingScene.eventually("what came after it is dealt with") { try await scene.rows() == 2 }
            #expect(stranger.packets.count == 1)
        }
    }

    @Test("one wallet answers a request: a second one is let in, and links nothing")
    func oneWallet() async throws {
        try await SignallingScene.with { scene in
            let couple = try await scene.couple(), entered = try await scene.register(couple.request),
                wallet = try await scene.wallet(of: couple.pageSession)
            #expect(wallet == couple.wallet.address)
            let second = try await scene.socket(cookie: entered.cookie)
            await second.link(couple.request, 1)
            await second.link(SignallingScene.request(), 2)
            try await SignallingScene.eventually("what came after it is dealt with") { try await scene.rows() == 2 }
            await couple.phone.emit("offer-description", "v=0")
            _ = try await couple.page.heard { $0 == #"42["offer-description","v=0"]"# }
            #expect(second.packets.count == 1)
        }
    }

    @Test(
        "a request that is none, or of no form, is not answered and keeps nothing",
        arguments: [.null, "", "r", true, [:], .number(.infinity)] as [JSONValue])
    func noRequest(request: JSONValue) async throws {
        try await SignallingScene.with { scene in
            let page = try await scene.socket()
            await page.link(request, 1)
            await page.say(#"422["link"]"#)
            await page.link(SignallingScene.request(), 3)
            try await SignallingScene.eventually("the last is dealt with") { try await scene.rows() == 1 }
            #expect(page.packets.count == 1 && !page.isClosed)
        }
    }

    @Test(
        "a session whose cookie was there before the login has no socket afterwards, and its link is the new session's")
    func rotation() async throws {
        try await SignallingScene.with { scene in
            let before = try await scene.presented(), old = try await scene.socket(before),
                request = SignallingScene.request()
            let wallet = SoftWallet(), entered = try await scene.register(wallet, request, as: before)
            #expect(old.isClosed && old.packets.count == 1 && entered.session != before.id)
            let page = try await scene.socket()
            await page.link(request, 1)
            _ = try await page.heard { $0.hasPrefix("431[") }
            let again = try await scene.presented(entered.cookie), phone = try await scene.socket(again)
            try await phone.heardPresence { $0["online"] == true }
            let next = try await scene.logIn(wallet, request), last = try await scene.socket(cookie: next.cookie)
            try await last.heardPresence { $0["online"] == true }
        }
    }

    @Test("a link waits for a database that is away for a moment")
    func outage() async throws {
        try await SignallingScene.with { scene in
            let known = scene.service.signallingSession(try await scene.presented(), page: nil), log = scene.log
            let presented = SignallingSession(session: known.session, isKept: false, origin: nil, address: nil) {
                executor in
                // Until the hub has noticed.
                guard log.all.contains(where: { $0.contains("a link waits") }) else {
                    throw DatabaseError.unavailable("for a moment")
                }
                return try await known.keep(executor)
            }
            let page = try await SoftSocket.open(scene.hub, presented)
            try await page.join()
            await page.link(SignallingScene.request(), 1)
            try await SignallingScene.eventually("it waits for its wallet") { try await scene.rows() == 1 }
            #expect(!page.isClosed)
        }
    }

    @Test("a page that no wallet comes for is not looked up for ever")
    func lookedUp() async throws {
        try await SignallingScene.with { scene in
            let page = try await scene.socket()
            await page.link(SignallingScene.request(), 1)
            try await SignallingScene.eventually("it waits") { try await scene.rows() == 1 }
            let early = scene.hub.locked { $0.waiting.count }
            scene.tree.time.advance(LinkStore.requestLifetime + 31)
            let late = scene.hub.locked { $0.waiting.count }
            #expect(early == 1 && late == 0 && !page.isClosed)
        }
    }

    @Test("a page whose session is over is not linked, and a wallet whose session is over links none")
    func overBefore() async throws {
        try await SignallingScene.with { scene in
            let (first, second) = (SignallingScene.request(), SignallingScene.request()),
                asking = try await scene.presented(), page = try await scene.socket(asking)
            await page.link(first, 1)
            try await SignallingScene.eventually("it waits") { try await scene.rows() == 1 }
            try await scene.revocation.revoke(.virtual(LiquidSession.node(asking.id)), by: .server)
            try await scene.register(first)
            let entered = try await scene.register(second)
            try await scene.revocation.revoke(.virtual(LiquidSession.node(entered.session)), by: .server)
            let other = try await scene.presented(), late = try await scene.socket(other)
            await late.link(second, 2)
            await late.link(SignallingScene.request(), 3)
            try await SignallingScene.eventually("the last is dealt with") { try await scene.rows() == 3 }
            let wallets = [try await scene.wallet(of: asking.id), try await scene.wallet(of: other.id)]
            #expect(wallets == [nil, nil] && page.packets.count == 1 && late.packets.count == 1)
        }
    }
}
