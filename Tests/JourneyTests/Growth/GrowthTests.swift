import Base
import Foundation
import HTTP
import HTTPTypes
import TestSupport
import Testing

/// Each row of the route table is asked by somebody whom nobody knows. Which of them write is found out, not listed: a
/// new route that does is in the test.
@Suite("Growth: what strangers can leave behind")
struct GrowthTests {
    /// What must be among those that write, or the requests do not come as far as they should.
    private static let writing: Set<String> = [
        "GET /authorize", "POST /par", "POST /device_authorization", "POST /login", "GET /login/tiqr",
        "POST /login/tiqr/again", "GET /login/approval",
        "POST /login/approval/again", "POST /login/passkey/options", "POST /attestation/request", "GET /login/wallet",
        "POST /login/wallet/again",
    ]

    private static func name(_ endpoint: Endpoint) -> String { "\(endpoint.method.rawValue) \(endpoint.path)" }

    /// Each so often, `place` says from where. Six at a time.
    private func ask(
        _ endpoints: [(endpoint: Endpoint, count: Int)], _ requests: StrangerRequests,
        from place: @Sendable @escaping (Int, Int) -> String
    ) async throws {
        let all = endpoints.enumerated().flatMap { index, asked in (0..<asked.count).map { (asked.endpoint, index, $0) }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in 0..<6 {
                group.addTask {
                    for number in stride(from: lane, to: all.count, by: 6) {
                        let (endpoint, index, turn) = all[number]
                        let reply = try await requests.send(endpoint, number: turn, from: place(index, turn))
                        #expect(
                            reply.status < 500 || reply.status == 503,
                            "\(GrowthTests.name(endpoint)): \(reply.status) \(reply.body.prefix(200))")
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Those that leave rows behind, found by asking each in both ways.
    private func writers(_ requests: StrangerRequests) async throws -> Set<String> {
        var found: Set<String> = [], before = try await TableSizes(requests.server.database)
        for endpoint in requests.server.parts.routes.endpoints {
            for number in 0..<2 { _ = try await requests.send(endpoint, number: number, from: "192.0.2.2") }
            let after = try await TableSizes(requests.server.database)
            if !after.grown(since: before).isEmpty { found.insert(GrowthTests.name(endpoint)) }
            before = after
        }
        return found
    }

    /// `count` requests to each route that writes, ten to each that does not, then two hours, then housekeeping.
    private func grow(_ count: Int, from place: @Sendable @escaping (Int, Int) -> String) async throws {
        try await TestServer.with(connections: 8, options: try .forwarded()) { server in
            let requests = try await StrangerRequests(server)
            // The node of the epoch is made once, by whoever comes first.
            _ = try await Phone.registered(in: server)
            try await server.tidy()
            let before = try await TableSizes(server.database), writers = try await writers(requests)
            let asked = server.parts.routes.endpoints.map {
                (endpoint: $0, count: writers.contains(GrowthTests.name($0)) ? count : 10)
            }

            try await ask(asked, requests, from: place)
            let full = try await TableSizes(server.database)
            server.time.advance(7_200)
            try await server.tidy()
            let after = try await TableSizes(server.database)

            #expect(GrowthTests.writing.subtracting(writers).sorted() == [], "these came not far enough to write")
            #expect(
                ["audit", "audit_tally"].filter { full.rows[$0] != before.rows[$0] } == [],
                "audited, and nobody is known")
            #expect(
                after.grown(since: before).isEmpty,
                "grew: \(after.grown(since: before)), after \(full.grown(since: before))")
        }
    }

    @Test("each route a thousand times: two hours later no table has grown, the audit trail never had")
    func thousand() async throws { try await grow(1_000) { route, _ in "10.1.\(route / 200).\(route % 200 + 1)" } }

    @Test("nor where each request comes from another address, and no pace holds it")
    func everywhere() async throws {
        try await grow(30) { route, turn in "10.\(turn + 2).\(route / 200).\(route % 200 + 1)" }
    }
}
