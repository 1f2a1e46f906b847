import Base
import Crypto
import Database
import Foundation
import ProtocolTestSupport
import TestSupport
import Testing
import TokenTree

@testable import Liquid
@testable import WebAuthn

@Suite("Liquid: a wallet registers")
struct WalletRegistrationTests {
    @Test("an honest one is let in, and told what upstream tells")
    func honest() async throws {
        try await LiquidFixture.with { fixture in
            let wallet = SoftWallet(), entered = try await fixture.register(wallet),
                presented = try await fixture.presented(entered.cookie)
            let stored = try #require(entered.user["credentials"]?.array?.first),
                key = Base64URL.encode(wallet.authenticator.coseKey)
            #expect(entered.user["wallet"]?.string == wallet.address && entered.user["error"] == nil)
            #expect(
                stored["credId"]?.string == Base64URL.encode(wallet.authenticator.id)
                    && stored["publicKey"]?.string == key)
            #expect(stored["device"]?.string == "Soft 1" && stored["prevCounter"]?.integer == 0)
            #expect(
                presented.session?.wallet == wallet.address && presented.session?.entered == .credential
                    && presented.id == entered.session)
            let user = try await fixture.service.user(presented), counts = try await fixture.counts(),
                lines = try await fixture.audited("liquid.register")
            #expect(user == entered.user && counts == [1, 1, 1] && lines == ["done"])
        }
    }

    @Test("what is asked of it: 32 bytes, ES256 first, the user verified whatever it wishes, rubbish left out")
    func options() async throws {
        try await LiquidFixture.with { fixture in
            let wallet = SoftWallet(), presented = try await fixture.presented()
            let asked: JSONValue = [
                "username": .string(wallet.address), "displayName": "Me\u{7}", "extensions": ["liquid": true],
                "authenticatorSelection": [
                    "userVerification": "discouraged", "residentKey": "odd", "requireResidentKey": 1, "x": 1,
                ],
            ]
            let options = try await fixture.service.attestationOptions(asked, for: presented)
            let challenge = try options.raw("challenge"),
                first = options["pubKeyCredParams"]?.array?.first?["alg"]?.integer
            let selection: JSONValue = ["userVerification": "required"],
                extensions: JSONValue = [
                    "liquid": true, "liquidTypes": ["algorand-bound", "solana-bound", "algorand", "solana"],
                ]
            #expect(challenge.count == 32)
            #expect(first == -7)
            #expect(options["timeout"]?.integer == 1_800_000)
            #expect(options["attestation"]?.string == "none")
            #expect(options["user"]?["id"]?.string == wallet.address)
            #expect(options["user"]?["displayName"]?.string == "Me")
            #expect(options["rp"]?["id"]?.string == "idp.example.org")
            #expect(options["authenticatorSelection"] == selection)
            #expect(options["extensions"] == extensions)
            #expect(options["excludeCredentials"]?.array?.isEmpty == true)
            let page = try await fixture.service.attestationOptions(["extensions": ["liquid": true]], for: presented),
                id = try page.part("user").raw("id")
            #expect(id.count == 32)
        }
    }

    static let otherBodies: [JSONValue?] = [
        Optional.none, [:], [], ["extensions": true], ["extensions": ["liquid": false]], ["extensions": ["liquid": 1]],
    ]

    @Test("without the extension: 501, and nothing is asked", arguments: WalletRegistrationTests.otherBodies)
    func notLiquid(body: JSONValue?) async throws {
        try await LiquidFixture.with { fixture in
            let presented = try await fixture.presented()
            let refusal = try await LiquidFixture.refusal {
                _ = try await fixture.service.attestationOptions(body, for: presented)
            }
            let asked: Int = try await fixture.database.value("select count(*) from webauthn_challenge")
            #expect(refusal == .extensionRequired && refusal?.status == 501 && asked == 0)
            #expect(refusal?.json["reason"]?.string == "not_implemented")
        }
    }

    /// The 58 letters with bits behind the last byte.
    private static func otherSpelling(_ address: String) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"),
            last = address.last.flatMap { alphabet.firstIndex(of: $0) } ?? 0
        return String(address.dropLast()) + String(alphabet[last | 1])
    }

    @Test("each check of the extension refuses by its name, changes nothing, and uses the challenge up")
    func claims() async throws {
        try await LiquidFixture.with { fixture in
            let wallet = SoftWallet(), other = SoftWallet(),
                unsound = AlgorandAddress.text(of: [1] + [UInt8](repeating: 0, count: 31))
            let spelt = Self.otherSpelling(wallet.address), first = wallet.address.hasPrefix("A") ? "B" : "A",
                wrong = first + String(wallet.address.dropFirst())
            let cases: [(WalletRefusal, (inout JSONObject, [UInt8]) throws -> Void)] = [
                (.typeUnknown, { claims, _ in claims["type"] = "ethereum" }),
                (.addressMalformed, { claims, _ in claims["type"] = "solana" }),
                (.typeUnknown, { claims, _ in claims["type"] = Optional.none }),
                (.addressMalformed, { claims, _ in claims["address"] = Optional.none }),
                (.addressMalformed, { claims, _ in claims["address"] = 1 }),
                (.addressMalformed, { claims, _ in claims["address"] = .string(wallet.address.lowercased()) }),
                (.addressMalformed, { claims, _ in claims["address"] = .string(String(wallet.address.dropLast())) }),
                (.addressMalformed, { claims, _ in claims["address"] = .string(wallet.address + "=") }),
                (.addressMalformed, { claims, _ in claims["address"] = .string(spelt) }),
                (.addressChecksum, { claims, _ in claims["address"] = .string(wrong) }),
                (.addressUnsound, { claims, _ in claims["address"] = .string(unsound) }),
                (.signatureMalformed, { claims, _ in claims["signature"] = Optional.none }),
                (.signatureMalformed, { claims, _ in claims["signature"] = "AAAA" }),
                (
                    .signatureMalformed,
                    { claims, _ in claims["signature"] = .string(String(repeating: "=", count: 86)) }
                ),
                (.signatureMismatch, { claims, _ in claims["address"] = .string(other.address) }),
                (
                    .signatureMismatch,
                    { claims, challenge in
                        claims["signature"] = .string(Base64URL.encode(try other.account.signature(for: challenge)))
                    }
                ),
                (
                    .signatureMismatch,
                    { claims, challenge in
                        claims["signature"] = .string(
                            Base64URL.encode(try wallet.account.signature(for: challenge + [0])))
                    }
                ),
            ]
            let presented = try await fixture.presented()
            for (index, (expected, change)) in cases.enumerated() {
                let challenge = try await fixture.creation(presented)
                var claims = try wallet.claims(challenge)
                try change(&claims, challenge)
                let body = wallet.with(claims, try wallet.authenticator.registration(challenge))
                let refusal = try await LiquidFixture.refusal {
                    _ = try await fixture.service.attest(body, by: presented)
                }
                let again = try await LiquidFixture.refusal {
                    _ = try await fixture.service.attest(try wallet.attestation(challenge), by: presented)
                }
                #expect(refusal == LiquidFixture.failed(expected) && refusal?.status == 401, "\(index)")
                #expect(again == .challengeNotFound, "\(index)")
                #expect(fixture.log.text.contains(expected.rawValue), "\(index)")
            }
            let counts = try await fixture.counts()
            #expect(counts == [0, 0, 0])
        }
    }

    @Test("no extension in the answer; a passkey that fails WebAuthn's own checks")
    func ceremony() async throws {
        try await LiquidFixture.with { fixture in
            let presented = try await fixture.presented(), challenge = try await fixture.creation(presented)
            let bare = try SoftWallet().authenticator.registration(challenge)
            let missing = try await LiquidFixture.refusal { _ = try await fixture.service.attest(bare, by: presented) }
            #expect(missing == .extensionNotFound && missing?.status == 401)
            #expect(missing?.json["error"]?.string == "Liquid extension not found")

            let spoilt: [(WebAuthnRefusal, (inout SoftAuthenticator) -> Void)] = [
                (.originNotAllowed, { $0.clientData["origin"] = "https://evil.example" }),
                (.userNotVerified, { $0.flags = 0x41 }),
                (.rpIDMismatch, { $0.rpID = "evil.example" }),
                (.clientDataTypeMismatch, { $0.clientData["type"] = "webauthn.get" }),
            ]
            for (expected, change) in spoilt {
                var wallet = SoftWallet()
                change(&wallet.authenticator)
                let challenge = try await fixture.creation(presented), body = try wallet.attestation(challenge)
                let refusal = try await LiquidFixture.refusal {
                    _ = try await fixture.service.attest(body, by: presented)
                }
                #expect(refusal == LiquidFixture.failed(expected))
            }
            let counts = try await fixture.counts()
            #expect(counts == [0, 0, 0])
        }
    }

    @Test("a challenge is one session's, one purpose's, the latest, and for half an hour")
    func challenges() async throws {
        try await LiquidFixture.with { fixture in
            let wallet = SoftWallet(), presented = try await fixture.presented(),
                stranger = try await fixture.presented()
            func refused(_ challenge: [UInt8], _ who: PresentedSession) async throws -> LiquidRefusal? {
                try await LiquidFixture.refusal {
                    _ = try await fixture.service.attest(try wallet.attestation(challenge), by: who)
                }
            }
            let none = try await refused([UInt8](repeating: 1, count: 32), presented)
            let foreign = try await refused(try await fixture.creation(presented), stranger)
            #expect(none == .challengeNotFound && foreign == .challengeNotFound)
            let login = try await refused(try await fixture.request(nil, presented), presented)
            #expect(login == .challengeNotFound)
            let older = try await fixture.creation(presented)
            _ = try await fixture.creation(presented)
            let replaced = try await refused(older, presented)
            #expect(replaced == LiquidFixture.failed(.challengeMismatch))
            let late = try await fixture.creation(presented)
            fixture.time.advance(1_800)
            let over = try await refused(late, presented)
            #expect(over == .challengeNotFound)
            let intime = try await fixture.creation(presented)
            fixture.time.advance(1_799)
            let fine = try await refused(intime, presented)
            #expect(fine == nil)
        }
    }

    @Test(
        """
        a further passkey needs a session that one of the wallet's opened: a signature that a stranger's page was \
        passed is not enough
        """
    )
    func further() async throws {
        try await LiquidFixture.with { fixture in
            let wallet = SoftWallet(), entered = try await fixture.register(wallet), further = wallet.onAnotherDevice
            let alone = try await LiquidFixture.refusal { _ = try await fixture.register(further) }
            let linked = try await fixture.presented(try await fixture.linked(wallet))
            let byLink = try await LiquidFixture.refusal { _ = try await fixture.register(further, as: linked) }
            let other = try await fixture.presented(try await fixture.register(SoftWallet()).cookie)
            let byOther = try await LiquidFixture.refusal { _ = try await fixture.register(further, as: other) }
            #expect(alone == LiquidFixture.failed(.ownershipUnproven) && byLink == alone && byOther == alone)

            let own = try await fixture.presented(entered.cookie), second = try await fixture.register(further, as: own)
            #expect(second.user["credentials"]?.array?.count == 2)
            // The session that asked is over since then, as it would be after a logout that came between.
            let stale = try await LiquidFixture.refusal {
                _ = try await fixture.register(wallet.onAnotherDevice, as: own)
            }
            #expect(stale == LiquidFixture.failed(.ownershipUnproven))
        }
    }

    @Test("an id that somebody has is taken, whoever has it, and the one who comes second leaves no trace")
    func taken() async throws {
        try await LiquidFixture.with { fixture in
            let wallet = SoftWallet()
            var thief = SoftWallet()
            try await fixture.register(wallet)
            thief.authenticator.id = wallet.authenticator.id
            let copy = thief
            let refusal = try await LiquidFixture.refusal { _ = try await fixture.register(copy) }
            let counts = try await fixture.counts()
            #expect(refusal == LiquidFixture.failed(.credentialExists) && counts == [1, 1, 1])
        }
    }

    @Test("twenty passkeys of one wallet and no more")
    func limit() async throws {
        try await LiquidFixture.with { fixture in
            let wallet = SoftWallet(), entered = try await fixture.register(wallet)
            try await fixture.copyPasskey(times: WalletStore.mostPasskeys - 2)
            let
                last = try await fixture.register(
                    wallet.onAnotherDevice, as: try await fixture.presented(entered.cookie)),
                presented = try await fixture.presented(last.cookie)
            let refusal = try await LiquidFixture.refusal {
                _ = try await fixture.register(wallet.onAnotherDevice, as: presented)
            }
            let counts = try await fixture.counts()
            #expect(refusal == LiquidFixture.failed(.tooManyPasskeys) && counts[0] == WalletStore.mostPasskeys)
        }
    }
}
