import Base

/// Signatures with one to three factors (protocols/operations.md, 4.8), which protocol 4 calls authentication codes
/// (protocols/powerauth4.md).
public enum FactorSignature {
    /// Where in a window of counters a signature was found.
    public struct Match: Equatable, Sendable {
        /// How far the counter moves: 1 when the expected value matched. Add it to the counter byte.
        public let steps: Int
        /// What to expect next time; store this.
        public let next: HashCounter
    }

    /// Base string without the secret. `nonce` and `uriID` as they were sent.
    public static func baseString(method: String, uriID: String, nonce: String, body: [UInt8]) -> [UInt8] {
        Array("\(method)&\(Base64Text.encode(uriID.utf8))&\(nonce)&\(Base64Text.encode(body))".utf8)
    }

    /// What is signed. `secret` is the application secret in Base64, or the word `offline`; `body` is exactly what was
    /// received.
    public static func data(method: String, uriID: String, nonce: String, body: [UInt8], secret: String) -> [UInt8] {
        baseString(method: method, uriID: uriID, nonce: nonce, body: body) + Array("&\(secret)".utf8)
    }

    /// As it stands in the header: two or three groups of digits in 3.0, Base64 of 16 bytes a factor later and of 32 in
    /// protocol 4.
    public static func make(
        _ version: PowerAuthVersion, keys: [SecretBytes], counter: HashCounter, data: [UInt8]
    ) -> String {
        switch version {
        case .v30: decimal(version, keys: keys, counter: counter, data: data)
        case .v31, .v32, .v33:
            Base64Text.encode(components(version, keys, counter, data).flatMap { $0.suffix(16) })
        case .v40: Base64Text.encode(components(version, keys, counter, data).flatMap { $0 })
        }
    }

    /// Groups of digits for people to type; offline codes have 8 in each. Of protocol 3, whichever of its versions is
    /// named, or 4.
    public static func decimal(
        _ version: PowerAuthVersion = .v33, keys: [SecretBytes], counter: HashCounter, data: [UInt8], digits: Int = 8
    ) -> String {
        components(version, keys, counter, data).map { DecimalCode.of($0, digits: digits) }.joined(separator: "-")
    }

    /// Looks for `signature` at `counter` and up to `lookAhead - 1` values after it. Compares in constant time; whether
    /// and where it matched is no secret. A counter of the other protocol matches nothing.
    public static func find(
        _ signature: String, _ version: PowerAuthVersion, keys: [SecretBytes], counter: HashCounter, lookAhead: Int,
        data: [UInt8]
    ) -> Match? {
        guard !keys.isEmpty, counter.isProtocol4 == version.isProtocol4 else { return nil }
        var tried = counter
        for step in 0..<max(0, lookAhead) {
            if ConstantTime.equal(make(version, keys: keys, counter: tried, data: data), signature) {
                return Match(steps: step + 1, next: tried.next())
            }
            tried = tried.next()
        }
        return nil
    }

    private static func components(
        _ version: PowerAuthVersion, _ keys: [SecretBytes], _ counter: HashCounter, _ data: [UInt8]
    ) -> [[UInt8]] {
        version.isProtocol4
            ? AuthenticationCode.components(keys: keys, counter: counter, data: data)
            : components(keys: keys, counter: counter, data: data)
    }

    /// 32 bytes a factor: the i-th starts from the i-th key and is bound to all keys between.
    private static func components(keys: [SecretBytes], counter: HashCounter, data: [UInt8]) -> [[UInt8]] {
        let derived = keys.map { SecretBytes(Digest.hmac(key: $0, counter.bytes)) }
        return derived.indices.map { index in
            var key = derived[index]
            for other in 0..<index {
                let message = key.expose { $0 }
                key = SecretBytes(Digest.hmac(key: derived[other + 1], message))
            }
            return Digest.hmac(key: key, data)
        }
    }
}
