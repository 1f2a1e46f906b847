import Accounts
import Base
import Database
import Foundation
import TestSupport
import Testing
import TokenTree

@testable import Liquid
@testable import Passkeys

@Suite("Liquid: what a person's wallets opened")
struct WalletSessionTests {
    private static func ids(_ fixture: LiquidFixture, _ account: Account) async throws -> [String] {
        try await fixture.linked.sessions(of: account.id).map(\.session.id)
    }

    private static func end(_ fixture: LiquidFixture, _ id: String, of account: Account) async throws -> PasskeyRefusal?
    {
        try await LiquidFixture.personRefusal {
            try await fixture.linked.end(id, of: account.id, actor: LiquidFixture.actor)
        }
    }

    /// Both sides of a request of this page's session; without `wallet` its wallet has not come.
    private static func claim(
        _ fixture: LiquidFixture, _ origin: String?, by page: String, _ wallet: SoftWallet?
    ) async throws {
        let store = LinkStore(clock: fixture.time.clock), request = try #require(RequestID(SignallingScene.request()))
        _ = try await store.claim(request, by: page, origin: origin, in: fixture.database)
        guard let wallet else { return }
        let entered = EnteredWallet(
            wallet: wallet.address, credential: wallet.authenticator.id, requestID: nil, session: "wallet's",
            replaced: "none")
        _ = try await store.enter(request, entered, in: fixture.database)
        try await store.complete(request, in: fixture.database)
    }

