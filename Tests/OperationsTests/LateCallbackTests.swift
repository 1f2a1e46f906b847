import Base
import Foundation
import TestSupport
import Testing

@testable import Operations

@Suite("Callbacks that answer late")
struct LateCallbackTests {
    private static let slow = "https://late.example/hook"

    private static func add(_ bank: OperationsBank, _ url: String) async throws -> CallbackView {
        try await bank.service.addCallback(["url": .string(url), "events": ["operation"]], by: PhoneFixture.bank)
    }

    @Test("nobody waits for one: what others are to be told goes on while it has not answered")
    func apart() async throws {
        try await OperationsBank.with { bank in
            _ = try await Self.add(bank, Self.slow)
            _ = try await Self.add(bank, "https://bank.example/hook")
            let (gate, opener) = AsyncStream.makeStream(of: Void.self),
                (heard, hears) = AsyncStream.makeStream(of: String.self)
            let http = CallbackHTTP { request in
                if request.url == Self.slow {
                    for await _ in gate {}
                } else {
                    hears.yield((try? JSONReader.read(request.body))?["data"]?["operationId"]?.string ?? "")
                }
                return 204
            }
            let first = try await bank.order().id
            let sender = CallbackSender(bank.service, http: http, logger: .quiet)

            let running = Task { await sender.run() }
            var told = heard.makeAsyncIterator()
            let one = await told.next(), second = try await bank.order().id, two = await told.next()
            opener.finish()
            running.cancel()
            await running.value

            #expect(one == first && two == second)
        }
    }

    @Test("one that never answers keeps no later event of another waiting, however many there are of its own")
    func ownPace() async throws {
        try await OperationsBank.with { bank in
            for url in [Self.slow, "https://bank.example/hook"] { _ = try await Self.add(bank, url) }
            let (gate, opener) = AsyncStream.makeStream(of: Void.self),
                (heard, hears) = AsyncStream.makeStream(of: String.self)
            let http = CallbackHTTP { request in
                if request.url == Self.slow {
                    for await _ in gate {}
                } else {
                    hears.yield((try? JSONReader.read(request.body))?["data"]?["operationId"]?.string ?? "")
                }
                return 204
            }
            let first = try await bank.order().id

            let running = Task { await CallbackSender(bank.service, http: http, logger: .quiet).run() }
            var told = heard.makeAsyncIterator()
            var orders = [first], ids = [await told.next() ?? ""]
            for _ in 0..<8 {
                orders.append(try await bank.order().id)
                ids.append(await told.next() ?? "")
            }
            opener.finish()
            running.cancel()
            await running.value

            #expect(ids == orders)
        }
    }
}
