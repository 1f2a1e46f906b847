import Base
import HTTP
import HTTPTypes
import Hummingbird
import OAuth
import Pages
import Vocabulary

/// What a person has let in, as a tree, for their apps and for pages of our own; any branch can be ended alone.
enum AccountTreeRoutes {
    /// `houses`: services whose tokens stand in this server's own tables.
    static func endpoints(_ idp: AuthorizationServer, _ houses: Set<String>) -> [Endpoint] {
        [
            Endpoint(.get, "/account/tree", "What the person's phones, browsers and applications hold, as a tree") {
                request, context in
                let owner = try await PeopleRoutes.owner(idp, request, context)
                let language = Language(accepting: request.headers[.acceptLanguage])
                let nodes = try await idp.web.tree.nodes(owner, houses: houses)
                return Answer.json(["nodes": .array(nodes.map { $0.json { name(of: $0, language) } })])
            }.telling(.accountTree),
            Endpoint(.delete, "/account/tree/{id}", "End exactly this branch") { request, context in
                let owner = try await PeopleRoutes.owner(idp, request, context)
                try await idp.web.tree.end(context.parameters.get("id") ?? "", by: owner, houses: houses)
                return Answer.empty(.noContent)
            }.telling(.accountBranch),
        ]
    }

    /// A browser in words, from what it says of itself; all else as it is called.
    private static func name(of node: AccountNode, _ language: Language) -> String? {
        node.kind == .browser ? language.browser(node.name) ?? language.strings.account.unknownBrowser : node.name
    }
}

extension EndpointShape {
    static let accountTree = EndpointShape(
        answer: "AccountTree",
        about: """
            With a personal access token, or by the cookies of a browser. Instances and browsers are live ones; a \
            `client` is a web application that the person has allowed something; below stand the services that each \
            opened, and below those of this host the apps that hold tokens there.
            """,
        security: [[.bearer], [.dpop], [.browser, .person]], others: [.oauthError])

    static let accountBranch = EndpointShape(
        status: 204,
        about: """
            Everything below it ends as well, nothing beside it. By cookies only from the same origin, which the \
            browser must say. 404 for an id that is unknown or somebody else's.
            """,
        meanings: ["id": "Of a node of the tree."], security: [[.bearer], [.dpop], [.browser, .person]],
        others: [.oauthError])
}

extension OpenAPISchema {
    static let accountTree = [
        OpenAPISchema(
            "AccountTree", "What the person has let in.",
            ["nodes!:[AccountNode]": "Phones, then browsers, then applications, the latest first."]),
        OpenAPISchema(
            "AccountNode", "A branch.",
            [
                "id!": "For this person alone, to end the branch by.",
                "kind!:=instance|browser|client|service|app": "What it is.",
                "name!": "For people.", "since!": "RFC 3339.", "last_used!": "RFC 3339.",
                "current:boolean": "Of instances and browsers: it is the one that asks.",
                "children!:[AccountNode]?": "What hangs below it; null where only the service knows.",
            ]),
    ].exemplified(by: IdentityProviderExamples.tree)
}
