import Synchronization
import Testing
import Traces

@testable import Database

@Suite("statements and commits in a trace", .timeLimit(.minutes(1)))
struct StatementSpanTests {
    private final class Kept: Sendable {
        private let spans = Mutex<[FinishedSpan]>([])

        var all: [FinishedSpan] { spans.withLock { $0 } }
        var recorder: TraceRecorder {
            TraceRecorder(TraceSampling(share: 1)) { span in self.spans.withLock { $0.append(span) } }
        }
        func named(_ name: String) -> [FinishedSpan] { all.filter { $0.name == name } }

        /// `body` in a trace of that name.
        nonisolated(nonsending) func tracing(_ name: String = "root", _ body: () async throws -> Void) async rethrows {
            try await Phase.recording(by: recorder) { try await Phase.root(name) { try await body() } }
        }
    }

    @Test(
        "a statement is named by its first word and the first table",
        arguments: [
            ("select id from token where id = $1", "select token"),
            ("  INSERT\ninto audit (at) values ($1)", "insert audit"),
            ("update only_one set a = 1", "update only_one"), ("delete from \"odd\" where a", "delete"),
            (
                "with due as (select e from delivery e for update skip locked) update delivery d set a = 1",
                "with delivery"
            ),
            ("select 1 as one", "select"), ("insert into a.b select from unnest($1)", "insert a.b"),
            ("select x from (select y from inner_one) z", "select inner_one"), ("", ""),
            ("select set_config('a', $1, true)", "select"),
            ("select pg_notify($1, '')", "select"), ("alter table token attach partition p", "alter token"),
        ])
    func summary(_ text: String, _ expected: String) {
        #expect(StatementSpan.Summary(text).text == expected)
    }

    @Test("text, table and rows are told, and none of the values; an error by its SQLSTATE")
    func statements() async throws {
        let kept = Kept(), secret = "s3cret-of-somebody"
        try await TestDatabase.with { database in
            // There is a connection, and in no trace.
            _ = try await database.query("select 'first'")
            try await kept.tracing {
                let rows = try await database.query(
                    "select relname from pg_class\n  where relname <> \(secret) limit 2")
                #expect(rows.count == 2)
                _ = try await database.batch(["select \(secret)::text", "select 2 as two"])
                _ = try? await database.query("select \(secret)::text from nowhere_at_all")
                try await database.transaction { transaction in
                    _ = try await transaction.query("select \(secret)::text as it")
                }
            }
            _ = try await database.query("select 'in no trace'")
        }

        let spans = kept.all
        #expect(
            spans.map(\.name) == [
                "select pg_class", "batch select", "select nowhere_at_all", "select", "commit", "root",
            ])
        #expect(
            spans.dropLast().allSatisfy {
                $0["db.system.name"] == "postgresql" && $0.parent == spans.last?.context.spanID
            })
        #expect(spans[0]["db.query.text"] == "select relname from pg_class where relname <> $1 limit 2")
        #expect(spans[0]["db.collection.name"] == "pg_class" && spans[0]["db.response.returned_rows"] == "2")
        #expect(spans[1]["db.operation.batch.size"] == "2" && spans[0]["db.operation.batch.size"] == nil)
        #expect(spans[2].isError && spans[2]["error.type"] == "42P01" && spans[2]["db.response.status_code"] == "42P01")
        let told = String(decoding: try OTLPSpans(resource: [], version: "").json(spans), as: UTF8.self)
        #expect(!told.contains(secret))
    }

    @Test("who waits for a connection is told so")
    func waiting() async throws {
        let kept = Kept()
        try await TestDatabase.with(connections: 1) { database in
            try await kept.tracing {
                let other = try await database.transaction { transaction in
                    _ = try await transaction.query("select 1 as one")
                    let other = Task { try await database.query("select 2 as two") }
                    while database.use.waiting == 0 { try? await Task.sleep(for: .milliseconds(2)) }
                    return other
                }
                _ = try await other.value
                // Now there is one.
                _ = try await database.query("select 3 as three")
            }
        }

        #expect(kept.named("wait for a connection").count == 2, "until it was made, and until it was free")
    }

    @Test("what is committed together is written in the trace of the first, and the others point there")
    func together() async throws {
        let kept = Kept(), hasBegun = Mutex(false), gate = AsyncStream.makeStream(of: Void.self)
        let commits = GroupCommit<Int, Int>("items", lanes: 1, most: 8) { items in
            if items == [0] {
                hasBegun.withLock { $0 = true }
                for await _ in gate.stream { break }
            }
            Phase.begin("write \(items.count)")?.end()
            return items
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await kept.tracing("first") { _ = try await commits.commit(0) } }
            while !hasBegun.withLock({ $0 }) { try? await Task.sleep(for: .milliseconds(2)) }
            // In no trace, and at the front.
            group.addTask { _ = try await commits.commit(1) }
            while commits.count < 1 { try? await Task.sleep(for: .milliseconds(2)) }
            for name in ["second", "third"] {
                group.addTask { try await kept.tracing(name) { _ = try await commits.commit(2) } }
            }
            while commits.count < 3 { try? await Task.sleep(for: .milliseconds(2)) }
            gate.continuation.yield()
            try await group.waitForAll()
        }

        let roots = ["first", "second", "third"].compactMap { kept.named($0).first }
        let waits = kept.named("group commit of items"), writes = kept.all.filter { $0.name.hasPrefix("write") }
        #expect(roots.count == 3 && waits.count == 3)
        #expect(writes.map(\.name) == ["write 1", "write 3"])
        let first = try #require(writes.first), both = try #require(writes.last)
        #expect(first.context.traceID == roots[0].context.traceID, "its own")
        let adopted = try #require(waits.first { $0.context.spanID == both.parent })
        #expect(adopted.context.traceID != first.context.traceID, "not that of whoever began the task that writes")
        let other = try #require(waits.first { !$0.links.isEmpty })
        #expect(other.links.map(\.context.spanID) == [adopted.context.spanID])
        #expect(adopted["pando.group_commit.size"] == "3" && other["pando.group_commit.size"] == "3")
    }
}
