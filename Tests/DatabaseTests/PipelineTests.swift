import CLibPQ
import Testing

@testable import Database

@Suite("The pipeline, without a server")
struct PipelineTests {
    private func request(_ statements: [Statement]) -> Request {
        Request(ticket: Ticket(), work: .shared(statements)) { _ in }
    }

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
        let statement = try Statement("select \(1)"), name = statement.key.name

        #expect(
            told(pipeline.submit(request([statement]), [statement], beginning: false))
                == ["prepare \(name)", "execute \(name)", "sync"])
        #expect(told(pipeline.submit(request([statement]), [statement], beginning: false)) == ["direct", "sync"])
        for reply: Pipeline.Reply in [.failed(ServerReport(sqlState: "42P01", message: "")), .end, .aborted, .end] {
            _ = pipeline.receive(reply)
        }
        guard case .finished(let entry) = pipeline.receive(.sync), case .failed(.undefinedTable) = entry.answer else {
            Issue.record("the failure was lost")
            return
        }
        #expect(
            told(pipeline.submit(request([statement]), [statement], beginning: true))
                == ["direct", "prepare \(name)", "execute \(name)", "sync"])
    }

    @Test("a stale plan is tried again once, without a name, and made anew by whoever comes next")
    func stale() throws {
        var pipeline = Pipeline()
        let statement = try Statement("select 1"), name = statement.key.name,
            pair = [statement, try Statement("select 2")]
        let stale = ServerReport(sqlState: "0A000", message: "cached plan must not change result type")
        for reply: Pipeline.Reply in try prepare(statement, in: &pipeline) { _ = pipeline.receive(reply) }

        for statements in [[statement], pair] {
            #expect(told(pipeline.submit(request(statements), statements, beginning: false)).first == "execute \(name)")
            _ = pipeline.receive(.failed(stale))
            guard case .again(let again) = pipeline.receive(.sync) else {
                Issue.record("not tried again")
                return
            }
            let commands = pipeline.submit(again, statements, beginning: false, isRetry: true)
            #expect(told(commands) == statements.map { _ in "direct" } + ["sync"])
            _ = pipeline.receive(.failed(stale))
            guard case .finished = pipeline.receive(.sync) else {
                Issue.record("tried twice")
                return
            }

            let fresh = pipeline.submit(request([statement]), [statement], beginning: false)
            #expect(told(fresh) == ["deallocate \(name)", "prepare \(name)", "execute \(name)", "sync"])
            for reply in [.end] + (try replies()) { _ = pipeline.receive(reply) }
        }
    }

    @Test(
        "what the session has prepared for somebody else is used, and what it has not is made",
        arguments: ["42P05", "26000"])
    func foreign(sqlState: String) throws {
        var pipeline = Pipeline()
        let statement = try Statement("select 1"), name = statement.key.name,
            report = ServerReport(sqlState: sqlState, message: "")
        if sqlState == "26000" { for reply in try prepare(statement, in: &pipeline) { _ = pipeline.receive(reply) } }

        _ = pipeline.submit(request([statement]), [statement], beginning: false)
        for reply: Pipeline.Reply in [.failed(report), .end] { _ = pipeline.receive(reply) }
        guard case .again = pipeline.receive(.sync) else {
            Issue.record("not tried again")
            return
        }

        let expected =
            sqlState == "42P05" ? ["execute \(name)", "sync"] : ["prepare \(name)", "execute \(name)", "sync"]
        #expect(told(pipeline.submit(request([statement]), [statement], beginning: false)) == expected)
        #expect(report.error == .serialization, "in a transaction it is for the caller to run it anew")
    }

    @Test("a name stands for one text with its types; the cache evicts the oldest; behind a pooler nothing has a name")
    func names() throws {
        var cache = StatementCache(capacity: 2)
        let statements = try ["select 1", "select 2", "select 3"].map { try Statement(SQL(stringLiteral: $0)) }
        let typed = try [Statement("select \(1)"), Statement("select \("x")")]

        for statement in statements.prefix(2) {
            #expect(cache.plan(statement) == .prepare(statement.key.name, evicting: nil))
            cache.prepared(statement.key, as: statement.key.name)
        }
        #expect(cache.plan(statements[2]) == .prepare(statements[2].key.name, evicting: statements[0].key))
        #expect(cache.plan(statements[1]) == .use(statements[1].key.name))
        #expect(cache.plan(statements[0]) == .prepare(statements[0].key.name, evicting: statements[1].key))
        #expect(cache.plan(try Statement("create table t ()")) == .unnamed)
        #expect(Set((statements + typed).map(\.key.name)).count == 5 && typed[0].key.text == typed[1].key.text)
        cache.isNaming = false
        #expect(cache.plan(statements[1]) == .unnamed)
    }

    @Test("a time limit goes ahead, in the transaction that it is for")
    func limit() throws {
        var pipeline = Pipeline()
        pipeline.namesStatements = false
        let statement = try Statement("select 1")

        let limited = pipeline.submit(request([statement]), [statement], beginning: true, limit: 250)

        guard case .direct(let second) = limited[1] else {
            Issue.record("no limit")
            return
        }
        #expect(told(limited) == ["direct", "direct", "direct", "sync"])
        #expect(second.key.text.contains("statement_timeout") && second.values == [Array("250".utf8)])
    }

    /// Submits it, and gives the server's replies.
    private func prepare(_ statement: Statement, in pipeline: inout Pipeline) throws -> [Pipeline.Reply] {
        _ = pipeline.submit(request([statement]), [statement], beginning: false)
        return try replies()
    }

    /// To PREPARE and EXECUTE.
    private func replies() throws -> [Pipeline.Reply] {
        let empty = try #require(PQmakeEmptyPGresult(nil, PGRES_COMMAND_OK)),
            also = try #require(PQmakeEmptyPGresult(nil, PGRES_COMMAND_OK))
        return [.result(ResultSet(empty)), .end, .result(ResultSet(also)), .end, .sync]
    }
}
