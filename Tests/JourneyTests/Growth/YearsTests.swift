import Base
import Database
import Foundation
import HTTPTypes
import Registration
import TestSupport
import Testing
import TokenTree

/// Years of use that is the same all the time: after the longest memory there is (400 days, of assertions) no table has
/// more rows than before, but those of which the documents say that they grow with time.
@Suite("Growth: years that are all the same")
struct YearsTests {
    /// A multiple of the widest partition, so that as much of one is left each time. Each step makes and drops two
    /// months of partitions, a second or two.
    private static let step: TimeInterval = 60 * 86_400
    /// Until all that is remembered has been forgotten once, and a year on.
    private static let early = 9, late = 15
    /// A row for each day and key: docs/operate.md, "What leaves each table". Nodes of signing keys, and whom to tell
    /// of their end, are counted apart.
    private static let growing: Set<String> = ["audit_head", "signing_key"]
    /// Housekeeping of these goes by the database's own clock, which nobody sets (`Leases.tidy`).
    private static let ofRealTime: Set<String> = ["change", "replica"]

    /// What happens in each step: people, phones, machines and clients that come and go.
    private func live(_ server: TestServer, _ ada: String, _ app: WebApp) async throws {
        let phone = try await Phone.registered(in: server)
        _ = try await phone.joinService()
        _ = try await Phone.registered(in: server)
        let browser = Browser(server), tokens = try await app.logIn(browser, as: ada)
        for _ in 0..<3 {
            let token = try await server.post(
                "/token", ["grant_type": "client_credentials"], headers: [.authorization: machine(server)]
            ).accessToken
            let revoked = try await server.post(
                "/revoke", ["token": token], headers: [.authorization: machine(server)])
            try #require(revoked.status == 200)
        }
        _ = try await RegistrationFixture(server: server).registered()
        try #require(tokens.outcome == "200")
        try await server.parts.revocation.revoke(.virtual(Ancestor(.instance, phone.clientID)), by: .server)
        try await server.sendEvents()
        try await server.sendLogouts()
        server.time.advance(Self.step - 86_400)
        try await server.parts.keys.ensure()
        try await server.tidy()
        // What had its turn today, and found what only now is old enough.
        server.time.advance(86_400)
        try await server.tidy()
    }

    private func machine(_ server: TestServer) -> String {
        let (id, secret) = server.residents.machine
        return "Basic " + Data("\(id):\(secret)".utf8).base64EncodedString()
    }

    /// Rows of each table, without those of signing keys.
    private func sizes(_ server: TestServer) async throws -> [String: Int] {
        var rows = try await TableSizes(server.database).rows
        rows["ancestor", default: 0] -= try await server.database.value(
            "select count(*) from ancestor where kind = 'signer'")
        rows["reach", default: 0] -= try await server.database.value(
            """
            select count(*) from reach r join ancestor a on a.id = r.node where a.kind = 'signer'
            """)
        return rows
    }

    @Test("after 540 days no table has more rows 360 days later")
    func years() async throws {
        try await TestServer.with(options: .init(flags: ["audit-kept": "365"])) { server in
            let ada = try await server.newResident().username, app = try await server.webApp()
            for _ in 0..<Self.early { try await live(server, ada, app) }
            let early = try await sizes(server)
            for _ in Self.early..<Self.late { try await live(server, ada, app) }
            let late = try await sizes(server)

            // One row a step would be six more, and two thirds more where there was nothing else.
            let grown = late.filter { table, rows in
                !Self.growing.union(Self.ofRealTime).contains(table) && rows > (early[table] ?? 0) * 5 / 4 + 3
            }
            #expect(
                grown.isEmpty,
                """
                grew: \(grown.map { "\($0.key) from \(early[$0.key] ?? 0) to \($0.value)" }.sorted()); \
                all: \(late.filter { $0.value > 0 }.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" })
                """)
            try YearsFigures.note(early, late)
        }
    }
}

/// The figures for docs/performance.md, written where `PANDO_YEARS_FIGURES` names a file.
private enum YearsFigures {
    static func note(_ early: [String: Int], _ late: [String: Int]) throws {
        guard let path = ProcessInfo.processInfo.environment["PANDO_YEARS_FIGURES"] else { return }
        let lines = late.filter { $0.value > 0 }.sorted { $0.key < $1.key }.map {
            "| `\($0.key)` | \(early[$0.key] ?? 0) | \($0.value) |"
        }
        try (["| table | after 540 days | after 900 |", "|---|---|---|"] + lines).joined(separator: "\n")
            .write(toFile: path, atomically: true, encoding: .utf8)
    }
}
