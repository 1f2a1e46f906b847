import Base
import Foundation
import Testing

@testable import PowerAuth

@Suite("PowerAuth headers")
struct PowerAuthHeaderTests {
    static let id = "7a7af59e-c34e-410d-acfa-b3a9b6e33b4b"
    static let sixteen = Base64Text.encode([UInt8](repeating: 7, count: 16))
    static let digest = Base64Text.encode([UInt8](repeating: 9, count: 32))

    static let signature: [(String, String)] = [
        ("pa_version", "3.3"), ("pa_activation_id", id), ("pa_application_key", sixteen), ("pa_nonce", sixteen),
        ("pa_signature_type", "possession"),
        ("pa_signature", sixteen),
    ]
    static let token: [(String, String)] = [
        ("version", "3.3"), ("token_id", id), ("token_digest", digest), ("nonce", sixteen),
        ("timestamp", "1767225612000"),
    ]
    static let encryption: [(String, String)] = [
        ("version", "3.3"), ("application_key", sixteen), ("activation_id", id),
    ]

    static func header(_ members: [(String, String)], by separator: String = ", ") -> String {
        "PowerAuth " + members.map { "\($0.0)=\"\($0.1)\"" }.joined(separator: separator)
    }

    static func changed(_ members: [(String, String)], _ name: String, _ value: String) -> [(String, String)] {
        members.map { $0.0 == name ? (name, value) : $0 }
    }

