import HTTP
import Pages

extension ConsoleContext {
    /// `/admin`, until a page at a glance takes its place.
    var startEndpoints: [Endpoint] {
        [
            ConsoleRequest.get("/admin", "Where the administration begins", self) { request in
                let page = try await ConsolePage(request, title: request.words.console, active: "/admin")
                return page.answer("start", try await ConsoleNavigation(request, active: "/admin"))
            }
        ]
    }
}

/// What this person may look at, in words.
enum StartPage {
    static let template = """
        <h1>{{words.console}}</h1>
        {{#groups}}<section><h2>{{title}}</h2>
        <ul class="plain">
        {{#items}}<li><a href="{{href}}">{{label}}</a></li>
        {{/items}}</ul></section>
        {{/groups}}
        """
}
