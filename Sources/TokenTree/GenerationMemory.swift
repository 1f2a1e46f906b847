import Base

/// Open generations of virtual ancestors, so that issuing below the same ones again asks nobody for them.
///
/// What stands here may be out of date: whoever inserts below it checks that in the inserting statement.
final class GenerationMemory: Sendable {
    private let open = BoundedMemory<Ancestor, NodeID>(most: 10_000)

    /// In the given order; `nil` unless all are known.
    func generations(of ancestors: [Ancestor]) -> [NodeID]? {
        let found = ancestors.compactMap { open[$0] }
        return found.count == ancestors.count ? found : nil
    }

    func remember(_ ancestors: [Ancestor], _ generations: [NodeID]) {
        for (ancestor, generation) in zip(ancestors, generations) { open[ancestor] = generation }
    }

    func forget(_ ancestors: [Ancestor]) {
        for ancestor in ancestors { open[ancestor] = nil }
    }
}
