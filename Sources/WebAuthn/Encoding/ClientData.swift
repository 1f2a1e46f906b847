import Base

/// What the client saw (WebAuthn, 5.8.1). Members that are not here are for the future and say nothing.
public struct ClientData: Sendable, Equatable {
    public enum Kind: String, Sendable { case create = "webauthn.create", get = "webauthn.get" }

    static let sizeLimit = 16 * 1024

    public let type: String
    /// base64url, as it was sent.
    public let challenge: String
    public let origin: String
    public let crossOrigin: Bool
    public let topOrigin: String?

    /// JSON in any order and with any escapes, behind a byte order mark or not; a member that stands twice refuses it.
    public init(_ bytes: [UInt8]) throws(WebAuthnRefusal) {
        guard bytes.count <= Self.sizeLimit else { throw .clientDataMalformed }
        let json: JSONValue
        do {
            json = try JSONReader.read(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...])
        } catch {
            if case .duplicate = error { throw .clientDataDuplicate }
            throw .clientDataMalformed
        }
        guard let type = json["type"]?.string, let challenge = json["challenge"]?.string,
            let origin = json["origin"]?.string
        else {
            throw .clientDataMalformed
        }
        self.type = type
        self.challenge = challenge
        self.origin = origin
        crossOrigin = try Self.optional(json["crossOrigin"], \.bool) ?? false
        topOrigin = try Self.optional(json["topOrigin"], \.string)
        // Of Level 2; nothing is bound to it, but what is there must have its form.
        if let binding = json["tokenBinding"] {
            guard let status = binding["status"]?.string, ["present", "supported", "not-supported"].contains(status)
            else { throw .tokenBindingMalformed }
        }
    }

    private static func optional<Value>(
        _ json: JSONValue?, _ value: (JSONValue) -> Value?
    ) throws(WebAuthnRefusal) -> Value? {
        guard let json, json != .null else { return nil }
        guard let value = value(json) else { throw .clientDataMalformed }
        return value
    }

    /// R2 to R6, A4.
    func check(_ kind: Kind, challenge issued: [UInt8], _ party: RelyingParty) throws(WebAuthnRefusal) {
        guard type == kind.rawValue else { throw .clientDataTypeMismatch }
        guard !issued.isEmpty, let sent = Base64URL.decode(challenge), ConstantTime.equal(sent, issued) else {
            throw .challengeMismatch
        }
        guard party.origins.contains(where: { $0.utf8.elementsEqual(origin.utf8) }) else { throw .originNotAllowed }
        switch party.framing {
        case .refused:
            guard !crossOrigin else { throw .crossOriginNotAllowed }
            guard topOrigin == nil else { throw .topOriginNotAllowed }
        case .allowed(let topOrigins):
            guard topOrigin.map({ top in topOrigins.contains { $0.utf8.elementsEqual(top.utf8) } }) ?? true else {
                throw .topOriginNotAllowed
            }
        }
    }
}
