import Base
import Federation
import HTTP
import HTTPTypes
import Hummingbird
import OAuth

/// Protocol discovery: names or URLs in, RSD2 documents out; signed for who accepts `application/jwt`.
enum DiscoveryRoutes {
    private static let json = "application/json", signed = "application/jwt"

    static func endpoints(_ idp: AuthorizationServer) -> [Endpoint] {
        func endpoint(_ path: String, _ face: ProtocolQuery.Face, _ summary: String) -> Endpoint {
            Endpoint(.post, path, summary) { request, context in
                let holder = try await idp.person(request.presented(idp.realm.base, context))
                let question = try ProtocolQuery.question(try await BodyReading.json(request), face: face)
                let answer = try await idp.discovery.answer(question, forApp: true)
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
                application/jwt
                """
            ),
            endpoint("/protocol-discovery/protocol", .names, "Services that offer all of these protocols"),
            endpoint("/protocol-discovery/service", .addresses, "Services that live at these URLs"),
        ]
    }
}
