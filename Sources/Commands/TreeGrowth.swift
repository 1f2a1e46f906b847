import Administration
import Base
import Federation
import Foundation
import OAuth
import Registration
import TokenTree

/// A node with what hangs below it as JSON, a part of it where there is much.
struct TreeGrowth: Sendable {
    /// Of tokens below a page of instances so many are read, and of one anchor.
    private static let mostRows = 2_000

    private let session: AdminSession
    private let branches: TreeBranches
    private let view: TreeView
    private let names: PairwiseNames
    private let issuer: String
    private let depth: Int, limit: Int, after: String?

    /// `after` is what `next` gave.
    init(_ session: AdminSession, depth: Int, limit: Int, after: String?) throws {
        let composition = try session.composition
        (self.session, names, issuer) = (session, composition.names, composition.settings.root)
        (branches, view) = (TreeBranches(store: session.store), TreeView(store: session.store))
        (self.depth, self.limit, self.after) = (depth, limit, after)
    }

    /// Children of one node, and what is told of the others.
    private struct Children {
        var nodes: [JSONValue] = []
        /// `nil`: nobody counted them.
        var more: Int? = 0
        var isLeast = false
        var next: String?
    }

    // MARK: Nodes

    func below(_ token: TokenRow) async throws -> JSONObject {
        var heads = try await branches.heads(
            anchors: [token.body.anchor], below: [token.family], most: Self.mostRows, in: session.executor)
        if !heads.rows.contains(where: { $0.id == token.family }) {
            // Its family's first row is gone, or one of many thousands.
            heads.rows.insert(try await session.store.find(token.family, in: session.executor) ?? token, at: 0)
        }
        let forest = try await forest(heads.rows)
        guard var root = forest.first(where: { $0["node"]?.string == "token:\(token.family)" })?.object else {
            return TreeView.forest([token], depth: 0, at: session.now).first?.object ?? [:]
        }
        let children = page(root["children"]?.array ?? [])
        root["children"] = .array(children.nodes)
        return root.adding(children.more, isLeast: !heads.isAll || children.isLeast, next: children.next)
    }

    func below(_ ancestor: Ancestor) async throws -> JSONObject {
        let generations = try await view.generations(of: ancestor, in: session.executor)
        let isOpen = try await view.generation(of: ancestor, in: session.executor) != nil
        let children = depth == 0 ? Children() : try await children(of: ancestor, generations)
        return Self.virtual(
            ancestor, status: isOpen || generations.isEmpty ? "live" : "revoked", children: children.nodes
        ).adding(children.more, isLeast: children.isLeast, next: children.next)
    }

    private func children(of ancestor: Ancestor, _ generations: [NodeID]) async throws -> Children {
        switch ancestor.kind {
        case .version, .key: return try await instances(of: ancestor, below: nil)
        case .account: return try await person(ancestor, generations)
        case .instance, .client:
            let heads = try await branches.heads(anchors: generations, most: Self.mostRows, in: session.executor)
            return try await children(heads)
        case .grant:
            let parts = ancestor.name.split(separator: "/", maxSplits: 1).map(String.init)
            guard parts.count == 2, let account = UUID(uuidString: parts[0]) else { return Children() }
            return try await children(
                try await branches.families(
                    of: account, client: parts[1], most: Self.mostRows, in: session.executor))
        case .use, .password: return try await children(try await person(of: ancestor, below: generations))
        case .service, .bundle, .admission, .session, .epoch, .signer:
            guard !generations.isEmpty else { return Children() }
            guard let heads = try await branches.anything(below: generations, most: Self.mostRows) else {
                return Children(more: nil, isLeast: true)
            }
            return try await children(heads)
        }
    }

    /// Instances by pages, with what each holds; below a person only what is theirs.
    private func instances(of ancestor: Ancestor, below nodes: [NodeID]?) async throws -> Children {
        guard
            let found = try await InstanceBranches(
                of: ancestor, after: after, limit: limit, in: session.executor)
        else { return Children() }
        let most = max(20, Self.mostRows / max(1, found.shown.count))
        let heads =
            depth > 1
            ? try await branches.heads(
                anchors: found.shown.map(\.anchor), below: nodes, most: most, in: session.executor)
            : TreeBranches.Heads()
        // All at once: what hangs at built-in services is asked for by one statement.
        let trees = Dictionary(grouping: try await forest(heads.rows, depth: depth - 2)) {
            $0["client_id"]?.string ?? ""
        }
        let nodes = found.shown.map { instance -> JSONValue in
            let all = trees[instance.id] ?? [], shown = all.prefix(limit)
            return .object(
                Self.virtual(
                    Ancestor(.instance, instance.id), status: instance.isRevoked ? "revoked" : "live",
                    since: instance.createdAt, account: instance.account, children: Array(shown)
                ).adding(all.count - shown.count + (heads.more[instance.anchor] ?? 0), isLeast: !heads.isAll, next: nil)
            )
        }
        return Children(
            nodes: nodes, more: found.more, isLeast: found.more >= InstanceBranches.mostCounted,
            next: found.more > 0 ? found.shown.last?.id : nil)
    }

