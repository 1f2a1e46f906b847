import Pages

/// `/about`: what this server is to makers of apps, and what runs here.
struct AboutPage: Sendable {
    struct Service: Sendable {
        let name: String, base: String, protocols: [String]

        init(name: String, base: String, protocols: [String]) {
            (self.name, self.base, self.protocols) = (
                ShownText.tidy(name) ?? ShownText.tidy(base) ?? "?", base, protocols.compactMap { ShownText.tidy($0) }
            )
        }
    }

    let issuer: String
    let services: [Service]

    init(issuer: String, services: [Service]) {
        (self.issuer, self.services) = (ShownText.tidy(issuer, limit: 400) ?? "?", services)
    }

    var html: String { Layout.identityProvider.render("about", title: "Federation", self) }

    static let template = """
        <h1>This federation</h1>
        <p class="lead">Phone apps register here, log a person in, find services by protocol and get one-use \
        assertions for them.
        Revoke any node of the token tree and all below it is dead at once.</p>
        <h2>Built-in services</h2>
        <ul class="cards">
        {{#services}}<li><a class="strong" href="{{base}}"><bdi>{{name}}</bdi></a><span \
        class="tags">{{#protocols}}<code>{{.}}</code> {{/protocols}}</span></li>
        {{/services}}</ul>
        <h2>For makers of apps</h2>
        <ul class="plain">
        <li><a href="/.well-known/oauth-authorization-server">Server metadata</a></li>
        <li><a href="/openapi.yaml">OpenAPI description</a></li>
        <li><a href="/services.txt">services.txt</a></li>
        </ul>
        <p class="quiet">Issuer <code>{{issuer}}</code></p>
        """
}
