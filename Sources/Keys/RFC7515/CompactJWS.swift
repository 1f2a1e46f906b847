import Base

/// A JWS in compact serialization (RFC 7515, 3.1), taken apart and not verified.
///
/// Strict where leniency gives one token two spellings: three parts, base64url without padding or stray bits, no member
/// twice. `alg: none` is refused in any case of its letters; so is `crit`, since no extension is understood (4.1.11),
/// and `b64` unless it says what is true anyway (RFC 7797). Keys in the header (`jwk`, `jku`, `x5c`) are data, never
/// trusted here.
public struct CompactJWS: Sendable {
    public enum Part: String, Sendable { case header, payload, signature }

    public enum Malformed: Error, Equatable, CustomStringConvertible {
        case tooLong
        case notCompact
        case notBase64URL(Part)
        case notJSON(Part, JSONReader.Malformed)
        case notAnObject(Part)
        case headerMember(String)
        case unsecured
        case critical
        case unencodedPayload

        public var description: String {
            switch self {
            case .tooLong:
                "the token is longer than \(CompactJWS.limit) bytes, or its header than \(CompactJWS.headerLimit)"
            case .notCompact: "the token is not three parts with dots between them"
            case .notBase64URL(let part): "the \(part.rawValue) of the token is not base64url without padding"
            case .notJSON(let part, .duplicate): "the \(part.rawValue) of the token has a member twice"
            case .notJSON(let part, _): "the \(part.rawValue) of the token is not JSON"
            case .notAnObject(let part): "the \(part.rawValue) of the token is not a JSON object"
            case .headerMember(let name): "the header of the token needs \(name) to be a non-empty string"
            case .unsecured: "the token is not signed; alg none is never accepted"
            case .critical: "the token needs an extension (crit) that is not supported"
            case .unencodedPayload: "b64 other than true is not supported"
            }
        }
    }

    /// Bytes of the whole.
    public static let limit = 65_536
    /// Bytes of the decoded header.
    public static let headerLimit = 8192

    public let compact: String
    public let header: JSONObject
    public let payload: [UInt8]
    public let algorithm: String
    let signature: [UInt8]
    let signingInput: [UInt8]

    public init(_ compact: some StringProtocol) throws(Malformed) {
        let text = String(compact)
        guard text.utf8.count <= CompactJWS.limit else { throw .tooLong }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty else { throw .notCompact }
        let head = try CompactJWS.decode(parts[0], .header)
        guard head.count <= CompactJWS.headerLimit else { throw .tooLong }
        header = try CompactJWS.object(head, .header)
        algorithm = try CompactJWS.checked(header)
        guard !parts[2].isEmpty else { throw .notCompact }
        payload = try CompactJWS.decode(parts[1], .payload)
        signature = try CompactJWS.decode(parts[2], .signature)
        signingInput = Array(text.utf8.prefix(parts[0].count + 1 + parts[1].count))
        self.compact = text
    }

    public var kid: String? { header["kid"]?.string }

    /// True when `key` made the signature, with the algorithm that the header names and the key admits (RFC 8725, 3.1).
    public func isSigned(by key: JSONWebKey) -> Bool {
        guard let named = SigningAlgorithm(rawValue: algorithm), let verifier = key.verifiers[named] else {
            return false
        }
        return (try? verifier.verify(signature, signs: signingInput)) ?? false
    }

    private static func checked(_ header: JSONObject) throws(Malformed) -> String {
        guard let algorithm = header["alg"]?.string, !algorithm.isEmpty else { throw .headerMember("alg") }
        guard algorithm.lowercased() != "none" else { throw .unsecured }
        guard header["crit"] == nil else { throw .critical }
        guard header["b64"] == nil || header["b64"] == true else { throw .unencodedPayload }
        for name in ["kid", "typ"] {
            guard let value = header[name] else { continue }
            guard value.string?.isEmpty == false else { throw .headerMember(name) }
        }
        return algorithm
    }

    private static func decode(_ part: Substring.UTF8View, _ name: Part) throws(Malformed) -> [UInt8] {
        guard let bytes = Base64URL.decode(Substring(part)) else { throw .notBase64URL(name) }
        return bytes
    }

    static func object(_ bytes: [UInt8], _ part: Part) throws(Malformed) -> JSONObject {
        let value: JSONValue
        do { value = try JSONReader.read(bytes) } catch { throw .notJSON(part, error) }
        guard let object = value.object else { throw .notAnObject(part) }
        return object
    }
}
