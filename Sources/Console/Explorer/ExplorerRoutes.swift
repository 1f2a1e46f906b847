import Base
import HTTP
import OAuth
import Pages

extension ConsoleContext {
    /// The token tree, why a token lives, the audit trail, and the federation at a glance.
    var explorerEndpoints: [Endpoint] {
        [
            ConsoleRequest.get(
                "/admin", "The federation at a glance", self, back: { Self.back($0, ["range"]) }
            ) { request in
                try await OverviewPage.answer(request)
            }.asking("range:=day|week|months|year"),
            ConsoleRequest.get(
                "/admin/tree", "A node of the token tree, with what hangs below it", self,
                back: { Self.back($0, ["node", "q", "after"]) }
            ) { request in
                try await TreePage.answer(request)
            }.asking("node", "q", "after"),
            ConsoleRequest.get("/admin/why", "A form that asks why a token lives or not", self) { request in
                try await WhyPage.form(request)
            },
            ConsoleRequest.post("/admin/why", "Why a token lives or not", self) { request in
                try await WhyPage.answer(request)
            }.asking("token!"),
            ConsoleRequest.get(
                "/admin/audit", "The audit trail, searched", self, back: { Self.back($0, Self.auditNames) }
            ) { request in
                try await AuditPage.answer(request)
            }.asking(Self.auditNames),
            ConsoleRequest.get(
                "/admin/audit/export", "Lines of the audit trail, as JSON Lines", self,
                back: { Self.back($0, Self.auditNames) }
            ) { request in
                try await AuditPage.export(request)
            }.telling(.auditExport),
        ].tagged("administration")
    }

    private static let auditNames = [
        "node", "account", "action", "outcome", "actor", "since", "until", "after",
    ]

    /// What a page needs of its query, to come back to it after a login.
    private static func back(_ browser: BrowserRequest, _ names: [String]) -> String {
        let pairs = names.compactMap { name -> (String, String)? in
            guard let text = (try? browser.parameters[name]) ?? nil else { return nil }
            return (name, text)
        }
        return pairs.isEmpty ? "" : "?" + FormCodec.write(pairs)
    }
}

extension EndpointShape {
    fileprivate static let auditExport = EndpointShape(
        query: ["node", "account", "action", "outcome", "actor", "since", "until"], answer: "AuditLines",
        about: "Up to \(AuditPage.mostExported) lines, the latest.", answerType: "application/jsonl",
        answerHeaders: ["Content-Disposition": "A name for the file"],
        security: [[.browser, .person], [.browser], []],
        others: [.onward, .pageError], errors: [404, 429])
}

extension OpenAPISchema {
    static let auditLines = OpenAPISchema(
        "AuditLines", "A JSON object on each line, as in lists of the audit trail.", type: "string",
        example: "{\"id\":4711,\"at\":\"2026-11-21T10:00:00Z\",\"action\":\"services.approve\",\"outcome\":\"done\"}\n")
}

extension Layout {
    static let explorer = Layout([
        "tree": TreePage.template, "treePicture": TreePicture.template, "treeBranch": TreePage.branch,
        "why": WhyPage.template, "audit": AuditPage.template, "overview": OverviewPage.template,
        "plot": Plot.template,
    ])
}