    @Test("members stand apart by commas, by blanks, or both", arguments: [", ", " ", ",", " , ", ",\t", "  "])
    func separators(separator: String) throws {
        let signature = try SignatureHeader(parsing: Self.header(Self.signature, by: separator))
        let token = try TokenHeader(parsing: Self.header(Self.token, by: separator))
        let encryption = try EncryptionHeader(parsing: Self.header(Self.encryption, by: separator))

        #expect(
            signature
                == SignatureHeader(
                    version: .v33, activationID: Self.id, applicationKey: Self.sixteen, nonce: Self.sixteen,
                    type: .possession, signature: Self.sixteen
                ))
        #expect(
            token
                == TokenHeader(
                    version: .v33, tokenID: Self.id, digest: [UInt8](repeating: 9, count: 32),
                    nonce: [UInt8](repeating: 7, count: 16), timestamp: 1_767_225_612_000
                ))
        #expect(encryption == EncryptionHeader(version: .v33, applicationKey: Self.sixteen, activationID: Self.id))
    }

    @Test("the scheme in any case, members in any order, unknown ones passed over")
    func leniency() throws {
        let shuffled = Self.header(Array(Self.signature.reversed()) + [("pa_later", "x")]).replacingOccurrences(
            of: "PowerAuth ", with: "powerauth\t")
        let read = try SignatureHeader(parsing: shuffled)

        #expect(read.signature == Self.sixteen)
    }

    @Test("factors in either case, and what each of them needs", arguments: FactorType.allCases)
    func factors(type: FactorType) throws {
        for text in [type.rawValue, type.rawValue.uppercased()] {
            let read = try SignatureHeader(
                parsing: Self.header(Self.changed(Self.signature, "pa_signature_type", text)))

            #expect(read.type == type)
        }
        #expect(type.factors.map(\.rawValue).joined(separator: "_") == type.rawValue)
        #expect(type.needsTwo == type.rawValue.contains("_"))
        #expect(type.isCounted == (type != .possession))
    }

    @Test(
        "no header is missing, another grammar is malformed",
        arguments: [
            "Bearer x", "PowerAuth", "PowerAuth ", "PowerAuthpa_version=\"3.3\"", "PowerAuth pa_version=\"3.3",
            "PowerAuth pa_version=3.3", "PowerAuth =\"3.3\"",
            "PowerAuth pa_version=\"3.3\"pa_nonce=\"x\"", "PowerAuth pa_version=\"3\\\"3\"",
            "PowerAuth pa_version=\"3.3\u{0}\"", "PowerAuth pa_version=\"3.3é\"",
            "PowerAuth pa_version=\"3.3\"; pa_nonce=\"x\"", "PowerAuth pa version=\"3.3\"", "\u{0}", "é",
        ])
    func grammar(text: String) {
        #expect(throws: PowerAuthRefusal.headerMalformed) { try SignatureHeader(parsing: text) }
        #expect(throws: PowerAuthRefusal.headerMalformed) { try TokenHeader(parsing: text) }
        #expect(throws: PowerAuthRefusal.headerMalformed) { try EncryptionHeader(parsing: text) }
    }

    @Test("none at all")
    func missing() {
        for header in [nil, ""] as [String?] {
            #expect(throws: PowerAuthRefusal.headerMissing) { try SignatureHeader(parsing: header) }
            #expect(throws: PowerAuthRefusal.headerMissing) { try TokenHeader(parsing: header) }
            #expect(throws: PowerAuthRefusal.headerMissing) { try EncryptionHeader(parsing: header) }
        }
    }

    @Test("a member that is missing, empty, there twice or too long is malformed", arguments: [0, 1, 2, 3, 4, 5])
    func members(index: Int) {
        let name = Self.signature[index].0, long = String(repeating: "A", count: 3000)
        let without = Self.signature.filter { $0.0 != name }
        for members in [
            without, without + [(name, "")], Self.signature + [Self.signature[index]], without + [(name, long)],
        ] {
            #expect(throws: PowerAuthRefusal.headerMalformed, "\(name)") {
                try SignatureHeader(parsing: Self.header(members))
            }
        }
    }

    @Test(
        "values of another form are malformed",
        arguments: [
            ("pa_activation_id", "x"), ("pa_activation_id", "7A7AF59E-C34E-410D-ACFA-B3A9B6E33B4B"),
            ("pa_activation_id", "7a7af59ec34e-410d-acfa-b3a9b6e33b4b0"),
            ("pa_application_key", "y"), ("pa_application_key", "AAAA"), ("pa_nonce", "BwcHBwcHBwcHBwcHBwcHBx=="),
            ("pa_nonce", "BwcHBwcHBwcHBwcHBwcHBw"),
            ("pa_nonce", "BwcHBwcHBwcHBwcHBwcHBwcHBwcH"), ("pa_signature_type", "possession_knowledge_biometry"),
            ("pa_signature_type", "pin"),
            ("pa_signature", String(repeating: "A", count: 65)),
        ])
    func signatureValues(name: String, value: String) {
        let header = Self.header(Self.changed(Self.signature, name, value))
        #expect(throws: PowerAuthRefusal.headerMalformed) { try SignatureHeader(parsing: header) }
    }

    @Test(
        "token values of another form are malformed",
        arguments: [
            ("token_id", "x"), ("token_digest", "y"), ("token_digest", "BwcHBwcHBwcHBwcHBwcHBw=="), ("nonce", "z"),
            ("nonce", "CQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQk="), ("timestamp", "soon"), ("timestamp", "-1"),
            ("timestamp", "+1767225612000"),
            ("timestamp", "01767225612000"), ("timestamp", "99999999999999999999"), ("timestamp", "1767225612000.5"),
            ("timestamp", "\u{661}\u{667}"),
        ])
    func tokenValues(name: String, value: String) {
        let header = Self.header(Self.changed(Self.token, name, value))
        #expect(throws: PowerAuthRefusal.headerMalformed) { try TokenHeader(parsing: header) }
    }

    @Test("an empty activation is not application scope")
    func emptyActivation() {
        let header = Self.header(Self.changed(Self.encryption, "activation_id", ""))
        #expect(throws: PowerAuthRefusal.headerMalformed) { try EncryptionHeader(parsing: header) }
    }

    @Test(
        "versions: envelopes 3.3, signatures from 3.1, tokens from 3.0",
        arguments: ["2.1", "3.0", "3.1", "3.2", "3.3", "3.4", "4.0", "9.9", "three"])
    func versions(version: String) {
        func isTaken(_ read: () throws -> Void) -> Bool {
            do {
                try read()
                return true
            } catch {
                #expect(error as? PowerAuthRefusal == .versionUnsupported)
                return false
            }
        }
        let signature = Self.header(Self.changed(Self.signature, "pa_version", version)),
            token = Self.header(Self.changed(Self.token, "version", version))
        let encryption = Self.header(Self.changed(Self.encryption, "version", version))

        let taken = (
            signature: isTaken { _ = try SignatureHeader(parsing: signature) },
            token: isTaken { _ = try TokenHeader(parsing: token) },
            encryption: isTaken { _ = try EncryptionHeader(parsing: encryption) }
        )

        #expect(taken.signature == ["3.1", "3.2", "3.3"].contains(version))
        #expect(taken.token == ["3.0", "3.1", "3.2", "3.3"].contains(version))
        #expect(taken.encryption == (version == "3.3"))
    }

    @Test("token times count to both sides, bounds included")
    func times() throws {
        let header = try TokenHeader(parsing: Self.header(Self.token)), issued = Milliseconds.date(header.timestamp)
        try header.checkTime(issued.addingTimeInterval(300), within: 300)
        try header.checkTime(issued.addingTimeInterval(-300), within: 300)

        #expect(throws: PowerAuthRefusal.timestampOld) {
            try header.checkTime(issued.addingTimeInterval(300.002), within: 300)
        }
        #expect(throws: PowerAuthRefusal.timestampAhead) {
            try header.checkTime(issued.addingTimeInterval(-300.002), within: 300)
        }
    }
}
