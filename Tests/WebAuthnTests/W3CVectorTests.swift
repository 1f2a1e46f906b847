import Base
import Foundation
import ProtocolTestSupport
import Testing

@testable import PKIX
@testable import WebAuthn

@Suite("WebAuthn: vectors of the specification", .enabled(if: WebAuthnVectors.arePresent, WebAuthnVectors.whyNot))
struct W3CVectorTests {
    static let moment = Date(numericDate: 1_790_000_000)

    static func party(
        framing: RelyingParty.Framing = .refused,
        attestation: AttestationPolicy = AttestationPolicy(admitsU2FModel: true)
    ) -> RelyingParty {
        RelyingParty(
            id: "example.org", name: "Example", origins: ["https://example.org"], framing: framing,
            userVerification: .preferred,
            algorithms: [.edDSA, .es256, .es384, .es512, .rs256], attestation: attestation)
    }

    static func registration(_ row: JSONValue) throws -> JSONValue {
        let part = try row.part("registration"), expected = try row.part("expected")
        let id = JSONValue.string(Base64URL.encode(try expected.hexadecimal("credentialId")))
        return [
            "id": id, "rawId": id, "type": "public-key", "clientExtensionResults": [:],
            "response": [
                "clientDataJSON": .string(Base64URL.encode(try part.hexadecimal("clientDataJSON"))),
                "attestationObject": .string(Base64URL.encode(try part.hexadecimal("attestationObject"))),
            ],
        ]
    }

    static func authentication(_ row: JSONValue) throws -> JSONValue {
        let part = try row.part("authentication"), expected = try row.part("expected")
        let id = JSONValue.string(Base64URL.encode(try expected.hexadecimal("credentialId")))
        return [
            "id": id, "rawId": id, "type": "public-key",
            "response": [
                "clientDataJSON": .string(Base64URL.encode(try part.hexadecimal("clientDataJSON"))),
                "authenticatorData": .string(Base64URL.encode(try part.hexadecimal("authenticatorData"))),
                "signature": .string(Base64URL.encode(try part.hexadecimal("signature"))),
            ],
        ]
    }

    @Test("every pair registers and logs in; Ed448 is refused, as no library here has it", arguments: 0..<11)
    func pairs(index: Int) async throws {
        let row = try WebAuthnVectors.rows("w3c-l3", count: 11)[index], expected = try row.part("expected")
        let isFramed = expected["crossOrigin"]?.array?.contains(true) == true
        let party = Self.party(framing: isFramed ? .allowed(topOrigins: ["https://example.com"]) : .refused)
        let challenge = try row.part("registration").hexadecimal("challenge"), json = try Self.registration(row)
        guard try expected.part("alg").integer != -53 else {
            await #expect(throws: WebAuthnRefusal.algorithmNotOffered) {
                try await RegistrationCeremony.verify(json, challenge: challenge, party: party, at: Self.moment)
            }
            return
        }

        let made = try await RegistrationCeremony.verify(json, challenge: challenge, party: party, at: Self.moment)
        #expect(made.key.algorithm.rawValue == expected["alg"]?.integer)
        #expect(made.format.rawValue == expected["fmt"]?.string)
        #expect(made.type.rawValue == expected["attestationType"]?.string?.lowercased())
        #expect(made.userVerified == expected["uvReg"]?.bool)
        #expect(Int(made.counter) == expected["signCount"]?.integer)
        let model = try expected.hexadecimal("aaguid")
        #expect(made.model == model)

