import Administration
import Base

/// Which nodes have a page at `/admin/tree` for whoever asks: a link that leads to a refusal is none.
enum TreeLinks {
    static func shown(_ nodes: [String], _ request: ConsoleRequest) async throws -> Set<String> {
        let all = Set(nodes), admin = request.admin, catalog = request.context.catalog
        guard !admin.authority.seesEverything else { return all }
        guard let show = catalog.entry(["tree", "show"]), AdminPermissions.mayRun(show, admin.authority) else {
            return []
        }
        var shown: Set<String> = []
        for node in all {
            let refusal = try await catalog.refusal(show, ["node": .string(node)], in: admin)
            if refusal == nil { shown.insert(node) }
        }
        return shown
    }
}
