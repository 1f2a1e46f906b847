import Base
import HTTP
import HTTPTypes
import Hummingbird
import OAuth
import TokenTree
import Vocabulary

/// `org.w3.webauthn` at the service's base: the passkeys of the person behind an app token (design/api.md, liquid).
enum CredentialRoutes {
    static let scope = "org.w3.webauthn"
    static let path = "/credentials"
    /// Seconds since the person logged in, for what cannot be taken back.
    static let freshness = 600

    static func endpoints(_ role: ServiceRole, _ credentials: OwnCredentials, root: String) -> [Endpoint] {
        let path = String(role.realm.base.dropFirst(root.count)) + CredentialRoutes.path, one = path + "/{id}"
        @Sendable func person(
            _ request: Request, _ context: RoutedContext, since age: Int? = nil
        ) async throws -> (name: String, actor: AuditActor) {
            let shown = request.presented(root, context)
            let holder = try await role.require(scope: scope, shown, since: age)
            guard let person = holder.token.body.claims.subject, !person.isEmpty else {
                throw OAuthError(.invalidToken, "this token tells nobody")
            }
            return (person, holder.actor(shown))
        }
        return [
            Endpoint(.get, path, "liquid: passkeys of the token's person") { request, context in
                let asked = try await person(request, context)
                let found = try await credentials.list(of: asked.name)
                return Answer.json(["credentials": .array(found.map(\.credentialJSON))])
            }.telling(.credential(answer: "PersonCredentials")).named("listCredentials"),
            Endpoint(.get, one, "liquid: one passkey of the token's person") { request, context in
                let asked = try await person(request, context)
                return Answer.json(try await credentials.find(try id(context), of: asked.name).credentialJSON)
            }.telling(.credential(answer: "PersonCredential")).named("readCredential"),
            Endpoint(.patch, one, "liquid: names a passkey") { request, context in
                let asked = try await person(request, context), name = try await JSONMembers(request).required("name")
                let renamed = try await credentials.rename(
                    try id(context), of: asked.name, to: name, actor: asked.actor)
                return Answer.json(renamed.credentialJSON)
            }.telling(.credential(body: "CredentialName", answer: "PersonCredential")).named("nameCredential"),
            Endpoint(.delete, one, "liquid: removes a passkey") { request, context in
                let asked = try await person(request, context, since: freshness)
                try await credentials.remove(try id(context), of: asked.name, actor: asked.actor)
                return Answer.empty(.noContent)
            }.telling(.credentialRemoval).named("removeCredential"),
        ]
    }

    private static func id(_ context: RoutedContext) throws -> String {
        guard let id = context.parameters.get("id"), Base64URL.decode(id) != nil else {
            throw OAuthError(.notFound, "this person has no such credential")
        }
        return id
    }
}

extension EndpointShape {
    private static let id = ["id": "The credential id, base64url without padding."]

    fileprivate static func credential(body: String? = nil, answer: String) -> EndpointShape {
        EndpointShape(
            body: body, answer: answer, about: "For an app token whose scope holds `org.w3.webauthn`.", meanings: id,
            isBodyNeeded: body != nil, errors: body == nil ? [] : [413])
    }

    fileprivate static let credentialRemoval = EndpointShape(
        status: 204,
        about: """
            A wallet's passkey is unlinked, and goes on being the wallet's. Browsers in which such a factor was shown \
            are logged out. The person must have logged in within ten minutes: otherwise 401 \
            `insufficient_user_authentication` with `max_age` (RFC 9470). 409 for the last one of an account that must \
            have a factor.
            """,
        meanings: id, errors: [409])
}

extension OpenAPISchema {
    static let credentials: [OpenAPISchema] = [
        OpenAPISchema(
            "PersonCredential", "A passkey that logs a person in.",
            [
                "id!": "The credential id, base64url without padding.", "name!": "As the person calls it.",
                "kind:=passkey|wallet!": "The account's own, or that of a wallet that the account is linked with.",
                "alg:integer": "Of COSE: -7 is ES256, -8 Ed25519, -257 RS256.",
                "device": "What it was made on, where that was told.",
                "wallet": "The wallet's address, for one of a wallet.",
                "backed_up:boolean!": "It can be on other devices too, as its maker says.",
                "created_at!": "RFC 3339.", "last_used_at": "RFC 3339; left out where it was never used.",
                "flagged_at": "RFC 3339: when its counter went back, as that of a copy would.",
            ]),
        OpenAPISchema("PersonCredentials", "", ["credentials:[PersonCredential]!": "The latest used first."]),
        OpenAPISchema("CredentialName", "", ["name!": "1 to 100 characters, one line."]),
    ].exemplified(by: LiquidExamples.members)
}
