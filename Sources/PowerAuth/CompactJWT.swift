import Base

/// A JWT in compact form (RFC 7515, 7.1), taken apart and nothing believed. Made by hand since the protocol's HMAC keys
/// of 16 bytes are below what RFC 7518 (3.2) demands and libraries refuse them.
struct CompactJWT {
    /// What asks for a secret with ML-KEM-1024 has some 3,000 letters.
    static let maximum = 8192

    let header: JSONValue
    let claims: JSONValue
    /// The two parts that a signature covers.
    let signedText: [UInt8]
    let signature: [UInt8]

    /// `jwtMalformed` unless there are three parts, the first two strict JSON objects.
    init(_ text: String) throws(PowerAuthRefusal) {
        guard text.utf8.count <= Self.maximum else { throw .jwtMalformed }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let signature = Base64URL.decode(parts[2]) else { throw .jwtMalformed }
        header = try Self.object(parts[0])
        claims = try Self.object(parts[1])
        signedText = Array("\(parts[0]).\(parts[1])".utf8)
        self.signature = signature
    }

    /// `jwtMalformed` unless the header says so. `typ` may be missing.
    func require(algorithm: String) throws(PowerAuthRefusal) {
        guard header["alg"]?.string == algorithm else { throw .jwtMalformed }
        if let type = header["typ"], type.string != "JWT" { throw .jwtMalformed }
    }

    static func signedText(header: JSONValue, claims: JSONValue) -> String {
        "\(Base64URL.encode(header.bytes)).\(Base64URL.encode(claims.bytes))"
    }

    private static func object(_ part: Substring) throws(PowerAuthRefusal) -> JSONValue {
        guard let bytes = Base64URL.decode(part), let json = try? JSONReader.read(bytes, depth: 4), json.object != nil
        else { throw .jwtMalformed }
        return json
    }
}
