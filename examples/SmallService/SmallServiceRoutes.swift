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

    private func refusing(_ body: () async throws -> JSON) async throws -> Response {
        do { return try answer(try await body()) } catch let refusal as OAuthError { return answer(refusal.response) }
    }

    private func answer(_ json: JSON) throws -> Response {
        answer(Transport.Response(status: 200, headers: [("Content-Type", "application/json")], body: try json.bytes()))
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
