/// Nodes and what each hangs from, without lineage: whether a node lives is found by walking up to the roots, which is
/// what the server never does.
struct Forest {
    private struct Node {
        var parents: [Int]
        var isRevoked = false
    }

    private var nodes: [Node] = []

    var count: Int { nodes.count }

    mutating func add(below parents: [Int] = []) -> Int {
        nodes.append(Node(parents: parents))
        return nodes.count - 1
    }

    mutating func revoke(_ node: Int) { nodes[node].isRevoked = true }

    /// An upgrade: one parent for another.
    mutating func move(_ node: Int, from old: Int, to new: Int) {
        nodes[node].parents = nodes[node].parents.map { $0 == old ? new : $0 }
    }

    func parents(of node: Int) -> [Int] { nodes[node].parents }

    func isRevoked(_ node: Int) -> Bool { nodes[node].isRevoked }

    func lives(_ node: Int, sparing spared: Set<Int> = []) -> Bool {
        (!nodes[node].isRevoked || spared.contains(node))
            && nodes[node].parents.allSatisfy { lives($0, sparing: spared) }
    }

    /// Whether `node` is `ancestor` or hangs from it.
    func isAtOrBelow(_ node: Int, _ ancestor: Int) -> Bool {
        node == ancestor || nodes[node].parents.contains { isAtOrBelow($0, ancestor) }
    }
}
