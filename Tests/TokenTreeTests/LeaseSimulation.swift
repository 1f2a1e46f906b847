import Foundation

@testable import TokenTree

/// A database and a few processes in a time that is simulated: messages are late, lost and overtake one another,
/// processes pause, restart and have clocks that run too fast or too slow, and that of the database jumps. All by a
/// seed.
///
/// What must hold: no process answers "active" for a node after the revocation of that node has returned.
struct LeaseSimulation {
    /// A step of the protocol that is left out on purpose.
    enum Omission: CaseIterable {
        case waitForProcesses, countFromBeforeSending, applyBeforeCounting, leaseLast, margin, waitAfterFailover
        case seenAfterApplied, commitOrder, rememberRevokedWhileReading, sameSinceLooking, headAfterCommit
        case anotherAtEachRenewal, ownClock
    }

    struct Violation: Error, CustomStringConvertible {
        let description: String
    }

    /// Milliseconds of true time.
    typealias Time = Int

    private struct Process {
        var lease = Lease(applied: 0)
        var isUp = true
        var pausedUntil: Time = 0
        /// Nothing reaches it, and nothing that it sends arrives.
        var cutOffUntil: Time = 0
        /// Thousandths by which its clock runs too fast or slow.
        let rate: Int
        /// Nodes that it knows to be revoked.
        var revoked: Set<Int> = []
        /// Tokens that it remembers, each by its node.
        var remembered: Set<Int> = []
        /// Of an earlier life nothing arrives.
        var life = 0
    }

    private struct Row {
        /// By the database's clock.
        var until: Time
        var renewals: Int
        var seen: Int
    }

    private struct Event {
        let at: Time
        let number: Int
        let run: (inout LeaseSimulation) throws -> Void
    }

    private var random: UInt64
    private let omitted: Omission?
    private var now: Time = 0
    private var events: [Event] = []
    private var made = 0
    private var processes: [Process]

    // The database.
    private var rows: [Int: Row] = [:]
    private var log: [Int] = []
    /// Leases may have been lost before that.
    private var blindUntil: Time = 0
    /// By how much its clock is off.
    private var jumped: Time = 0
    /// Numbers given out and not committed, for the omission of commit order.
    private var given = 0

    /// Nodes whose revocation has returned.
    private var ended: Set<Int> = []
    private(set) var answers = 0
    private(set) var fromMemory = 0
    private(set) var revocations = 0

    init(seed: UInt64, omitting omitted: Omission? = nil) {
        (random, self.omitted) = (seed &* 0x9E37_79B9_7F4A_7C15 | 1, omitted)
        processes = []
        for _ in 0..<3 { processes.append(Process(rate: draw(-19...19))) }
    }

    /// One schedule of a minute.
    mutating func run() throws {
        for index in processes.indices {
            after(draw(0...500)) { $0.renew(index, life: 0) }
            after(draw(0...300)) { try $0.check(index) }
            after(draw(1_000...20_000)) { $0.trouble(index) }
        }
        after(draw(500...3_000)) { $0.revokeAgainAndAgain() }
        if draw(0...3) == 0 { after(draw(5_000...50_000)) { $0.failOver() } }
        if draw(0...3) == 0 { after(draw(5_000...50_000)) { $0.jumped = $0.draw(-600_000...600_000) } }
        while !events.isEmpty {
            let event = events.removeFirst()
            guard event.at < 60_000 else { return }
            now = event.at
            try event.run(&self)
        }
    }

    // MARK: Processes

    private func clock(_ index: Int) -> ContinuousClock.Instant {
        Self.zero + .microseconds(now * (1_000 + processes[index].rate))
    }
    private static let zero = ContinuousClock.now

    /// Runs when the process is awake, unless it has another life by then.
    private mutating func awake(
        _ index: Int, life: Int, after delay: Int, _ body: @escaping (inout LeaseSimulation) throws -> Void
    ) {
        after(delay) { world in
            let process = world.processes[index]
            guard process.isUp, process.life == life else { return }
            if process.pausedUntil > world.now {
                world.awake(index, life: life, after: process.pausedUntil - world.now, body)
            } else {
                try body(&world)
            }
        }
    }

