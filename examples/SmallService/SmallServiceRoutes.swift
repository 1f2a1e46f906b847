import Foundation
import HTTPTypes
import Hummingbird
import PandoClient

/// The service by Hummingbird; any other server would do.
extension SmallService {
    private static let longest = 1 << 16

    public func router() -> Router<BasicRequestContext> {
        let router = Router()
        router.get("/") { _, _ in try self.rsd(nil, [("Link", "<\(self.base)/rsd>; rel=\"ServiceAPI\"")]) }
        router.get("rsd") { request, _ in try self.rsd(request.headers[.accept]) }
        router.get("greeting") { request, _ in
            try await self.refusing { try self.answer(try await self.greeting(Headers(request))) }
        }
        router.post("token") { request, _ in
            try await self.refusing {
                try self.answer(try await self.token(try await self.form(request), Headers(request)))
            }
        }
        router.post("revoke") { request, _ in
            try await self.refusing {
                try await self.revoke(try await self.form(request), Headers(request))
                return self.answer(Transport.Response(status: 200))
            }
        }
        router.post("introspect") { request, _ in
            try await self.refusing {
                try self.answer(try await self.introspect(try await self.form(request), Headers(request)))
            }
        }
        router.post("events") { request, _ in
            try await self.refusing {
                let type = request.headers[.contentType]?.split(separator: ";").first?.lowercased()
                let isEvent = type == "application/secevent+jwt"
                // A body of another type is no event, and refused as one that makes no sense.
                return self.answer(try await self.events.receive(isEvent ? try await self.body(request) : []))
            }
        }
        return router
    }

    /// Listens at `port` of this machine until a signal ends it.
    public func serve(at port: Int) async throws {
        let address = ApplicationConfiguration(address: .hostname("127.0.0.1", port: port))
        try await Application(router: router(), configuration: address).runService()
    }

    /// Asks for what ended while it was down, before the first request.
    public func catchUp() async throws { try await events.catchUp() }

    private func rsd(_ accept: String?, _ more: [Transport.Header] = []) throws -> Response {
        let isXML = accept.map { $0.contains("xml") && !$0.contains("json") } ?? false
        let kept: [Transport.Header] = [("Cache-Control", "public, max-age=300"), ("Vary", "Accept")]
        let type: Transport.Header = ("Content-Type", isXML ? "application/x-rsd+xml" : "application/x-rsd+json")
        let body = isXML ? Array(xml.utf8) : try document.bytes()
        return answer(Transport.Response(status: 200, headers: kept + [type] + more, body: body))
    }

    /// The same document; none of its texts needs escaping but the base.
    private var xml: String {
        let base = self.base.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
        return """
            <?xml version="1.0" encoding="UTF-8"?><rsd version="2.0" xmlns="http://github.com/rsd-spec/rsd"><service>
            <engineName>Greetings</engineName><engineLink>\(base)</engineLink><homePageLink>\(base)</homePageLink><apis>
            <api name="org.ietf.oauth2"><apiVersion>2.0</apiVersion><apiLink>\(base)</apiLink>
            <transport>REST</transport></api>
            <api name="\(Self.scope)"><apiVersion>1.0</apiVersion><apiLink>\(base)/greeting</apiLink>
            <transport>REST</transport></api>
            </apis></service></rsd>
            """
    }

    private func body(_ request: Request) async throws -> [UInt8] {
        do { return Array(buffer: try await request.body.collect(upTo: Self.longest)) } catch {
            throw OAuthError(413, .invalidRequest, "the body is too long")
        }
    }

    /// Members of a form (RFC 6749, appendix B): none twice.
    private func form(_ request: Request) async throws -> [String: String] {
        var members: [String: String] = [:]
        for pair in String(decoding: try await body(request), as: UTF8.self).split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { $0.replacing("+", with: " ").removingPercentEncoding }
            guard let name = parts[0], let value = parts.count > 1 ? parts[1] : "", !value.contains("\0"),
                members.updateValue(value, forKey: name) == nil
            else { throw OAuthError(400, .invalidRequest, "a parameter stands there twice, or is no text") }
        }
        return members
    }

    private func refusing(_ body: () async throws -> Response) async throws -> Response {
        do { return try await body() } catch let refusal as OAuthError { return answer(refusal.response) }
    }

    private func answer(_ json: JSON) throws -> Response {
        let headers: [Transport.Header] = [("Content-Type", "application/json"), ("Cache-Control", "no-store")]
        return answer(Transport.Response(status: 200, headers: headers, body: try json.bytes()))
    }

    private func answer(_ answer: Transport.Response) -> Response {
        var headers = HTTPFields()
        for header in answer.headers { HTTPField.Name(header.name).map { headers[$0] = header.value } }
        let body = ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body))
        return Response(status: .init(code: answer.status), headers: headers, body: body)
    }
}

extension Headers {
    init(_ request: Request) {
        // Two of one name are read as one that makes no sense, and refused.
        proof = HTTPField.Name("DPoP").flatMap { request.headers[$0] }
        authorization = request.headers[.authorization]
    }
}
