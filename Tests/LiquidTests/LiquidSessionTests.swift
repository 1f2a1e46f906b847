import Base
import Database
import Foundation
import TestSupport
import Testing
import TokenTree

@testable import Liquid
@testable import Passkeys

@Suite("Liquid: sessions")
struct LiquidSessionTests {
    @Test("a cookie has upstream's name and shape, stays as it is until a login, and says nothing in the database")
    func shape() async throws {
        try await LiquidFixture.with { fixture in
            let first = try await fixture.presented(), cookie = try #require(first.newCookie),
                second = try await fixture.presented(cookie)
            let isShaped = cookie.wholeMatch(of: #/s%3A[A-Za-z0-9_-]{65}\.(?:[A-Za-z0-9]|%2B|%2F){43}/#) != nil
            #expect(LiquidService.cookieName == "connect.sid" && isShaped)
            #expect(second.newCookie == nil && second.id == first.id && second.session == nil)
            let plain = try await fixture.presented(cookie.removingPercentEncoding), counts = try await fixture.counts()
            #expect(plain.id == first.id && counts == [0, 0, 0])
        }
    }

    @Test("what this server did not write is as good as none")
    func forged() async throws {
        try await LiquidFixture.with { fixture in
            let cookie = try #require(try await fixture.presented().newCookie),
                plain = try #require(cookie.removingPercentEncoding)
            let sid = SessionID(Randomness.system),
                other = SessionCookies(master: try MasterKey(SecretBytes([UInt8](repeating: 2, count: 32)))).value(sid)
            let unsigned = "s:\(sid.text).", moved = plain.replacing("s:", with: "s:A"),
                long = plain + String(repeating: "A", count: 400)
            for odd in [
                "", "s:", "s%3A.", "%", other, unsigned, moved, long, plain + "=", String(plain.dropLast()),
                String(plain.dropFirst(2)),
            ] {
                let presented = try await fixture.presented(odd)
                #expect(presented.newCookie != nil && presented.session == nil, "\(odd)")
            }
        }
    }

    @Test("a login gives another cookie: one that was planted before, or copied, names nobody afterwards")
    func fixation() async throws {
        try await LiquidFixture.with { fixture in
            let wallet = SoftWallet(), planted = try #require(try await fixture.presented().newCookie)
            let entered = try await fixture.register(wallet, as: try await fixture.presented(planted)),
                thief = try await fixture.presented(planted)
            #expect(entered.cookie != planted && thief.session == nil)
            let again = try await fixture.logIn(wallet, as: try await fixture.presented(entered.cookie)),
                copy = try await fixture.presented(entered.cookie)
            #expect(
                again.cookie != entered.cookie && again.session != entered.session && copy.session == nil
                    && copy.newCookie != nil)
            let now = try await fixture.presented(again.cookie)
            #expect(now.session?.wallet == wallet.address)
        }
    }

    @Test("a session's id does not make its cookie")
    func secret() async throws {
        try await LiquidFixture.with { fixture in
            let entered = try await fixture.register(SoftWallet()),
                forged = try #require(SessionID(entered.session + String(repeating: "A", count: 43)))
            let presented = try await fixture.presented(fixture.service.parts.cookies.value(forged))
            #expect(presented.session == nil && presented.newCookie != nil)
        }
    }

    @Test("logging out kills the session, copies of its cookie too; without one it gives a fresh cookie")
    func logout() async throws {
        try await LiquidFixture.with { fixture in
            let entered = try await fixture.register(SoftWallet()), other = try await fixture.register(SoftWallet()),
                presented = try await fixture.presented(entered.cookie)
            let next = try await fixture.service.logOut(presented), dead = try await fixture.presented(entered.cookie),
                fresh = try await fixture.presented(next)
            let twice = try await fixture.service.logOut(presented), nobody = try await fixture.service.logOut(fresh),
                stays = try await fixture.presented(other.cookie)
            #expect(dead.session == nil && dead.newCookie != nil && fresh.session == nil && fresh.newCookie == nil)
            #expect(Set([entered.cookie, next, twice, nobody]).count == 4 && stays.session != nil)
            let living = try await fixture.service.sessions.living(
                [entered.session, other.session], in: fixture.database)
            #expect(living == [other.session])
        }
    }

