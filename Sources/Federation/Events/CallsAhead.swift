import Base
import Synchronization

/// Assertions that were found and not yet called for: looking for those below a node costs the same however few of them
/// a turn takes. Each is looked at again before its call, so nothing depends on this memory.
final class CallsAhead: Sendable {
    /// Services of which some are remembered: of ten thousand identifiers each.
    static let most = 32

    private struct List {
        let event: Int
        /// In their order.
        var assertions: ArraySlice<NodeID>
    }

    private let lists = Mutex<[String: List]>([:])

    /// The next ones behind `assertion`, which are not given again.
    func next(of service: String, _ event: Int, after assertion: NodeID?, most: Int) -> [NodeID] {
        lists.withLock { lists in
            guard var list = lists[service], list.event == event else { return [] }
            if let assertion {
                // As far as another process has come meanwhile; from the beginning again, where it is not among them.
                guard let place = list.assertions.firstIndex(of: assertion) else {
                    lists[service] = nil
                    return []
                }
                list.assertions = list.assertions[(place + 1)...]
            }
            let next = Array(list.assertions.prefix(most))
            lists[service] = next.isEmpty ? nil : list
            return next
        }
    }

    func keep(_ assertions: [NodeID], of service: String, _ event: Int) {
        lists.withLock { lists in
            lists[service] = nil
            guard !assertions.isEmpty else { return }
            if lists.count >= CallsAhead.most, let other = lists.keys.first { lists[other] = nil }
            lists[service] = List(event: event, assertions: assertions[...])
        }
    }
}
