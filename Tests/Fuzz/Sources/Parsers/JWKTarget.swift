import Base
import Foundation
import Harness
import Keys

/// `JSONWebKey`: sound keys only, one thumbprint per key, nothing private repeated.
enum JWKTarget {
    static let target = Target("jwk", run: run)
    private static let privateNames = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]

    private static func run(_ input: [UInt8]) {
        guard let value = try? JSONReader.read(input) else { return }
        if let key = read(value) { sound(key, value) }
        set(value)
    }

    private static func read(_ value: JSONValue) -> JSONWebKey? {
        switch KnownToken.turner.run({ try await JSONWebKey(value) }) {
        case .success(let key): return key
        case .failure(let error):
            guard let reason = error as? JSONWebKey.Unacceptable else { violated("a refusal is one of ours: \(error)") }
            for name in privateNames {
                guard let secret = value[name]?.string, secret.utf8.count >= 16 else { continue }
                require(!reason.description.contains(secret), "no key material in a refusal")
            }
            return nil
        }
    }

    private static func sound(_ key: JSONWebKey, _ value: JSONValue) {
        require(privateNames.allSatisfy { value[$0] == nil }, "nothing private is accepted")
        require(Base64URL.decode(key.thumbprint)?.count == 32, "a thumbprint is a SHA-256")
        require(Base64URL.encode(Digest.sha256(thumbprinted(value))) == key.thumbprint, "RFC 7638, by hand")
        require(key.kid == value["kid"]?.string, "kid is kept")
        require(value["use"] == nil || value["use"] == "sig", "for signatures")
        for (again, spelling) in [(read(key.json), "json"), (read(key.bare), "bare")] {
            guard let again else { violated("\(spelling) is a key") }
            require(again.thumbprint == key.thumbprint && again == key, "\(spelling) is the same key")
            require(
                spelling == "bare" || again.json.text == key.json.text && again.algorithm == key.algorithm,
                "\(spelling) says the same")
        }
        require(key.accepts(algorithm: key.algorithm.rawValue), "a key is for its algorithm")
        for name in ["none", "None", "HS256", "HS384", "HS512", ""] {
            require(!key.accepts(algorithm: name), "never \(name)")
        }
        for known in KnownToken.all {
            guard let jws = try? CompactJWS(known.compact) else { violated("a known token is a token") }
            require(!jws.isSigned(by: key) || key.thumbprint == known.key.thumbprint, "another key verifies nothing")
        }
    }

    /// RFC 7638, 3.2: the required members, in lexical order, without blanks.
    private static func thumbprinted(_ value: JSONValue) -> String {
        let names =
            switch value["kty"]?.string {
            case "EC": ["crv", "kty", "x", "y"]
            case "OKP": ["crv", "kty", "x"]
            default: ["e", "kty", "n"]
            }
        return "{" + names.map { "\"\($0)\":\"\(value[$0]?.string ?? "")\"" }.joined(separator: ",") + "}"
    }

    private static func set(_ value: JSONValue) {
        guard case .success(let keys) = KnownToken.turner.run({ try await JSONWebKey.set(value) }) else { return }
        let members = value.array ?? value["keys"]?.array ?? []
        require(keys.count <= members.count, "a member, at most a key")
        let kids = keys.compactMap(\.kid)
        require(Set(kids).count == kids.count, "a kid stands once")
    }
}
