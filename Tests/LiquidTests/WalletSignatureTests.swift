import Base
import Crypto
import Foundation
import ProtocolTestSupport
import TestSupport
import Testing
import WebAuthn

@testable import Liquid

@Suite("Liquid: kinds of keys, and signatures that name the passkey")
struct WalletSignatureTests {
    /// draft-msporny-base58, section 5, and the key of RFC 8032, 7.1, test 1 (made outside, by `cryptography`).
    static let spellings: [(String, String)] = [
        ("48656c6c6f20576f726c6421", "2NEpo7TZRRrLZSi2U"), ("0000287fb4cd", "11233QC4"), ("", ""), ("00", "1"),
        (
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
            "FVen3X669xLzsi6N2V91DoiyzHzg1uAgqiT8jZ9nS96Z"
        ),
    ]

    @Test("base58", arguments: WalletSignatureTests.spellings)
    func base58(bytes: String, text: String) throws {
        let wanted = try #require(Hexadecimal.decode(bytes))
        #expect(Base58.decode(text) == wanted && Base58.encode(wanted) == text)
    }

    @Test("what is no base58, or too long, is none", arguments: ["0", "O", "I", "l", "é", "2 3", "=", "\u{0}"])
    func notBase58(text: String) {
        #expect(Base58.decode(text) == nil && Base58.decode(String(repeating: "1", count: 65)) == nil)
    }

    @Test(
        "addresses of Solana that are none: of another length, of a key under which anybody signs",
        arguments: [
            ("", WalletRefusal.addressMalformed), (String(repeating: "1", count: 31), .addressMalformed),
            (String(repeating: "z", count: 44), .addressMalformed), ("FVen3X669xLzsi6N2V91Doiy", .addressMalformed),
            (String(repeating: "1", count: 32), .addressUnsound),
        ])
    func address(text: String, refusal: WalletRefusal) {
        #expect(throws: refusal) { try SolanaAddress(text) }
    }

    // MARK: Vectors, made outside

    private static let challenge = (0x80..<0xA0).map { UInt8($0) }, credential = (0..<16).map { UInt8($0) },
        rpID = "idp.example", solana = "FVen3X669xLzsi6N2V91DoiyzHzg1uAgqiT8jZ9nS96Z",
        algorand = "25NJQAMCWEFLPVKL73J4SZAHHIHOC4XT3KTCGJNPAINGR5YHKENMEF5QTE",
        plain = "CXFX-umVKrbw8V1P7E4mPLKqIHu-H9jTB8Olmm-mFyRJApDN5-gmm5fztDVt4uX0Nyz1WOTaxSqv5F6VQkVcCw",
        bound = "hsC0VbbuUVqtUPs7HHAVG4z5W15xKneGVozw-ufR2mU6Az3jPo9dC4QKZAOPT1TgnRtJjP4XpyYSqgt4aKs6CQ"

    static let vectors: [(type: String, address: String, signature: String)] = [
        ("algorand", algorand, plain), ("algorand-bound", algorand, bound), ("solana", solana, plain),
        ("solana-bound", solana, bound),
    ]

    private func signer(
        _ members: JSONObject, of challenge: [UInt8] = challenge, for credential: [UInt8] = credential,
        at rpID: String = rpID, isBoundOnly: Bool = false
    ) async throws -> WalletAccount {
        let claims = try #require(LiquidExtension(["clientExtensionResults": ["liquid": .object(members)]]))
        return try await claims.signer(
            of: challenge, for: credential, at: rpID, isBoundOnly: isBoundOnly, by: SigningAuthority(algod: nil))
    }

