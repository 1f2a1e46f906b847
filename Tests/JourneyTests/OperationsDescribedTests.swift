import Base
import TestSupport
import Testing

@Suite("What the back office of operations answers is what the description says", .server)
struct OperationsDescribedTests {
    private static let path = "/services/operations/v2/operations"

    @Test("401 is OAuth's, with the challenges; other errors are the envelope", arguments: ["get", "post"])
    func unauthorized(method: String) async throws {
        let server = try TestServer.ofSuite
        let described = try DescribedAPI(try await server.get("/openapi.yaml").body)
        let operation = try #require(described[method, Self.path])

        let reply = try await server.send(method == "get" ? .get : .post, Self.path)

        #expect(reply.outcome == "401 invalid_token" && reply["error_description"]?.isEmpty == false)
        #expect(reply[header: "WWW-Authenticate"]?.isEmpty == false)
        for (status, schema) in [("401", "OAuthError"), ("403", "OAuthError"), ("409", "OperationsError")] {
            #expect(operation.answers[status]?.text.contains("#/components/schemas/\(schema)") == true, "\(status)")
        }
    }
}
