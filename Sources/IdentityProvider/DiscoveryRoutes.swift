import Base
import Federation
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import OAuth
import TokenTree
import Vocabulary

/// Protocol discovery: names or URLs in, RSD2 documents out; signed for who accepts `application/jwt`.
enum DiscoveryRoutes {
    private static let json = "application/json", signed = "application/jwt"

    /// Only app instances need what is left out for them, and only where they look by address: a token of a web client
    /// or machine finds who is there, whether apps can get in or not.
    private static func isApp(_ holder: AuthenticatedToken, asking question: ProtocolQuery.Question) -> Bool {
        if case .names = question { return true }
        return holder.token.body.kind == .personalAccessToken
    }

    /// The person by whose use the answer is to be ordered; `nil` for the order of ids.
    private static func usedFirst(_ request: Request, _ holder: AuthenticatedToken) throws -> UUID? {
        switch try QueryItems(request).one("order") {
        case nil: return nil
        case "used":
            if let account = holder.token.body.account { return account }
            throw OAuthError(.invalidRequest, "order=used needs a person's token: nobody else has used anything")
        default: throw OAuthError(.invalidRequest, "order must be used, or left out")
        }
    }

    static func endpoints(_ idp: AuthorizationServer) -> [Endpoint] {
        // Where the listing is closed, nobody looks around but the apps of people.
        let kinds: [TokenKind] =
            idp.listing.policy == .closed ? [.personalAccessToken] : [.personalAccessToken, .accessToken]
        func endpoint(_ path: String, _ face: ProtocolQuery.Face, _ summary: String) -> Endpoint {
            Endpoint(.post, path, summary) { request, context in
                let holder = try await idp.check.require(kinds, request.presented(idp.realm.base, context))
                let question = try ProtocolQuery.question(try await BodyReading.json(request), face: face)
                let isApp = isApp(holder, asking: question)
                let answer =
                    if let person = try usedFirst(request, holder) {
                        try await idp.discovery.answer(question, forApp: isApp, usedFirstBy: person)
                    } else {
                        try await idp.discovery.answer(question, forApp: isApp)
                    }
                let type = AcceptedType.choose(among: [json, signed], for: request)
                let etag = type == signed ? answer.signedETag : answer.etag
                let headers: HTTPFields = [.eTag: etag, .cacheControl: "private, no-cache", .vary: "Accept"]
                if EntityTags.match(request, etag) { return Response(status: .notModified, headers: headers) }
                let text =
                    type == signed
                    ? try await idp.signedDiscovery.sign(answer, for: holder.token.body.client ?? "") : answer.text
                return Answer.text(text, type: type, headers: headers)
            }
        }
        return [
            endpoint(
                "/protocol-discovery", .either,
                """
                Services that offer all of these protocols, or that live at these URLs; signed with Accept: \
                application/jwt, with order=used what the person used first
                """
            ),
            endpoint("/protocol-discovery/protocol", .names, "Services that offer all of these protocols"),
            endpoint("/protocol-discovery/service", .addresses, "Services that live at these URLs"),
        ]
    }
}
