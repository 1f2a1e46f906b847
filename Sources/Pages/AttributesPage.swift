/// What this federation tells a service about a person.
public struct AttributesPage: Sendable {
    struct Row: Sendable { let name: String, value: String }

    let subject: String, app: String, bundle: String
    let rows: [Row]
    let isEmpty: Bool

    public init(subject: String, app: String, bundle: String, attributes: [(name: String, value: String)]) {
        (self.subject, self.app, self.bundle) = (subject, app, bundle)
        rows = attributes.map { Row(name: $0.name, value: $0.value) }
        isEmpty = attributes.isEmpty
    }

    public var html: String { Layout.render("attributes", title: "What a service is told", self) }

    static let template = """
        <h1>What a service is told about you</h1>
        <p class="lead">This service got the following from the federation when your app opened it, and nothing else.</p>
        <dl class="facts">
        {{#rows}}<dt>{{name}}</dt><dd>{{value}}</dd>{{/rows}}
        {{#isEmpty}}<dt>Attributes</dt><dd>none: the release policy of this service is empty</dd>{{/isEmpty}}
        <dt>You, at this service only</dt><dd><code>{{subject}}</code></dd>
        <dt>App that logged you in</dt><dd><code>{{app}}</code></dd>
        <dt>App that asks now</dt><dd><code>{{bundle}}</code></dd>
        </dl>
        <p class="quiet">Another service knows you under another identifier. Your username and password are never told.</p>
        """
}
