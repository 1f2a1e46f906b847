import Base

/// What may end that something is so: a node that is cut or moved, or a named fact (`client:ID`) that changes.
enum Change: Hashable, Sendable {
    case node(NodeID)
    case name(String)
}

/// Rows of tokens that this process has read, and what has changed since. A row that something in its lineage has
/// changed for is not given: whoever asks reads it anew.
///
/// Rows and changes are kept for two periods. A row was read in the period in which it is remembered, so whatever has
/// changed since is of the same two.
struct TokenMemory {
    /// Of a period.
    static let mostRows = 30_000
    static let mostChanges = 200_000
    static let period = Duration.seconds(300)

    /// By reference, since a table keeps free places.
    private final class Entry: Sendable {
        let row: TokenRow
        /// All changes up to this number were committed when it was read.
        let asOf: Int

        init(row: TokenRow, asOf: Int) { (self.row, self.asOf) = (row, asOf) }
    }

    private struct Period {
        /// What was known when it began.
        let since: Int
        var rows: [NodeID: Entry] = [:]
        /// What the last row below an anchor said: the next one as a rule says the same, and shares it.
        var bodies: [NodeID: TokenBody] = [:]
        var nodes: [NodeID: Int] = [:]
        var names: [String: Int] = [:]
    }

    private var now: Period
    private var before: Period
    private var began: ContinuousClock.Instant

    init(asOf number: Int, at instant: ContinuousClock.Instant) {
        (now, before, began) = (Period(since: number), Period(since: number), instant)
    }

    func row(_ id: NodeID) -> TokenRow? {
        guard let entry = now.rows[id] ?? before.rows[id] else { return nil }
        let isSame = entry.row.lineage.allSatisfy { (now.nodes[$0] ?? before.nodes[$0] ?? 0) <= entry.asOf }
        return isSame ? entry.row : nil
    }

    /// Whether a named fact is as it was when `number` was known. `false` also when that is too long ago to tell.
    func isSame(_ name: String, since number: Int) -> Bool {
        number >= before.since && (now.names[name] ?? before.names[name] ?? 0) <= number
    }

    /// `asOf` was known before the row was asked for.
    mutating func remember(_ row: TokenRow, asOf number: Int) {
        guard number >= now.since, row.usedAt == nil else { return }
        let shared = row.sharing(now.bodies[row.body.anchor])
        now.bodies[row.body.anchor] = shared.body
        now.rows[row.id] = Entry(row: shared, asOf: number)
    }

    mutating func changed(_ what: Change, number: Int) {
        switch what {
        case .node(let node): now.nodes[node] = number
        case .name(let name): now.names[name] = number
        }
    }

    /// Forgets what is old; `number` is known.
    mutating func turn(known number: Int, at instant: ContinuousClock.Instant) {
        let isFull =
            now.rows.count >= TokenMemory.mostRows || now.nodes.count + now.names.count >= TokenMemory.mostChanges
        guard isFull || instant - began >= TokenMemory.period else { return }
        (before, now, began) = (now, Period(since: number), instant)
    }
}
