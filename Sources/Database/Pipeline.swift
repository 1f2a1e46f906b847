/// What is in flight on one connection: a pure state machine. Requests go in and commands come out; replies go in, in
/// the order of the commands, and finished requests come out.
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
        case deallocate(Statement.Key)
        /// BEGIN and the time limit, whose results are nobody's.
        case quiet
    }

    private(set) var entries: [Entry] = []
    private var cache = StatementCache()

    var isEmpty: Bool { entries.isEmpty }

    /// Off behind a pooler: statements go without a name then.
    var namesStatements: Bool {
        get { cache.isNaming }
        set { cache.isNaming = newValue }
    }

    /// `limit`: milliseconds the server may take, for as long as the transaction lasts that these begin, if implicitly.
    mutating func submit(
        _ request: Request, _ statements: [Statement], beginning: Bool, limit: Int? = nil,
        isRetry: Bool = false
    ) -> [Command] {
        var entry = Entry(request: request, steps: [], isRetry: isRetry)
        var commands: [Command] = []
        if beginning { commands.append(.direct(.begin)) }
        if let limit { commands.append(.direct(.limit(milliseconds: limit))) }
        entry.steps = commands.map { _ in .quiet }
        for statement in statements {
            // The second try is made without names, so that it cannot fail by them.
            switch isRetry ? .unnamed : cache.plan(statement) {
            case .use(let name): commands.append(.execute(name, statement))
            case .unnamed: commands.append(.direct(statement))
            case .prepare(let name, let evicted):
                if let evicted {
                    commands.append(.deallocate(evicted.name))
                    entry.steps.append(.deallocate(evicted))
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
        case .aborted: noticeSkipped()
        case .failed(let report):
            if entries[0].failure == nil { entries[0].failure = report }
            noticePreparation(report)
        case .result(let result):
            switch step {
            case .prepare(let name, let key): cache.prepared(key, as: name)
            case .run: entries[0].results.append(result)
            case .deallocate, .quiet, nil: break
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

    private mutating func noticeSkipped() {
        switch step {
        case .prepare(_, let key): cache.forget(key)
        case .deallocate(let key): cache.prepared(key, as: key.name)
        case .run, .quiet, nil: break
        }
    }

    private mutating func noticePreparation(_ report: ServerReport) {
        // A second try has no names, so it says nothing of them.
        guard entries.first?.isRetry == false else { return }
        switch step {
        case .prepare(let name, let key) where report.sqlState == "42P05": cache.prepared(key, as: name)
        case .prepare(_, let key): cache.forget(key)
        case .run(let key) where report.isStalePlan: cache.goStale(key)
        case .run(let key) where report.isAboutPreparation: cache.forget(key)
        case .run, .deallocate, .quiet, nil: break
        }
    }

    /// A transaction cannot be tried again here: its earlier answers are with its caller.
    private mutating func finish() -> Event {
        let entry = entries.removeFirst()
        guard entry.failure?.isAboutPreparation == true, !entry.isRetry, !entry.isAbandoned else {
            return .finished(entry)
        }
        switch entry.request.work {
        case .shared, .alone: return .again(entry.request)
        case .within, .ending, .script: return .finished(entry)
        }
    }

    // MARK: Time

    /// Whoever has no answer by `now`. Their results are dropped when they come.
    mutating func abandonOverdue(at now: ContinuousClock.Instant) -> [Request] {
        entries.indices.compactMap { index in
            guard !entries[index].isAbandoned, let deadline = entries[index].request.deadline, deadline <= now else {
                return nil
            }
            entries[index].isAbandoned = true
            return entries[index].request
        }
    }

    /// When the request that the server is at should have been answered.
    var firstDeadline: ContinuousClock.Instant? { entries.first?.request.deadline }

    /// When the first of those who wait has waited long enough.
    var nextDeadline: ContinuousClock.Instant? {
        entries.lazy.filter { !$0.isAbandoned }.compactMap(\.request.deadline).min()
    }
}