    @Test("fourteen days without use, counted from the last")
    func lifetime() async throws {
        try await LiquidFixture.with { fixture in
            let entered = try await fixture.register(SoftWallet())
            fixture.time.advance(13 * 86_400)
            let used = try await fixture.presented(entered.cookie)
            fixture.time.advance(13 * 86_400)
            let still = try await fixture.presented(entered.cookie)
            fixture.time.advance(14 * 86_400)
            let over = try await fixture.presented(entered.cookie)
            #expect(used.session != nil && still.session != nil && over.session == nil && over.newCookie != nil)
            try await fixture.service.sessions.touch([entered.session], in: fixture.database)
            let dead = try await fixture.presented(entered.cookie)
            #expect(dead.session == nil)
            try await fixture.service.tidy()
            let kept: Int = try await fixture.database.value("select count(*) from liquid_session")
            fixture.time.advance(86_401)
            try await fixture.service.tidy()
            let gone: Int = try await fixture.database.value("select count(*) from liquid_session")
            #expect(kept == 1 && gone == 0)
        }
    }

    enum Revoke: CaseIterable, Sendable { case session, passkey, epoch }

    @Test(
        "revoking its node, that of its passkey, or the epoch ends it, and one that is linked below",
        arguments: Revoke.allCases)
    func revoke(what: Revoke) async throws {
        try await LiquidFixture.with { fixture in
            let wallet = SoftWallet(), other = SoftWallet(), entered = try await fixture.register(wallet),
                stranger = try await fixture.register(other)
            let page = try await fixture.linked(wallet), linked = try await fixture.presented(page)
            let ancestor =
                switch what {
                case .session: LiquidSession.node(entered.session)
                case .passkey: Passkey.node(wallet.authenticator.id)
                case .epoch: Ancestor.epoch
                }
            let below = try await fixture.service.sessions(below: ancestor, in: fixture.database)
            try await fixture.tree.revocation.revoke(.virtual(ancestor), by: .server)

            let dead = try await fixture.presented(entered.cookie), after = try await fixture.presented(page),
                others = try await fixture.presented(stranger.cookie)
            #expect(dead.session == nil && dead.newCookie != nil)
            #expect((after.session == nil) == (what != .session) && (others.session == nil) == (what == .epoch))
            let expected: Set<String> =
                switch what {
                case .session: [entered.session]
                case .passkey: [entered.session, linked.id]
                case .epoch: [entered.session, linked.id, stranger.session]
                }
            #expect(Set(below) == expected)
            // What comes after the revocation lives.
            let again = try await fixture.logIn(wallet), presented = try await fixture.presented(again.cookie)
            #expect(presented.session?.wallet == wallet.address)
        }
    }

    static let otherAncestors = [
        Ancestor(.session, "abc"), Ancestor(.key, "abc"), Ancestor(.key, "passkey:?"), Ancestor(.account, "1"),
    ]

    @Test("nodes of other kinds have no sessions below", arguments: LiquidSessionTests.otherAncestors)
    func otherNodes(ancestor: Ancestor) async throws {
        try await LiquidFixture.with { fixture in
            try await fixture.register(SoftWallet())
            let below = try await fixture.service.sessions(below: ancestor, in: fixture.database)
            #expect(below.isEmpty)
        }
    }

