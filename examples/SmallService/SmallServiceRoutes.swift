import HTTPTypes
import Hummingbird
import PandoClient

/// The service by Hummingbird; any other server would do.
extension SmallService {
    public func router() -> Router<BasicRequestContext> {
        let router = Router()
        router.get("/") { _, _ in try answer(document) }
        router.get("greeting") { request, _ in
            try await refusing {
                try await greeting(authorization: request.headers[.authorization], proof: request.headers[.proof])
            }
        }
        router.post("token") { request, context in
            let form = try await URLEncodedFormDecoder().decode([String: String].self, from: request, context: context)
            let authorization = request.headers[.authorization], proof = request.headers[.proof]
            return try await refusing { try await token(form, authorization: authorization, proof: proof) }
        }
        router.post("events") { request, _ in
            let body = try await request.body.collect(upTo: 1 << 16)
            return answer(try await events.receive(Array(buffer: body)))
        }
        return router
    }

    /// Listens at `port` of this machine until a signal ends it.
    public func serve(at port: Int) async throws {
        let address = ApplicationConfiguration(address: .hostname("127.0.0.1", port: port))
        try await Application(router: router(), configuration: address).runService()
    }

    private func refusing(_ body: () async throws -> JSON) async throws -> Response {
        do { return try answer(try await body(), store: false) } catch let refusal as OAuthError {
            return answer(refusal.response)
        }
    }

    /// Tokens and what they open are not for caches (RFC 6749, 5.1).
    private func answer(_ json: JSON, store: Bool = true) throws -> Response {
        let type: Transport.Header = ("Content-Type", "application/json")
        let headers = store ? [type] : [type, ("Cache-Control", "no-store")]
        return answer(Transport.Response(status: 200, headers: headers, body: try json.bytes()))
    }

    private func answer(_ answer: Transport.Response) -> Response {
        var headers = HTTPFields()
        for header in answer.headers { HTTPField.Name(header.name).map { headers[$0] = header.value } }
        let body = ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body))
        return Response(status: .init(code: answer.status), headers: headers, body: body)
    }
}

extension HTTPField.Name {
    static var proof: HTTPField.Name { HTTPField.Name("DPoP") ?? .cookie }
}
