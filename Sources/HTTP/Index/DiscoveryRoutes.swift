import Base
import Federation
import Foundation
import HTTPTypes
import Hummingbird
import OAuth
import Registration
import Vocabulary

/// Protocol discovery: names or URLs in, RSD2 documents out; signed for who accepts `application/jwt`. The IdP's, and
/// that of a service of its own: they differ in whom they answer.
public struct DiscoveryRoutes: Sendable {
    /// Who asks.
    public struct Asker: Sendable {
        /// For whom a signed answer is.
        let client: String
        /// Only app instances need what is left out for them, and only where they look by address: a web client or
        /// machine finds who is there, whether apps can get in or not.
        let isInstance: Bool
        /// The person, where the token tells.
        let account: UUID?
        /// The thumbprint of the key that was shown.
        let key: String?

        public init(client: String, isInstance: Bool, account: UUID?, key: String? = nil) {
            (self.client, self.isInstance, self.account, self.key) = (client, isInstance, account, key)
        }
    }

    /// Throws `OAuthError` for who is not answered.
    public typealias Door = @Sendable (PresentedRequest) async throws -> Asker

    /// What a web client asks a person for, to look for services with a token of theirs.
    public static let scope = "discovery"
    private static let json = "application/json", signed = "application/jwt"

    /// The URL of this host's root, and the path below it that the endpoints have.
    let root: String
    let path: String
    /// Stands before the summaries: the service's name.
    let name: String
    /// What may be shown.
    let security: [[OpenAPISecurity]]
    let query: ProtocolQuery
    let signer: SignedDiscovery
    let door: Door
    let origins: OriginCheck

    public init(
        root: String, path: String = "", name: String = "", security: [[OpenAPISecurity]] = [[.dpop], [.bearer]],
        query: ProtocolQuery, signer: SignedDiscovery, origins: OriginCheck, door: @escaping Door
    ) {
        (self.root, self.path, self.name, self.security) = (root, path, name, security)
        (self.query, self.signer, self.origins, self.door) = (query, signer, origins, door)
    }

    public var endpoints: [Endpoint] {
        [
            endpoint(
                "/protocol-discovery", .either,
                """
                Services that offer all of these protocols, or that live at these URLs; signed with Accept: \
                application/jwt, with order=used what the person used first and what is closed to them last
                """
            ),
            endpoint("/protocol-discovery/protocol", .names, "Services that offer all of these protocols"),
            endpoint("/protocol-discovery/service", .addresses, "Services that live at these URLs"),
        ]
    }

    private func endpoint(_ place: String, _ face: ProtocolQuery.Face, _ summary: String) -> Endpoint {
        Endpoint(.post, path + place, name + summary) { request, context in
            let asker = try await door(request.presented(root, context))
            let question = try ProtocolQuery.question(try await BodyReading.json(request), face: face)
            return try await answer(question, to: asker, request)
        }.telling(
            EndpointShape(
                query: ["order:=used", "app"], headers: ["If-None-Match", EndpointShape.proof],
                body: "DiscoveryQuestion",
                answer: "RSDDocuments", about: "Empty when nothing fits.",
                meanings: [
                    EndpointShape.proof: EndpointShape.proofMeaning,
                    "app": "With order=used: the bundle id of another app; services that do not take it come last.",
                ], isBodyNeeded: true,
                otherTypes: [Self.signed: "SignedAnswer"],
                answerHeaders: ["ETag": "Changes when and only when the answer does"], security: security,
                others: [.unchanged, .oauthError])
        ).forOrigins(.registered(origins))
    }

    private func answer(
        _ question: ProtocolQuery.Question, to asker: Asker, _ request: Request
    ) async throws -> Response {
        let forApp = asker.isInstance || question.isByNames
        let answer =
            if let person = try usedFirst(request, asker) {
                try await query.answer(question, forApp: forApp, usedFirstBy: person)
            } else {
                try await query.answer(question, forApp: forApp)
            }
        let type = AcceptedType.choose(among: [Self.json, Self.signed], for: request), isSigned = type == Self.signed
        let etag = isSigned ? answer.signedETag : answer.etag
        let headers: HTTPFields = [.eTag: etag, .cacheControl: "private, no-cache", .vary: "Accept"]
        if EntityTags.match(request, etag) { return Response(status: .notModified, headers: headers) }
        let text = isSigned ? try await signer.sign(answer, for: asker.client) : answer.text
        return Answer.text(text, type: type, headers: headers)
    }

    /// The person by whose use the answer is to be ordered; `nil` for the order of ids.
    private func usedFirst(_ request: Request, _ asker: Asker) throws -> ServiceUser? {
        let query = try QueryItems(request), app = try query.one("app")
        switch try query.one("order") {
        case nil:
            // That answer is everybody's: an app that is named would change nothing, and not say so.
            if app != nil { throw OAuthError(.invalidRequest, "app is for order=used") }
            return nil
        case "used":
            if let app, !AppPolicy.isName(app) {
                throw OAuthError(
                    .invalidRequest,
                    "app is no bundle id: 1 to \(AppPolicy.longestName) characters of ASCII, and no blanks")
            }
            if let account = asker.account {
                return ServiceUser(account: account, client: asker.client, key: asker.key, bundle: app)
            }
            throw OAuthError(
                .invalidRequest,
                "order=used needs a person's token of the identity provider: nobody else has used anything")
        default: throw OAuthError(.invalidRequest, "order must be used, or left out")
        }
    }
}

extension ProtocolQuery.Question {
    fileprivate var isByNames: Bool {
        if case .names = self { return true }
        return false
    }
}

extension OpenAPISchema {
    static let index: [OpenAPISchema] = [
        OpenAPISchema(
            "DiscoveryQuestion",
            "1 to \(ProtocolQuery.mostItems) names of protocols, or URLs of services; not both.", type: "[string]",
            example: ["org.ietf.oauth2"]),
        OpenAPISchema("RSDDocuments", "What those that fit offer.", type: "[RSDDocument]"),
        OpenAPISchema(
            "ListedServices", "A page of the federation.",
            ["items:[ListedService]!": "", "next:string?!": "For `after`; null on the last page."],
            example: ["items": [], "next": nil]),
        OpenAPISchema(
            "ListedService", "A service of the federation; of one that was removed or suspended little is told.",
            [
                "id!": "", "name": "", "base!": "Its URL.", "status!": "`active`, `suspended` or `removed`.",
                "state": "Of its document: what the crawler found.", "protocols:[string]": "", "warnings:[string]": "",
                "last_ok:string?": "When its document was last read and right.", "updated_at!": "RFC 3339.",
                "document:RSDDocument?": "Where documents are asked for.",
            ],
            example: [
                "id": "learn", "name": "Learn", "base": "https://learn.example.org", "status": "active",
                "state": "ok", "protocols": ["org.ietf.oauth2"], "warnings": [], "last_ok": "2026-11-21T10:00:00Z",
                "updated_at": "2026-11-21T10:00:00Z",
            ]),
    ]
}
