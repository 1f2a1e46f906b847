import Administration
import Base
import Commands
import Database
import TestSupport
import Testing
import TokenTree

@Suite("lists that a read replica answers")
struct ReplicaListTests {
    /// A session whose standby says that it is young and has no institution, whatever the primary has.
    private struct Reading: Sendable {
        let session: AdminSession

        static func with(_ body: @escaping @Sendable (Reading) async throws -> Void) async throws {
            try await TestServer.with { server in
                try await LaggingStandby.of(server.database) { standby in
                    let replica = standby.replica(), parts = server.parts
                    let session = AdminSession(
                        store: parts.store, revocation: parts.revocation, models: [parts.composition],
                        actor: AuditActor(name: "admin:root"), clock: server.time.clock, randomness: .system,
                        replica: replica)
                    try await withThrowingTaskGroup { group in
                        group.addTask { await replica.run() }
                        group.addTask { await standby.keepsSayingThatItIsYoung() }
                        try await body(Reading(session: session))
                        group.cancelAll()
                    }
                }
            }
        }

        func run(_ words: String, _ arguments: JSONObject = [:]) async throws -> AdminResult {
            let catalog = AdminCatalog.ofServer
            let entry = try #require(catalog.entry(words.split(separator: " ").map(String.init)))
            return try await catalog.run(entry, arguments, in: session)
        }

        func create(_ name: String) async throws {
            _ = try await run("institutions create", ["institution": .string(name), "name": "University"])
        }

        func list() async throws -> [String] {
            guard case .list(let items, _) = try await run("institutions list") else { return [] }
            return items.compactMap { $0["id"]?.string }
        }

        /// Whether the standby comes to be asked, which has none.
        func isAskedAtTheStandby() async throws -> Bool {
            for _ in 0..<1_500 {
                if try await list().isEmpty { return true }
                try await Task.sleep(for: .milliseconds(20))
            }
            return false
        }
    }

    @Test("a list is read at the standby once it is known to be young; what one thing is, at the primary")
    func lists() async throws {
        try await Reading.with { reading in
            try await reading.create("uni.example")

            #expect(try await reading.isAskedAtTheStandby())
            guard case .object(let shown) = try await reading.run("institutions show", ["institution": "uni.example"])
            else {
                Issue.record("no object")
                return
            }
            #expect(shown["id"] == "uni.example")
        }
    }

    @Test("who has changed something sees it in the next list, and a dry run changes nothing")
    func ownChanges() async throws {
        try await Reading.with { reading in
            try await reading.create("uni.example")
            #expect(try await reading.list() == ["uni.example"])
            #expect(try await reading.isAskedAtTheStandby())

            try await reading.create("school.example")

            #expect(try await reading.list() == ["school.example", "uni.example"])
        }
    }
}