        let known = KnownCredential(
            id: made.id, key: made.key, counter: made.counter, backupEligible: made.backupEligible)
        let assertion = try Self.authentication(row), second = try row.part("authentication").hexadecimal("challenge")
        let outcome = try AuthenticationCeremony.verify(assertion, challenge: second, credential: known, party: party)
        #expect(outcome.userVerified == expected["uvAuth"]?.bool)
        #expect(!outcome.counterRegressed && !outcome.eligibilityChanged)
        #expect(throws: WebAuthnRefusal.challengeMismatch) {
            try AuthenticationCeremony.verify(assertion, challenge: challenge, credential: known, party: party)
        }
    }

    @Test("a frame inside another origin is refused unless that origin is expected")
    func framing() async throws {
        let row = try WebAuthnVectors.rows("w3c-l3", count: 11)[2],
            challenge = try row.part("registration").hexadecimal("challenge")
        let json = try Self.registration(row)
        let cases: [(RelyingParty.Framing, WebAuthnRefusal)] = [
            (.refused, .crossOriginNotAllowed), (.allowed(topOrigins: []), .topOriginNotAllowed),
        ]
        for (framing, refusal) in cases {
            await #expect(throws: refusal) {
                try await RegistrationCeremony.verify(
                    json, challenge: challenge, party: Self.party(framing: framing), at: Self.moment)
            }
        }
    }

    @Test(
        "certified statements lead to the root of the specification, and to no other", arguments: [4, 5, 6, 8, 9, 10])
    func roots(index: Int) async throws {
        let row = try WebAuthnVectors.rows("w3c-l3", count: 11)[index],
            challenge = try row.part("registration").hexadecimal("challenge")
        let json = try Self.registration(row), file = try WebAuthnVectors.file("w3c-l3")
        let root = try file.part("attestation_root").hexadecimal("attestation_ca_cert")
        func policy(
            _ ders: [[UInt8]], _ formats: [AttestationFormat] = AttestationFormat.allCases
        ) throws -> AttestationPolicy {
            let roots = try AttestationRoots(ders: ders)
            return AttestationPolicy(
                conveyance: .direct, trust: [.rooted],
                roots: Dictionary(uniqueKeysWithValues: formats.map { ($0, roots) }),
                admitsU2FModel: true)
        }

        let party = Self.party(attestation: try policy([root]))
        let made = try await RegistrationCeremony.verify(json, challenge: challenge, party: party, at: Self.moment)
        #expect(made.trust == .rooted)

        let object = try AttestationObject(made.attestationObject),
            leaf = try #require(object.statement[.text("x5c")]?.array?.first?.bytes)
        let others = [try policy([leaf]), try policy([root], [.none])]
        for other in others {
            await #expect(throws: WebAuthnRefusal.attestationUntrusted) {
                try await RegistrationCeremony.verify(
                    json, challenge: challenge, party: Self.party(attestation: other), at: Self.moment)
            }
        }
        await #expect(throws: WebAuthnRefusal.attestationUntrusted, "before the certificates are valid") {
            try await RegistrationCeremony.verify(
                json, challenge: challenge, party: party, at: Date(numericDate: 1_600_000_000))
        }
    }

    @Test("an AAGUID in a FIDO U2F statement, which nothing signs, is refused unless admitted")
    func u2fModel() async throws {
        let row = try WebAuthnVectors.rows("w3c-l3", count: 11)[10],
            challenge = try row.part("registration").hexadecimal("challenge")
        let json = try Self.registration(row)
        await #expect(throws: WebAuthnRefusal.u2fModel) {
            try await RegistrationCeremony.verify(
                json, challenge: challenge, party: Self.party(attestation: .lenient), at: Self.moment)
        }
    }

    @Test("no byte of a statement or of the authenticator data can be changed", arguments: [1, 4, 6, 8, 9, 10])
    func changedBytes(index: Int) async throws {
        let row = try WebAuthnVectors.rows("w3c-l3", count: 11)[index],
            challenge = try row.part("registration").hexadecimal("challenge")
        let json = try Self.registration(row), good = try row.part("registration").hexadecimal("attestationObject")
        let certificate = try AttestationObject(good).statement[.text("x5c")]?.array?.first?.bytes ?? []
        // What stands in the certificate is its issuer's matter, whom nobody trusts here, except that its key and
        // extensions must fit.
        let kept = certificate.isEmpty ? 0..<0 : good.firstRange(of: certificate) ?? 0..<0
        var survivors: [Int] = []
        for place in good.indices where !kept.contains(place) {
            var bytes = good
            bytes[place] ^= 0x01
            var object = try #require(json.object), response = try #require(json["response"]?.object)
            response["attestationObject"] = .string(Base64URL.encode(bytes))
            object["response"] = .object(response)
            let changed = JSONValue.object(object)
            let outcome = try await Outcome.of {
                _ = try await RegistrationCeremony.verify(
                    changed, challenge: challenge, party: Self.party(), at: Self.moment)
            }
            if outcome == .fine { survivors.append(place) }
        }
        // FIDO U2F signs neither flags, counter nor AAGUID; Apple and the others sign everything.
        let free = index == 10 ? 1 + 4 + 16 : 0
        #expect(survivors.count <= free, "\(survivors)")
    }
}
