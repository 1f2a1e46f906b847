@testable import Database
import Testing

@Suite("The pipeline, without a server")
struct PipelineTests {
    private func request(_ statements: [Statement]) -> Request { Request(ticket: Ticket(), work: .shared(statements)) { _ in } }

    private func told(_ commands: [Pipeline.Command]) -> [String] {
        commands.map { command in
            switch command {
            case .prepare(let name, _): "prepare \(name)"
            case .execute(let name, _): "execute \(name)"
            case .direct: "direct"
            case .deallocate(let name): "deallocate \(name)"
            case .sync: "sync"
            }
        }
    }

    @Test("a statement is prepared once; while that is unsure, others go unnamed; a failed preparation is forgotten")
    func preparation() throws {
        var pipeline = Pipeline()
        let statement = try Statement("select \(1)")

        #expect(told(pipeline.submit(request([statement]), [statement], beginning: false)) == ["prepare pando_1", "execute pando_1", "sync"])
        #expect(told(pipeline.submit(request([statement]), [statement], beginning: false)) == ["direct", "sync"])
        for reply: Pipeline.Reply in [.failed(ServerReport(sqlState: "42P01", message: "")), .end, .aborted, .end] { _ = pipeline.receive(reply) }
        guard case .finished(let entry) = pipeline.receive(.sync), case .failed(.undefinedTable) = entry.answer else {
            Issue.record("the failure was lost")
            return
        }
        #expect(told(pipeline.submit(request([statement]), [statement], beginning: true)) == ["direct", "prepare pando_2", "execute pando_2", "sync"])
    }

    @Test("a stale plan is tried again for a single statement, and once")
    func stale() throws {
        var pipeline = Pipeline()
        let statement = try Statement("select 1")
        let stale = ServerReport(sqlState: "0A000", message: "cached plan must not change result type")
        let single = request([statement])

        _ = pipeline.submit(single, [statement], beginning: false)
        _ = pipeline.receive(.failed(stale))
        guard case .again = pipeline.receive(.sync) else { Issue.record("not tried again"); return }
        _ = pipeline.submit(single, [statement], beginning: false, isRetry: true)
        _ = pipeline.receive(.failed(stale))
        guard case .finished = pipeline.receive(.sync) else { Issue.record("tried twice"); return }
        _ = pipeline.submit(request([statement, statement]), [statement, statement], beginning: false)
        _ = pipeline.receive(.failed(stale))
        guard case .finished = pipeline.receive(.sync) else { Issue.record("a batch was tried again"); return }
        #expect(pipeline.isEmpty)
    }

    @Test("the cache evicts the oldest and never uses a name twice")
    func eviction() throws {
        var cache = StatementCache(capacity: 2)
        let statements = try ["select 1", "select 2", "select 3"].map { try Statement(SQL(stringLiteral: $0)) }

        for (index, statement) in statements.prefix(2).enumerated() {
            #expect(cache.plan(statement) == .prepare("pando_\(index + 1)", evicting: nil))
            cache.prepared(statement.key, as: "pando_\(index + 1)")
        }
        #expect(cache.plan(statements[2]) == .prepare("pando_3", evicting: "pando_1"))
        #expect(cache.plan(statements[1]) == .use("pando_2"))
        #expect(cache.plan(statements[0]) == .prepare("pando_4", evicting: "pando_2"))
        #expect(cache.plan(try Statement("create table t ()")) == .unnamed)
    }
}
