import Base
import Federation
import HTTPTypes
import Hummingbird
import OAuth

/// Protocol discovery: names or URLs in, RSD2 documents out.
enum DiscoveryRoutes {
    static func endpoints(_ idp: IdentityProvider) -> [Endpoint] {
        func endpoint(_ path: String, _ face: ProtocolQuery.Face, _ summary: String) -> Endpoint {
            Endpoint(.post, path, summary) { request, context in
                _ = try await idp.person(request.presented(idp.realm.base, context))
                let question = try ProtocolQuery.question(try await BodyReading.json(request), face: face)
                let answer = JSONValue.array(try await idp.discovery.documents(question, forApp: true))
                let etag = ProtocolQuery.etag(of: answer)
                let headers: HTTPFields = [.eTag: etag, .cacheControl: "private, no-cache"]
                if request.headers[.ifNoneMatch] == etag { return Response(status: .notModified, headers: headers) }
                return Answer.json(answer, store: true, headers: headers)
            }
        }
        return [
            endpoint("/protocol-discovery", .either, "Services that offer all of these protocols, or that live at these URLs"),
            endpoint("/protocol-discovery/protocol", .names, "Services that offer all of these protocols"),
            endpoint("/protocol-discovery/service", .addresses, "Services that live at these URLs"),
        ]
    }
}
