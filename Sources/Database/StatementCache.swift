/// Which statements one connection has prepared. Names are never used twice, so a mistake here costs a parse, not a wrong plan.
struct StatementCache {
    enum Plan: Equatable {
        case use(String)
        case prepare(String, evicting: String?)
        /// Parse and execute in one go, unnamed: not worth a name, or a `prepare` whose outcome is not known yet is under way.
        case unnamed
    }

    private enum State { case preparing, ready(String) }

    private let capacity: Int
    private var states: [Statement.Key: State] = [:]
    private var order: [Statement.Key] = []
    private var made = 0

    init(capacity: Int = 256) { self.capacity = capacity }

    mutating func plan(_ statement: Statement) -> Plan {
        switch states[statement.key] {
        case .ready(let name): return .use(name)
        case .preparing: return .unnamed
        case nil: break
        }
        guard statement.isWorthPreparing else { return .unnamed }
        made += 1
        states[statement.key] = .preparing
        return .prepare("pando_\(made)", evicting: evict())
    }

    mutating func prepared(_ key: Statement.Key, as name: String) {
        states[key] = .ready(name)
        order.append(key)
    }

    mutating func forget(_ key: Statement.Key) {
        guard let state = states.removeValue(forKey: key) else { return }
        if case .ready = state { order.removeAll { $0 == key } }
    }

    private mutating func evict() -> String? {
        guard states.count > capacity, !order.isEmpty, case .ready(let name) = states.removeValue(forKey: order.removeFirst()) else { return nil }
        return name
    }
}
