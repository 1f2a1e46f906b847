import Base
import Crypto
import Foundation
import ProtocolTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Liquid
@testable import Passkeys

@Suite("Liquid: addresses and challenges of Algorand")
struct AlgorandTests {
    /// FIPS 180-4's examples, and the empty message.
    static let hashes: [(String, String)] = [
        ("", "c672b8d1ef56ed28ab87c3622c5114069bdd3ad7b8f9737498d0c01ecef0967a"),
        ("abc", "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"),
        (
            """
            abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrst\
            nopqrstu
            """,
            "3928e184fb8690f840da3988121d31be65cb9d3ef83ee6146feac861e19b563a"
        ),
    ]

    @Test("SHA-512/256", arguments: AlgorandTests.hashes)
    func hash(message: String, expected: String) throws {
        let wanted = try #require(Hexadecimal.decode(expected))
        #expect(SHA512Truncated.hash(Array(message.utf8)) == wanted)
    }

    @Test("lengths around a block's end are padded as they should be")
    func padding() {
        let hashes = (100..<260).map { SHA512Truncated.hash([UInt8](repeating: 7, count: $0)) }
        #expect(Set(hashes).count == 160 && hashes.allSatisfy { $0.count == 32 })
    }

    @Test("addresses of Algorand's own", .enabled(if: WebAuthnVectors.arePresent, WebAuthnVectors.whyNot))
    func addresses() throws {
        let rows = try WebAuthnVectors.rows("liquid-auth", "addresses", count: 19)
        for row in rows {
            let text = try row.word("encoded")
            guard row["valid"]?.bool != false else {
                #expect(throws: WalletRefusal.self, "\(text)") { try AlgorandAddress(text) }
                continue
            }
            let address = try AlgorandAddress(text), key = try row.hexadecimal("publicKey")
            #expect(address.key == key && AlgorandAddress.text(of: key) == text && address.description == text)
        }
    }

