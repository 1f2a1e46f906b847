import Foundation
import PandoClient

/// Assertions that no issuer signed, made after a good one or after what one would look like.
enum Forgeries {
    /// - Parameters:
    ///   - claims: of an assertion that would be good, but for its `jti`.
    ///   - keyID: that of the issuer's key.
    ///   - original: the text of a good one, which is changed here.
    static func of(_ claims: [String: JSON], keyID: String?, original: String? = nil) throws -> [SpoiltAssertion] {
        let key = SigningKey()
        func fresh() -> [String: JSON] { claims.merging(["jti": .string(UUID().uuidString)]) { $1 } }
        let type: [String: JSON] = ["typ": "oauth-id-jag+jwt"]
        let named = keyID.map { type.merging(["kid": .string($0)]) { $1 } } ?? type
        let signed = try key.sign(fresh(), header: named)
        var forged = [
            SpoiltAssertion(id: "forged", what: "signed by a key that is not the federation's", text: signed),
            SpoiltAssertion(
                id: "forged-jwk", what: "that brings the key of its own signature (jwk in the header)",
                text: try key.sign(fresh(), header: type.merging(["jwk": key.jwk]) { $1 })),
            SpoiltAssertion(
                id: "unsigned", what: "with alg none", text: try unsigned(fresh(), header: named, algorithm: "none")),
            SpoiltAssertion(
                id: "stripped", what: "without its signature",
                text: try unsigned(fresh(), header: named, algorithm: "ES256")),
            SpoiltAssertion(
                id: "foreign-issuer", what: "of another federation",
                text: try key.sign(fresh().merging(["iss": "https://another.example"]) { $1 }, header: type)),
            SpoiltAssertion(id: "garbage", what: "that is no JWT", text: "not.a.jwt"),
            SpoiltAssertion(
                id: "garbage-long", what: "of 60,000 letters", text: String(repeating: "A", count: 60_000)),
            SpoiltAssertion(id: "garbage-json", what: "with an array for claims", text: "e30.W10.AA"),
        ]
        if let original { forged.append(try tampered(original, claims: fresh())) }
        return forged
    }

    /// Other claims under the signature of a good one.
    private static func tampered(_ original: String, claims: [String: JSON]) throws -> SpoiltAssertion {
        let parts = original.split(separator: ".", omittingEmptySubsequences: false)
        let body = encoded(try JSON.object(claims).bytes())
        let text = parts.count == 3 ? "\(parts[0]).\(body).\(parts[2])" : original + "A"
        return SpoiltAssertion(id: "tampered", what: "whose claims were changed after it was signed", text: text)
    }

    private static func unsigned(
        _ claims: [String: JSON], header: [String: JSON], algorithm: String
    ) throws -> String {
        let head = header.merging(["alg": .string(algorithm)]) { $1 }
        return encoded(try JSON.object(head).bytes()) + "." + encoded(try JSON.object(claims).bytes()) + "."
    }

    private static func encoded(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// What an assertion would say, where there is none to go by.
    static func likeness(issuer: String, tokenEndpoint: String, now: Date) -> [String: JSON] {
        let now = Int(now.timeIntervalSince1970), key = SigningKey()
        return [
            "iss": .string(issuer), "sub": .string(UUID().uuidString.lowercased()), "aud": .string(tokenEndpoint),
            "azp": "org.example.check", "client_id": "check", "iat": .integer(now), "exp": .integer(now + 300),
            "cnf": ["jwk": key.jwk, "jkt": .string(key.thumbprint)],
            "lineage": ["check-epoch", "check-version", "check-instance", "check-assertion"],
        ]
    }
}
