import Base
import Foundation
import ProtocolTestSupport
import Testing

@testable import WebAuthn

@Suite("WebAuthn: assertions that are refused")
struct AuthenticationRefusalTests {
    static let counters: [(UInt32, UInt32, Bool)] = [
        (0, 0, false), (0, 1, false), (5, 6, false), (5, 5, true), (5, 4, true), (5, 0, true),
        (0xFFFF_FFFE, 0xFFFF_FFFF, false),
    ]
    static let challenge = [UInt8](repeating: 9, count: 32)

    private static func verify(
        _ authenticator: SoftAuthenticator, known: KnownCredential? = nil,
        party: RelyingParty = SoftAuthenticator.party(),
        allowed: Set<[UInt8]>? = nil, handle: JSONValue? = Optional.none, rule: UserHandleRule = .ignored
    ) throws -> AssertionOutcome {
        let json = try authenticator.assertion(challenge, userHandle: handle), stored = try known ?? authenticator.known
        return try AuthenticationCeremony.verify(
            json, challenge: challenge, credential: stored, party: party, allowed: allowed, userHandle: rule)
    }

    private static func fresh(_ flags: UInt8 = 0x05) -> SoftAuthenticator {
        var authenticator = SoftAuthenticator()
        authenticator.flags = flags
        return authenticator
    }

    @Test("an honest one is taken, with or without a user handle, inside the list or without one")
    func fine() throws {
        let authenticator = Self.fresh()
        let id = try AuthenticationCeremony.credentialID(try authenticator.assertion(Self.challenge))
        #expect(id == authenticator.id)
        for rule in [UserHandleRule.ignored, .matching([1, 2, 3])] {
            let outcome = try Self.verify(authenticator, allowed: [authenticator.id], rule: rule)
            #expect(
                outcome
                    == AssertionOutcome(
                        newCount: 0, counterRegressed: false, userVerified: true, backupEligible: false,
                        backedUp: false,
                        eligibilityChanged: false))
        }
        let handled = try Self.verify(authenticator, handle: "AQID", rule: .required([1, 2, 3])),
            wild = try Self.verify(authenticator, handle: "tester")
        #expect(handled == wild)
    }

    @Test("A2, A3: other credentials and other users")
    func belonging() throws {
        let authenticator = Self.fresh(), other = Self.fresh()
        #expect(throws: WebAuthnRefusal.credentialNotAllowed) { try Self.verify(authenticator, allowed: [other.id]) }
        #expect(throws: WebAuthnRefusal.credentialNotAllowed) { try Self.verify(authenticator, allowed: []) }
        #expect(throws: WebAuthnRefusal.credentialUnknown) { try Self.verify(authenticator, known: try other.known) }
        #expect(throws: WebAuthnRefusal.userHandleMissing) {
            try Self.verify(authenticator, rule: .required([1, 2, 3]))
        }
        #expect(throws: WebAuthnRefusal.userHandleMissing) {
            try Self.verify(authenticator, handle: .null, rule: .required([1, 2, 3]))
        }
        #expect(throws: WebAuthnRefusal.userHandleMismatch) {
            try Self.verify(authenticator, handle: "AQIE", rule: .matching([1, 2, 3]))
        }
        #expect(throws: WebAuthnRefusal.userHandleMismatch) {
            try Self.verify(authenticator, handle: "AQIE", rule: .required([1, 2, 3]))
        }
        for odd in [7, "", "a=", "tester!"] as [JSONValue] {
            #expect(throws: WebAuthnRefusal.userHandleMalformed) {
                try Self.verify(authenticator, handle: odd, rule: .matching([1, 2, 3]))
            }
        }
        #expect(throws: WebAuthnRefusal.userHandleMalformed) { try Self.verify(authenticator, handle: 7) }
    }

    @Test("A8: signatures by another key, or over something else")
    func signatures() throws {
        let authenticator = Self.fresh(), other = Self.fresh()
        let stolen = KnownCredential(
            id: authenticator.id, key: try COSEKey(other.coseKey), counter: 0, backupEligible: false)
        #expect(throws: WebAuthnRefusal.signatureMismatch) { try Self.verify(authenticator, known: stolen) }

        let json = try authenticator.assertion(Self.challenge), good = try #require(json["response"]?.object),
            known = try authenticator.known
        let signature = try #require(Base64URL.decode(try json.word("response", "signature")))
        let data = try #require(Base64URL.decode(try json.word("response", "authenticatorData")))
        func changed(_ name: String, _ bytes: [UInt8]) -> JSONValue {
            var response = good
            response[name] = .string(Base64URL.encode(bytes))
            return authenticator.wrap(.object(response))
        }
        var counted = data, bent = signature
        counted[36] ^= 1
        bent[signature.count - 1] ^= 1
        for json in [
            changed("signature", bent), changed("signature", signature + [0]), changed("signature", [0]),
            changed("authenticatorData", counted),
        ] {
            #expect(throws: WebAuthnRefusal.signatureMismatch) {
                try AuthenticationCeremony.verify(
                    json, challenge: Self.challenge, credential: known, party: SoftAuthenticator.party())
            }
        }
        for name in ["signature", "authenticatorData", "clientDataJSON"] {
            #expect(throws: WebAuthnRefusal.responseMalformed) {
                try AuthenticationCeremony.verify(
                    changed(name, []), challenge: Self.challenge, credential: known, party: SoftAuthenticator.party())
            }
        }
    }

    @Test("A4, A5: the kind of ceremony, origin, relying party, presence, verification, backup")
    func data() throws {
        let cases: [(WebAuthnRefusal, (inout SoftAuthenticator) -> Void)] = [
            (.clientDataTypeMismatch, { $0.clientData["type"] = "webauthn.create" }),
            (.originNotAllowed, { $0.clientData["origin"] = "https://evil.example" }),
            (.challengeMismatch, { $0.clientData["challenge"] = "AAAA" }),
            (.crossOriginNotAllowed, { $0.clientData["crossOrigin"] = true }),
            (.rpIDMismatch, { $0.rpID = "evil.example" }), (.userNotPresent, { $0.flags = 0x04 }),
            (.userNotVerified, { $0.flags = 0x01 }),
            (.backupStateImpossible, { $0.flags = 0x15 }), (.authenticatorDataMalformed, { $0.tail = [0] }),
            (.extensionsMalformed, { $0.flags = 0x85 }),
            (.authenticatorDataMalformed, { $0.flags = 0x45 }),
        ]
        for (refusal, change) in cases {
            var authenticator = Self.fresh()
            change(&authenticator)
            let changed = authenticator
            #expect(throws: refusal) { try Self.verify(changed) }
        }
    }

    @Test(
        "A9: a counter that does not grow is told, zero on both sides is no counter",
        arguments: AuthenticationRefusalTests.counters)
    func growth(stored: UInt32, new: UInt32, regressed: Bool) throws {
        var authenticator = Self.fresh()
        authenticator.counter = new
        let known = KnownCredential(
            id: authenticator.id, key: try COSEKey(authenticator.coseKey), counter: stored, backupEligible: true)
        let outcome = try Self.verify(authenticator, known: known)
        #expect(outcome.counterRegressed == regressed && outcome.newCount == new && outcome.eligibilityChanged)
    }
}
