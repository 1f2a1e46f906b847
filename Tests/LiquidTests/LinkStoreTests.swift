import Base
import Database
import Foundation
import TestSupport
import Testing
import TokenTree

@testable import Liquid

@Suite("Signalling: who belongs to a request")
struct LinkStoreTests {
    private static func request() throws -> RequestID { try #require(RequestID(SignallingScene.request())) }

    private static func wallet(
        _ wallet: String, _ session: String, replaced: String = "none", credential: [UInt8] = [1]
    ) -> EnteredWallet {
        EnteredWallet(wallet: wallet, credential: credential, requestID: nil, session: session, replaced: replaced)
    }

    @Test("the first linker has the place: it may ask again, others may not")
    func claims() async throws {
        try await TestTree.with { tree in
            let store = LinkStore(clock: tree.time.clock), request = try Self.request()
            let first = try await store.claim(request, by: "p", origin: "https://a.example", in: tree.database)
            let again = try await store.claim(request, by: "p", origin: "https://b.example", in: tree.database)
            let other = try await store.claim(request, by: "q", origin: nil, in: tree.database)
            #expect(first?.linker == "p" && again?.linker == "p" && other == nil && first?.both == nil)
            let origin: String = try await tree.database.value("select origin from signalling_link")
            #expect(origin == "https://a.example")
        }
    }

    @Test("of many who ask at once one has the place")
    func race() async throws {
        try await TestTree.with { tree in
            let store = LinkStore(clock: tree.time.clock), request = try Self.request(), database = tree.database
            let owners = try await withThrowingTaskGroup(of: String?.self) { group in
                for place in 0..<20 {
                    group.addTask { try await store.claim(request, by: "p\(place)", origin: nil, in: database)?.linker }
                }
                return try await group.reduce(into: [String]()) { found, linker in
                    if let linker { found.append(linker) }
                }
            }
            #expect(owners.count == 1)
        }
    }

    @Test("the wallet's own session may link too, and takes no place")
    func walletLinks() async throws {
        try await TestTree.with { tree in
            let store = LinkStore(clock: tree.time.clock), request = try Self.request()
            _ = try await store.enter(request, Self.wallet("W", "w"), in: tree.database)
            let own = try await store.claim(request, by: "w", origin: nil, in: tree.database)
            let page = try await store.claim(request, by: "p", origin: nil, in: tree.database)
            #expect(own?.linker == nil && page?.linker == "p" && page?.both?.session == "w")
        }
    }

    @Test(
        """
        one wallet has the other place: with a new session it may come again, another may not, and the page's \
        session never
        """
    )
    func enters() async throws {
        try await TestTree.with { tree in
            let store = LinkStore(clock: tree.time.clock), request = try Self.request()
            _ = try await store.claim(request, by: "p", origin: nil, in: tree.database)
            let first = try await store.enter(request, Self.wallet("W", "w"), in: tree.database)
            let other = try await store.enter(request, Self.wallet("V", "v"), in: tree.database)
            let page = try await store.enter(request, Self.wallet("W", "p"), in: tree.database)
            let again = try await store.enter(request, Self.wallet("W", "x", credential: [2]), in: tree.database)
            #expect(
                first?.both?.session == "w" && other == nil && page == nil && again?.both?.session == "x"
                    && again?.both?.credential == [2])
        }
    }

