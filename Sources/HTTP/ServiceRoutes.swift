import Base
import HTTPTypes
import Hummingbird
import OAuth
import Pages
import Vocabulary

/// A built-in service: OAuth endpoints, RSD2 document, events, home page (api.md, "A service").
enum ServiceRoutes {
    /// `root` is the URL of this host's root.
    static func endpoints(_ service: ServiceRole, root: String) -> [Endpoint] {
        let path = String(service.realm.base.dropFirst(root.count)), name = service.profile.name
        let oauth = OAuthRoutes(
            root: root, path: path, name: name + ": ", tokens: service.tokens, callers: service.parties,
            introspection: service.introspection, revocation: service.revocation, origins: service.origins)
        return [
            Endpoint(.get, path, "\(name): home page, links the RSD2 document") { request, _ in home(service, request)
            },
            Endpoint(.get, path + "/rsd", "\(name): RSD2 document, JSON or XML by Accept") { request, _ in
                rsd(service, request)
            }.forOrigins(.any),
        ] + oauth.endpoints + [
            Endpoint(.post, path + "/events", "\(name): events of the IdP (RFC 8935)") { request, _ in
                guard BodyReading.mediaType(request) == "application/secevent+jwt" else {
                    throw EventReceiver.Refused(
                        code: "invalid_request", description: "send application/secevent+jwt", status: 400)
                }
                try await service.events.receive(String(decoding: try await BodyReading.bytes(request), as: UTF8.self))
                return Answer.empty(.accepted)
            }
        ]
    }

    private static func home(_ service: ServiceRole, _ request: Request) -> Response {
        let rsd = service.realm.base + "/rsd"
        let link: HTTPFields = [
            .link: "<\(rsd)>; rel=\"ServiceAPI\"; type=\"application/x-rsd+json\"", .vary: "Accept",
        ]
        guard PageAnswer.isWanted(request) else {
            return Answer.json(service.profile.document.json, store: true, headers: link)
        }
        return PageAnswer.html(
            ServicePage(
                name: service.profile.name, base: service.realm.base, rsd: rsd, protocols: service.profile.protocols
            ).html, headers: link)
    }

    private static func rsd(_ service: ServiceRole, _ request: Request) -> Response {
        let headers: HTTPFields = [
            .vary: "Accept", .cacheControl: "public, max-age=300", .accessControlAllowOrigin: "*",
        ]
        if request.headers[.accept]?.lowercased().contains("xml") == true {
            return Answer.text(
                service.profile.document.xml, type: "application/x-rsd+xml; charset=utf-8", headers: headers)
        }
        return Answer.text(service.profile.document.json.text, type: "application/x-rsd+json", headers: headers)
    }

    /// `/services.txt` of the host: one line per service (protocols/eduid.md, 7).
    static func list(_ services: [ServiceRole]) -> Endpoint {
        Endpoint(.get, "/services.txt", "Where the services of this host publish what they offer") { _, _ in
            let lines = services.map { "application/x-rsd+json; \($0.realm.base)/rsd\n" }
            return Answer.text(
                lines.joined(), type: "text/plain; charset=utf-8",
                headers: [.cacheControl: "public, max-age=300", .accessControlAllowOrigin: "*"])
        }.forOrigins(.any)
    }
}
