import Base
import Foundation
import Testing

@testable import Keys

@Suite("RFC 7519: keys of push services")
struct ProviderKeyTests {
    @Test("a key from outside signs what its public half verifies", arguments: [SigningAlgorithm.es256, .rs256])
    func signs(algorithm: SigningAlgorithm) async throws {
        let pem = try PrivateSigningKey.generate(algorithm, randomness: .system)
        let published = try await PrivateSigningKey(pem: pem, algorithm: algorithm).publicKey

        let token = try JWT(
            try await ProviderKey(pem: pem, algorithm: algorithm).sign(
                ["iss": "us"], header: ["typ": "JWT", "kid": "1"]))

        #expect(token.isSigned(by: published))
        #expect(token.algorithm == algorithm.rawValue && token.kid == "1" && token.string("iss") == "us")
    }

    @Test(
        "what is no key, or one of another algorithm, is refused",
        arguments: ["", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"])
    func refused(text: String) async throws {
        let elliptic = try PrivateSigningKey.generate(.es256, randomness: .system)

        await #expect(throws: (any Error).self) {
            _ = try await ProviderKey(pem: SecretBytes(text.utf8), algorithm: .es256)
        }
        await #expect(throws: (any Error).self) { _ = try await ProviderKey(pem: elliptic, algorithm: .rs256) }
    }
}
