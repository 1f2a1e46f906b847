/// Who may use which connection: a pure state machine, under one lock in `Database`. Changes return actions to do
/// outside it.
///
/// A shared request takes an idle connection, else waits for a new one while the limit allows, else joins the least
/// loaded. A lease needs a connection nobody else uses; while one is wanted, the least loaded is reserved: it takes no
/// more work. Who waits is served first come, first served.
struct Pool {
    enum Use: Equatable { case shared(weight: Int), lease }

    struct Waiter {
        let ticket: Ticket
        let use: Use
        let deadline: ContinuousClock.Instant
        let resume: @Sendable (Result<Connection, DatabaseError>) -> Void
    }

    enum Action {
        case start(Connection)
        case close(Connection)
        case grant(Waiter, Result<Connection, DatabaseError>)
        /// Call `tick` at that time.
        case wake(ContinuousClock.Instant)
    }

    struct Member {
        let connection: Connection
        var isReady = false
        var isLeased = false
        var isReserved = false
        var load = 0

        var isBusy: Bool { isLeased || load > 0 }
        var takesShared: Bool { isReady && !isLeased && !isReserved && load < Pool.depth }
        var takesLease: Bool { isReady && !isLeased && load == 0 }
    }

    /// Statements in flight on one shared connection; beyond, callers wait in our queue, where they can be cancelled.
    static let depth = 128

    let limit: Int
    let makeConnection: @Sendable (Int) -> Connection
    private(set) var members: [Member] = []
    private(set) var waiters: [Waiter] = []
    private(set) var isClosing = false
    private var made = 0
    /// Callers wait for 4.5 s: there is an attempt after the server's return while they do.
    private var backoff = Backoff(longest: 1000)
    private var nextAttempt = ContinuousClock.now
    private var lastFailure: String?

    init(limit: Int, makeConnection: @escaping @Sendable (Int) -> Connection) {
        self.limit = max(1, limit)
        self.makeConnection = makeConnection
    }

    var inUse: Int { members.count(where: \.isBusy) }

    var use: PoolUse { PoolUse(open: members.count, inUse: inUse, waiting: waiters.count, limit: limit) }

    /// A connection at once, if nobody waits and there is one.
    mutating func take(_ use: Use) -> Connection? {
        isClosing || !waiters.isEmpty ? nil : place(use)
    }

    mutating func enlist(_ waiter: Waiter, now: ContinuousClock.Instant) -> [Action] {
        if isClosing { return [.grant(waiter, .failure(.unavailable("shutting down")))] }
        // Its cancellation came first and found nobody to withdraw.
        if waiter.ticket.isCancelled { return [.grant(waiter, .failure(.cancelled))] }
        waiters.append(waiter)
        return serve(now: now) + (waiters.isEmpty ? [] : [.wake(waiter.deadline)])
    }

    mutating func withdraw(_ ticket: Ticket, now: ContinuousClock.Instant) -> [Action] {
        guard let index = waiters.firstIndex(where: { $0.ticket === ticket }) else { return [] }
        return [.grant(waiters.remove(at: index), .failure(.cancelled))] + serve(now: now)
    }

    mutating func becameReady(_ id: Int, now: ContinuousClock.Instant) -> [Action] {
        backoff.succeeded()
        lastFailure = nil
        change(id) { $0.isReady = true }
        return serve(now: now)
    }

    mutating func finished(_ id: Int, weight: Int, now: ContinuousClock.Instant) -> [Action] {
        change(id) { $0.load -= weight }
        return waiters.isEmpty ? [] : serve(now: now)
    }

    /// The end of a lease. What is not `reusable` is closed.
    mutating func release(_ id: Int, reusable: Bool, now: ContinuousClock.Instant) -> [Action] {
        var actions: [Action] = []
        if !reusable, let index = members.firstIndex(where: { $0.connection.id == id }) {
            actions.append(.close(members.remove(at: index).connection))
        }
        change(id) { $0.isLeased = false }
        return actions + serve(now: now)
    }

