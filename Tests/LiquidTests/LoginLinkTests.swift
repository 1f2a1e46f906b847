import Base
import Database
import Foundation
import TestSupport
import Testing
import TokenTree

@testable import Liquid

@Suite("Signalling: requests whose page is a login at the IdP")
struct LoginLinkTests {
    private static func request() throws -> RequestID { try #require(RequestID(SignallingScene.request())) }

    private static func wallet(_ wallet: String, _ session: String, credential: [UInt8] = [1]) -> EnteredWallet {
        EnteredWallet(wallet: wallet, credential: credential, requestID: nil, session: session, replaced: "none")
    }

    /// What a socket of this session asks, through the service that answers sockets.
    private static func link(
        _ fixture: LiquidFixture, _ request: RequestID, by cookie: String? = nil
    ) async throws -> LinkService.Answer {
        let presented = try await fixture.presented(cookie)
        return try await fixture.service.signalling.linkService.link(
            request, by: fixture.service.signallingSession(presented, page: nil), in: fixture.database)
    }

    private static func names(_ fixture: LiquidFixture) async throws -> Int {
        try await fixture.database.value("select count(*) from ancestor")
    }

    @Test("no socket has its page's place, before the wallet comes and after; whoever asks leaves no row behind")
    func claimed() async throws {
        try await LiquidFixture.with { fixture in
            let store = LinkStore(clock: fixture.time.clock), request = try Self.request(), wallet = SoftWallet(),
                database = fixture.database
            try await store.open(login: request, in: database)
            let before = try await Self.link(fixture, request)
            let entered = try await fixture.register(wallet), login = try await fixture.presented(entered.cookie)
            let side = EnteredWallet(
                wallet: wallet.address, credential: wallet.authenticator.id, requestID: request.json,
                session: login.id, replaced: "none")
            try await database.atomically { try await fixture.service.signalling.linkService.entered(side, in: $0) }
            let counts = try await fixture.counts(), names = try await Self.names(fixture)

            let stranger = try await Self.link(fixture, request),
                own = try await Self.link(fixture, request, by: entered.cookie)
            let after = try await fixture.counts(), namesAfter = try await Self.names(fixture),
                found = try await store.find(login: request, in: database)
            let linked: Int = try await database.value(
                "select count(*) from signalling_link where linked_at is not null")

            #expect([before, stranger, own].allSatisfy { $0 == .refused } && linked == 0)
            #expect(after == counts && namesAfter == names, "no session was made, and no name in the tree")
            #expect(found?.answer?.wallet == wallet.address)
        }
    }

    @Test("one wallet answers, and may answer again; another does not take its place")
    func answered() async throws {
        try await TestTree.with { tree in
            let store = LinkStore(clock: tree.time.clock), request = try Self.request(), database = tree.database
            try await store.open(login: request, in: database)
            let waiting = try await store.find(login: request, in: database)
            _ = try await store.enter(request, Self.wallet("W", "w"), in: database)
            let other = try await store.enter(request, Self.wallet("V", "v"), in: database)
            _ = try await store.enter(request, Self.wallet("W", "w2", credential: [2]), in: database)

            let found = try await store.find(login: request, in: database)

            #expect(waiting != nil && waiting?.answer == nil && other == nil)
            #expect(found?.answer?.wallet == "W" && found?.answer?.credential == [2])
        }
    }

    @Test("it is taken once, for the answer that was shown; of many at once one has it")
    func taken() async throws {
        try await TestTree.with { tree in
            let store = LinkStore(clock: tree.time.clock), request = try Self.request(), database = tree.database
            try await store.open(login: request, in: database)
            let early = try await store.take(login: request, wallet: "W", credential: [1], in: database)
            _ = try await store.enter(request, Self.wallet("W", "w"), in: database)
            let wrong = try await store.take(login: request, wallet: "W", credential: [2], in: database)

            let sessions = try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<10 {
                    group.addTask {
                        try await store.take(login: request, wallet: "W", credential: [1], in: database)
                    }
                }
                return try await group.reduce(into: [String]()) { found, session in
                    if let session { found.append(session) }
                }
            }

            #expect(early == nil && wrong == nil && sessions == ["w"])
            #expect(try await store.find(login: request, in: database) == nil)
        }
    }

    @Test("used or dropped, its id stays nobody's as long as it can have been seen; then the row goes")
    func over() async throws {
        try await TestTree.with { tree in
            let store = LinkStore(clock: tree.time.clock), database = tree.database
            let used = try Self.request(), dropped = try Self.request(), forgotten = try Self.request()
            for request in [used, dropped, forgotten] { try await store.open(login: request, in: database) }
            _ = try await store.enter(used, Self.wallet("W", "w"), in: database)
            _ = try await store.take(login: used, wallet: "W", credential: [1], in: database)
            try await store.drop(login: dropped, in: database)

            var late: [LinkRow?] = []
            for request in [used, dropped] {
                late.append(try await store.enter(request, Self.wallet("W", "w"), in: database))
                late.append(try await store.claim(request, by: "p", origin: nil, in: database))
            }
            tree.time.advance(500)
            try await store.tidy(in: database)
            let kept: Int = try await database.value("select count(*) from signalling_link")
            tree.time.advance(401)
            try await store.tidy(in: database)
            let left: Int = try await database.value("select count(*) from signalling_link")

            #expect(late.allSatisfy { $0 == nil } && kept == 3 && left == 0)
        }
    }

    @Test("an answer can be used for two minutes after the code is over, and no longer")
    func late() async throws {
        try await TestTree.with { tree in
            let store = LinkStore(clock: tree.time.clock), database = tree.database
            let first = try Self.request(), second = try Self.request()
            for request in [first, second] {
                try await store.open(login: request, in: database)
                _ = try await store.enter(request, Self.wallet("W", "w"), in: database)
            }
            tree.time.advance(LinkStore.requestLifetime + LinkStore.confirmation - 1)
            let inTime = try await store.take(login: first, wallet: "W", credential: [1], in: database)
            tree.time.advance(1)
            let tooLate = try await store.take(login: second, wallet: "W", credential: [1], in: database)

            #expect(inTime == "w" && tooLate == nil)
        }
    }
}
