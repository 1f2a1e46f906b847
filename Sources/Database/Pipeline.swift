/// What is in flight on one connection: a pure state machine. Requests go in and commands come out; replies go in, in the
/// order of the commands, and finished requests come out.
struct Pipeline {
    enum Command {
        case prepare(String, Statement.Key)
        case execute(String, Statement)
        case direct(Statement)
        case deallocate(String)
        case sync
    }

    enum Reply {
        case result(ResultSet)
        case failed(ServerReport)
        /// COPY: not a conversation we can have.
        case unusable(String)
        /// Skipped, because an earlier command of the request failed.
        case aborted
        /// The end of one command's replies.
        case end
        /// The end of the request.
        case sync
    }

    enum Event {
        case finished(Entry)
        /// Its prepared statement was stale, nothing happened: to be submitted once more.
        case again(Request)
    }

    struct Entry {
        let request: Request
        fileprivate var steps: [Step]
        fileprivate var position = 0
        fileprivate var isRetry: Bool
        fileprivate(set) var results: [ResultSet] = []
        fileprivate(set) var failure: ServerReport?
        /// The caller has been answered; the result is dropped.
        var isAbandoned = false
        /// A cancel request is on its way to the server.
        var isCancelling = false

        var answer: Request.Answer {
            guard let failure else { return .results(results) }
            return .failed(failure.sqlState == "57014" && isCancelling ? .cancelled : failure.error)
        }
    }

    fileprivate enum Step {
        case prepare(String, Statement.Key)
        case run(Statement.Key)
        /// BEGIN and DEALLOCATE, whose results are nobody's.
        case quiet
    }

    private(set) var entries: [Entry] = []
    private var cache = StatementCache()

    var isEmpty: Bool { entries.isEmpty }

    mutating func submit(_ request: Request, _ statements: [Statement], beginning: Bool, isRetry: Bool = false) -> [Command] {
        var entry = Entry(request: request, steps: [], isRetry: isRetry)
        var commands: [Command] = []
        if beginning {
            commands.append(.direct(.begin))
            entry.steps.append(.quiet)
        }
        for statement in statements {
            switch cache.plan(statement) {
            case .use(let name): commands.append(.execute(name, statement))
            case .unnamed: commands.append(.direct(statement))
            case .prepare(let name, let evicted):
                if let evicted {
                    commands.append(.deallocate(evicted))
                    entry.steps.append(.quiet)
                }
                commands += [.prepare(name, statement.key), .execute(name, statement)]
                entry.steps.append(.prepare(name, statement.key))
            }
            entry.steps.append(.run(statement.key))
        }
        entries.append(entry)
        return commands + [.sync]
    }

    mutating func receive(_ reply: Reply) -> Event? {
        guard !entries.isEmpty else { return nil }
        switch reply {
        case .unusable: break
        case .sync: return finish()
        case .end: entries[0].position += 1
        case .aborted: if isPreparing { forgetStatement() }
        case .failed(let report):
            if entries[0].failure == nil { entries[0].failure = report }
            if report.isStalePlan || isPreparing { forgetStatement() }
        case .result(let result):
            switch step {
            case .prepare(let name, let key): cache.prepared(key, as: name)
            case .run: entries[0].results.append(result)
            case .quiet, nil: break
            }
        }
        return nil
    }

    /// Changes the entry of a request still in flight; `false` if there is none.
    mutating func update(_ ticket: Ticket, _ change: (inout Entry) -> Void) -> Bool {
        guard let index = entries.firstIndex(where: { $0.request.ticket === ticket }) else { return false }
        change(&entries[index])
        return true
    }

    /// The connection is gone.
    mutating func abandonAll() -> [Entry] {
        defer { entries = [] }
        return entries
    }

    private var step: Step? {
        guard let entry = entries.first, entry.position < entry.steps.count else { return nil }
        return entry.steps[entry.position]
    }

    private var isPreparing: Bool { if case .prepare = step { true } else { false } }

    private mutating func forgetStatement() {
        switch step {
        case .prepare(_, let key), .run(let key): cache.forget(key)
        case .quiet, nil: break
        }
    }

    private mutating func finish() -> Event {
        let entry = entries.removeFirst()
        if case .shared(let statements) = entry.request.work, statements.count == 1, entry.failure?.isStalePlan == true, !entry.isRetry, !entry.isAbandoned {
            return .again(entry.request)
        }
        return .finished(entry)
    }
}