    /// A person's phones, then what their web clients can refresh, by client.
    private func person(_ ancestor: Ancestor, _ generations: [NodeID]) async throws -> Children {
        var children = try await instances(of: ancestor, below: generations)
        guard children.next == nil, let account = UUID(uuidString: ancestor.name) else { return children }
        let families = try await branches.families(of: account, most: Self.mostRows, in: session.executor)
        let clients = Dictionary(grouping: families.rows) { $0.body.client ?? "" }
        for (client, rows) in clients.sorted(by: { $0.key < $1.key }) {
            let trees = depth > 1 ? try await forest(rows, depth: depth - 2) : [], shown = trees.prefix(limit)
            children.nodes.append(
                .object(
                    Self.virtual(
                        Ancestor(.grant, "\(ancestor.name)/\(client)"),
                        status: rows.contains { $0.isLive(at: session.now) } ? "live" : "revoked", client: client,
                        account: account, children: Array(shown)
                    ).adding(trees.count - shown.count, isLeast: !families.isAll, next: nil)))
        }
        if !families.isAll { children.isLeast = true }
        return children
    }

    /// What a person's phones and web clients hold below a node that is about them.
    private func person(of ancestor: Ancestor, below generations: [NodeID]) async throws -> TreeBranches.Heads {
        let first = ancestor.name.split(separator: "/", maxSplits: 1).first.map(String.init) ?? ""
        guard let account = UUID(uuidString: first) else { return TreeBranches.Heads() }
        let nodes = generations + (try await EarlierUses.tokens(of: ancestor, at: session.now, in: session.executor))
        let phones = try await InstanceBranches(
            of: Ancestor(.account, first), after: nil, limit: 1_000, in: session.executor)
        var heads = try await branches.heads(
            anchors: phones?.shown.map(\.anchor) ?? [], below: nodes, most: Self.mostRows / 10, in: session.executor)
        let families = try await branches.families(
            of: account, below: nodes, most: Self.mostRows, in: session.executor)
        heads.rows += families.rows
        heads.isAll = heads.isAll && families.isAll && heads.more.isEmpty
        return heads
    }

    // MARK: Tokens

    private func children(_ heads: TreeBranches.Heads) async throws -> Children {
        var children = page(try await forest(heads.rows))
        children.more = (children.more ?? 0) + heads.more.values.reduce(0, +)
        children.isLeast = children.isLeast || !heads.isAll
        return children
    }

    /// Behind `after`, the next ones.
    private func page(_ nodes: [JSONValue]) -> Children {
        let first = after.flatMap { after in nodes.firstIndex { $0["node"]?.string == after }.map { $0 + 1 } } ?? 0
        let shown = nodes[first...].prefix(limit), more = nodes.count - first - shown.count
        return Children(nodes: Array(shown), more: more, next: more > 0 ? shown.last?["node"]?.string : nil)
    }

    /// Tokens by parent; those of built-in services hang from the pseudonym of their assertion.
    private func forest(_ rows: [TokenRow], depth: Int? = nil) async throws -> [JSONValue] {
        var aliases: [NodeID: NodeID] = [:], anchors: Set<NodeID> = []
        for row in rows where row.body.kind == .assertion {
            guard let service = row.body.service else { continue }
            aliases[ForeignNode.id(names.node(row.id, at: service), of: issuer)] = row.id
            anchors.insert(ForeignNode.id(names.node(row.body.anchor, at: service), of: issuer))
        }
        let most = max(20, Self.mostRows / max(1, anchors.count))
        let housed = try await branches.heads(
            anchors: Array(anchors), below: Array(aliases.keys), most: most, in: session.executor)
        return TreeView.forest(
            rows + housed.rows, aliases: aliases, depth: max(0, depth ?? self.depth - 1), limit: limit, at: session.now)
    }

    private static func virtual(
        _ ancestor: Ancestor, status: String, since: Date? = nil, client: String? = nil, account: UUID? = nil,
        children: [JSONValue]
    ) -> JSONObject {
        [
            "node": .string(ancestor.label), "kind": .string(ancestor.kind.rawValue), "status": .string(status),
            "issued_at": JSONValue(since?.rfc3339), "expires_at": .null,
            "client_id": JSONValue(ancestor.kind == .instance ? ancestor.name : client),
            "account": JSONValue(account?.uuidString.lowercased()), "service": .null, "children": .array(children),
        ]
    }
}

extension JSONObject {
    /// What is told of children that are not.
    fileprivate func adding(_ more: Int?, isLeast: Bool, next: String?) -> JSONObject {
        var members = self
        members["more"] = more.map { .integer($0) } ?? .null
        members["is_least"] = .bool(isLeast)
        members["next"] = JSONValue(next)
        return members
    }
}
