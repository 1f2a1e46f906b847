import Base
import HTTP
import Hummingbird
import OAuth
import Pages

/// The attributes viewer: what this federation tells a service about a person. The smallest real service: read it
/// before writing your own.
public enum ViewerRoutes {
    public static let scope = "ch.pando.viewer"

    static func endpoints(_ service: ServiceRole, root: String) -> [Endpoint] {
        let path = String(service.realm.base.dropFirst(root.count))
        return [
            Endpoint(.get, path + "/attributes", "Viewer: the attributes of the token's person, JSON or page by Accept")
            { request, context in
                let holder = try await service.require(scope: scope, request.presented(root, context))
                let told = Told(holder)
                guard PageAnswer.isWanted(request) else { return Answer.json(told.json) }
                return PageAnswer.html(
                    AttributesPage(
                        subject: told.subject, app: told.app, bundle: told.bundle, attributes: told.attributes
                    ).html)
            }.telling(
                EndpointShape(
                    headers: [EndpointShape.proof], answer: "ViewedAttributes",
                    about: "With a token of scope `\(scope)`.",
                    meanings: [EndpointShape.proof: EndpointShape.proofMeaning], otherTypes: ["text/html": "Page"]))
        ]
    }

    static let schemas = [
        OpenAPISchema(
            "ViewedAttributes", "What the federation tells this service about a person.",
            [
                "sub!": "The person's name for this service alone.", "app!": "Which app is used.",
                "client_id!": "The third-party app that asks; empty for an instance itself.",
                "attributes!:object": "What the person's institution releases.",
            ],
            example: [
                "sub": "q1w2e3", "app": "org.example.app", "client_id": "", "attributes": ["given_name": "Ada"],
            ])
    ]

    /// What stood in the assertion from which this token comes.
    private struct Told {
        let subject: String, app: String, bundle: String
        let attributes: [(name: String, value: String)]

        init(_ holder: AuthenticatedToken) {
            let body = holder.token.body
            (subject, app, bundle) = (body.claims.subject ?? "", body.claims.app ?? "", body.bundle ?? "")
            attributes = body.claims.released.map { ($0.name, $0.value.string ?? $0.value.text) }
        }

        var json: JSONValue {
            [
                "sub": .string(subject), "app": .string(app), "client_id": .string(bundle),
                "attributes": .object(JSONObject(attributes.map { ($0.name, .string($0.value)) })),
            ]
        }
    }
}