    @Test("a session that waits is put under the wallet whose passkey answered, and by no other passkey")
    func linking() async throws {
        try await LiquidFixture.with { fixture in
            let wallet = SoftWallet(), other = SoftWallet(), sessions = fixture.service.sessions
            try await fixture.register(wallet)
            try await fixture.register(other)
            let presented = try await fixture.presented(), cookie = try #require(presented.newCookie)
            let id = try #require(try await fixture.database.transaction { try await sessions.keep(presented, in: $0) })
            let twice = try await fixture.database.transaction { try await sessions.keep(presented, in: $0) },
                waiting = try await fixture.presented(cookie)
            #expect(id == presented.id && twice == id && waiting.session != nil && waiting.session?.wallet == nil)

            func link(_ id: String, _ credential: [UInt8]) async throws -> Bool {
                try await fixture.database.transaction {
                    try await sessions.link(id, wallet: wallet.address, credential: credential, in: $0)
                }
            }
            let unknown = try await link("nobody", wallet.authenticator.id),
                foreign = try await link(id, other.authenticator.id)
            #expect(!unknown && !foreign)
            let linked = try await link(id, wallet.authenticator.id), now = try await fixture.presented(cookie)
            #expect(
                linked && now.session?.wallet == wallet.address && now.session?.entered == .link && now.newCookie == nil
            )
            _ = try await fixture.service.logOut(now)
            let dead = try await link(id, wallet.authenticator.id)
            let kept = try await fixture.database.transaction { try await sessions.keep(now, in: $0) }
            #expect(!dead && kept == nil)
        }
    }

    @Test(
        """
        a session that a passkey of the wallet opened stays what it is when it is linked with that wallet, and not \
        with another
        """
    )
    func linkingOpened() async throws {
        try await LiquidFixture.with { fixture in
            let wallet = SoftWallet(), other = SoftWallet(), entered = try await fixture.register(wallet),
                sessions = fixture.service.sessions
            let second = try await fixture.register(
                wallet.onAnotherDevice, as: try await fixture.presented(entered.cookie))
            try await fixture.register(other)
            let same = try await fixture.database.transaction {
                try await sessions.link(
                    second.session, wallet: wallet.address, credential: wallet.authenticator.id, in: $0)
            }
            let kept = try await fixture.presented(second.cookie)
            #expect(same && kept.session?.entered == .credential && kept.session?.credential != wallet.authenticator.id)
            let changed = try await fixture.database.transaction {
                try await sessions.link(
                    second.session, wallet: other.address, credential: other.authenticator.id, in: $0)
            }
            let now = try await fixture.presented(second.cookie)
            #expect(!changed && now.session?.entered == .credential && now.session?.wallet == wallet.address)
        }
    }

    @Test(
        """
        the cookie is given once more where its use is noted, the same with another Max-Age;
            where a socket is opened, always
        """
    )
    func renewed() async throws {
        try await LiquidFixture.with { fixture in
            let entered = try await fixture.register(SoftWallet()), service = fixture.service,
                first = try await fixture.presented(entered.cookie)
            fixture.time.advance(3_601)
            let later = try await fixture.presented(entered.cookie), next = try await fixture.presented(entered.cookie)
            #expect(first.newCookie == nil && later.newCookie == entered.cookie && next.newCookie == nil)
            let nobody = try await fixture.presented(), known = try await fixture.presented(nobody.newCookie)
            #expect(
                service.cookie(opening: next) == entered.cookie && service.cookie(opening: nobody) == nobody.newCookie
                    && service.cookie(opening: known) == nil)
        }
    }

    @Test("a session that is used keeps its links, one that is over does not, and a request that waits is not kept")
    func links() async throws {
        try await LiquidFixture.with { fixture in
            let wallet = SoftWallet(), entered = try await fixture.register(wallet),
                cookie = try await fixture.linked(wallet), page = try await fixture.presented(cookie)
            let store = LinkStore(clock: fixture.time.clock),
                linked = try #require(RequestID(SignallingScene.request()))
            let waiting = try #require(RequestID(SignallingScene.request()))
            let side = EnteredWallet(
                wallet: wallet.address, credential: wallet.authenticator.id, requestID: nil, session: entered.session,
                replaced: "none")
            func end(_ request: RequestID) async throws -> Date {
                try await fixture.database.value(
                    "select expires_at from signalling_link where request = \(request.key)")
            }
            _ = try await store.claim(linked, by: page.id, origin: nil, in: fixture.database)
            _ = try await store.enter(linked, side, in: fixture.database)
            try await store.complete(linked, in: fixture.database)
            let first = try await end(linked)
            fixture.time.advance(13 * 86_400)
            _ = try await store.claim(waiting, by: page.id, origin: nil, in: fixture.database)
            let asked = try await end(waiting)
            _ = try await fixture.presented(cookie)
            let second = try await end(linked), asks = try await end(waiting)
            #expect(second == first.addingTimeInterval(13 * 86_400) && asks == asked)
            fixture.time.advance(86_400)
            try await fixture.tree.revocation.revoke(.virtual(LiquidSession.node(page.id)), by: .server)
            try await fixture.service.sessions.touch([page.id], in: fixture.database)
            let third = try await end(linked)
            #expect(third == second)
            // The wallet's side keeps it as well.
            let again = try await fixture.logIn(wallet)
            try await store.move(entered.session, to: again.session, in: fixture.database)
            try await fixture.service.sessions.touch([again.session], in: fixture.database)
            let fourth = try await end(linked)
            #expect(fourth == second.addingTimeInterval(86_400))
        }
    }

    @Test("with a session that is long over goes its name in the tree; other names stay, and a cut stays one")
    func names() async throws {
        try await LiquidFixture.with { fixture in
            let over = try await fixture.register(SoftWallet()), revoked = try await fixture.register(SoftWallet())
            _ = try await fixture.tree.store.generations(of: [Ancestor(.session, "abc")])
            try await fixture.tree.revocation.revoke(.virtual(LiquidSession.node(revoked.session)), by: .server)
            fixture.time.advance(15 * 86_400 + 1)
            let young = try await fixture.register(SoftWallet())
            try await fixture.service.tidy()
            let names = try await fixture.database.query("select name from ancestor where kind = 'session'").map {
                try $0("name", as: String.self)
            }
            let counts = try await fixture.counts(),
                passkeys: Int = try await fixture.database.value("select count(*) from ancestor where kind = 'key'")
            #expect(Set(names) == ["abc", "liquid:" + young.session] && counts == [3, 3, 1] && passkeys == 3)
            let twice = try await fixture.tree.revocation.revoke(
                .virtual(LiquidSession.node(revoked.session)), by: .server)
            let never = try await fixture.tree.revocation.revoke(
                .virtual(LiquidSession.node(over.session)), by: .server)
            let dead = [try await fixture.presented(revoked.cookie), try await fixture.presented(over.cookie)],
                lives = try await fixture.presented(young.cookie)
            #expect(twice.already && !never.already && dead.allSatisfy { $0.session == nil } && lives.session != nil)
        }
    }

    @Test("a session that waits does so for an hour, or as long as it is used, and goes with the next tidying")
    func waiting() async throws {
        try await LiquidFixture.with { fixture in
            let presented = try await fixture.presented(), sessions = fixture.service.sessions
            _ = try await fixture.database.transaction { try await sessions.keep(presented, in: $0) }
            fixture.time.advance(3_000)
            let used = try await fixture.presented(presented.newCookie)
            fixture.time.advance(3_599)
            let still = try await sessions.living([presented.id], in: fixture.database)
            fixture.time.advance(1)
            let over = try await fixture.presented(presented.newCookie)
            try await fixture.service.tidy()
            let left: Int = try await fixture.database.value(
                "select (select count(*) from liquid_session) + (select count(*) from ancestor where kind = 'session')")
            #expect(
                used.session != nil && still == [presented.id] && over.session == nil && over.newCookie != nil
                    && left == 0)
        }
    }
}
