import Base
import Foundation
import Testing

@Suite("secrets: master key, digests, bytes that are not told")
struct SecretsTests {
    private func master(_ byte: UInt8 = 1) throws -> MasterKey {
        try MasterKey(SecretBytes([UInt8](repeating: byte, count: 32)))
    }
    private let secret = SecretBytes(Array("a private key".utf8))

    @Test("what is sealed for a row opens there")
    func seal() throws {
        let sealed = try master().seal(secret, row: "signing_key 1")

        #expect(try master().open(sealed, row: "signing_key 1") == secret)
        #expect(try master().seal(secret, row: "signing_key 1") != sealed, "each sealing has a nonce of its own")
        #expect(sealed.count == 12 + 13 + 16)
    }

    @Test("it opens in no other row, under no other key, and not when changed or cut short")
    func bound() throws {
        let sealed = try master().seal(secret, row: "signing_key 1")

        #expect(throws: MasterKey.Unsealable.self) { try master().open(sealed, row: "signing_key 2") }
        #expect(throws: MasterKey.Unsealable.self) { try master(2).open(sealed, row: "signing_key 1") }
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(throws: MasterKey.Unsealable.self) { try master().open(changed, row: "signing_key 1") }
        }
        for count in [0, 1, 12, 27, sealed.count - 1] {
            #expect(throws: MasterKey.Unsealable.self) {
                try master().open(Array(sealed.prefix(count)), row: "signing_key 1")
            }
        }
    }

    @Test("a master key has 32 bytes", arguments: [0, 16, 31, 33])
    func size(_ count: Int) {
        #expect(throws: MasterKey.Unsealable.self) { try MasterKey(SecretBytes([UInt8](repeating: 1, count: count))) }
    }

    @Test("derived keys differ by purpose and by master key; the id names the key and tells nothing of it")
    func derived() throws {
        let keys = [try master().derive("a"), try master().derive("b"), try master(2).derive("a")]

        #expect(keys[0] != keys[1] && keys[0] != keys[2] && keys.allSatisfy { $0.count == 32 })
        #expect(try master().derive("a") == keys[0])
        #expect(try master().id == master().id && master().id != master(2).id && master().id.count == 8)
    }

    @Test("secret bytes have no description, whichever way one asks")
    func silence() {
        var dumped = ""
        dump(secret, to: &dumped)

        for text in [
            "\(secret)", String(reflecting: secret), String(describing: Optional(secret)), dumped, "\([secret])",
        ] {
            #expect(!text.contains("private") && !text.contains("97"), "\(text)")
        }
    }

    @Test(
        "equality of secrets and texts is by value",
        arguments: [("", "", true), ("a", "a", true), ("a", "b", false), ("a", "aa", false), ("é", "e\u{301}", false)])
    func equality(_ left: String, _ right: String, _ isEqual: Bool) {
        #expect(ConstantTime.equal(left, right) == isEqual)
        #expect((SecretBytes(left.utf8) == SecretBytes(right.utf8)) == isEqual)
    }

    @Test("RFC 7636, appendix B: the challenge is the digest of the verifier")
    func sha256() {
        #expect(
            Base64URL.encode(Digest.sha256("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
                == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    }

    @Test("RFC 4231, test case 2: HMAC-SHA-256")
    func hmac() {
        let code = Digest.hmac(key: SecretBytes(Array("Jefe".utf8)), "what do ya want for nothing?".utf8)

        #expect(
            code.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    }

    @Test("randomness gives as many bytes as asked for, never the same")
    func randomness() {
        let drawn = (0..<100).map { _ in Randomness.system.bytes(32) }

        #expect(Set(drawn).count == 100 && drawn.allSatisfy { $0.count == 32 })
        #expect(Randomness.system.secret().count == 32)
        #expect(Base64URL.decode(Randomness.system.identifier())?.count == 16)
    }

    @Test("an identifier is never taken for an option, whatever its bytes")
    func identifiers() {
        for byte in UInt8.min...UInt8.max {
            let identifier = Randomness { [UInt8](repeating: byte, count: $0) }.identifier()
            #expect(identifier.count == 22 && identifier.first?.isLetter == true)
        }
    }
}