    mutating func lost(_ id: Int, reason: String, now: ContinuousClock.Instant) -> [Action] {
        guard let index = members.firstIndex(where: { $0.connection.id == id }) else { return [] }
        let member = members.remove(at: index)
        if !member.isReady {
            lastFailure = reason
            // Attempts that were under way together fail together, which is one failure.
            if backoff.failures == 0 || now >= nextAttempt { nextAttempt = now + backoff.next() }
        }
        return serve(now: now)
    }

    /// Time has passed: waiters may have to go, a connection may be tried again.
    mutating func tick(now: ContinuousClock.Instant) -> [Action] {
        let error = DatabaseError.unavailable(lastFailure ?? "no connection became free in time")
        let expired = waiters.prefix { $0.deadline <= now }
        waiters.removeFirst(expired.count)
        return expired.map { .grant($0, .failure(error)) } + serve(now: now)
    }

    /// Takes no new callers; those who wait are still served.
    mutating func close() { isClosing = true }

    var isQuiet: Bool { waiters.isEmpty && inUse == 0 }

    /// The end: who still waits goes, and every connection is closed.
    mutating func finish() -> [Action] {
        isClosing = true
        defer { (waiters, members) = ([], []) }
        return waiters.map { .grant($0, .failure(.unavailable("shutting down"))) }
            + members.map { .close($0.connection) }
    }

    // MARK: Placing

    private mutating func change(_ id: Int, _ body: (inout Member) -> Void) {
        if let index = members.firstIndex(where: { $0.connection.id == id }) { body(&members[index]) }
    }

    /// Whether no further connection can be had soon, so that sharing a busy one is the best there is.
    private var isGrown: Bool { backoff.failures > 0 || members.count >= limit && members.allSatisfy(\.isReady) }

    private mutating func place(_ use: Use) -> Connection? {
        switch use {
        case .lease:
            guard let index = members.firstIndex(where: \.takesLease) else { return nil }
            members[index].isLeased = true
            return members[index].connection
        case .shared(let weight):
            let open = members.indices.filter { members[$0].takesShared }
            guard let index = open.min(by: { members[$0].load < members[$1].load }), members[index].load == 0 || isGrown
            else { return nil }
            members[index].load += weight
            return members[index].connection
        }
    }

    private mutating func serve(now: ContinuousClock.Instant) -> [Action] {
        var actions: [Action] = []
        var unserved: [Waiter] = []
        for index in members.indices { members[index].isReserved = false }
        for (index, waiter) in waiters.enumerated() {
            if let connection = place(waiter.use) {
                actions.append(.grant(waiter, .success(connection)))
                continue
            }
            unserved.append(waiter)
            if waiter.use == .lease { reserve() }
            // Nothing left to hand out, or to reserve.
            if !members.contains(where: \.takesShared) {
                unserved += waiters[(index + 1)...]
                break
            }
        }
        waiters = unserved
        return actions + grow(now: now)
    }

    private mutating func reserve() {
        let open = members.indices.filter { members[$0].takesShared }
        if let index = open.min(by: { members[$0].load < members[$1].load }) { members[index].isReserved = true }
    }

    /// Opens as many connections as callers wait for; after a failure one at a time, and not before the backoff is
    /// over.
    private mutating func grow(now: ContinuousClock.Instant) -> [Action] {
        let connecting = members.count { !$0.isReady }
        var wanted = min(waiters.count - connecting, limit - members.count)
        guard wanted > 0 else { return [] }
        if backoff.failures > 0 {
            guard connecting == 0 else { return [] }
            guard now >= nextAttempt else { return [.wake(nextAttempt)] }
            wanted = 1
        }
        return (0..<wanted).map { _ in
            made += 1
            let connection = makeConnection(made)
            members.append(Member(connection: connection))
            return .start(connection)
        }
    }
}