    @Test(
        """
        five minutes are for both sides; a link lives fourteen days; an id that is over is not begun again before it \
        is tidied away
        """
    )
    func lifetimes() async throws {
        try await TestTree.with { tree in
            let store = LinkStore(clock: tree.time.clock), (late, linked) = (try Self.request(), try Self.request())
            for request in [late, linked] {
                _ = try await store.claim(request, by: "p", origin: nil, in: tree.database)
            }
            _ = try await store.enter(linked, Self.wallet("W", "w"), in: tree.database)
            try await store.complete(linked, in: tree.database)
            tree.time.advance(301)
            let entered = try await store.enter(late, Self.wallet("W", "x"), in: tree.database)
            let taken = try await store.claim(late, by: "thief", origin: nil, in: tree.database)
            let found = try await store.linked([late, linked], in: tree.database)
            #expect(entered == nil && taken == nil && found.map(\.request) == [linked])
            try await store.tidy(in: tree.database)
            let kept: Int = try await tree.database.value("select count(*) from signalling_link")
            tree.time.advance(LinkStore.keptUnlinked)
            try await store.tidy(in: tree.database)
            let left: Int = try await tree.database.value("select count(*) from signalling_link")
            tree.time.advance(14 * 86_400)
            try await store.tidy(in: tree.database)
            let ended: Int = try await tree.database.value("select count(*) from signalling_link")
            let over = try await store.linked([linked], in: tree.database),
                latest = try await store.latest(of: "p", in: tree.database)
            tree.time.advance(LinkStore.kept)
            try await store.tidy(in: tree.database)
            let last: Int = try await tree.database.value("select count(*) from signalling_link")
            #expect(kept == 2 && left == 1 && ended == 1 && last == 0 && over.isEmpty && latest == nil)
        }
    }

    @Test(
        "a session that comes back belongs to what it was linked in last, on either side; a new cookie takes it along")
    func latest() async throws {
        try await TestTree.with { tree in
            let store = LinkStore(clock: tree.time.clock), (first, second) = (try Self.request(), try Self.request())
            for request in [first, second] {
                _ = try await store.claim(request, by: "p", origin: nil, in: tree.database)
                _ = try await store.enter(request, Self.wallet("W", "w"), in: tree.database)
                let before = try await store.latest(of: "w", in: tree.database)
                #expect(before?.request != request)
                try await store.complete(request, in: tree.database)
                tree.time.advance(1)
            }
            let (page, wallet, none) = (
                try await store.latest(of: "p", in: tree.database), try await store.latest(of: "w", in: tree.database),
                try await store.latest(of: "x", in: tree.database)
            )
            #expect(page?.request == second && wallet == page && none == nil)
            try await store.move("w", to: "w2", in: tree.database)
            try await store.move("p", to: "w2", in: tree.database)
            let moved = try await store.latest(of: "w2", in: tree.database),
                gone = try await store.latest(of: "w", in: tree.database)
            #expect(moved?.session == "w2" && moved?.linker == "p" && gone == nil)
        }
    }

    @Test("request ids: UUIDs and numbers, with their type; a key that is not written as ours is none")
    func requests() {
        let uuid = "0190b1f4-7b5c-7cc0-8d3a-0242ac120002"
        #expect(
            RequestID(.string(uuid))?.json == .string(uuid)
                && RequestID(.string(uuid.uppercased())) != RequestID(.string(uuid)))
        let long = 1 << 40
        #expect(
            RequestID(.integer(long)) == RequestID(.number(0x1p40))
                && RequestID(.number(0x1p40))?.json == .integer(long) && RequestID(.integer(-long)) != nil)
        #expect(RequestID(.number(0.6050027432326752))?.json == .number(0.6050027432326752))
        let odds: [JSONValue?] = [
            nil, .null, "", "1", "not-a-uuid", .string(uuid + "0"), .string("{\(uuid)}"), true, [], [:],
            .number(.nan), .number(.infinity), 0, 1, 123_456, .integer(long - 1), .integer(1 - long),
            .number(-0.0), .number(0.5), .number(0.375), .number(Double(long - 1)),
        ]
        for odd in odds {
            #expect(RequestID(odd) == nil, "\(String(describing: odd))")
        }
        for key in ["", "s:", "n:", "s:1", "n:+1", "n:01", "n:1.0", "n:nan", "n:inf", "x:1", "n:0x10"] {
            #expect(RequestID(key: key) == nil, "\(key)")
        }
    }
}
