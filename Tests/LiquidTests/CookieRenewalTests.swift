import Base
import Foundation
import TestSupport
import Testing

@testable import Liquid

@Suite("Liquid: a page that a wallet was linked with gets another cookie")
struct CookieRenewalTests {
    private func asks(_ fixture: LiquidFixture, _ cookie: String?) async throws -> PresentedSession {
        try await fixture.service.presented(cookie: cookie, device: "test", origin: "192.0.2.1", renewing: true)
    }

    @Test(
        """
        at its next request: whoever planted the cookie of before is out ten seconds later, the session and its name \
        stay
        """
    )
    func renewed() async throws {
        try await LiquidFixture.with { fixture in
            let wallet = SoftWallet()
            try await fixture.register(wallet)
            let planted = try await fixture.linked(wallet)

            let socket = try await fixture.presented(planted), page = try await asks(fixture, planted),
                cookie = try #require(page.newCookie)
            let late = try await asks(fixture, planted), opening = fixture.service.cookie(opening: late),
                next = try await asks(fixture, cookie)
            fixture.time.advance(10)
            let planter = try await asks(fixture, planted), still = try await asks(fixture, cookie)

            #expect(
                socket.session?.wallet == wallet.address && socket.newCookie == nil, "a socket's answer sets nothing")
            #expect(cookie != planted && page.session?.wallet == wallet.address && page.id == socket.id)
            #expect(
                late.session?.id == page.id && late.newCookie == nil && opening == nil,
                "a request under way is answered, and sets nothing back")
            #expect(next.session?.id == page.id && next.newCookie == nil)
            #expect(planter.session == nil && planter.newCookie != nil && planter.id != page.id)
            #expect(still.session?.id == page.id)
        }
    }

    @Test("of twenty requests at once one gets it, and all are answered")
    func atOnce() async throws {
        try await LiquidFixture.with { fixture in
            let wallet = SoftWallet()
            try await fixture.register(wallet)
            let planted = try await fixture.linked(wallet)

            let presented = try await withThrowingTaskGroup(of: PresentedSession.self) { group in
                for _ in 0..<20 { group.addTask { try await asks(fixture, planted) } }
                return try await group.reduce(into: [PresentedSession]()) { $0.append($1) }
            }

            #expect(presented.count { $0.newCookie != nil } == 1)
            #expect(presented.allSatisfy { $0.session?.wallet == wallet.address })
        }
    }

    @Test("a session that waits, and one that a passkey opened, keep theirs")
    func others() async throws {
        try await LiquidFixture.with { fixture in
            let wallet = SoftWallet(), entered = try await fixture.register(wallet),
                waiting = try await fixture.presented(), sessions = fixture.service.sessions
            _ = try await fixture.database.transaction { try await sessions.keep(waiting, in: $0) }
            let same = try await fixture.database.transaction {
                try await sessions.link(
                    entered.session, wallet: wallet.address, credential: wallet.authenticator.id, in: $0)
            }

            let page = try await asks(fixture, waiting.newCookie), opened = try await asks(fixture, entered.cookie)

            #expect(
                same && page.session != nil && page.newCookie == nil && opened.session != nil && opened.newCookie == nil
            )
        }
    }
}
