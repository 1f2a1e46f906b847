import Base
import Foundation
import ProtocolTestSupport
import Testing

@testable import PKIX
@testable import WebAuthn

@Suite("WebAuthn: vectors of other libraries", .enabled(if: WebAuthnVectors.arePresent, WebAuthnVectors.whyNot))
struct LibraryVectorTests {
    /// What comes out differently from the library's own expectation, or is refused: the check that refuses, and why.
    static let python: [Int: WebAuthnRefusal] = [
        0: .signatureMismatch, 1: .userNotVerified,
        6: .algorithmNotOffered, 7: .algorithmNotOffered,  // ML-DSA
        8: .formatUnknown, 9: .attestationUntrusted,
        13: .algorithmNotOffered, 14: .algorithmNotOffered, 15: .algorithmNotOffered,  // ML-DSA
        18: .tokenBindingMalformed,  // a string where Level 2 has an object
    ]
    static let simple: [Int: WebAuthnRefusal] = [
        1: .credentialIDMalformed,  // id "bbb" is no base64url, nor the id that is attested
        4: .originNotAllowed, 7: .algorithmNotOffered,  // RS1 credential
        10: .originNotAllowed, 11: .rpIDMismatch, 13: .algorithmNotOffered, 14: .algorithmNotOffered,  // RSA-PSS
        15: .formatUnknown,  // SafetyNet is over
        17: .challengeMismatch, 20: .originNotAllowed, 22: .rpIDMismatch,
        26: .certificateMalformed,  // Chrome before 91 wrote a default that DER leaves out
        27: .modelMismatch, 29: .algorithmNotOffered,  // RS1 credential
        33: .modelMismatch,
    ]

    private static func origins(_ json: JSONValue?) -> Set<String> {
        Set(json?.strings ?? json?.string.map { [$0] } ?? [])
    }

    /// Some values are padded or in the other base64, which the readers here refuse.
    private static func respelt(_ credential: JSONValue) throws -> JSONValue {
        var object = try #require(credential.object), response = try #require(credential["response"]?.object)
        for (name, value) in response {
            guard let text = value.string else { continue }
            let letters = text.filter { $0 != "=" }.map { letter -> Character in
                letter == "+" ? "-" : letter == "/" ? "_" : letter
            }
            response[name] = .string(String(letters))
        }
        object["response"] = .object(response)
        return .object(object)
    }

    @Test("py_webauthn", arguments: 0..<24)
    func pyWebAuthn(index: Int) async throws {
        let row = try WebAuthnVectors.rows("py_webauthn", count: 24)[index]
        let needed: RelyingParty.UserVerification =
            row["require_user_verification"]?.bool == true ? .required : .preferred
        var roots: [AttestationFormat: AttestationRoots] = [:]
        for (name, pems) in row["pem_roots"]?.object ?? [:] {
            let format = try #require(AttestationFormat(rawValue: name))
            roots[format] = try AttestationRoots(pem: try #require(pems.strings).joined(separator: "\n"))
        }
        let attestation = AttestationPolicy(
            trust: roots.isEmpty ? Set(AttestationTrust.allCases) : [.rooted], roots: roots, admitsSHA1: true)
        let party = RelyingParty(
            id: try row.word("expected_rp_id"), name: "", origins: Self.origins(row["expected_origin"]),
            userVerification: needed,
            algorithms: [.edDSA, .es256, .rs256], attestation: attestation)
        let json = try Self.respelt(try row.part("credential")), challenge = try row.raw("expected_challenge")
        let outcome = try await Outcome.of {
            guard row["kind"] == "registration" else {
                let key = try COSEKey(try row.raw("credential_public_key")),
                    id = try AuthenticationCeremony.credentialID(json)
                let counter = try #require(row["credential_current_sign_count"]?.integer)
                let known = KnownCredential(id: id, key: key, counter: UInt32(counter), backupEligible: false)
                let found = try AuthenticationCeremony.verify(
                    json, challenge: challenge, credential: known, party: party)
                #expect(!found.counterRegressed)
                if let expected = row["result"]?["new_sign_count"]?.integer { #expect(Int(found.newCount) == expected) }
                return
            }
            let made = try await RegistrationCeremony.verify(
                json, challenge: challenge, party: party, at: Date(numericDate: 1_700_000_000))
            if let key = row["result"]?["credential_public_key"]?.string {
                #expect(Base64URL.encode(made.key.bytes) == key)
            }
        }
        // 19 is refused there, but `not-supported` stood in Level 1.
        let expected = Self.python[index].map { Outcome.refused($0) } ?? .fine
        #expect(outcome == expected)
    }

    @Test("SimpleWebAuthn", arguments: 0..<34)
    func simpleWebAuthn(index: Int) async throws {
        let row = try WebAuthnVectors.rows("simplewebauthn", count: 34)[index]
        let needed: RelyingParty.UserVerification =
            row["requireUserVerification"]?.bool == false ? .preferred : .required
        // Some name several, of which one is right; some none.
        let names = Self.origins(row["expectedRPID"]),
            id = names.first { Self.isNamed($0, row) } ?? names.first ?? "dev.dontneeda.pw"
        let party = RelyingParty(
            id: id, name: "", origins: Self.origins(row["expectedOrigin"]), userVerification: needed,
            algorithms: [.edDSA, .es256, .rs256], attestation: AttestationPolicy(admitsSHA1: true))
        let json = try Self.respelt(try row.part("credential")),
            challenge = Base64URL.decode(try row.word("expectedChallenge")) ?? [0]
        var regressed = false
        let outcome = try await Outcome.of {
            guard row["kind"] == "registration" else {
                let stored = try row.part("stored"), key = try COSEKey(try stored.part("publicKey").raw("b64u"))
                let known = KnownCredential(
                    id: try stored.raw("id"), key: key, counter: UInt32(try #require(stored["counter"]?.integer)),
                    backupEligible: false)
                regressed = try AuthenticationCeremony.verify(
                    json, challenge: challenge, credential: known, party: party
                ).counterRegressed
                return
            }
            let made = try await RegistrationCeremony.verify(
                json, challenge: challenge, party: party, at: Date(numericDate: 1_738_000_000))
            #expect(made.format.rawValue == row["parsed"]?["fmt"]?.string)
            #expect(Int(made.counter) == row["parsed"]?["signCount"]?.integer)
        }
        // 5 and 23 expect a type that this server never does: with its own they are right, or of another relying party.
        let refusal: WebAuthnRefusal? = index == 23 ? .rpIDMismatch : Self.simple[index]
        let expected = refusal.map { Outcome.refused($0) } ?? .fine
        #expect(outcome == expected)
        #expect(regressed == (index == 18))
    }

    private static func isNamed(_ name: String, _ row: JSONValue) -> Bool {
        let digest = Digest.sha256(name).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return row["parsed"]?["rpIdHash"]?.string == digest
    }
}
