import Base
import TestSupport
import Testing

@Suite("An app whose version was never entered")
struct UnknownVersionTests {
    @Test("an assertion of no known version says so, in the same words whether a client has the name or not")
    func versions() async throws {
        try await TestServer.with { server in
            let signing = try await server.webApp(
                method: .privateKeyJWT, grants: ["client_credentials"], jwks: ["keys": [PhoneKey().jwk(kid: "k")]])
            let plain = try await server.webApp(grants: ["client_credentials"])
            var replies: [Reply] = []
            for name in ["ch.example.wallet.99", signing.id, plain.id] {
                var draft = RegistrationDraft(server)
                (draft.claims["iss"], draft.claims["sub"]) = (.string(name), .string(name))
                draft.signingKey = PhoneKey()
                replies.append(try await draft.send())
            }

            #expect(Set(replies.map(\.body)).count == 1)
            for reply in replies {
                #expect(reply.outcome == "401 invalid_client")
                #expect(reply["error_description"]?.contains("no version of an app here") == true, "\(reply.body)")
            }
        }
    }
}
