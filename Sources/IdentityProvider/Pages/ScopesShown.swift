import HTTP
import Pages

/// What scopes mean, in words, with the values that would be told.
struct ScopesShown: Sendable {
    struct Row: Sendable { let icon: String, title: String, wireName: String?, text: String?, values: [String] }

    let rows: [Row]
    let isEmpty: Bool

    init(_ lines: [ConsentPage.Line], _ strings: IdentityProviderStrings.Scopes) {
        rows = lines.map { line in
            let meaning = Self.meaning(line.scope, strings)
            if let title = line.title {
                let icon = Self.meaning("profile", strings).icon
                return Row(icon: icon, title: title, wireName: nil, text: nil, values: line.values)
            }
            return Row(
                icon: meaning.icon, title: meaning.title, wireName: meaning.isKnown ? nil : line.scope,
                text: meaning.text, values: line.values)
        }
        isEmpty = rows.isEmpty
    }

    /// In a list of what an application may have.
    static func title(_ scope: String, _ strings: IdentityProviderStrings.Scopes) -> String {
        meaning(scope, strings).title
    }

    private static func meaning(
        _ scope: String, _ strings: IdentityProviderStrings.Scopes
    ) -> (icon: String, title: String, text: String?, isKnown: Bool) {
        switch scope {
        case "openid":
            (
                "M4 5h16v14H4zM8.5 13.5a2 2 0 1 1 0-4a2 2 0 0 1 0 4M6 16.5c1-2 4-2 5 0M14 10h3.5M14 14h3.5",
                strings.openid, strings.openidText, true
            )
        case "profile": ("M12 12a4 4 0 1 1 0-8a4 4 0 0 1 0 8M4.5 20c1-6 14-6 15 0", strings.profile, nil, true)
        case "email": ("M3.5 6h17v12h-17zM4 6.5l8 6.5l8-6.5", strings.email, nil, true)
        case "offline_access":
            ("M12 3a9 9 0 0 1 0 18a9 9 0 0 1 0-18M12 7v5l3.5 2", strings.offline, strings.offlineText, true)
        case DiscoveryRoutes.scope:
            (
                "M10.5 17a6.5 6.5 0 1 1 0-13a6.5 6.5 0 0 1 0 13M15.5 15.5L20 20", strings.discovery,
                strings.discoveryText, true
            )
        default:
            (
                "M14.5 14a4.5 4.5 0 1 1 0-9a4.5 4.5 0 0 1 0 9M11 12.5L4 19.5M6.5 17l2.5 2.5", scope, strings.otherText,
                false
            )
        }
    }

    static let template = """
        <ul class="lines">
        {{#rows}}<li><svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="{{icon}}"/></svg><div>
        {{#.wireName}}<code class="strong"><bdi>{{.}}</bdi></code>{{/.wireName}}{{^.wireName}}<span \
        class="strong">{{title}}</span>{{/.wireName}}
        {{#.text}}<span class="quiet">{{.}}</span>{{/.text}}
        {{#values}}<bdi class="value">{{.}}</bdi>{{/values}}
        </div></li>
        {{/rows}}{{#isEmpty}}<li><div><span class="strong">{{own.scopes.none}}</span></div></li>{{/isEmpty}}</ul>
        """
}