    private mutating func renew(_ index: Int, life: Int) {
        guard processes[index].life == life, processes[index].isUp else { return }
        let sent = clock(index)
        message(index) {
            // At the database: the statement that writes the row sees what was committed when it began, and whoever
            // revokes sees the row when it is committed. So the head is read by a statement after that.
            let until = $0.now + $0.jumped + 3_000, before = $0.log.count
            $0.after($0.draw(0...3) == 0 ? $0.draw(0...2_000) : 1) { world in
                let row = world.rows[index], renewed = world.omitted == .anotherAtEachRenewal ? 0 : 1
                world.made += 1
                world.rows[index] = Row(
                    until: max(until, row?.until ?? 0), renewals: row.map { $0.renewals + renewed } ?? world.made,
                    seen: row?.seen ?? 0)
                let head = world.omitted == .headAfterCommit ? before : world.log.count
                if world.draw(0...29) == 0 { world.after(world.draw(1...40)) { $0.cutOffAndRevoke(index) } }
                world.message(index) { world in
                    world.awake(index, life: life, after: 0) { world in
                        let counted = world.omitted == .countFromBeforeSending ? world.clock(index) : sent
                        let margin: Duration = world.omitted == .margin ? Lease.length / Lease.drift : .zero
                        let known = world.omitted == .applyBeforeCounting ? 0 : head
                        world.processes[index].lease.renewed(sent: counted + margin, head: known)
                        if world.processes[index].lease.applied < head { world.fetch(index, life: life) }
                    }
                }
            }
        }
        awake(index, life: life, after: 1_000) { $0.renew(index, life: life) }
    }

    /// Reads what it has missed, applies it in order, and says so.
    private mutating func fetch(_ index: Int, life: Int) {
        if omitted == .seenAfterApplied { see(index, life: life, upTo: log.count) }
        message(index) { world in
            let all = world.log
            world.message(index) { world in
                world.awake(index, life: life, after: 0) { world in
                    let nodes = all.filter { $0 > 0 }
                    world.processes[index].revoked.formUnion(nodes)
                    world.processes[index].lease.apply(upTo: all.count)
                    world.see(index, life: life, upTo: all.count)
                }
            }
        }
    }

    private mutating func see(_ index: Int, life: Int, upTo number: Int) {
        message(index) { world in
            guard world.processes[index].life == life, let row = world.rows[index] else { return }
            world.rows[index]?.seen = max(row.seen, number)
        }
    }

    private mutating func check(_ index: Int) throws {
        let life = processes[index].life, node = draw(1...6) + log.count / 2
        after(draw(20...120)) { try $0.check(index) }
        guard processes[index].isUp, processes[index].pausedUntil <= now else { return }
        answers += 1
        guard processes[index].remembered.contains(node) else { return read(node, index, life: life) }
        let wasCertain = processes[index].lease.isCertain(at: clock(index)), looked = processes[index].lease.applied
        let isRevoked = processes[index].revoked.contains(node)
        // Between the look into memory and the answer it may be paused for any time.
        awake(index, life: life, after: draw(0...3)) { world in
            let isCertain =
                world.omitted == .leaseLast
                ? wasCertain : world.processes[index].lease.isCertain(at: world.clock(index))
            // What was applied in between was acknowledged, too.
            let isSame = world.processes[index].lease.applied == looked || world.omitted == .sameSinceLooking
            guard isCertain, isSame, !isRevoked else { return }
            world.fromMemory += 1
            guard !world.ended.contains(node) else {
                throw Violation(description: "process \(index) said that \(node) is active at \(world.now)")
            }
        }
    }

    /// From the database, to be remembered.
    private mutating func read(_ node: Int, _ index: Int, life: Int) {
        message(index) { world in
            let isLive = !world.log.contains(node)
            world.message(index) { world in
                world.awake(index, life: life, after: 0) { world in
                    guard isLive else { return }
                    world.processes[index].remembered.insert(node)
                    if world.omitted == .rememberRevokedWhileReading { world.processes[index].revoked.remove(node) }
                }
            }
        }
    }

