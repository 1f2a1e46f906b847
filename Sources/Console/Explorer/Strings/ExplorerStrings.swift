import Pages

/// What the pages say that show the token tree, why a token lives or not, and the audit trail.
struct ExplorerStrings: Sendable {
    let treeLead: String, search: String, searchHint: String, find: String, several: String, unknown: String
    let picture: String, list: String, cut: String, audit: String, childless: String, tooMany: String, nextPage: String
    let firstPage: String, below: String
    /// So many others; at least, where nobody counted to the end.
    let more: @Sendable (Int, Bool) -> String
    let status: String, since: String, until: String, client: String, account: String, service: String
    /// Of nodes, by what the tree calls them.
    let statuses: [String: String], kinds: [String: String]
    let whyTitle: String, whyLead: String, token: String, tell: String, verdict: String, reference: String
    let node: String, cause: String, at: String, by: String, reason: String, showTree: String
    let rules: [String: String]
    let auditLead: String, action: String, outcome: String, actor: String, auditUntil: String, auditSince: String
    let origin: String, export: String, none: String, timeHint: String
    let times: @Sendable (Int) -> String

    func kind(_ name: String) -> String { kinds[name] ?? name.replacing("_", with: " ") }
    func status(_ name: String) -> String { statuses[name] ?? name }
}

extension Language {
    private static let explorerTranslations = SharedStrings<ExplorerStrings>.Translations {
        switch $0 {
        case .en: .english
        case .de: .german
        case .fr: .french
        case .it: .italian
        }
    }

    var explorer: SharedStrings<ExplorerStrings> { Self.explorerTranslations[self] }
}

extension SharedStrings<ExplorerStrings> {
    func kind(_ name: String) -> String { self[dynamicMember: \.self].kind(name) }
    func status(_ name: String) -> String { self[dynamicMember: \.self].status(name) }
}
