import Pages

/// What this federation tells a service about a person.
struct AttributesPage: Sendable {
    struct Row: Sendable { let name: String, value: String }

    let subject: String, app: String, bundle: String
    let rows: [Row]
    let isEmpty: Bool

    init(subject: String, app: String, bundle: String, attributes: [(name: String, value: String)]) {
        (self.subject, self.app, self.bundle) = (
            ShownText.tidy(subject, limit: 400) ?? "?", ShownText.tidy(app) ?? "?", ShownText.tidy(bundle) ?? "?"
        )
        rows = attributes.map {
            Row(name: ShownText.tidy($0.name) ?? "?", value: ShownText.tidy($0.value, limit: 400) ?? "")
        }
        isEmpty = attributes.isEmpty
    }

    var html: String { Layout.viewer.render("attributes", title: "What a service is told", self) }

    static let template = """
        <h1>What a service is told about you</h1>
        <p class="lead">This service got the following from the federation when your app opened it, and nothing \
        else.</p>
        <dl class="facts">
        {{#rows}}<div><dt>{{name}}</dt><dd><bdi>{{value}}</bdi></dd></div>
        {{/rows}}{{#isEmpty}}<div><dt>Attributes</dt><dd>none: the release policy of this service is \
        empty</dd></div>{{/isEmpty}}
        <div><dt>You, at this service only</dt><dd><code>{{subject}}</code></dd></div>
        <div><dt>App that logged you in</dt><dd><code>{{app}}</code></dd></div>
        <div><dt>App that asks now</dt><dd><code>{{bundle}}</code></dd></div>
        </dl>
        <p class="quiet">Another service knows you under another identifier. Your username and password are never \
        told.</p>
        """
}

extension Layout {
    static let viewer = Layout(["attributes": AttributesPage.template])
}
