import AsyncHTTPClient
import Foundation
import NIOCore
import Server

/// Requests made beforehand, each sent once, in order.
final class BenchSupply: Sendable {
    private let next = Locked(0)
    private let request: @Sendable (Int) -> HTTPClientRequest?

    /// `request` gives the n-th, or `nil` when there are no more.
    init(_ request: @escaping @Sendable (Int) -> HTTPClientRequest?) { self.request = request }

    convenience init(_ requests: [HTTPClientRequest]) { self.init { $0 < requests.count ? requests[$0] : nil } }

    /// These, over and over.
    static func cycling(_ requests: [HTTPClientRequest]) -> BenchSupply {
        BenchSupply { requests.isEmpty ? nil : requests[$0 % requests.count] }
    }

    func take() -> HTTPClientRequest? {
        request(
            next.with {
                $0 += 1
                return $0 - 1
            })
    }
}

/// What a measure took: one time a request, in nanoseconds.
struct BenchSamples: Sendable {
    private let sorted: [Int64]
    let seconds: Double

    init(_ times: [Int64], seconds: Double) { (sorted, self.seconds) = (times.sorted(), seconds) }

    var count: Int { sorted.count }
    var perSecond: Double { seconds > 0 ? Double(count) / seconds : 0 }

    /// Milliseconds; the nearest rank.
    func percentile(_ percent: Double) -> Double {
        guard !sorted.isEmpty else { return 0 }
        let rank = Int((percent / 100 * Double(sorted.count)).rounded(.up)) - 1
        return Double(sorted[min(max(rank, 0), sorted.count - 1)]) / 1e6
    }
}

/// The load generator: a closed loop of clients, each of which sends its next request when the last one was answered.
struct BenchLoad: Sendable {
    private static let timeLimit = TimeAmount.seconds(10)
    private static let answerLimit = 1 << 16
    private static let warmUp = 1.0

    let client: HTTPClient
    let clients: Int

    /// A generator that lives as long as `body`, with a connection for each of its clients.
    static func open<Result: Sendable>(clients: Int, _ body: (BenchLoad) async throws -> Result) async throws -> Result
    {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: .init(connect: .seconds(3)))
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = clients
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        do {
            let result = try await body(BenchLoad(client: client, clients: clients))
            try await client.shutdown()
            return result
        } catch {
            try? await client.shutdown()
            throw error
        }
    }

    /// A second to warm up, then `seconds`, or until the supply is used up. An answer other than 200 ends the bench.
    func measure(
        for seconds: Double, _ supply: BenchSupply, between: () async throws -> Void = {}
    ) async throws -> BenchSamples {
        _ = try await run(for: BenchLoad.warmUp, supply)
        try await between()
        return try await run(for: seconds, supply)
    }

    private func run(for seconds: Double, _ supply: BenchSupply) async throws -> BenchSamples {
        let start = ContinuousClock.now, deadline = start + .seconds(seconds)
        let times = try await withThrowingTaskGroup(of: [Int64].self) { group in
            for _ in 0..<clients { group.addTask { try await loop(until: deadline, supply) } }
            return try await group.reduce(into: [Int64]()) { $0 += $1 }
        }
        return BenchSamples(times, seconds: (ContinuousClock.now - start) / .seconds(1))
    }

    private func loop(until deadline: ContinuousClock.Instant, _ supply: BenchSupply) async throws -> [Int64] {
        var times: [Int64] = []
        while ContinuousClock.now < deadline, let request = supply.take() {
            let start = ContinuousClock.now
            let response = try await client.execute(request, timeout: BenchLoad.timeLimit)
            let body = try await response.body.collect(upTo: BenchLoad.answerLimit)
            times.append(Int64((ContinuousClock.now - start) / .nanoseconds(1)))
            guard response.status == .ok else {
                throw BenchFailure.refused(status: Int(response.status.code), String(buffer: body))
            }
        }
        return times
    }
}
