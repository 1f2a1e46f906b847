import Foundation
import PandoClient
import Simulators

/// A client that authenticates by what it signs (`private_key_jwt`: RFC 7523, 2.2), with ES256.
struct BenchSigner: Sendable {
    static let kid = "bench"

    let client: String
    let key: SigningKey
    /// What its assertions name: the server's issuer, or its token endpoint.
    let audience: String

    /// The form with assertions, each good once and for a minute; as many as can be signed in some seconds.
    func requests(_ count: Int, to url: String, _ form: [(String, String)]) throws -> [DemoRequest] {
        try BenchProgress.making(count, within: .seconds(8)) {
            let now = Int(Date().timeIntervalSince1970)
            let assertion = try key.sign(
                [
                    "iss": .string(client), "sub": .string(client), "aud": .string(audience),
                    "iat": .number(Double(now)), "exp": .number(Double(now + 60)),
                    "jti": .string(UUID().uuidString),
                ], header: ["kid": .string(Self.kid)])
            let signed = [
                ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
                ("client_assertion", assertion),
            ]
            return DemoRequest(method: "POST", url: url, body: .form(form + signed))
        }
    }
}
