import PKIX

/// A credential's public key (RFC 9052, 7; RFC 9053, 7; RFC 8230, 4), with the parameters that WebAuthn, 6.5.1.1 asks
/// for and no others.
public struct COSEKey: Sendable, Equatable {
    /// COSE_Key, as the authenticator wrote it; store this.
    public let bytes: [UInt8]
    public let algorithm: COSEAlgorithm
    public let numbers: PublicKeyNumbers

    /// `keyMalformed`, `keyUnsound`, or `algorithmNotOffered` for an algorithm that is not here.
    public init(_ bytes: [UInt8]) throws(WebAuthnRefusal) {
        guard let value = try? CBORReader.read(bytes) else { throw .keyMalformed }
        try self.init(bytes: bytes, value: value)
    }

    init(bytes: [UInt8], value: CBOR) throws(WebAuthnRefusal) {
        guard let number = value[3]?.integer, let type = value[1]?.integer else { throw .keyMalformed }
        guard let algorithm = COSEAlgorithm(rawValue: number), algorithm != .rs1 else { throw .algorithmNotOffered }
        switch (algorithm, type) {
        case (.es256, 2): numbers = try Self.elliptic(.p256, number: 1, value)
        case (.es384, 2): numbers = try Self.elliptic(.p384, number: 2, value)
        case (.es512, 2): numbers = try Self.elliptic(.p521, number: 3, value)
        case (.edDSA, 1):
            try Self.expect([1, 3, -1, -2], value)
            guard value[-1]?.integer == 6, let point = value[-2]?.bytes, point.count == 32 else { throw .keyMalformed }
            numbers = .ed25519(point)
        case (.rs256, 3):
            try Self.expect([1, 3, -1, -2], value)
            guard let n = value[-1]?.bytes, let e = value[-2]?.bytes else { throw .keyMalformed }
            numbers = .rsa(n: n, e: e)
        default: throw .keyMalformed
        }
        guard numbers.isSound else { throw .keyUnsound }
        self.bytes = bytes
        self.algorithm = algorithm
    }

    /// Whether `signature` is of `message`.
    public func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        SignatureCheck.holds(signature, of: message, by: numbers, algorithm)
    }

    private static func elliptic(
        _ curve: PublicKeyNumbers.Curve, number: Int, _ value: CBOR
    ) throws(WebAuthnRefusal) -> PublicKeyNumbers {
        try expect([1, 3, -1, -2, -3], value)
        guard value[-1]?.integer == number, let x = value[-2]?.bytes, let y = value[-3]?.bytes, x.count == curve.size,
            y.count == curve.size
        else {
            throw .keyMalformed
        }
        return .elliptic(curve, x: x, y: y)
    }

    private static func expect(_ labels: [Int], _ value: CBOR) throws(WebAuthnRefusal) {
        guard let map = value.map, Set(map.keys) == Set(labels.map { CBOR.Key.integer($0) }) else {
            throw .keyMalformed
        }
    }
}
