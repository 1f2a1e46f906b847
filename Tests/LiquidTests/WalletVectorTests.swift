import Base
import Foundation
import ProtocolTestSupport
import Testing

@testable import Liquid
@testable import WebAuthn

@Suite("WebAuthn: what wallets sent", .enabled(if: WebAuthnVectors.arePresent, WebAuthnVectors.whyNot))
struct WalletVectorTests {
    static let moment = Date(numericDate: 1_790_000_000)

    @Test("Android's Liquid Auth: both ceremonies, and the options byte by byte", arguments: 0..<4)
    func android(index: Int) async throws {
        let row = try WebAuthnVectors.rows("liquid-auth", "ceremonies", count: 4)[index]
        let source = try WebAuthnVectors.file("liquid-auth").part("source")
        let origin = try source.word("expectedOrigin"), id = try source.word("rpId")
        let party = RelyingParty(
            id: id, name: "Algorand Foundation FIDO2 Server", origins: [origin], algorithms: [.es256, .rs256])

        let options = try row.part("attestationOptions"), challenge = try options.raw("challenge"),
            user = try options.part("user")
        let asked = CreationOptions(
            party: party,
            user: .init(
                id: try user.word("id"), name: try user.word("name"), displayName: try user.word("displayName")),
            challenge: challenge, timeout: 1_800_000, selection: options["authenticatorSelection"],
            extensions: options["extensions"])
        #expect(asked.json.text == options.text)
        let made = try await RegistrationCeremony.verify(
            try row.part("attestationResponse"), challenge: challenge, party: party, at: Self.moment)
        let stored = try #require(row["user"]?["credentials"]?.array?.first)
        #expect(Base64URL.encode(made.key.bytes) == stored["publicKey"]?.string)
        #expect(Base64URL.encode(made.id) == stored["credId"]?.string)

        let request = try row.part("assertionOptions"), second = try request.raw("challenge")
        #expect(
            RequestOptions(
                party: party, challenge: second, timeout: 1_800_000, allow: [CredentialDescriptor(id: made.id)]
            ).json.text == request.text)
        let known = KnownCredential(
            id: made.id, key: made.key, counter: made.counter, backupEligible: made.backupEligible)
        let outcome = try AuthenticationCeremony.verify(
            try row.part("assertionResponse"), challenge: second, credential: known, party: party, allowed: [made.id])
        #expect(outcome.newCount == 1 && !outcome.counterRegressed && outcome.userVerified)
    }

    @Test("iOS: escaped slashes, members in any order, a backup flag that changes", arguments: 0..<2)
    func iOS(index: Int) async throws {
        let row = try WebAuthnVectors.rows("liquid-ios-synthetic", "ceremonies", count: 2)[index],
            expected = try row.part("expect")
        let party = RelyingParty(
            id: try expected.word("rpId"), name: "", origins: [try expected.word("origin")],
            algorithms: COSEAlgorithm.ofWallets)
        let made = try await RegistrationCeremony.verify(
            try row.part("attestationResponseBody"), challenge: try row.raw("challenge"), party: party, at: Self.moment)
        #expect(made.backupEligible)
        let known = KnownCredential(
            id: made.id, key: made.key, counter: made.counter, backupEligible: made.backupEligible)
        let second = try row.raw("assertionChallenge")
        let outcome = try AuthenticationCeremony.verify(
            try row.part("assertionResponseBody"), challenge: second, credential: known, party: party)
        #expect(outcome.eligibilityChanged && !outcome.backupEligible && !outcome.counterRegressed)
    }

    @Test("base64url as the wallets write it, both ways")
    func base64url() throws {
        for row in try WebAuthnVectors.rows("liquid-auth", "base64url", count: 19) {
            let text = try row.word("utf8"), written = try row.word("b64u"), bytes = try row.raw("b64u")

            #expect(Base64URL.encode(text.utf8) == written)
            #expect(bytes == Array(text.utf8))
        }
    }

    @Test("authenticator data of a YubiKey: right as it should be, refused as one firmware wrote it")
    func yubiKey() throws {
        let row = try #require(try WebAuthnVectors.rows("edge-authdata", count: 1).first),
            bytes = try row.hexadecimal("authData")
        let data = try AuthenticatorData(bytes), attested = try #require(data.attested)
        let key = try COSEKey(attested.keyBytes)
        #expect(key.algorithm == .edDSA)
        #expect(data.extensions == [.text("credProtect"): .integer(1)])

        let place = try #require(bytes.firstRange(of: attested.keyBytes)).lowerBound
        var short = bytes
        short[place] = 0xA3
        #expect(throws: WebAuthnRefusal.self) { try AuthenticatorData(short) }
    }
}
