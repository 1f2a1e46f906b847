import Base
import Synchronization

/// Open generations of virtual ancestors, so that issuing below the same ones again asks nobody for them.
///
/// What stands here may be out of date: whoever inserts below it checks that in the inserting statement.
final class GenerationMemory: Sendable {
    /// Then all are forgotten.
    private static let most = 10_000

    private let open = Mutex<[Ancestor: NodeID]>([:])

    /// In the given order; `nil` unless all are known.
    func generations(of ancestors: [Ancestor]) -> [NodeID]? {
        open.withLock { open in
            let found = ancestors.compactMap { open[$0] }
            return found.count == ancestors.count ? found : nil
        }
    }

    func remember(_ ancestors: [Ancestor], _ generations: [NodeID]) {
        open.withLock { open in
            if open.count + ancestors.count > GenerationMemory.most { open = [:] }
            for (ancestor, generation) in zip(ancestors, generations) { open[ancestor] = generation }
        }
    }

    func forget(_ ancestors: [Ancestor]) {
        open.withLock { open in for ancestor in ancestors { open[ancestor] = nil } }
    }
}
