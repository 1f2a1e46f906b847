import AsyncHTTPClient
import Base
import Foundation
import PandoClient
import Simulators

/// Issuing over HTTP. Assertions and proofs are signed before the clock runs: they are the client's work, not the
/// server's.
struct BenchIssue: Sendable {
    /// Assertions made for each second measured; more than the server takes.
    private static let abundance = 3_000

    let server: BenchServer
    let seconds: Int

    func measure(_ report: inout BenchReport) async throws {
        let issuer = try await AuthorizationServer.discover(server.issuer, transport: server.transport)
        let registrations = BenchSupply(
            try registrations(at: issuer, of: try server.version.appVersion()).map(server.request))
        report.rows.append(
            try await server.row("register an app instance", ceiling: BenchCeilings.commit, for: seconds, registrations)
        )
        let asking = server.byMachine("/token", [("grant_type", "client_credentials"), ("scope", "read")])
        report.rows.append(
            try await server.row(
                "token for a machine", ceiling: BenchCeilings.commit, for: seconds, .cycling([server.request(asking)]))
        )
    }

    /// Each of a device of its own, with a key of its own and a proof by it, which is good for a minute.
    func registrations(at issuer: AuthorizationServer, of version: AppVersion) throws -> [DemoRequest] {
        try BenchProgress.making(BenchIssue.abundance * (seconds + 1), within: .seconds(8)) {
            let device = Device(
                id: UUID().uuidString.lowercased(), name: "Bench phone", type: "phone", osVersion: "17.1")
            let key = SigningKey()
            var request = try issuer.registration(version, device, key: key)
            request.headers.append(("DPoP", try issuer.holder(of: key).proof(request.method, request.url)))
            return DemoRequest(request)
        }
    }
}
