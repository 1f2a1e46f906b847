import Accounts
import Base
import Foundation
import NIOCore
import Server
import TestSupport
import Testing

@testable import HTTP

@Suite("How many connections there may be")
struct ConnectionLimitTests {
    private static let request = ["GET /here HTTP/1.1", "Host: localhost"]

    private func limit(_ most: Int, perAddress: Int, exempt: [String] = []) -> ConnectionLimit {
        ConnectionLimit(
            most: most, perAddress: perAddress, exempt: exempt.compactMap { CIDR($0) },
            tally: RefusalTally(logger: .quiet, clock: .system))
    }

    @Test("one address has so many, of IPv6 the /64; another one has its own, and who leaves makes room")
    func addresses() throws {
        let limit = limit(0, perAddress: 2)
        let first = try limit.enter("2001:db8::1")
        _ = try limit.enter("2001:db8::2")
        #expect(throws: ConnectionLimit.Exceeded.self) { try limit.enter("2001:db8::3") }
        _ = try limit.enter("2001:db8:0:1::1")
        _ = try limit.enter("203.0.113.7")
        #expect(limit.open == 4)

        limit.leave(first)

        _ = try limit.enter("2001:db8::3")
        #expect(throws: ConnectionLimit.Exceeded.self) { try limit.enter("2001:db8::4") }
    }

    @Test("exempt addresses, and those that are not known, have as many as there are in all")
    func exempt() throws {
        let limit = limit(4, perAddress: 1, exempt: ["10.0.0.0/8"])
        for address in ["10.0.0.1", "10.0.0.1", nil, nil] { _ = try limit.enter(address) }

        #expect(throws: ConnectionLimit.Exceeded.self) { try limit.enter("10.0.0.1") }
        #expect(throws: ConnectionLimit.Exceeded.self) { try limit.enter("203.0.113.7") }
        #expect(limit.open == 4)
    }

    @Test("where there are few in all, one address has no more than half of them; where it has any number, it has all")
    func half() throws {
        let few = limit(4, perAddress: 2_000), free = limit(4, perAddress: 0)
        for _ in 0..<2 { _ = try few.enter("203.0.113.7") }
        for _ in 0..<4 { _ = try free.enter("203.0.113.7") }

        #expect(throws: ConnectionLimit.Exceeded.self) { try few.enter("203.0.113.7") }
        _ = try few.enter("203.0.113.8")
        #expect(few.open == 3 && free.open == 4)
    }

    @Test("a storm is over once, when most of it is gone")
    func storms() throws {
        let limit = limit(0, perAddress: 0)
        #expect(!limit.settled())
        let all = try (0..<600).map { _ in try limit.enter("203.0.113.7") }
        #expect(!limit.settled())

        for one in all.dropLast(50) { limit.leave(one) }

        #expect(limit.settled())
        #expect(!limit.settled())
    }

    @Test("at a listener one too many is closed unanswered, those that are there are served, and the next after them")
    func closed() async throws {
        let limit = limit(1, perAddress: 0)
        try await listening(limit) { port in
            try await RawConnection.open(port) { first in
                try await first.ask(Self.request)
                #expect(try await first.answer().head.hasPrefix("HTTP/1.1 200"))

                let second = try await RawConnection.open(port) { connection in
                    try? await connection.ask(Self.request)
                    return await connection.rest()
                }

                #expect(second.isEmpty)
                try await first.ask(Self.request)
                #expect(try await first.answer().head.hasPrefix("HTTP/1.1 200"))
            }
            while limit.open > 0 { try await Task.sleep(for: .milliseconds(10)) }
            try await RawConnection.open(port) { next in
                try await next.ask(Self.request)
                #expect(try await next.answer().head.hasPrefix("HTTP/1.1 200"))
            }
        }
    }

    @Test("what was closed is counted, by which of the two limits it was")
    func counted() throws {
        let registry = PrometheusRegistry()
        let limit = ConnectionLimit(
            most: 3, perAddress: 1, exempt: [], tally: nil, closures: ConnectionClosures(registry))
        for address in ["203.0.113.7", "203.0.113.8"] { _ = try limit.enter(address) }
        #expect(throws: ConnectionLimit.Exceeded.self) { try limit.enter("203.0.113.7") }
        _ = try limit.enter("203.0.113.9")
        for address in ["203.0.113.10", nil] {
            #expect(throws: ConnectionLimit.Exceeded.self) { try limit.enter(address) }
        }

        let page = registry.page

        #expect(page.contains(#"pando_connections_closed_total{reason="limit_address_connections"} 1.0"# + "\n"))
        #expect(page.contains(#"pando_connections_closed_total{reason="limit_connections"} 2.0"# + "\n"))
    }

    @Test("at a listener a head that comes slowly, and what is no HTTP, end their connections and are counted")
    func unfinished() async throws {
        let registry = PrometheusRegistry()
        let limit = ConnectionLimit(
            most: 0, perAddress: 0, exempt: [], tally: nil, closures: ConnectionClosures(registry))
        // On a busy machine what is no HTTP comes too late for the first.
        for (sent, headLimit, start) in [
            ("GET /here HTTP/1.1\r\nHost:", TimeAmount.milliseconds(200), ""),
            ("NONSENSE\r\n\r\n", .seconds(20), "HTTP/1.1 400"),
        ] {
            try await listening(limit, headLimit: headLimit) { port in
                let answer = try await RawConnection.open(port) { connection in
                    try await connection.send(Array(sent.utf8))
                    return await connection.rest()
                }
                #expect(String(decoding: answer, as: UTF8.self).prefix(12) == start)
            }
        }

        let page = registry.page

        #expect(page.contains(#"pando_connections_closed_total{reason="slow_head"} 1.0"# + "\n"))
        #expect(page.contains(#"pando_connections_closed_total{reason="malformed"} 1.0"# + "\n"))
        #expect(page.contains(#"pando_connections_closed_total{reason="silent"} 0.0"# + "\n"))
    }

    private func listening(
        _ limit: ConnectionLimit, headLimit: TimeAmount = .seconds(20),
        _ body: @escaping @Sendable (_ port: Int) async throws -> Void
    ) async throws {
        let (bound, continuation) = AsyncStream<Int>.makeStream()
        let listener = Listener(
            address: "127.0.0.1", port: 0,
            answering: .document(path: "/here", type: "text/plain", text: { "here" }), headLimit: headLimit,
            connections: limit, logger: .quiet
        ) { continuation.yield($0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { continuation.finish() }
                try await listener.run()
            }
            for await port in bound {
                try await body(port)
                break
            }
            group.cancelAll()
        }
    }
}
