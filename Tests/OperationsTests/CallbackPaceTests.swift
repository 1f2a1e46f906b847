import Base
import Foundation
import TestSupport
import Testing
@testable import Operations

@Suite("Callbacks that answer late")
struct CallbackPaceTests {
    private static let slow = "https://late.example/hook"

    private static func add(_ bank: OperationsBank, _ url: String) async throws -> CallbackView {
        try await bank.service.addCallback(["url": .string(url), "events": ["operation"]], by: PhoneFixture.bank)
    }

    @Test("nobody waits for one that is known to: what others are to be told goes on while it has not answered")
    func apart() async throws {
        try await OperationsBank.with { bank in
            let late = try await Self.add(bank, Self.slow)
            _ = try await Self.add(bank, "https://bank.example/hook")
            let (gate, opener) = AsyncStream.makeStream(of: Void.self), (heard, hears) = AsyncStream.makeStream(of: String.self)
            let http = CallbackHTTP { request in
                if request.url == Self.slow {
                    for await _ in gate {}
                } else {
                    hears.yield((try? JSONReader.read(request.body))?["data"]?["operationId"]?.string ?? "")
                }
                return 204
            }
            let pace = CallbackPace(patience: .seconds(3_600))
            pace.note(late.id, took: .seconds(3_601))
            let first = try await bank.order().id
            let sender = CallbackSender(bank.service, http: http, logger: .quiet, pace: pace)

            let running = Task { await sender.run() }
            var told = heard.makeAsyncIterator()
            let one = await told.next(), second = try await bank.order().id, two = await told.next()
            opener.finish()
            running.cancel()
            await running.value

            #expect(one == first && two == second)
        }
    }

    @Test("of late ones neither waits for the other: one that never answers keeps no second event of another waiting")
    func ownPace() async throws {
        try await OperationsBank.with { bank in
            let stuck = try await Self.add(bank, Self.slow), other = try await Self.add(bank, "https://bank.example/hook")
            let (gate, opener) = AsyncStream.makeStream(of: Void.self), (heard, hears) = AsyncStream.makeStream(of: String.self)
            let http = CallbackHTTP { request in
                if request.url == Self.slow {
                    for await _ in gate {}
                } else {
                    hears.yield((try? JSONReader.read(request.body))?["data"]?["operationId"]?.string ?? "")
                }
                return 204
            }
            // Nobody is fast enough for it.
            let pace = CallbackPace(patience: .seconds(-1))
            for callback in [stuck, other] { pace.note(callback.id, took: .zero) }
            let first = try await bank.order().id

            let running = Task { await CallbackSender(bank.service, http: http, logger: .quiet, pace: pace).run() }
            var told = heard.makeAsyncIterator()
            var orders = [first], ids = [await told.next() ?? ""]
            for _ in 0..<3 {
                orders.append(try await bank.order().id)
                ids.append(await told.next() ?? "")
            }
            opener.finish()
            running.cancel()
            await running.value

            #expect(ids == orders)
        }
    }

    @Test("whoever takes longer than three seconds is late, or does not answer, until they answer in time")
    func remembered() {
        let pace = CallbackPace()
        pace.note("b", took: .seconds(4))
        pace.note("a", took: .milliseconds(3_001))
        pace.note("c", took: .seconds(3))
        pace.note("d", took: nil)
        let first = pace.late
        for name in ["a", "d"] { pace.note(name, took: .milliseconds(20)) }

        #expect(first == ["a", "b", "d"] && pace.late == ["b"])
    }

    @Test("of whom something is on its way nothing more is sent, and of 64 at most")
    func busy() {
        let pace = CallbackPace(), names = (100..<165).map { "\($0)" }
        for name in names { pace.note(name, took: nil) }
        for name in names.dropLast(2) { pace.begin(name) }
        let two = pace.idle
        pace.begin("163")
        let none = pace.idle
        pace.end("100")
        let after = pace.idle

        #expect(two == ["163", "164"] && none.isEmpty && after == ["100", "164"] && pace.late == names)
    }

    @Test("one that does not answer is late after one try; one that refuses is not")
    func thrown() async throws {
        struct Gone: Error {}
        try await OperationsBank.with { bank in
            let gone = try await Self.add(bank, Self.slow), pace = CallbackPace()
            _ = try await Self.add(bank, "https://bank.example/hook")
            let http = CallbackHTTP { request in
                if request.url == Self.slow { throw Gone() }
                return 500
            }
            _ = try await bank.order()

            let count = try await CallbackSender(bank.service, http: http, logger: .quiet, pace: pace).sendDue()

            #expect(count == 2 && pace.late == [gone.id] && pace.idle == [gone.id])
        }
    }

    @Test("by hand both kinds are sent in one go")
    func both() async throws {
        try await OperationsBank.with { bank in
            let late = try await Self.add(bank, Self.slow), service = CalledBack(), pace = CallbackPace()
            _ = try await Self.add(bank, "https://bank.example/hook")
            _ = try await bank.order()
            pace.note(late.id, took: .seconds(5))

            let count = try await CallbackSender(bank.service, http: service.http, logger: .quiet, pace: pace).sendDue()

            #expect(count == 2 && Set(service.requests.map(\.url)) == [Self.slow, "https://bank.example/hook"] && pace.late.isEmpty)
        }
    }
}
