import Base
import Database
import Foundation
import Logging
import Synchronization
import TestSupport
import Testing
import TokenTree

@testable import Liquid
@testable import SocketIO

@Suite("Signalling: the bus")
struct SignallingBusTests {
    private static let link: SignallingLink? = RequestID(.number(0.6050027432326752)).map {
        SignallingLink(request: $0, linker: "p", session: "w", wallet: "W", credential: [1, 255])
    }

    @Test("every message is read as it was written")
    func codec() throws {
        let link = try #require(Self.link), request = link.request, text = "\u{1E}\"\\\r\n\u{7F}ü\u{2028}😀"
        let home: [BusMessage.ToHome] = [
            .poll(sid: "a.b"), .post(sid: "a.b", text), .attach(sid: "a.b"), .frame(.text(text)),
            .frame(.binary([0, 255])), .gone,
        ]
        let replies: [EngineReply] =
            [.payload(text), .taken, .tooLarge, .full] + EngineRefusal.allCases.map(EngineReply.refused)
        var edge: [BusMessage.ToEdge] = [.frame(.text(text)), .frame(.binary([])), .hangUp]
        for reply in replies { edge.append(.reply(reply)) }
        var bodies: [BusMessage.Body] = [
            .hello(asks: true), .hello(asks: false), .presence(request, page: 1, wallet: 2, asks: true), .linked(link),
            .over(["a", "b"]),
            .over([]), .relay(request, .page, #"["offer-description"]"#), .relay(request, .wallet, "[]"),
            .rooms([]), .rooms([BusMessage.Presence(request: request, page: 1, wallet: 0)]), .bye,
        ]
        for words in home { bodies.append(.home(number: 7, words)) }
        for words in edge { bodies.append(.edge(number: 8, words)) }
        for (place, body) in bodies.enumerated() {
            let message = BusMessage(from: "here", number: place, to: place % 2 == 0 ? nil : "there", body)
            #expect(BusMessage(message.text) == message, "\(message.text)")
        }
    }

    @Test(
        "what is no message of ours is none",
        arguments: [
            "", "x", "{}", "[]", #"{"f":"a","n":1}"#, #"{"f":"a","n":1,"k":"z","c":1}"#, #"{"f":"a","n":1,"k":"h"}"#,
            #"{"f":"a","n":1,"k":"p","r":"x:1","p":1,"w":1,"a":true}"#, #"{"f":"a","n":1,"k":"er","c":1,"d":{"e":99}}"#,
            #"{"f":"a","n":1,"k":"ef","c":1,"d":{"b":"!"}}"#, #"{"f":"a","n":1,"k":"r","r":"n:1","s":"page","t":""}"#,
            #"{"f":"a","n":1,"k":"r","r":"n:1099511627776","s":"other","t":""}"#,
            #"{"f":"a","n":1,"k":"m","x":[["n:1099511627776",1]]}"#,
        ])
    func strange(text: String) { #expect(BusMessage(text) == nil) }

    @Test("notices of revocations")
    func revocations() {
        #expect(
            SessionRevocations.read("!a,b") == .over(["a", "b"]) && SessionRevocations.read("!*") == .over(nil)
                && SessionRevocations.read("@x") == nil && SessionRevocations.read("{}") == nil)
        #expect(SessionRevocations.read("!") == .over([]))
    }

    private final class Collection: Sendable {
        private let bodies = Mutex<[BusMessage.Body]>([])
        var all: [BusMessage.Body] { bodies.withLock { $0 } }
        func add(_ body: BusMessage.Body) { bodies.withLock { $0.append(body) } }
    }

    /// Hears what comes from one of them, until there are so many messages, or for a minute.
    private static func heard(
        from: SignallingBus, at bus: SignallingBus, count: Int, known: Set<String> = [],
        _ isReady: @escaping @Sendable () -> Void
    ) async -> [BusMessage.Body] {
        let collection = Collection(), (done, finish) = AsyncStream.makeStream(of: Void.self)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await bus.listen(known: { known.contains($0) }) { heard in
                    switch heard {
                    case .listening: isReady()
                    case .message(let message) where message.from == from.replica:
                        collection.add(message.body)
                        if collection.all.count == count { finish.yield() }
                    default: break
                    }
                }
            }
            group.addTask {
                try? await Task.sleep(for: .seconds(60))
                finish.yield()
            }
            for await _ in done { break }
            group.cancelAll()
        }
        return collection.all
    }

    @Test("messages come in the order in which they were sent, short and long, to those whom they are for")
    func order() async throws {
        try await TestTree.with { tree in
            let one = SignallingBus(database: tree.database, randomness: .system, logger: .quiet)
            let two = SignallingBus(database: tree.database, randomness: .system, logger: .quiet)
            let long = String(repeating: "x", count: 9_000),
                sent = (0..<300).map { BusMessage.Body.over(["\($0)", $0 % 7 == 0 ? long : ""]) }
            let writer = Task { await one.write() }
            let heard = await Self.heard(from: one, at: two, count: sent.count) {
                one.send(.over(["for another"]), to: "another")
                one.send(.over([long]), to: "another")
                for (place, body) in sent.enumerated() { one.send(body, to: place % 2 == 0 ? nil : two.replica) }
            }
            writer.cancel()
            await writer.value
            #expect(heard == sent)
            let stored: Int = try await tree.database.value("select count(*) from signalling_body")
            #expect(stored == 44)
            try await one.tidy()
            let kept: Int = try await tree.database.value("select count(*) from signalling_body")
            _ = try await tree.database.execute(
                "update signalling_body set created_at = created_at - interval '2 minutes'")
            try await one.tidy()
            let left: Int = try await tree.database.value("select count(*) from signalling_body")
            #expect(kept == 44 && left == 0)
        }
    }

    @Test("what the database refuses is lost alone, and the log says so; what is written with it is heard")
    func refused() async throws {
        try await TestTree.with { tree in
            let log = CapturedLog(),
                one = SignallingBus(database: tree.database, randomness: .system, logger: log.logger)
            let two = SignallingBus(database: tree.database, randomness: .system, logger: .quiet),
                long = String(repeating: "x", count: 9_000)
            _ = try await tree.database.execute("alter table signalling_body add check (body not like '%poison%')")
            let writer = Task { await one.write() }
            let heard = await Self.heard(from: one, at: two, count: 3) {
                for body in ["a", long, "poison" + long, "b"] { one.send(.over([body])) }
            }
            writer.cancel()
            await writer.value
            #expect(heard == [.over(["a"]), .over([long]), .over(["b"])])
            #expect(log.all.filter { $0.contains("the database refuses it") }.count == 1)
        }
    }

    @Test("a statement has so many bytes, and one message that has more goes alone")
    func batches() async throws {
        try await TestTree.with { tree in
            let one = SignallingBus(database: tree.database, randomness: .system, logger: .quiet)
            let two = SignallingBus(database: tree.database, randomness: .system, logger: .quiet)
            let
                sent = [600_000, 600_000, 1_200_000, 10].map {
                    BusMessage.Body.over([String(repeating: "x", count: $0)])
                }, writer = Task { await one.write() }
            let heard = await Self.heard(from: one, at: two, count: sent.count) { for body in sent { one.send(body) } }
            writer.cancel()
            await writer.value
            #expect(heard == sent)
        }
    }

    @Test(
        "what is long and about a room is fetched only where there is such a room; what is not there any more is a gap")
    func unknownRooms() async throws {
        try await TestTree.with { tree in
            let one = SignallingBus(database: tree.database, randomness: .system, logger: .quiet)
            let two = SignallingBus(database: tree.database, randomness: .system, logger: .quiet)
            let here = try #require(RequestID(SignallingScene.request())),
                other = try #require(RequestID(SignallingScene.request()))
            let long = String(repeating: "x", count: 9_000)
            let
                sent: [BusMessage.Body] = [
                    .relay(other, .page, long), .relay(here, .page, long), .relay(other, .page, "short"),
                ],
                writer = Task { await one.write() }
            let heard = await Self.heard(from: one, at: two, count: 2, known: [here.key]) {
                for body in sent { one.send(body) }
            }
            #expect(heard == Array(sent.dropFirst()))

            let gaps = AsyncStream.makeStream(of: String.self), listening = AsyncStream.makeStream(of: Void.self)
            let listener = Task {
                await two.listen(known: { _ in true }) { heard in
                    switch heard {
                    case .gap(let replica) where replica == one.replica: gaps.continuation.yield(replica)
                    case .listening: listening.continuation.yield()
                    default: break
                    }
                }
            }
            for await _ in listening.stream { break }
            let notice = "@gone \(one.replica) 1000  "
            _ = try await tree.database.query("select pg_notify(\(SignallingBus.channel), \(notice))")
            var found: String?
            for await replica in gaps.stream {
                found = replica
                break
            }
            listener.cancel()
            writer.cancel()
            await listener.value
            await writer.value
            #expect(found == one.replica)
        }
    }

    @Test(
        """
        a number that is missing is a gap, once; what is for others is not missing, and what was said before one \
        listens neither
        """
    )
    func missing() async throws {
        try await TestTree.with { tree in
            let two = SignallingBus(database: tree.database, randomness: .system, logger: .quiet),
                listening = AsyncStream.makeStream(of: Void.self)
            let heard = AsyncStream.makeStream(of: SignallingBus.Heard.self)
            let listener = Task {
                await two.listen(known: { _ in false }) { one in
                    switch one {
                    case .listening: listening.continuation.yield()
                    case .message(let message) where message.from == "one": heard.continuation.yield(one)
                    case .gap("one"): heard.continuation.yield(one)
                    default: break
                    }
                }
            }
            for await _ in listening.stream { break }
            let one = { BusMessage(from: "one", number: $0, to: $1, .over(["\($0)"])) }
            let said = [
                one(7, nil), one(8, "another"), one(9, nil), one(9, nil), one(12, nil), one(13, nil),
                one(15, "another"), one(3, nil), one(16, nil),
            ]
            for text in said.map(\.text) + [
                "@long one 17 another ", "@long one 18  n:1099511627776", one(19, nil).text,
            ] {
                _ = try await tree.database.query("select pg_notify(\(SignallingBus.channel), \(text))")
            }
            var all: [SignallingBus.Heard] = []
            for await one in heard.stream {
                all.append(one)
                if all.count == 8 { break }
            }
            listener.cancel()
            await listener.value
            #expect(
                all == [
                    .message(one(7, nil)), .message(one(9, nil)), .gap("one"), .message(one(12, nil)),
                    .message(one(13, nil)), .gap("one"), .message(one(16, nil)),
                    .message(one(19, nil)),
                ])
        }
    }

    @Test("a notice is read as it was written; what is none is none")
    func notices() throws {
        let request = try #require(RequestID(SignallingScene.request())),
            relay = BusMessage(from: "a", number: 4, to: nil, .relay(request, .page, "[]"))
        let long = try #require(BusNotice(BusNotice.text(of: relay, body: "id")))
        #expect(
            long.from == "a" && long.number == 4 && long.to == nil && long.content == .body(id: "id", room: request.key)
        )
        let other = BusMessage(from: "a", number: 5, to: "b", .bye),
            named = BusNotice(BusNotice.text(of: other, body: "id"))
        #expect(
            named?.to == "b" && named?.content == .body(id: "id", room: nil)
                && BusNotice(other.text)?.content == .message(other))
        let newer = BusNotice(#"{"f":"a","n":5,"to":"b","k":"new"}"#)
        #expect(
            newer?.content == .message(nil) && newer?.from == "a" && newer?.number == 5 && newer?.to == "b",
            "of another version, and counted")
        for text in ["", "@", "@id a b  ", "@id  4  ", "@ a 4  ", "@id a 4 ", "@id a 4   ", "{}"] {
            #expect(BusNotice(text) == nil, "\(text)")
        }
    }

    @Test("what is lost since too much waits leaves a number that is missing")
    func lost() async throws {
        try await TestTree.with { tree in
            let one = SignallingBus(database: tree.database, randomness: .system, logger: .quiet, room: 2)
            let two = SignallingBus(database: tree.database, randomness: .system, logger: .quiet)
            let (ready, isReady) = AsyncStream.makeStream(of: Void.self),
                (gaps, gap) = AsyncStream.makeStream(of: String.self)
            let listener = Task {
                await two.listen(known: { _ in true }) { heard in
                    switch heard {
                    case .listening: isReady.yield()
                    case .gap(let replica) where replica == one.replica: gap.yield(replica)
                    default: break
                    }
                }
            }
            for await _ in ready { break }
            one.send(.bye)
            for _ in 0..<2 { one.send(.over([])) }
            #expect(await one.flush())
            one.send(.bye)
            #expect(await one.flush())
            var found: String?
            for await replica in gaps {
                found = replica
                break
            }
            listener.cancel()
            await listener.value
            #expect(found == one.replica)
        }
    }

    @Test("what nobody fetches while the database is away is bounded, and the log says so once")
    func bounded() async throws {
        try await TestTree.with { tree in
            let log = CapturedLog(),
                bus = SignallingBus(database: tree.database, randomness: .system, logger: log.logger)
            let body = String(repeating: "x", count: 1_000_000)
            for _ in 0..<70 { bus.send(.over([body])) }
            #expect(log.all.filter { $0.contains("messages are lost") }.count == 1)
        }
    }
}