    @Test(
        """
        listed are the sessions of one's own wallets, by whichever passkey, the latest used first, and pages with \
        the origins that were linked
        """
    )
    func listed() async throws {
        try await LiquidFixture.with { fixture in
            let ada = try await fixture.person("ada"), bob = try await fixture.person("bob"), wallet = SoftWallet(),
                other = SoftWallet()
            let first = try await fixture.register(wallet), theirs = try await fixture.register(other).session
            let before = try await Self.ids(fixture, ada)
            _ = try await fixture.link(wallet, to: ada)
            _ = try await fixture.link(other, to: bob)
            let second = try await fixture.register(
                wallet.onAnotherDevice, as: try await fixture.presented(first.cookie)
            )
            .session
            fixture.time.advance(1)
            let page = try await fixture.presented(try await fixture.linked(wallet)).id
            for (origin, side) in [
                ("https://a.example", wallet), ("https://b.example", wallet), (nil, wallet),
                ("https://a.example", wallet),
                ("https://other.example", other), ("https://waits.example", nil),
            ] as [(String?, SoftWallet?)] {
                fixture.time.advance(1)
                try await Self.claim(fixture, origin, by: page, side)
            }

            let sessions = try await fixture.linked.sessions(of: ada.id), bobs = try await Self.ids(fixture, bob)

            #expect(
                before == [] && sessions.map(\.session.id) == [page, second]
                    && sessions.map(\.session.entered) == [.link, .credential] && bobs == [theirs])
            #expect(
                sessions.map(\.origins) == [["https://a.example", "https://b.example"], []]
                    && sessions.map(\.device) == ["test", "test"])
        }
    }

    @Test("so many are listed and no more")
    func bounded() async throws {
        try await LiquidFixture.with { fixture in
            let ada = try await fixture.person("ada"), wallet = SoftWallet()
            try await fixture.register(wallet)
            _ = try await fixture.link(wallet, to: ada)
            _ = try await fixture.database.execute(
                """
                insert into liquid_session (id, secret, lineage, wallet, credential, entered, created_at,
                    last_seen, expires_at)
                select 'copy' || n, x.secret, x.lineage, x.wallet, x.credential, x.entered, x.created_at,
                    x.last_seen, x.expires_at
                from liquid_session x, generate_series(1, 201) as n
                """)
            let count = try await Self.ids(fixture, ada).count
            #expect(count == LinkedWallets.mostSessions)
        }
    }

    @Test(
        """
        one's own is ended and gone, with a line that names who did it; another person's is not, nor one that is \
        over, nor what is none
        """
    )
    func ended() async throws {
        try await LiquidFixture.with { fixture in
            let ada = try await fixture.person("ada"), bob = try await fixture.person("bob"), wallet = SoftWallet(),
                other = SoftWallet()
            let mine = try await fixture.register(wallet), theirs = try await fixture.register(other),
                cookie = try await fixture.linked(wallet)
            let page = try await fixture.presented(cookie).id
            let unlinked = try await Self.end(fixture, page, of: ada)
            _ = try await fixture.link(wallet, to: ada)
            _ = try await fixture.link(other, to: bob)

            for (id, person) in [(theirs.session, ada), (page, bob), ("", ada), ("nobody", ada)] {
                let refusal = try await Self.end(fixture, id, of: person)
                #expect(refusal == .notFound, "\(id)")
            }
            let before = try await Set(Self.ids(fixture, ada)), done = try await Self.end(fixture, page, of: ada),
                again = try await Self.end(fixture, page, of: ada)
            let after = try await Self.ids(fixture, ada), isIn = try await fixture.presented(cookie).session != nil,
                stays = try await fixture.presented(theirs.cookie).session != nil
            let lines = try await fixture.database.query(
                "select actor, node, account from audit where action = 'liquid.cut' order by id")
            let actors = try lines.map { try $0("actor", as: String.self) },
                nodes = try lines.map { try $0("node", as: String.self) }
            let accounts = try lines.map { try $0("account", as: UUID.self) }

            #expect(
                unlinked == .notFound && before == [mine.session, page] && done == nil && again == .notFound
                    && after == [mine.session] && !isIn && stays)
            #expect(
                actors == [LiquidFixture.actor.name] && nodes == ["wallet:\(wallet.address)"] && accounts == [ada.id])
        }
    }

    @Test(
        """
        what is over otherwise is not listed, nor is what is nobody's any more: logged out, expired, of an unlinked \
        wallet
        """
    )
    func over() async throws {
        try await LiquidFixture.with { fixture in
            let ada = try await fixture.person("ada"), wallet = SoftWallet(),
                first = try await fixture.register(wallet), linked = try await fixture.link(wallet, to: ada)
            _ = try await fixture.service.logOut(try await fixture.presented(first.cookie))
            let loggedOut = try await Self.ids(fixture, ada), second = try await fixture.logIn(wallet).session,
                again = try await Self.ids(fixture, ada)
            fixture.time.advance(15 * 86_400)
            let expired = try await Self.ids(fixture, ada), late = try await Self.end(fixture, second, of: ada)
            let third = try await fixture.logIn(wallet).session, open = try await Self.ids(fixture, ada)
            try await fixture.database.atomically {
                try await fixture.people.remove(
                    linked.text, of: ada.id, keepingOne: false, actor: LiquidFixture.actor, in: $0)
            }
            let unlinked = try await Self.ids(fixture, ada)

            #expect(
                loggedOut == [] && again == [second] && expired == [] && late == .notFound && open == [third]
                    && unlinked == [])
        }
    }

    @Test("ended while its page is linked with another's wallet: either it is over, or it is the other's and goes on")
    func endedWhileLinked() async throws {
        for _ in 0..<4 {
            try await LiquidFixture.with { fixture in
                let ada = try await fixture.person("ada"), wallet = SoftWallet(), other = SoftWallet()
                try await fixture.register(wallet)
                try await fixture.register(other)
                _ = try await fixture.link(wallet, to: ada)
                let cookie = try await fixture.linked(wallet), page = try await fixture.presented(cookie).id
                let address = other.address, credential = other.authenticator.id, sessions = fixture.service.sessions
                let outcomes = try await crowd(2) { number -> Bool in
                    guard number == 0 else {
                        return try await fixture.database.atomically {
                            try await sessions.link(page, wallet: address, credential: credential, in: $0)
                        }
                    }
                    return try await Self.end(fixture, page, of: ada) == nil
                }
                let now = try await fixture.presented(cookie).session?.wallet
                #expect(outcomes[0] != outcomes[1] && now == (outcomes[1] ? address : nil))
            }
        }
    }
}
