import Crypto
import ProtocolTestSupport
import Testing

@testable import WebAuthn

@Suite("COSE keys")
struct COSEKeyTests {
    private static let point = Array(P256.Signing.PrivateKey().publicKey.rawRepresentation)
    private static let x = Array(point[..<32]), y = Array(point[32...])

    private static func key(_ members: [(Int, [UInt8])]) -> [UInt8] {
        CBORText.map(members.map { (CBORText.integer($0.0), $0.1) })
    }

    private static func elliptic(
        alg: Int = -7, curve: Int = 1, x: [UInt8] = COSEKeyTests.x, y: [UInt8] = COSEKeyTests.y,
        more: [(Int, [UInt8])] = []
    ) -> [UInt8] {
        key(
            [
                (1, CBORText.integer(2)), (3, CBORText.integer(alg)), (-1, CBORText.integer(curve)),
                (-2, CBORText.bytes(x)), (-3, CBORText.bytes(y)),
            ] + more)
    }

    private static func rsa(_ n: [UInt8], _ e: [UInt8] = [1, 0, 1], alg: Int = -257) -> [UInt8] {
        key([(1, CBORText.integer(3)), (3, CBORText.integer(alg)), (-1, CBORText.bytes(n)), (-2, CBORText.bytes(e))])
    }

    private static func edwards(_ x: [UInt8], curve: Int = 6) -> [UInt8] {
        key([
            (1, CBORText.integer(1)), (3, CBORText.integer(-8)), (-1, CBORText.integer(curve)), (-2, CBORText.bytes(x)),
        ])
    }

    @Test("a key of each curve is read, and checks what it signed")
    func fine() throws {
        let own = P256.Signing.PrivateKey(), raw = Array(own.publicKey.rawRepresentation), message: [UInt8] = [1, 2, 3]
        let key = try COSEKey(Self.elliptic(x: Array(raw[..<32]), y: Array(raw[32...]))),
            signature = Array(try own.signature(for: message).derRepresentation)
        #expect(key.verifies(signature, of: message))
        #expect(!key.verifies(signature, of: message + [0]))
        #expect(!key.verifies(signature + [0], of: message))
        #expect(!key.verifies([], of: message))
        #expect(!key.verifies(Array(try own.signature(for: message).rawRepresentation), of: message))

        let edwards = Curve25519.Signing.PrivateKey(),
            second = try COSEKey(Self.edwards(Array(edwards.publicKey.rawRepresentation)))
        let other = Array(try edwards.signature(for: message))
        #expect(second.verifies(other, of: message))
        #expect(!second.verifies(other + [0], of: message))
        #expect(!second.verifies(signature, of: message))
    }

    @Test("what is malformed")
    func malformed() {
        let bad: [[UInt8]] = [
            [], [0xA0], [0x80], Self.elliptic() + [0], Self.elliptic(curve: 2), Self.elliptic(x: Self.x + [0]),
            Self.elliptic(y: Array(Self.y.dropLast())),
            Self.elliptic(more: [(2, CBORText.bytes([1]))]), Self.elliptic(more: [(-4, CBORText.bytes([1]))]),
            Self.elliptic(alg: -257), Self.elliptic(alg: -8),
            Self.rsa([1], alg: -7), Self.edwards([1]), Self.edwards([UInt8](repeating: 9, count: 32), curve: 7),
            Self.key([(1, CBORText.integer(2))]),
            Self.key([(1, CBORText.text("EC2")), (3, CBORText.integer(-7))]),
            Self.key([(1, CBORText.integer(2)), (3, CBORText.text("ES256"))]),
            Self.key([
                (1, CBORText.integer(2)), (3, CBORText.integer(-7)), (-1, CBORText.integer(1)),
                (-2, CBORText.bytes(Self.x)), (-3, [0xF5]),
            ]),
        ]
        for bytes in bad { #expect(throws: WebAuthnRefusal.keyMalformed, "\(bytes)") { try COSEKey(bytes) } }
    }

    @Test("what is unsound: off the curve, of small order, too short, even")
    func unsound() {
        var modulus = [UInt8](repeating: 0xC3, count: 256)
        modulus[255] = 0xC2
        let bad: [[UInt8]] = [
            Self.elliptic(x: [UInt8](repeating: 0, count: 32)), Self.elliptic(x: [UInt8](repeating: 0xFF, count: 32)),
            Self.elliptic(x: Self.y, y: Self.x),
            Self.edwards([UInt8](repeating: 0, count: 32)), Self.edwards([1] + [UInt8](repeating: 0, count: 31)),
            Self.rsa([UInt8](repeating: 0xC3, count: 128)),
            Self.rsa(modulus), Self.rsa([0] + [UInt8](repeating: 0xC3, count: 256)),
            Self.rsa([UInt8](repeating: 0xC3, count: 256), [1]), Self.rsa([]),
        ]
        for bytes in bad { #expect(throws: WebAuthnRefusal.keyUnsound, "\(bytes)") { try COSEKey(bytes) } }
    }

    @Test("algorithms that are not here", arguments: [-9, -37, -47, -49, -53, -258, -65535, 0, 7])
    func algorithms(number: Int) {
        let bytes = Self.key([
            (1, CBORText.integer(2)), (3, number < -65000 ? [0x39, 0xFF, 0xFE] : CBORText.integer(number)),
        ])
        #expect(throws: WebAuthnRefusal.algorithmNotOffered) { try COSEKey(bytes) }
    }
}
