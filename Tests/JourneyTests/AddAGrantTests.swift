import OAuth
import Registration
import Server
import TestSupport
import Testing
import TokenTree
import Vocabulary

/// CONTRIBUTING.md, "A grant": step one. Its name is its own, and nothing else of the server knows it.
private struct EchoGrant: Grant {
    struct Request: Sendable {
        let word: String
    }

    let type = GrantType(rawValue: "urn:example:grant-type:echo")

    func read(_ parameters: OAuthParameters) throws -> Request { Request(word: try parameters.required("word")) }

    func issue(_ request: Request, to caller: AuthenticatedClient) async throws -> TokenResponse {
        guard caller.key == nil else { throw AncestorRevoked() }
        return TokenResponse(accessToken: request.word, kind: .bearer, expiresIn: 1)
    }
}

@Suite("A grant of one's own", .server)
struct AddAGrantTests {
    /// Step two: its line in the list.
    private func endpoint(_ metrics: OAuthMetrics = .shared) throws -> TokenEndpoint {
        let parts = try TestServer.ofSuite.parts
        let oneTime = OneTimeStore(database: parts.database, partitions: parts.partitions)
        let proofs = ProofOfPossession(oneTime: oneTime, clock: parts.time.clock)
        return TokenEndpoint(
            realm: parts.idp.realm, grants: [EchoGrant()], check: parts.idp.check, proofs: proofs, metrics: metrics)
    }

    private func ask(
        _ parameters: [String: String], _ metrics: OAuthMetrics = .shared
    ) async throws -> TokenResponse {
        let request = PresentedRequest(
            method: "POST", url: ServerParts.root + "/token", authorization: nil, proofs: [], origin: nil)
        return try await endpoint(metrics).respond(request, OAuthParameters(parameters))
    }

    @Test("a struct and its line are all that it takes")
    func answers() async throws {
        let answer = try await ask(["grant_type": "urn:example:grant-type:echo", "word": "hello"])

        #expect(answer.accessToken == "hello")
        #expect(try endpoint().grantTypes.map(\.rawValue) == ["urn:example:grant-type:echo"])
    }

    @Test(
        "what it does not find in a request, and what is not in the list, is refused",
        arguments: [
            (["grant_type": "urn:example:grant-type:echo"], OAuthError.Code.invalidRequest),
            (["grant_type": "password", "word": "hello"], .unsupportedGrantType), (["word": "hello"], .invalidRequest),
        ])
    func refuses(_ parameters: [String: String], _ code: OAuthError.Code) async throws {
        let refusal = await #expect(throws: OAuthError.self) { try await ask(parameters) }

        #expect(refusal?.code == code)
    }

    @Test("it is counted by the last word of its name, with what came of it; a name that nobody offers has no series")
    func counted() async throws {
        let registry = PrometheusRegistry(), metrics = OAuthMetrics(registry)
        _ = try await ask(["grant_type": "urn:example:grant-type:echo", "word": "hello"], metrics)
        _ = try? await ask(["grant_type": "urn:example:grant-type:echo"], metrics)
        for number in 0..<50 { _ = try? await ask(["grant_type": "invented\(number)", "word": "hello"], metrics) }

        let lines = registry.page.split(separator: "\n").filter { $0.hasPrefix("pando_token_requests_total{") }
        #expect(
            lines == [
                #"pando_token_requests_total{grant="echo",outcome="invalid_request"} 1.0"#,
                #"pando_token_requests_total{grant="echo",outcome="issued"} 1.0"#,
                #"pando_token_requests_total{grant="unsupported",outcome="unsupported_grant_type"} 50.0"#,
            ])
    }
}