    @Test(
        "what Android's wallet signed is right, and signed nothing else",
        .enabled(if: WebAuthnVectors.arePresent, WebAuthnVectors.whyNot), arguments: 0..<4)
    func vectors(index: Int) async throws {
        let row = try WebAuthnVectors.rows("liquid-auth", "ceremonies", count: 4)[index],
            response = try row.part("attestationResponse")
        let claims = try #require(LiquidExtension(response)),
            challenge = try row.part("attestationOptions").raw("challenge")
        @Sendable func signer(of challenge: [UInt8]) async throws -> WalletAccount {
            try await claims.signer(
                of: challenge, for: [], at: "", isBoundOnly: false, by: SigningAuthority(algod: nil))
        }
        let address = try await signer(of: challenge)
        let named = try response.word("clientExtensionResults", "liquid", "address")
        #expect(address.text == named)
        await #expect(throws: WalletRefusal.signatureMismatch) {
            try await signer(of: challenge.reversed())
        }
        #expect(claims.device(response) == response["device"]?.string)
    }

    private static func key(_ first: UInt8, _ middle: UInt8, _ last: UInt8) -> [UInt8] {
        var bytes = [UInt8](repeating: middle, count: 32)
        (bytes[0], bytes[31]) = (first, last)
        return bytes
    }

    static let unsoundKeys: [[UInt8]] = [
        key(0, 0, 0), key(0, 0, 0x80), key(1, 0, 0), key(1, 0, 0x80), key(0xEC, 0xFF, 0x7F), key(0xED, 0xFF, 0x7F),
        key(0xEE, 0xFF, 0x7F), key(0xEE, 0xFF, 0xFF),
    ]

    @Test("keys under which anybody can sign are nobody's address", arguments: AlgorandTests.unsoundKeys)
    func unsound(key: [UInt8]) {
        #expect(throws: WalletRefusal.addressUnsound) { try AlgorandAddress(AlgorandAddress.text(of: key)) }
    }

    // MARK: Challenges

    /// Gives these one after another, then honest ones.
    private static func scripted(_ first: [[UInt8]]) -> (Randomness, @Sendable () -> Int) {
        let drawn = Counted()
        let randomness = Randomness { count in
            let number = drawn.next()
            return number < first.count ? Array(first[number].prefix(count)) : [UInt8](repeating: 0x9C, count: count)
        }
        return (randomness, { drawn.count })
    }

    private final class Counted: Sendable {
        private let number = Mutex(0)
        var count: Int { number.withLock { $0 } }
        func next() -> Int {
            number.withLock { number in
                defer { number += 1 }
                return number
            }
        }
    }

    @Test(
        "there are 42 domain tags, and a challenge that begins with one is drawn again", arguments: SigningDomains.tags)
    func redraw(tag: String) {
        let tagged = Array((Array(tag.utf8) + [UInt8](repeating: 0xFF, count: 32)).prefix(32)),
            (randomness, draws) = Self.scripted([tagged, tagged])
        let challenge = ChallengeStore.draw(randomness)
        #expect(SigningDomains.tags.count == 42 && Set(SigningDomains.tags).count == 42)
        #expect(challenge == [UInt8](repeating: 0x9C, count: 32) && draws() == 3)
    }

    @Test("one that begins otherwise is taken at once; with a source that knows nothing else no tag comes out either")
    func noRedraw() {
        let fine = Array("Txyz".utf8) + [UInt8](repeating: 1, count: 28), (randomness, draws) = Self.scripted([fine])
        let drawn = ChallengeStore.draw(randomness), times = draws()
        #expect(drawn == fine && times == 1)
        let stuck = ChallengeStore.draw(
            Randomness { count in Array("TX".utf8) + [UInt8](repeating: 1, count: count - 2) })
        #expect(stuck.count == 32 && !SigningDomains.claims(stuck))
    }

    @Test("what a wallet is asked went through the redraw")
    func asked() async throws {
        let tagged = Array("MX".utf8) + [UInt8](repeating: 5, count: 30), drawn = Counted()
        let randomness = Randomness { count in
            count == 32 && drawn.next().isMultiple(of: 2) ? tagged : Randomness.system.bytes(count)
        }
        try await LiquidFixture.with(randomness: randomness) { fixture in
            for _ in 0..<8 {
                let presented = try await fixture.presented(), creation = try await fixture.creation(presented),
                    request = try await fixture.request(nil, presented)
                #expect(!SigningDomains.claims(creation) && !SigningDomains.claims(request))
            }
        }
    }

    // MARK: Rekeyed accounts

    @Test("a rekeyed account's other key signs for it, its own no longer")
    func rekeyed() async throws {
        let wallet = SoftWallet(), other = Curve25519.Signing.PrivateKey(),
            to = AlgorandAddress.text(of: Array(other.publicKey.rawRepresentation))
        let address = wallet.address
        let algod = Algod { asked in ["address": .string(asked), "auth-addr": .string(asked == address ? to : asked)] }
        try await LiquidFixture.with(algod: algod) { fixture in
            let presented = try await fixture.presented(),
                own = try await LiquidFixture.refusal { _ = try await fixture.register(wallet, as: presented) }
            #expect(own == .verificationFailed(step: WalletRefusal.signatureMismatch.rawValue))
            let challenge = try await fixture.creation(presented),
                signature = Base64URL.encode(try other.signature(for: challenge))
            let entered = try await fixture.service.attest(
                try wallet.attestation(challenge) { $0["signature"] = .string(signature) }, by: presented)
            #expect(entered.user["wallet"]?.string == address)
            // A signature at a login is by the same key.
            let next = try await fixture.presented(), second = try await fixture.request(wallet, next),
                stale = try wallet.assertion(second, try wallet.claims(second))
            let refusal = try await LiquidFixture.refusal { _ = try await fixture.service.assert(stale, by: next) }
            #expect(refusal == .verificationFailed(step: WalletRefusal.signatureMismatch.rawValue))
        }
    }

    static let notRekeyed: [JSONValue?] = [Optional.none, JSONValue.null]

    @Test("an account that was not rekeyed, in each way of saying so", arguments: AlgorandTests.notRekeyed)
    func ownKey(said: JSONValue?) async throws {
        let algod = Algod { asked in
            var told: JSONObject = ["address": .string(asked)]
            told["auth-addr"] = said
            return .object(told)
        }
        try await LiquidFixture.with(algod: algod) { fixture in
            let wallet = SoftWallet(), entered = try await fixture.register(wallet)
            #expect(entered.user["wallet"]?.string == wallet.address)
        }
    }

    private struct Away: Error {}

    @Test("a node that does not answer, or says something odd, lets nobody in", arguments: 0..<6)
    func closed(number: Int) async throws {
        let algod = Algod { asked in
            switch number {
            case 0: throw Away()
            case 1: return [:]
            case 2: return ["address": .string(AlgorandAddress.text(of: [UInt8](repeating: 9, count: 32)))]
            case 3: return ["address": .string(asked), "auth-addr": 7]
            case 4: return ["address": .string(asked), "auth-addr": "ABC"]
            default:
                return [
                    "address": .string(asked),
                    "auth-addr": .string(AlgorandAddress.text(of: [UInt8](repeating: 0, count: 32))),
                ]
            }
        }
        try await LiquidFixture.with(algod: algod) { fixture in
            let refusal = try await LiquidFixture.refusal { _ = try await fixture.register(SoftWallet()) },
                counts = try await fixture.counts()
            #expect(refusal == LiquidFixture.failed(.authorityUnknown) && counts == [0, 0, 0])
        }
    }
}
