/// Which statements one connection has prepared. A name is a digest of text and types (`Statement.Key`), so a mistake
/// here costs a second try, not a wrong plan.
struct StatementCache {
    enum Plan: Equatable {
        case use(String)
        /// `evicting` is let go of first; it is the statement itself when its plan is stale.
        case prepare(String, evicting: Statement.Key?)
        /// Parse and execute in one go, unnamed: not worth a name, or a `prepare` whose outcome is not known yet is
        /// under way.
        case unnamed
    }

    private enum State {
        case preparing
        case ready(String)
        /// The server has it, and its plan is of no use.
        case stale(String)
    }

    /// Off where a pooler may give every transaction another session of the server.
    var isNaming = true
    private let capacity: Int
    private var states: [Statement.Key: State] = [:]
    private var order: [Statement.Key] = []

    init(capacity: Int = 256) { self.capacity = capacity }

    mutating func plan(_ statement: Statement) -> Plan {
        guard isNaming else { return .unnamed }
        let key = statement.key
        switch states[key] {
        case .ready(let name): return .use(name)
        case .preparing: return .unnamed
        case .stale(let name):
            states[key] = .preparing
            return .prepare(name, evicting: key)
        case nil: break
        }
        guard statement.isWorthPreparing else { return .unnamed }
        states[key] = .preparing
        return .prepare(key.name, evicting: evict())
    }

    mutating func prepared(_ key: Statement.Key, as name: String) {
        forget(key)
        states[key] = .ready(name)
        order.append(key)
    }

    /// The server has it no more.
    mutating func forget(_ key: Statement.Key) {
        if case .ready = states.removeValue(forKey: key) { order.removeAll { $0 == key } }
    }

    /// Its plan has another result type by now.
    mutating func goStale(_ key: Statement.Key) {
        guard case .ready(let name) = states[key] else { return forget(key) }
        forget(key)
        states[key] = .stale(name)
    }

    private mutating func evict() -> Statement.Key? {
        guard states.count > capacity, !order.isEmpty else { return nil }
        let oldest = order.removeFirst()
        states[oldest] = nil
        return oldest
    }
}