    @Test("each kind, by a vector; a bound one holds for no other passkey and no other host", arguments: vectors)
    func kinds(type: String, address: String, signature: String) async throws {
        let members: JSONObject = [
            "type": .string(type), "address": .string(address), "signature": .string(signature),
        ]
        let isBound = type.hasSuffix("-bound"), account = try await signer(members)
        var other: JSONObject = members
        other["type"] = .string(isBound ? String(type.dropLast(6)) : type + "-bound")

        #expect(account.text == address)
        await #expect(throws: WalletRefusal.signatureMismatch) {
            try await signer(members, of: [UInt8](Self.challenge.reversed()))
        }
        await #expect(throws: WalletRefusal.signatureMismatch) { try await signer(other) }
        if isBound {
            await #expect(throws: WalletRefusal.signatureMismatch) { try await signer(members, for: [7]) }
            await #expect(throws: WalletRefusal.signatureMismatch) { try await signer(members, at: "evil.example") }
            #expect(try await signer(members, isBoundOnly: true).text == address)
        } else {
            #expect(try await signer(members, for: [7], at: "evil.example").text == address)
            await #expect(throws: WalletRefusal.bindingRequired) { try await signer(members, isBoundOnly: true) }
        }
    }

    @Test("the key that a wallet of Solana tells beside its address must be that of the address")
    func publicKey() async throws {
        let members: JSONObject = [
            "type": "solana", "address": .string(Self.solana), "signature": .string(Self.plain),
        ]
        func told(_ key: JSONValue) async throws -> WalletAccount {
            var changed = members
            changed["publicKey"] = key
            return try await signer(changed)
        }
        #expect(try await told("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo").text == Self.solana)
        #expect(try await told(.string(Self.solana)).text == Self.solana)
        #expect(try await told(.null).text == Self.solana)
        for wrong: JSONValue in ["", 1, [], .string(Self.algorand), "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURp"] {
            await #expect(throws: WalletRefusal.addressMismatch) { try await told(wrong) }
        }
    }

    @Test("an address of one chain is none of the other, and no node of Algorand is asked about Solana")
    func chains() async throws {
        await #expect(throws: WalletRefusal.addressMalformed) {
            try await signer(["type": "solana", "address": .string(Self.algorand), "signature": .string(Self.plain)])
        }
        await #expect(throws: WalletRefusal.addressMalformed) {
            try await signer(["type": "algorand", "address": .string(Self.solana), "signature": .string(Self.plain)])
        }
        let members: JSONObject = [
            "type": "solana", "address": .string(Self.solana), "signature": .string(Self.plain),
        ]
        let claims = try #require(LiquidExtension(["clientExtensionResults": ["liquid": .object(members)]]))
        let account = try await claims.signer(
            of: Self.challenge, for: Self.credential, at: Self.rpID, isBoundOnly: false,
            by: SigningAuthority(algod: Algod { _ in throw WalletRefusal.authorityUnknown }))
        #expect(account.text == Self.solana)
    }

    @Test(
        "keys that nothing here checks are refused with a reason of their own",
        arguments: ["falcon-1024", "falcon", "falcon-1024-bound"])
    func falcon(type: String) async throws {
        try await LiquidFixture.with { fixture in
            let presented = try await fixture.presented(), challenge = try await fixture.creation(presented)
            let body = try SoftWallet().attestation(challenge) { $0["type"] = .string(type) }
            let refusal = try await LiquidFixture.refusal { _ = try await fixture.service.attest(body, by: presented) }
            #expect(refusal == .typeUnsupported && refusal?.status == 401)
            #expect(refusal?.json["reason"] == "type_unsupported" && refusal?.json["error"]?.string?.isEmpty == false)
        }
    }

    // MARK: The ceremony

    @Test("a wallet is told what is taken, and one of Solana registers and logs in with a bound signature")
    func solana() async throws {
        try await LiquidFixture.with { fixture in
            let wallet = SoftWallet(), presented = try await fixture.presented()
            let options = try await fixture.service.attestationOptions(
                ["extensions": ["liquid": true]], for: presented)
            let challenge = try options.raw("challenge"),
                address = Base58.encode(
                    Array(wallet.account.publicKey.rawRepresentation))
            let message = WalletSignatureType.solanaBound.signed(
                challenge, credential: wallet.authenticator.id, rpID: SoftAuthenticator.rpID)
            let signature = try wallet.account.signature(for: message)
            let entered = try await fixture.service.attest(
                try wallet.attestation(challenge) {
                    $0["type"] = "solana-bound"
                    $0["address"] = .string(address)
                    $0["signature"] = .string(Base64URL.encode(Array(signature)))
                }, by: presented)
            let back = try await fixture.logIn(wallet)

            #expect(
                options["extensions"]?["liquidTypes"]?.strings == [
                    "algorand-bound", "solana-bound", "algorand", "solana",
                ] && options["extensions"]?["liquid"] == true)
            #expect(entered.user["wallet"] == .string(address) && back.user["wallet"] == .string(address))
        }
    }

    @Test("where it is required a challenge that was passed on registers nothing, and old wallets hear what would do")
    func required() async throws {
        try await LiquidFixture.with(isBoundOnly: true) { fixture in
            let victim = SoftWallet(), thief = SoftAuthenticator(), presented = try await fixture.presented()
            let options = try await fixture.service.attestationOptions(
                ["extensions": ["liquid": true]], for: presented)
            var challenge = try options.raw("challenge")
            let plain = try await LiquidFixture.refusal {
                _ = try await fixture.service.attest(try victim.attestation(challenge), by: presented)
            }
            // The victim signs what their own wallet made, on the page of somebody else.
            challenge = try await fixture.creation(presented)
            let message = WalletSignatureType.algorandBound.signed(
                challenge, credential: victim.authenticator.id, rpID: SoftAuthenticator.rpID)
            var sent = try victim.claims(challenge)
            sent["type"] = "algorand-bound"
            sent["signature"] = .string(Base64URL.encode(Array(try victim.account.signature(for: message))))
            let relayed = try await LiquidFixture.refusal {
                _ = try await fixture.service.attest(
                    victim.with(sent, try thief.registration(challenge)), by: presented)
            }

            #expect(options["extensions"]?["liquidTypes"]?.strings == ["algorand-bound", "solana-bound"])
            #expect(plain == .bindingRequired && plain?.status == 401 && plain?.json["reason"] == "binding_required")
            #expect(relayed == LiquidFixture.failed(WalletRefusal.signatureMismatch))
            #expect(try await fixture.counts() == [0, 0, 0])
        }
    }

    @Test("what a bound type signs is no challenge that a service of somebody else could give a wallet to sign plainly")
    func separated() async throws {
        let challenge = Self.challenge, key = SoftWallet().account
        for type in WalletSignatureType.allCases {
            let message = type.signed(challenge, credential: Self.credential, rpID: Self.rpID)
            #expect((message.count == challenge.count) == !type.isBound)
            #expect(message.starts(with: "liquid bound 1".utf8) == type.isBound)
        }
        // The most that such a service gets signed: 32 bytes of its choice, the hash behind the label among them.
        let wanted = WalletSignatureType.algorandBound.signed(
            challenge, credential: Self.credential, rpID: Self.rpID)
        let signature = try key.signature(for: Array(wanted.suffix(32)))
        let members: JSONObject = [
            "type": "algorand-bound",
            "address": .string(AlgorandAddress.text(of: Array(key.publicKey.rawRepresentation))),
            "signature": .string(Base64URL.encode(Array(signature))),
        ]
        await #expect(throws: WalletRefusal.signatureMismatch) { try await signer(members) }
    }
}
