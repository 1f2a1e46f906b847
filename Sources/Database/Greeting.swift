/// The first words on a new connection: whether a pooler stands before the server, and what can be relied on then.
///
/// A pooler that shares sessions of the server has to invent the process that it names to clients for cancelling, so
/// the session behind it is another one than libpq was told of. Behind one:
/// * Statements go without names. In transaction mode each transaction may run in another session, where another
///   statement has the name, or none (PgBouncer prepares under names of its own since 1.21, and cannot be told apart).
/// * The time limit travels with each transaction, unless the session has it.
/// * `TimeZone` is set, which PgBouncer gives to whatever session serves this client (it follows what the server
///   reports).
/// * Statement mode ends every transaction with its first statement. That is refused here, and not found out later.
///
/// Session-level advisory locks and settings, temporary tables and cursors are used nowhere (Doc.swift).
extension Connection {
    func greet() {
        guard let wire else { return lose("closed") }
        phase = .greeting
        canceller = wire.canceller()
        guard watch.always(readable: wire.socket, then: { [weak self] in self?.assumeIsolated { $0.readable() } })
        else {
            return lose("out of file descriptors")
        }
        guard let greeting = try? Statement(Connection.greeting(conninfo)) else { return lose("no greeting") }
        let process = wire.backendProcess
        pipeline.namesStatements = false
        ask(greeting) { connection, results in
            guard let row = results.first?.rows.first, let pid = try? row("pid", as: Int.self),
                let isLimited = try? row("is_limited", as: Bool.self), let isUTC = try? row("is_utc", as: Bool.self)
            else { return connection.lose("the server's greeting is not understood") }
            // Without a pooler the operator's own limit stands, if options of the connection string set one.
            connection.isLimited = isLimited || pid == process
            connection.pipeline.namesStatements = pid == process
            guard pid != process else { return connection.becomeReady(isPooled: false) }
            connection.askPooler(isUTC ? [.begin, .commit] : [.setTimeZone, .begin, .commit])
        }
    }

    private static func greeting(_ conninfo: Conninfo) -> SQL {
        """
        select pg_backend_pid() as pid, current_setting('TimeZone') = 'UTC' as is_utc,
               current_setting('statement_timeout')::interval = \(conninfo.timeLimit) * interval '1 ms' as is_limited
        """
    }

    private func askPooler(_ statements: [Statement]) {
        guard let first = statements.first else { return becomeReady(isPooled: true) }
        // A pooler of statements breaks off here, by an error or without a word.
        doubt = "behind a pooler, which must pool transactions or sessions: "
        ask(first) { connection, _ in
            connection.askPooler(Array(statements.dropFirst()))
        }
    }

    private func ask(_ statement: Statement, then: @escaping @Sendable (isolated Connection, [ResultSet]) -> Void) {
        let number = attempt
        let request = Request(ticket: Ticket(), work: .alone([statement])) { answer in
            self.assumeIsolated { connection in
                guard connection.attempt == number, connection.phase == .greeting else { return }
                switch answer {
                case .results(let results): then(connection, results)
                case .failed(let error): connection.lose("\(error)")
                case .notSent: connection.lose("closed")
                }
            }
        }
        send(pipeline.submit(request, [statement], beginning: false))
    }

    private func becomeReady(isPooled: Bool) {
        phase = .ready
        if let trying { conninfo.memory.noticeAnswer(of: trying.place) }
        attempts = []
        failures = []
        doubt = ""
        events(.ready(isPooled: isPooled))
    }
}
