import Base
import Foundation
import Testing

@testable import PowerAuth

@Suite("PowerAuth: what is refused")
struct PowerAuthRefusalTests {
    static let randomness = Randomness.system
    static let key = Base64Text.encode([UInt8](repeating: 7, count: 16))
    static let id = "7a7af59e-c34e-410d-acfa-b3a9b6e33b4b"

    @Test("each refusal has a word of its own for the audit")
    func words() {
        #expect(Set(PowerAuthRefusal.allCases.map(\.explain)).count == PowerAuthRefusal.allCases.count)
        #expect(
            PowerAuthRefusal.allCases.allSatisfy {
                $0.explain.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x5F }
            })
    }

    @Test(
        "Base64 has one spelling",
        arguments: [
            "A", "AA", "AAA", "A===", "AA=", "AAA==", "====", "AB==", "AAB=", "AA=A", "A A=", "AA==\n", "-_==", "A-__",
            "AAAA=", "é===",
        ])
    func base64(text: String) {
        #expect(Base64Text.decode(text) == nil)
    }

    @Test("Base64 of all lengths and letters comes back")
    func base64RoundTrip() {
        for count in 0..<70 {
            let bytes = Self.randomness.bytes(count), text = Base64Text.encode(bytes)

            #expect(text == Data(bytes).base64EncodedString())
            #expect(Base64Text.decode(text) == bytes)
            #expect(Base64Text.decode(text, count: count) == bytes)
            #expect(Base64Text.decode(text, count: count + 1) == nil)
        }
    }

    @Test("activation codes: fresh ones are read, changed ones are not")
    func activationCodes() throws {
        let code = ActivationCode.fresh(Self.randomness), read = try ActivationCode(code.text)
        #expect(read == code)
        #expect("\(code)" == "(activation code)")

        let text = code.text, rest = String(text.dropFirst()), first = text.hasPrefix("A") ? "B" : "A"
        let others: [String] = [
            "", "-----------------------", "\(first)\(rest)", text.lowercased(), String(text.dropLast()), "\(text)A",
            " \(rest)", text + "\n",
            text.replacingOccurrences(of: "-", with: "–"), String(repeating: "A", count: 100_000),
            "AAAAA-AAAAA-AAAAA-AAAA\u{0}", "ÄAAAA-AAAAA-AAAAA-AAAA",
        ]
        for other in others { #expect(throws: PowerAuthRefusal.activationCodeMalformed) { try ActivationCode(other) } }
    }

    @Test("keys and points of a wrong length, off the curve or zero")
    func keys() throws {
        let pair = PowerAuthKeyPair.fresh(), again = try PowerAuthKeyPair(privateBytes: pair.privateBytes)
        #expect(again.public65 == pair.public65)

        let scalars: [[UInt8]] = [
            [], [1], [UInt8](repeating: 0, count: 32), [UInt8](repeating: 255, count: 32),
            [UInt8](repeating: 1, count: 33),
        ]
        for bytes in scalars {
            #expect(throws: PowerAuthRefusal.keyMalformed) { try PowerAuthKeyPair(privateBytes: SecretBytes(bytes)) }
        }

        let short = Array(pair.public33.dropFirst()), long = Array(pair.public65.dropFirst())
        let points: [[UInt8]] = [
            [], [0], [4], [2] + [UInt8](repeating: 255, count: 32), [4] + [UInt8](repeating: 0, count: 64), [5] + short,
            [2] + long, pair.public65 + [0],
            Array(pair.public65.dropLast()), long,
        ]
        for point in points {
            #expect(throws: PowerAuthRefusal.publicKeyMalformed) { try PublicPoint.check(point) }
            #expect(throws: PowerAuthRefusal.publicKeyMalformed) { try pair.sharedSecret(with: point) }
            #expect(throws: PowerAuthRefusal.publicKeyMalformed) {
                try Fingerprint.of(device: pair.public65, activationID: Self.id, server: point)
            }
            #expect(!PublicPoint.isSigned([1], der: [0x30, 0], by: point))
        }
        for count in [0, 15, 17, 32] {
            let bytes = [UInt8](repeating: 1, count: count)
            #expect(throws: PowerAuthRefusal.keyMalformed) { try ActivationKeys(masterSecret: SecretBytes(bytes)) }
            if count != 32 { #expect(throws: PowerAuthRefusal.keyMalformed) { try HashCounter(bytes) } }
            #expect(throws: PowerAuthRefusal.keyMalformed) { try EnvelopeKeys(envelopeKey: SecretBytes(bytes)) }
        }
    }

    @Test("ECDSA in both forms; changed messages, other keys and odd signatures are none")
    func signatures() throws {
        let pair = PowerAuthKeyPair.fresh(), other = PowerAuthKeyPair.fresh(), message = Array("message".utf8)
        let der = try pair.sign(message), raw = try pair.signRaw(message)

        #expect(raw.count == 64)
        #expect(PublicPoint.isSigned(message, der: der, by: pair.public33))
        #expect(PublicPoint.isSigned(message, raw: raw, by: pair.public65))
        #expect(!PublicPoint.isSigned(message, der: der, by: other.public65))
        #expect(!PublicPoint.isSigned(message + [0], raw: raw, by: pair.public65))
        for odd in [[], [0], raw, der + [0], Array(der.dropLast()), [UInt8](repeating: 0, count: 64)] as [[UInt8]] {
            #expect(!PublicPoint.isSigned(message, der: odd, by: pair.public65))
        }
        for odd in [[], der, Array(raw.dropLast()), raw + [0], [UInt8](repeating: 0, count: 64)] as [[UInt8]] {
            #expect(!PublicPoint.isSigned(message, raw: odd, by: pair.public65))
        }
    }

    @Test("AES-CBC: odd keys, IVs and lengths; padding that is none")
    func blocks() throws {
        let key = SecretBytes([UInt8](repeating: 1, count: 16)), zero = BlockCipher.zeroIV,
            block = [UInt8](repeating: 0, count: 16)
        let sealed = try BlockCipher.encrypt(block, key: key, iv: zero, padded: false)

        #expect(throws: PowerAuthRefusal.ciphertextMalformed) { try BlockCipher.decrypt(sealed, key: key, iv: zero) }
        #expect(throws: PowerAuthRefusal.ciphertextMalformed) { try BlockCipher.decrypt([], key: key, iv: zero) }
        #expect(throws: PowerAuthRefusal.ciphertextMalformed) {
            try BlockCipher.decrypt([1], key: key, iv: zero, padded: false)
        }
        #expect(throws: PowerAuthRefusal.plaintextMalformed) {
            try BlockCipher.encrypt([1], key: key, iv: zero, padded: false)
        }
        #expect(throws: PowerAuthRefusal.keyMalformed) { try BlockCipher.encrypt(block, key: key, iv: []) }
        #expect(throws: PowerAuthRefusal.keyMalformed) {
            try BlockCipher.decrypt(sealed, key: SecretBytes([]), iv: zero)
        }
    }

    @Test("signatures: no keys, no window, an empty or huge text find nothing")
    func find() {
        let keys = [SecretBytes([UInt8](repeating: 1, count: 16))], counter = HashCounter.fresh(Self.randomness)
        let made = FactorSignature.make(.v33, keys: keys, counter: counter, data: [])
        func find(_ text: String, _ keys: [SecretBytes], _ lookAhead: Int) -> FactorSignature.Match? {
            FactorSignature.find(text, .v33, keys: keys, counter: counter, lookAhead: lookAhead, data: [])
        }

        #expect(find(made, keys, 1)?.steps == 1)
        #expect(find(made, keys, 0) == nil)
        #expect(find(made, keys, -1) == nil)
        #expect(find("", [], 20) == nil)
        #expect(find("", keys, 20) == nil)
        #expect(find(made + "=", keys, 20) == nil)
        #expect(find(String(repeating: "A", count: 100_000), keys, 20) == nil)
    }

    @Test(
        "configurations that end early, or name lengths that are not there",
        arguments: [
            "", "AQ==", "AR", "ARD/", "AcD/////", "Af////8=", "AQAAAA==", "\u{0}",
        ])
    func configurations(text: String) {
        #expect(throws: PowerAuthRefusal.configurationMalformed) { try SDKConfiguration(text: text) }
    }

    @Test("configurations of a wrong make, and lengths in a longer form than needed")
    func configurationParts() throws {
        let sixteen = [UInt8](repeating: 1, count: 16), point = PowerAuthKeyPair.fresh().public65
        let good = try SDKConfiguration(
            applicationKey: sixteen, applicationSecret: SecretBytes(sixteen), masterPublicKey: point
        ).text
        let bytes = try #require(Base64Text.decode(good))
        let others: [[UInt8]] = [
            bytes + [0], Array(bytes.dropLast()), [1, 0x80, 16] + Array(bytes.dropFirst(2)),
            [2] + Array(bytes.dropFirst()),
        ]

        #expect(throws: PowerAuthRefusal.configurationMalformed) {
            try SDKConfiguration(applicationKey: [], applicationSecret: SecretBytes(sixteen), masterPublicKey: point)
        }
        for other in others {
            #expect(throws: PowerAuthRefusal.configurationMalformed) {
                try SDKConfiguration(text: Base64Text.encode(other))
            }
        }
    }

    @Test(
        "offline answers: sixteen digits and nothing else",
        arguments: [
            "", "-", "12345678", "1234567-12345678", "12345678-123456789", "1234567a-12345678", "１２３４５６７８12345678",
            "12345678.12345678",
            "12345678-12345678\u{0}", "+2345678-12345678",
        ])
    func offlineAnswers(typed: String) {
        #expect(throws: PowerAuthRefusal.offlineAnswerMalformed) { try OfflineAnswer.normalized(typed) }
    }

    @Test(
        "offline answers as people type them",
        arguments: [
            "1234567887654321", "12345678-87654321", " 1234 5678 – 8765 4321 ", "12345678\n87654321",
            "12345678\u{2212}87654321",
        ])
    func typedAnswers(typed: String) throws {
        let read = try OfflineAnswer.normalized(typed)
        #expect(read == "12345678-87654321")
    }

    @Test(
        "schemes of deeplinks",
        arguments: ["", "1bank", "my bank", "bank:", "bänk", "javascript\n", String(repeating: "a", count: 65)])
    func schemes(scheme: String) {
        #expect(ProximityCode.deeplink(scheme: scheme, operationID: "x", code: "1") == nil)
    }
}
