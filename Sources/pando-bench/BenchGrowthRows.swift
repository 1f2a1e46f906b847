import Base
import Database
import Foundation
import Server
import Simulators

/// The served program with more and more live tokens.
struct BenchGrowthRows: Sendable {
    private static let hot = 256
    /// Asked for once each, of a second.
    private static let abundance = 12_000

    let probe: BenchGrowthProbe
    let tokens: BenchGrowthTokens

    private var server: BenchServer { probe.server }

    func measure(_ sizes: [Int], _ figures: inout BenchGrowthFigures) async throws {
        var filled = 0
        for size in sizes {
            let name = BenchSizes.text(size, of: "token"), begun = Date()
            BenchProgress.say("\(name): filling")
            try await tokens.fill(filled + 1...size)
            try await tokens.settle()
            figures.add(
                BenchRow(
                    name: "rows and indexes, \(name)", value: try await tokens.size() / 1_048_576, unit: .mebibytes),
                kind: "rows and indexes")
            BenchProgress.say("\(name): measuring")
            try await measure(filled + 1...size, size, name, &figures)
            try await tokens.forget(since: begun)
            filled = size
        }
    }

    /// `fresh` are the numbers that came with this size.
    private func measure(
        _ fresh: ClosedRange<Int>, _ size: Int, _ name: String, _ figures: inout BenchGrowthFigures
    ) async throws {
        func add(_ row: BenchRow, _ line: String) { figures.add(row, to: line, .tokens, size: size) }
        func named(_ line: String) -> String { "\(line), \(name)" }
        let signed = try await signed(fresh)
        let asked = signed.map { server.byMachine("/introspect", [("token", $0)]) }
        let hot = Array(asked.prefix(Self.hot)), cold = Array(asked.dropFirst(Self.hot))
        // wrk takes the first request to look at it, and does not send it.
        guard let witness = cold.dropFirst().first else { throw BenchFailure.notServing }

        let machine = [server.byMachine("/token", [("grant_type", "client_credentials"), ("scope", "read")])]
        add(
            try await probe.measure(machine, areSpent: false, warm: machine, named("machine token")), "machine token")
        add(try await probe.measure(hot, areSpent: false, warm: hot, named("introspection")), "introspection")
        let first = "introspection, first of a token"
        add(try await probe.measure(cold, areSpent: true, warm: hot, named(first)), first)
        try await probe.require(witness, isActive: true)
        let revoked = signed.dropFirst(Self.hot).map { server.byMachine("/revoke", [("token", $0)]) }
        let revocation = "revocation of a token"
        add(try await probe.measure(revoked, areSpent: true, warm: hot, named(revocation)), revocation)
        try await probe.require(witness, isActive: false)
    }

    /// Of as many as can be asked for, over the whole range and in no order.
    private func signed(_ fresh: ClosedRange<Int>) async throws -> [String] {
        let count = min(fresh.count, Self.hot + Self.abundance * probe.seconds)
        let numbers = (0..<count).map { fresh.lowerBound + $0 * fresh.count / count }.shuffled()
        var signed: [String] = []
        for number in numbers { signed.append(try await tokens.signed(number)) }
        return signed
    }
}
