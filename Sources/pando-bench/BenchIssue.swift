import AsyncHTTPClient
import Base
import Foundation

/// Issuing over HTTP. Assertions and proofs are signed before the clock runs: they are the client's work, not the server's.
struct BenchIssue: Sendable {
    /// Assertions made for each second measured; more than the server takes.
    private static let abundance = 3_000

    let house: BenchHouse
    let seconds: Int

    func measure(_ report: inout BenchReport) async throws {
        report.rows.append(try await house.row("register an app instance", ceiling: BenchCeilings.commit, for: seconds, BenchSupply(try registrations())))
        let asking = house.byMachine("/token", [("grant_type", "client_credentials"), ("scope", "read")])
        report.rows.append(try await house.row("token for a machine", ceiling: BenchCeilings.commit, for: seconds, .cycling([asking])))
    }

    /// Each of a device of its own, with a key of its own and a proof by it, which is good for a minute.
    private func registrations() throws -> [HTTPClientRequest] {
        try BenchProgress.making(BenchIssue.abundance * (seconds + 1), within: .seconds(8)) { house.request(try house.phone.registration()) }
    }
}
