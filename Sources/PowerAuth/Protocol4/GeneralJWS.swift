import Base

/// A JWS in general JSON form (RFC 7515, 7.2.1) as protocol 4 has it: ES384 and, in hybrid suites, ML-DSA after it,
/// both of which must hold (protocols/powerauth4.md).
struct GeneralJWS {
    static let maximum = 16_384

    /// `{"payload":…,"signatures":[{"protected":…,"signature":…}]}`.
    static func text(_ claims: JSONValue, signedBy pair: HybridKeyPair) throws(PowerAuthRefusal) -> String {
        let payload = Base64URL.encode(claims.bytes)
        let first = head("ES384")
        var signatures = [member(first, try pair.signRaw(input(first, payload)))]
        if let name = pair.publicKey.algorithm.signatureName {
            let second = head(name)
            guard let signature = try pair.signLattice(input(second, payload)) else { throw .keyMalformed }
            signatures.append(member(second, signature))
        }
        let document: JSONValue = ["payload": .string(payload), "signatures": .array(signatures)]
        return String(decoding: document.bytes, as: UTF8.self)
    }

    /// The claims, once each signature that `signer` makes is there, once, and holds. `jwtMalformed` for another form
    /// or other algorithms, `jwtSignatureMismatch` for a signature that is not theirs.
    static func claims(_ text: String, signedBy signer: HybridPublicKey) throws(PowerAuthRefusal) -> JSONValue {
        guard text.utf8.count <= maximum, let document = try? JSONReader.read(Array(text.utf8), depth: 4),
            let payload = document["payload"]?.string, let signatures = document["signatures"]?.array
        else { throw .jwtMalformed }
        let names = ["ES384"] + [signer.algorithm.signatureName].compactMap { $0 }
        guard signatures.count == names.count else { throw .jwtMalformed }
        for (signature, name) in zip(signatures, names) {
            guard let protected = signature["protected"]?.string, let bytes = Base64URL.decode(protected),
                let header = try? JSONReader.read(bytes, depth: 2), header["alg"]?.string == name,
                let text = signature["signature"]?.string, let signature = Base64URL.decode(text)
            else { throw .jwtMalformed }
            let message = input(protected, payload)
            let holds =
                name == "ES384"
                ? signer.isSigned(message, raw: signature) : signer.isSigned(message, lattice: signature)
            guard holds else { throw .jwtSignatureMismatch }
        }
        guard let bytes = Base64URL.decode(payload), let claims = try? JSONReader.read(bytes, depth: 4),
            claims.object != nil
        else { throw .jwtMalformed }
        return claims
    }

    private static func head(_ algorithm: String) -> String {
        Base64URL.encode((["alg": .string(algorithm)] as JSONValue).bytes)
    }

    private static func input(_ head: String, _ payload: String) -> [UInt8] { Array("\(head).\(payload)".utf8) }

    private static func member(_ head: String, _ signature: [UInt8]) -> JSONValue {
        ["protected": .string(head), "signature": .string(Base64URL.encode(signature))]
    }
}
