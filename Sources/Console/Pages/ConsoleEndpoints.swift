import Administration
import Base
import HTTP
import OAuth

extension ConsoleContext {
    /// A page for each command: a question shows its answer, a change is a form.
    var pageEndpoints: [Endpoint] {
        [HealthRoutes.asset("console.css", "text/css", "Style of the console", ConsoleStyle.text)]
            + catalog.entries.filter(CatalogPages.has).flatMap(endpoints)
    }

    private func endpoints(_ entry: AdminEntry) -> [Endpoint] {
        let path = CatalogPages.path(entry.words), names = entry.arguments.filter { !$0.isShared }.map(\.name)
        let text = entry.abstract.hasSuffix(".") ? String(entry.abstract.dropLast()) : entry.abstract
        let page = ConsoleRequest.get(
            path, "Console: \(text)", self, isForAnybody: entry.isForAnybody, back: { query(of: entry, $0) }
        ) {
            request in
            switch (entry.isChange, entry.verb) {
            case (true, _): try await ChangeFlow.form(entry, request)
            case (false, "show"): try await ThingPage.answer(entry, request)
            case (false, _): try await ListPage.answer(entry, request)
            }
        }
        guard entry.isChange else { return [page.asking(names + ["after", "done"])] }
        let form = ConsoleRequest.post(path, "Console, form: \(text)", self, isForAnybody: entry.isForAnybody) {
            request in
            try await ChangeFlow.answer(entry, request)
        }
        return [
            page.asking(names.filter { $0 != AdminArgument.stdin } + ["reason"]),
            form.asking(
                names + ["reason", "console_step", "console_seen", "console_was"], example: entry.formExample),
        ]
    }

    /// What the page needs again after a login. A password is in no address.
    private func query(of entry: AdminEntry, _ browser: BrowserRequest) -> String {
        let names = entry.arguments.map(\.name).filter { $0 != AdminArgument.stdin }
        let texts = names.compactMap { name in ((try? browser.parameters[name]) ?? nil).map { (name, $0) } }
        let query = FormCodec.write(texts)
        return query.isEmpty || query.utf8.count > 1_000 ? "" : "?\(query)"
    }
}
