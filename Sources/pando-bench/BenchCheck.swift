import AsyncHTTPClient
import Base
import Foundation
import Simulators

/// Checking over HTTP: introspection by the client that a token was issued to, and a protected resource with proofs
/// made beforehand.
struct BenchCheck: Sendable {
    private static let tokens = 256
    /// Proofs made for each second measured.
    private static let abundance = 5_000

    let server: BenchServer
    let seconds: Int

    /// Different tokens in turn; every answer says that its token is live.
    func introspections() async throws -> [DemoRequest] {
        var requests: [DemoRequest] = []
        let asking = server.byMachine("/token", [("grant_type", "client_credentials"), ("scope", "read")])
        for _ in 0..<BenchCheck.tokens {
            let answer = try JSONReader.read(try await ask(asking))
            requests.append(server.byMachine("/introspect", [("token", answer["access_token"]?.string ?? "")]))
        }
        return requests
    }

    /// The bytes of one answer, of a token that is live.
    func answer(to introspection: DemoRequest) async throws -> [UInt8] {
        let bytes = try await ask(introspection)
        guard try JSONReader.read(bytes)["active"]?.bool == true else {
            throw BenchFailure.refused(status: 200, String(decoding: bytes, as: UTF8.self))
        }
        return bytes
    }

    /// `url` answers as many bytes with no work behind them: what the HTTP of both sides costs.
    func measureBare(_ url: String, _ report: inout BenchReport) async throws {
        report.rows.append(
            try await server.row(
                BenchCeilings.answer, ceiling: nil, for: seconds, .cycling([HTTPClientRequest(url: url)])))
    }

    func measure(_ introspections: [DemoRequest], _ report: inout BenchReport) async throws {
        report.rows.append(
            try await server.row(
                "introspect a token", ceiling: BenchCeilings.answer, for: seconds,
                .cycling(introspections.map(server.request))))
        report.rows.append(
            try await server.row(
                "read /user-profile with DPoP", ceiling: BenchCeilings.answer, for: seconds,
                BenchSupply(try await profiles().map(server.request))))
    }

    /// A proof is good once, and for a minute.
    func profiles() async throws -> [DemoRequest] {
        let person = try await BenchPerson.loggedIn(server)
        return try BenchProgress.making(BenchCheck.abundance * (seconds + 1), within: .seconds(8)) {
            try person.request("GET", "/user-profile")
        }
    }

    private func ask(_ request: DemoRequest) async throws -> [UInt8] {
        let response = try await server.load.client.execute(server.request(request), timeout: .seconds(10))
        let body = try await response.body.collect(upTo: 1 << 16)
        guard response.status == .ok else {
            throw BenchFailure.refused(status: Int(response.status.code), String(buffer: body))
        }
        return Array(body.readableBytesView)
    }
}
