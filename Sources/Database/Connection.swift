/// One connection: an actor on the loop of all, which is also where its socket's readiness is told. Nothing here waits,
/// and waiting callers are resumed straight from the loop.
///
/// Life: `start`, then either `ready` or `lost`; after `lost` every request is answered `notSent`. Connecting is in
/// `Handshake` and `Greeting`, cancelling in `Cancelling`, giving up in `Overdue`.
actor Connection {
    enum Event: Sendable {
        /// `isPooled`: a pooler stands before the server.
        case ready(isPooled: Bool)
        /// A shared request of this weight left the pipeline.
        case finished(weight: Int)
        case notification(channel: String, payload: String)
        case lost(String)
    }

    enum Phase { case new, connecting, greeting, ready, lost }

    struct Script {
        let request: Request
        var failure: ServerReport?
        var isCancelling = false
    }

    nonisolated let id: Int
    nonisolated let loop = IOLoop.shared
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let conninfo: Conninfo
    let events: @Sendable (Event) -> Void
    var watch: SocketWatch
    var wire: Wire?
    private var leaving: [Int: Wire] = [:]
    var phase = Phase.new
    /// What is left to be tried, and what came of what was.
    var attempts: [Conninfo.Attempt] = []
    var trying: Conninfo.Attempt?
    var failures: [String] = []
    var attempt = 0
    /// What a failure is probably about, for the message.
    var doubt = ""
    /// The session ends statements after the settings' time by itself.
    var isLimited = true
    var canceller: Canceller?
    var pipeline = Pipeline()
    var script: Script?
    /// Cancel requests under way. While there are any, answers are held back: a late signal must not hit the next
    /// statement.
    var cancelling = 0
    var cancelDeadline: ContinuousClock.Instant?
    /// When the server last said something.
    var heardAt = ContinuousClock.now
    /// When it is next looked who waits too long.
    var checkAt: ContinuousClock.Instant?
    var held: [(Request, Request.Answer)] = []
    private var isWaitingToWrite = false
    /// The transaction that is open; the newest one that has ended.
    private var transaction: Int?
    private var lastEnded = 0

    init(id: Int, conninfo: Conninfo, events: @escaping @Sendable (Event) -> Void) {
        self.id = id
        self.conninfo = conninfo
        self.events = events
        watch = SocketWatch(loop)
    }

    /// Enqueues without waiting; requests arrive in the order of these calls.
    nonisolated func submit(_ request: Request) { onLoop { $0.accept(request) } }

    /// Closes politely. What is in flight is answered `unavailable`.
    nonisolated func shutDown() { onLoop { $0.end("closed") } }

    nonisolated func onLoop(_ body: @escaping @Sendable (isolated Connection) -> Void) {
        loop.async { self.assumeIsolated { body($0) } }
    }

    // MARK: Requests in

    private func accept(_ request: Request) {
        guard phase == .ready, script == nil else { return request.complete(.notSent) }
        if request.ticket.isCancelled { return answer(request, .failed(.cancelled)) }
        perform(request)
        if let deadline = request.deadline { checkTime(at: deadline) }
    }

    private func perform(_ request: Request) {
        switch request.work {
        case .shared(let statements), .alone(let statements):
            let session = sessionLimit(for: request, statements)
            if let session { limitSession(milliseconds: session) }
            send(pipeline.submit(request, statements, beginning: false, limit: limit(of: request, statements)))
            if session != nil { limitSession(milliseconds: conninfo.timeLimit) }
        case .within(let number, let statements):
            guard number > lastEnded else { return request.complete(.failed(Connection.transactionIsOver)) }
            let isFirst = transaction != number
            transaction = number
            send(pipeline.submit(request, statements, beginning: isFirst, limit: isFirst ? limit(of: request) : nil))
        case .ending(let number, let statement):
            let isOpen = transaction == number
            (transaction, lastEnded) = (nil, number)
            guard isOpen else { return request.complete(.results([])) }
            send(pipeline.submit(request, [statement], beginning: false))
        case .script(let number, let text):
            guard transaction == number, pipeline.isEmpty else {
                return request.complete(.failed(Connection.transactionIsOver))
            }
            guard wire?.sendScript(text) == true else { return lose(wire?.failure ?? "closed") }
            script = Script(request: request)
            flush()
        }
    }

    /// What the server must be told, as its session says otherwise. Definitions go without: some refuse to run in a
    /// transaction, which a setting ahead of them would begin.
    private func limit(of request: Request, _ statements: [Statement]? = nil) -> Int? {
        guard let limit = request.timeLimit ?? (isLimited ? nil : conninfo.timeLimit) else { return nil }
        return statements?.contains(where: \.isWorthPreparing) == false ? nil : limit
    }

    /// For definitions, which are told nothing in their own transaction: what the session must say meanwhile. Behind a
    /// pooler, whose sessions are everybody's, the server's own limit stands.
    private func sessionLimit(for request: Request, _ statements: [Statement]) -> Int? {
        guard isLimited, pipeline.namesStatements, case .alone = request.work, limit(of: request, statements) == nil
        else { return nil }
        return request.timeLimit
    }

    private func limitSession(milliseconds: Int) {
        let statement = Statement.sessionLimit(milliseconds: milliseconds)
        send(
            pipeline.submit(
                Request(ticket: Ticket(), work: .alone([statement])) { _ in }, [statement], beginning: false))
    }

    private static let transactionIsOver = DatabaseError.server(
        sqlState: "25000", message: "the transaction is not open")

    func send(_ commands: [Pipeline.Command]) {
        guard let wire else { return lose("closed") }
        guard commands.allSatisfy({ wire.send($0) }) else {
            // What the server said last tells more than that it went.
            readable()
            return lose(wire.failure)
        }
        flush()
    }

    private func flush() {
        guard isOpen, let wire, !isWaitingToWrite else { return }
        switch wire.flush() {
        // When a write fails libpq drops what it had, reads on, and may find and close the end: no event will tell of
        // it.
        case true: if wire.isLost { readable() }
        case false:
            isWaitingToWrite = true
            let isWatched = watch.once(.writing, wire.socket) { [weak self] in
                self?.assumeIsolated {
                    $0.isWaitingToWrite = false
                    // When libpq cannot write it reads instead, and no read event will tell of that.
                    $0.readable()
                }
            }
            if !isWatched { lose("out of file descriptors") }
        case nil: lose(wire.failure)
        }
    }

    // MARK: Replies out

    var isOpen: Bool { phase == .greeting || phase == .ready }

    /// Reads all there is, and the end if it has come. libpq reads in portions: what came before the end is not all.
    func readable() {
        guard isOpen, let wire else { return }
        heardAt = .now
        var isAlive: Bool
        repeat {
            isAlive = wire.consumeInput()
            // What came before the end still counts: it tells why.
            drain(wire)
        } while isOpen && isAlive && wire.hasMore
        guard isOpen else { return }
        if !isAlive || wire.isLost { return lose(wire.failure) }
        flush()
    }

    private func drain(_ wire: Wire) {
        while isOpen, script != nil || !pipeline.isEmpty, !wire.isBusy {
            let reply = wire.reply()
            // A lost connection has no end of ends.
            if case .end = reply, wire.isLost { break }
            receive(reply, on: wire)
        }
        for (channel, payload) in wire.notifications() { events(.notification(channel: channel, payload: payload)) }
    }

    private func receive(_ reply: Pipeline.Reply, on wire: Wire) {
        if case .unusable(let reason) = reply { return lose(reason) }
        if script != nil { return receiveScript(reply, on: wire) }
        switch pipeline.receive(reply) {
        case .finished(let entry): finish(entry)
        case .again(let request):
            guard let statements = request.work.statements else { return }
            send(
                pipeline.submit(
                    request, statements, beginning: false, limit: limit(of: request, statements), isRetry: true))
        case nil: break
        }
    }

    private func receiveScript(_ reply: Pipeline.Reply, on wire: Wire) {
        switch reply {
        case .failed(let report): if script?.failure == nil { script?.failure = report }
        case .end:
            guard let done = script else { return }
            script = nil
            guard wire.endScript() else { return lose(wire.failure) }
            answer(
                done.request,
                done.failure.map { .failed($0.sqlState == "57014" && done.isCancelling ? .cancelled : $0.error) }
                    ?? .results([]))
        case .result, .aborted, .sync, .unusable: break
        }
    }

    private func finish(_ entry: Pipeline.Entry) {
        if entry.isAbandoned {
            if entry.request.weight > 0 { events(.finished(weight: entry.request.weight)) }
        } else {
            answer(entry.request, entry.answer)
        }
    }

    /// The pool hears of it first, so that a caller's next request finds this connection idle.
    func answer(_ request: Request, _ answer: Request.Answer) {
        guard cancelling == 0 else { return held.append((request, answer)) }
        if request.weight > 0 { events(.finished(weight: request.weight)) }
        request.complete(answer)
    }

    // MARK: The end

    /// While it is not ready, that is one attempt, and there may be another.
    func lose(_ reason: String) {
        switch phase {
        case .connecting, .greeting: attemptFailed(reason)
        case .new, .ready, .lost: end(reason)
        }
    }

    func end(_ reason: String) {
        guard phase != .lost else { return }
        phase = .lost
        events(.lost(reason))
        cancelling = 0
        let ready = held
        held = []
        for (request, answer) in ready { request.complete(answer) }
        if let script {
            self.script = nil
            script.request.complete(.failed(script.failure?.error ?? .unavailable(reason)))
        }
        for entry in pipeline.abandonAll() where !entry.isAbandoned {
            entry.request.complete(entry.failure.map { .failed($0.error) } ?? .failed(.unavailable(reason)))
        }
        letGo()
    }

    /// libpq closes its socket once nothing is being read from it any more.
    func letGo() {
        let number = attempt
        // Twice where the last attempt has failed: then it is on its way out already.
        if let wire { leaving[number] = wire }
        (wire, canceller, pipeline, isWaitingToWrite) = (nil, nil, Pipeline(), false)
        watch.close()
        onLoop { $0.leaving.removeValue(forKey: number)?.finish() }
    }
}
