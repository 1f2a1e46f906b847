import Base
import Foundation
import ProtocolTestSupport
import Testing

@testable import WebAuthn

@Suite("WebAuthn: registrations that are refused")
struct RegistrationRefusalTests {
    static let moment = Date(numericDate: 1_790_000_000)
    static let challenge = [UInt8](repeating: 7, count: 32)

    private static func outcome(
        _ json: JSONValue, _ party: RelyingParty = SoftAuthenticator.party(),
        challenge: [UInt8] = RegistrationRefusalTests.challenge
    ) async throws -> Outcome {
        try await Outcome.of {
            _ = try await RegistrationCeremony.verify(json, challenge: challenge, party: party, at: moment)
        }
    }

    /// A registration by an authenticator that `change` has been at.
    private static func outcome(
        _ party: RelyingParty = SoftAuthenticator.party(), _ change: (inout SoftAuthenticator) -> Void
    ) async throws -> Outcome {
        var authenticator = SoftAuthenticator()
        change(&authenticator)
        return try await outcome(try authenticator.registration(challenge), party)
    }

    @Test("each refusal has a word and a section of its own kind")
    func words() {
        #expect(Set(WebAuthnRefusal.allCases.map(\.explain)).count == WebAuthnRefusal.allCases.count)
        #expect(
            WebAuthnRefusal.allCases.allSatisfy {
                $0.explain.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F }
            })
        #expect(WebAuthnRefusal.allCases.allSatisfy { $0.section.first?.isNumber == true })
    }

    @Test("an honest one is taken, and what it says")
    func fine() async throws {
        var authenticator = SoftAuthenticator()
        authenticator.flags = 0x5D
        authenticator.counter = 0x01020304
        authenticator.transports = ["usb", "usb", 7, "Bad!", ""]
        let json = try authenticator.registration(Self.challenge)
        let made = try await RegistrationCeremony.verify(
            json, challenge: Self.challenge, party: SoftAuthenticator.party(), at: Self.moment)
        #expect(made.id == authenticator.id && made.key.bytes == authenticator.coseKey && made.counter == 0x01020304)
        #expect(made.userVerified && made.backupEligible && made.backedUp && made.transports == ["usb"])
        #expect(made.format == .none && made.type == .none && made.trust == .none)
    }

    @Test("R1: the shape of the answer")
    func shape() async throws {
        let good = try #require(try SoftAuthenticator().registration(Self.challenge).object),
            inner = try #require(good["response"]?.object)
        func with(_ name: String, _ value: JSONValue?) -> JSONValue {
            var object = good
            object[name] = value
            return .object(object)
        }
        func within(_ name: String, _ value: JSONValue?) -> JSONValue {
            var response = inner
            response[name] = value
            return with("response", .object(response))
        }
        let none = JSONValue?.none
        let cases: [(JSONValue, WebAuthnRefusal)] = [
            ([], .responseMalformed), (.null, .responseMalformed), (with("type", none), .responseMalformed),
            (with("type", 1), .responseMalformed),
            (with("type", "password"), .typeNotPublicKey), (with("response", none), .responseMalformed),
            (with("response", "x"), .responseMalformed),
            (with("id", none), .credentialIDMalformed), (with("id", 1), .credentialIDMalformed),
            (with("id", ""), .credentialIDMalformed),
            (with("id", "a+b/"), .credentialIDMalformed), (with("rawId", none), .credentialIDMalformed),
            (with("rawId", "a=="), .credentialIDMalformed),
            (with("rawId", "AAAA"), .credentialIDMismatch),
            (with("id", .string(String(repeating: "A", count: 1368))), .credentialIDMalformed),
            (within("clientDataJSON", none), .responseMalformed), (within("clientDataJSON", ""), .responseMalformed),
            (within("clientDataJSON", 1), .responseMalformed),
            (within("clientDataJSON", "e30="), .responseMalformed),
            (within("attestationObject", none), .responseMalformed),
            (within("attestationObject", ""), .responseMalformed),
            (within("attestationObject", "AAAA"), .attestationObjectMalformed),
        ]
        for (json, refusal) in cases {
            let outcome = try await Self.outcome(json)
            #expect(outcome == .refused(refusal), "\(json.text.prefix(200))")
        }
    }

    @Test("R2 to R7: client data, member by member")
    func clientData() async throws {
        let cases: [(String, JSONValue?, WebAuthnRefusal)] = [
            ("type", "webauthn.get", .clientDataTypeMismatch), ("type", "", .clientDataTypeMismatch),
            ("type", 1, .clientDataMalformed),
            ("challenge", "", .challengeMismatch), ("challenge", "BwcH", .challengeMismatch),
            ("challenge", 7, .clientDataMalformed),
            ("challenge", "=", .challengeMismatch),
            ("origin", JSONValue?.none, .clientDataMalformed), ("origin", "", .originNotAllowed),
            ("origin", "https://idp.example.org/", .originNotAllowed),
            ("origin", "https://IDP.example.org", .originNotAllowed),
            ("origin", "http://idp.example.org", .originNotAllowed),
            ("origin", "https://idp.example.org:8443", .originNotAllowed),
            ("origin", ["https://idp.example.org"], .clientDataMalformed),
            ("crossOrigin", true, .crossOriginNotAllowed), ("crossOrigin", "true", .clientDataMalformed),
            ("topOrigin", "https://idp.example.org", .topOriginNotAllowed),
            ("topOrigin", 1, .clientDataMalformed), ("tokenBinding", "unused", .tokenBindingMalformed),
            ("tokenBinding", [:], .tokenBindingMalformed),
            ("tokenBinding", ["status": "odd"], .tokenBindingMalformed),
        ]
        for (name, value, refusal) in cases {
            let outcome = try await Self.outcome { $0.clientData[name] = value }
            #expect(outcome == .refused(refusal), "\(name) \(String(describing: value))")
        }
        let bound = try await Self.outcome { $0.clientData["tokenBinding"] = ["status": "supported"] }
        #expect(bound == .fine)
        let nothing = try await Self.outcome(try SoftAuthenticator().registration([]), challenge: [])
        #expect(nothing == .refused(.challengeMismatch))
    }

    @Test("client data with a byte order mark is read; twice the same member, other text and huge text are not")
    func clientText() throws {
        let text = #"{"type":"webauthn.create","challenge":"BwcH","origin":"https:\/\/a"}"#
        let read = try ClientData([0xEF, 0xBB, 0xBF] + Array(text.utf8))
        #expect(read.origin == "https://a" && !read.crossOrigin && read.topOrigin == nil)
        #expect(throws: WebAuthnRefusal.clientDataDuplicate) {
            try ClientData(Array((String(text.dropLast()) + #","origin":"https://b"}"#).utf8))
        }
        let bad: [[UInt8]] = [
            [], [0xEF, 0xBB, 0xBF], Array("[]".utf8), Array("null".utf8), Array((text + "x").utf8), [0xFF],
            Array(text.utf8.dropLast()),
            Array((text + String(repeating: " ", count: 20_000)).utf8),
        ]
        for bytes in bad { #expect(throws: WebAuthnRefusal.clientDataMalformed) { try ClientData(bytes) } }
    }

    @Test("R9 to R13: authenticator data, bit by bit")
    func authenticatorData() async throws {
        let party = SoftAuthenticator.party()
        let cases: [(WebAuthnRefusal, (inout SoftAuthenticator) -> Void)] = [
            (.rpIDMismatch, { $0.rpID = "idp.example.com" }), (.userNotPresent, { $0.flags = 0x44 }),
            (.userNotVerified, { $0.flags = 0x41 }),
            (.backupStateImpossible, { $0.flags = 0x55 }), (.attestedCredentialMissing, { $0.flags = 0x05 }),
            (.authenticatorDataMalformed, { $0.tail = [0] }),
            (.extensionsMalformed, { $0.flags = 0xC5 }),
            (.extensionsMalformed, { ($0.flags, $0.tail) = (0xC5, [0x01]) }),
            (.extensionsMalformed, { ($0.flags, $0.tail) = (0xC5, [0xA1, 0x01, 0x02]) }),
            (.authenticatorDataMalformed, { $0.tail = [0xA0] }),
            (.authenticatorDataMalformed, { ($0.flags, $0.tail) = (0xC5, [0xA1, 0x61, 0x61, 0x02, 0x00]) }),
            (.keyMalformed, { $0.coseKey = [] }),
            (.keyMalformed, { $0.coseKey = [0xA1, 0x01, 0x02] }), (.keyMalformed, { $0.coseKey = [0xA5, 0x01] }),
        ]
        for (refusal, change) in cases {
            let outcome = try await Self.outcome(party, change)
            #expect(outcome == .refused(refusal))
        }
        let extended = try await Self.outcome { ($0.flags, $0.tail) = (0xC5, [0xA1, 0x61, 0x61, 0x02]) }
        let unseen = try await Self.outcome(SoftAuthenticator.party(presence: false)) { $0.flags = 0x44 }
        let unverified = try await Self.outcome(SoftAuthenticator.party(verification: .preferred)) { $0.flags = 0x41 }
        #expect(extended == .fine && unseen == .fine && unverified == .fine)
        for count in 0..<37 {
            #expect(throws: WebAuthnRefusal.authenticatorDataMalformed) {
                try AuthenticatorData([UInt8](repeating: 0, count: count))
            }
        }
    }

    @Test("credential ids of no length or too long; one that is not attested; an algorithm that was not offered")
    func credential() async throws {
        let long = [UInt8](repeating: 1, count: 1024)
        for id in [[], long] as [[UInt8]] {
            var authenticator = SoftAuthenticator()
            authenticator.id = id
            let data = authenticator.registrationData
            #expect(throws: WebAuthnRefusal.credentialIDLength) { try AuthenticatorData(data) }
        }
        var object = try #require(try SoftAuthenticator().registration(Self.challenge).object)
        object["id"] = "AAAA"
        object["rawId"] = "AAAA"
        let other = try await Self.outcome(.object(object))
        #expect(other == .refused(.credentialIDNotAttested))
        let unoffered = try await Self.outcome(SoftAuthenticator.party(algorithms: [.edDSA])) { _ in }
        #expect(unoffered == .refused(.algorithmNotOffered))
    }

    @Test("R8: the attestation object and its members")
    func attestationObject() throws {
        let data = CBORText.bytes(SoftAuthenticator().registrationData), format = CBORText.text("none"),
            statement = CBORText.map([])
        let good: [(String, [UInt8])] = [("attStmt", statement), ("authData", data), ("fmt", format)]
        let shuffled = try AttestationObject(CBORText.named(good))
        #expect(shuffled.format == .none)
        let bad: [[UInt8]] = [
            [], CBORText.array([]), CBORText.named(good) + [0], CBORText.named(Array(good.dropLast())),
            CBORText.named(Array(good.dropFirst())),
            CBORText.named(good + [("more", [0])]), CBORText.named(good + [good[0]]),
            CBORText.named([good[0], good[2], ("authData", CBORText.bytes([]))]),
            CBORText.named([good[0], good[1], ("fmt", CBORText.integer(1))]),
            CBORText.named([("attStmt", CBORText.array([])), good[1], good[2]]),
            CBORText.named([good[0], ("authData", CBORText.text("x")), good[2]]),
        ]
        for bytes in bad { #expect(throws: WebAuthnRefusal.self) { try AttestationObject(bytes) } }
        for name in ["None", "", "packed ", "android-safetynet", "compound"] {
            #expect(throws: WebAuthnRefusal.formatUnknown) {
                try AttestationObject(CBORText.named([good[0], good[1], ("fmt", CBORText.text(name))]))
            }
        }
    }
}