    private mutating func trouble(_ index: Int) {
        switch draw(0...3) {
        case 0:
            processes[index].isUp = false
            let life = processes[index].life + 1
            after(draw(10...4_000)) { world in
                let process = world.processes[index]
                world.processes[index] = Process(lease: Lease(applied: 0), rate: process.rate, life: life)
                world.renew(index, life: life)
            }
        case 1: processes[index].cutOffUntil = now + draw(1_000...6_000)
        default: processes[index].pausedUntil = now + draw(5...9_000)
        }
        after(draw(2_000...20_000)) { $0.trouble(index) }
    }

    /// With a lease that has just begun, and that whoever revokes waits out.
    private mutating func cutOffAndRevoke(_ index: Int) {
        processes[index].cutOffUntil = now + draw(3_000...6_000)
        revoke()
    }

    // MARK: The database

    private mutating func revokeAgainAndAgain() {
        revoke()
        after(draw(200...2_500)) { $0.revokeAgainAndAgain() }
    }

    /// A revocation: commit, then wait, then return.
    private mutating func revoke() {
        let node = draw(1...6) + log.count / 2
        revocations += 1
        guard !log.contains(node) else { return }
        if omitted == .commitOrder {
            // A number is taken, and committed later than one that was taken after it.
            let place = log.count
            log.append(0)
            tell()
            after(draw(0...400)) { world in
                world.log[place] = node
                world.look(for: place + 1, node)
            }
            return
        }
        log.append(node)
        tell()
        look(for: log.count, node)
    }

    /// NOTIFY, to everybody.
    private mutating func tell() {
        for index in processes.indices {
            let life = processes[index].life
            message(index) { $0.awake(index, life: life, after: 0) { $0.fetch(index, life: life) } }
        }
    }

    /// The first look, whenever it comes.
    private mutating func look(for number: Int, _ node: Int) {
        after(draw(0...3) == 0 ? draw(0...3_000) : 0) { world in
            let silent = world.rows.filter { $0.value.seen < number }.mapValues(\.renewals)
            // By a clock that runs as fast as one may.
            world.wait(for: number, node, until: world.now + 3_060 * 1_000 / 1_019, silent)
        }
    }

    private mutating func wait(for number: Int, _ node: Int, until limit: Time, _ silent: [Int: Int]) {
        let haveSeen = rows.values.allSatisfy {
            $0.seen >= number || omitted == .ownClock && $0.until <= now + jumped
        }
        if omitted == .waitForProcesses || now >= blindUntil && haveSeen {
            ended.insert(node)
        } else if now >= limit {
            ended.insert(node)
            rows = rows.filter { $0.value.seen >= number || silent[$0.key] != $0.value.renewals }
        } else {
            after(min(5, limit - now)) { $0.wait(for: number, node, until: limit, silent) }
        }
    }

    /// Another server takes over, which has not heard of the newest leases.
    private mutating func failOver() {
        rows = [:]
        if omitted != .waitAfterFailover { blindUntil = now + 3_000 }
    }

    // MARK: Time

    private mutating func after(_ delay: Int, _ run: @escaping (inout LeaseSimulation) throws -> Void) {
        made += 1
        let event = Event(at: now + delay, number: made, run: run)
        var low = 0, high = events.count
        while low < high {
            let middle = (low + high) / 2
            if (events[middle].at, events[middle].number) < (event.at, event.number) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        events.insert(event, at: low)
    }

    /// From or to a process: late, or lost.
    private mutating func message(_ index: Int, _ run: @escaping (inout LeaseSimulation) throws -> Void) {
        guard draw(0...19) > 0, processes[index].cutOffUntil <= now else { return }
        after(draw(0...9) == 0 ? draw(0...5_000) : draw(0...30), run)
    }

    /// xorshift64*.
    private mutating func draw(_ range: ClosedRange<Int>) -> Int {
        random ^= random >> 12
        random ^= random << 25
        random ^= random >> 27
        return range.lowerBound + Int((random &* 0x2545_F491_4F6C_DD1D) >> 33) % range.count
    }
}
