import Hummingbird
import Pages

/// The frame of every page of the console: who is there, and where one can go.
///
///     ConsolePage(request, title: words.tree, active: "/admin/tree").answer("tree", of: .explorer, model)
struct ConsolePage: Sendable {
    let title: String
    private let request: ConsoleRequest
    private let section: PageSection

    /// `active` is the address in the navigation that the page belongs to.
    init(_ request: ConsoleRequest, title: String, active: String) {
        (self.title, self.request) = (title, request)
        let navigation = ConsoleNavigation(request, active: active)
        section = Layout.console.section(
            "console", sheet: ConsoleStyle.address, head: "consoleHead", navigation: "navigation", navigation)
    }

    /// `model` by the template `name` of `layout`, in the frame; the page's h1 is the template's.
    func html(_ name: String, of layout: Layout = .console, _ model: some Sendable) -> String {
        layout.render(name, title: title, language: request.language, section: section, model)
    }

    func answer(
        _ name: String, of layout: Layout = .console, status: Int = 200, _ model: some Sendable
    ) -> Response {
        request.browser.html(html(name, of: layout, model), status: .init(code: status))
    }
}
