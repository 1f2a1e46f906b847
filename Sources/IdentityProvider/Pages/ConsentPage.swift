import Pages

/// `/consent`: who asks, for what, what would be told, and at which services it would act.
struct ConsentPage: Sendable {
    /// One scope with the values that would be told. What openid, profile, email and offline_access mean is said in
    /// words; any other is shown by its name.
    struct Line: Sendable {
        let scope: String, values: [String]
        /// In place of the scope's own.
        let title: String?

        init(scope: String, values: [String] = [], title: String? = nil) {
            (self.scope, self.title) = (ShownText.tidy(scope) ?? "?", title)
            let shown = values.compactMap { ShownText.tidy($0, limit: 254) }
            // A given name that stands in the full name is not said again.
            self.values = shown.filter { value in !shown.contains { $0 != value && " \($0) ".contains(" \(value) ") } }
        }
    }

    let language: Language, strings: SharedStrings<Strings>, own: SharedStrings<IdentityProviderStrings>
    let decision: DecisionShown

    /// Posts to `action` with hidden request and form_token; the button that was pressed is `decision`, "allow" or
    /// "deny".
    init(
        _ language: Language, client: ClientShown, person: PersonShown, lines: [Line],
        services: [ServicesShown.Row] = [], reference: String, formToken: String, action: String = "/consent"
    ) {
        (self.language, strings, own) = (language, language.strings, language.own)
        decision = DecisionShown(
            client: client, person: person, scopes: ScopesShown(lines, language.own.scopes),
            services: ServicesShown(services), action: action,
            formToken: formToken,
            field: "request", value: reference)
    }

    var html: String {
        Layout.identityProvider.render(
            "consent", title: own.consent.title.around(decision.client.name), language: language, door: true, self)
    }

    static let template = """
        {{#decision}}
        {{#client}}<h1>{{own.consent.title.before}}<bdi>{{name}}</bdi>{{own.consent.title.after}}</h1>
        {{> host}}{{/client}}
        {{> decision}}
        {{/decision}}
        """
}
