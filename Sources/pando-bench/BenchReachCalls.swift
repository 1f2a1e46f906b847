import Base
import Database
import Foundation
import Server
import TokenTree

/// A version that is revoked, and services that are called once for each assertion (RFC 7009).
struct BenchReachCalls: Sendable {
    let composition: Composition
    let receiver: BenchReceiver
    let version: Ancestor
    let services: [String]
    /// Of each service.
    let calls: Int
    /// The most calls a second and service, as it is set.
    let pace: Int

    func rows() async throws -> [BenchRow] {
        receiver.forget()
        let begun = ContinuousClock.now, limit = Duration.seconds(30 + 2 * calls / pace)
        _ = try await composition.revocation.revoke(.virtual(version), by: BenchReachPushes.by)
        _ = try await receiver.first(calls * services.count, below: "/", within: limit)
        try await BenchReachPushes.settled(composition.database)
        let left = try await composition.database.query("select assertion from assertion_reach limit 1")
        let came = services.map { service in receiver.all(below: "/\(service)/").map { ($0.at - begun) / .seconds(1) } }
        guard came.allSatisfy({ $0.count == calls }), left.isEmpty else {
            throw BenchFailure.told("not one call for each of \(calls) assertions: \(came.map(\.count))")
        }
        let rates = came.map { rate($0.sorted()) }, burst = came.map { most(in: $0.sorted()) }.max() ?? 0
        guard let fastest = rates.max(), fastest <= Double(pace) * 1.01 else {
            throw BenchFailure.told("a service was called \(rates.max() ?? 0) times a second, and the pace is \(pace)")
        }
        let all = came.flatMap { $0 }
        return [
            BenchRow(name: "calls (RFC 7009), \(services.count) services", value: Double(all.count), unit: .count),
            BenchRow(name: "calls a second and service, pace \(pace)", value: fastest, unit: .perSecond),
            BenchRow(name: "most calls of a service in a second", value: Double(burst), unit: .count),
            BenchRow(name: "revoke to the first call", value: (all.min() ?? 0) * 1_000, unit: .milliseconds),
            BenchRow(name: "revoke to the last of \(calls) calls", value: all.max() ?? 0, unit: .seconds),
        ]
    }

    /// Calls come as many at once as the pace allows in a second; the first ones are not waited for.
    private func rate(_ times: [Double]) -> Double {
        guard let first = times.first, let last = times.last, times.count > pace, last > first else { return 0 }
        return Double(times.count - pace) / (last - first)
    }

    private func most(in times: [Double]) -> Int {
        var most = 0, start = 0
        for (end, time) in times.enumerated() {
            while time - times[start] >= 1 { start += 1 }
            most = max(most, end - start + 1)
        }
        return most
    }
}
