import Base
import Crypto
import Foundation
import ProtocolTestSupport
import SwiftASN1
import Testing
import X509

@testable import WebAuthn

/// Just enough DER to write what makers of keystores and TPMs put into certificates.
private enum DERText {
    static func tagged(_ tag: [UInt8], _ content: [UInt8]) -> [UInt8] {
        let length: [UInt8] =
            content.count < 128
            ? [UInt8(content.count)]
            : content.count < 256
                ? [0x81, UInt8(content.count)]
                : [0x82, UInt8(content.count >> 8), UInt8(content.count & 0xFF)]
        return tag + length + content
    }

    static func sequence(_ items: [[UInt8]]) -> [UInt8] { tagged([0x30], items.flatMap { $0 }) }
    static func set(_ items: [[UInt8]]) -> [UInt8] { tagged([0x31], items.flatMap { $0 }) }
    static func octets(_ bytes: [UInt8]) -> [UInt8] { tagged([0x04], bytes) }
    static func integer(_ number: UInt8) -> [UInt8] { [0x02, 0x01, number] }
    static func enumerated(_ number: UInt8) -> [UInt8] { [0x0A, 0x01, number] }
}

@Suite("WebAuthn: attestation of U2F keys, Android keystores and TPMs")
struct AttestationFormatTests {
    static let moment = Date(numericDate: 1_790_000_000), challenge = [UInt8](repeating: 7, count: 32)
    private static let keystoreOID: ASN1ObjectIdentifier = [1, 3, 6, 1, 4, 1, 11129, 2, 1, 17]

    private static func outcome(
        _ authenticator: SoftAuthenticator, _ format: String, policy: AttestationPolicy = .lenient,
        _ statement: ([UInt8]) throws -> [UInt8]
    ) async throws -> Outcome {
        let json = try authenticator.registration(challenge, format: format, statement: statement)
        let party = SoftAuthenticator.party(attestation: policy)
        return try await Outcome.of {
            _ = try await RegistrationCeremony.verify(json, challenge: challenge, party: party, at: moment)
        }
    }

    // MARK: FIDO U2F

    @Test("fido-u2f: ES256 keys alone, no AAGUID, and a signature over its own bytes")
    func u2f() async throws {
        let maker = AttestationMaker(), certificate = try maker.leafCertificate(try AttestationMaker.subject())
        func statement(_ authenticator: SoftAuthenticator) -> ([UInt8]) throws -> [UInt8] {
            { signed in
                let point = Array(authenticator.key.publicKey.x963Representation),
                    hash = Array(SHA256.hash(data: Array(authenticator.rpID.utf8)))
                var bytes: [UInt8] = [0] + hash
                bytes += signed.suffix(32)
                bytes += authenticator.id
                bytes += point
                let signature = Array(try maker.leaf.signature(for: bytes).derRepresentation)
                return CBORText.named([
                    ("sig", CBORText.bytes(signature)), ("x5c", CBORText.array([CBORText.bytes(certificate)])),
                ])
            }
        }
        let good = SoftAuthenticator()
        var modelled = SoftAuthenticator(), edwards = SoftAuthenticator()
        modelled.model = [UInt8](repeating: 5, count: 16)
        let point = Array(Curve25519.Signing.PrivateKey().publicKey.rawRepresentation)
        edwards.coseKey = CBORText.map([
            (CBORText.integer(1), CBORText.integer(1)), (CBORText.integer(3), CBORText.integer(-8)),
            (CBORText.integer(-1), CBORText.integer(6)),
            (CBORText.integer(-2), CBORText.bytes(point)),
        ])
        let fine = try await Self.outcome(good, "fido-u2f", statement(good)),
            claimed = try await Self.outcome(modelled, "fido-u2f", statement(modelled))
        let admitted = try await Self.outcome(
            modelled, "fido-u2f", policy: AttestationPolicy(admitsU2FModel: true), statement(modelled))
        let other = try await Self.outcome(edwards, "fido-u2f", statement(edwards)),
            foreign = try await Self.outcome(good, "fido-u2f", statement(SoftAuthenticator()))
        #expect(fine == .fine && claimed == .refused(.u2fModel) && admitted == .fine)
        #expect(other == .refused(.u2fKey) && foreign == .refused(.statementSignature))

        let wide = P384.Signing.PrivateKey(), subject = try AttestationMaker.subject()
        let made = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: Certificate.PublicKey(wide.publicKey),
            notValidBefore: Date(numericDate: 1_577_836_800), notValidAfter: Date(numericDate: 4_102_444_800),
            issuer: subject, subject: subject,
            signatureAlgorithm: .ecdsaWithSHA384, extensions: Certificate.Extensions(),
            issuerPrivateKey: Certificate.PrivateKey(wide))
        let der = try AttestationMaker.der(made)
        let unfit = try await Self.outcome(good, "fido-u2f") { _ in
            CBORText.named([("sig", CBORText.bytes([1])), ("x5c", CBORText.array([CBORText.bytes(der)]))])
        }
        #expect(unfit == .refused(.certificateUnfit))
    }

    // MARK: Android

    /// AuthorizationList: purposes, origin, whether it is for all applications.
    private static func authorizations(_ purposes: [UInt8], origin: UInt8?, all: Bool = false) -> [UInt8] {
        var fields: [[UInt8]] = []
        if !purposes.isEmpty { fields.append(DERText.tagged([0xA1], DERText.set(purposes.map(DERText.integer)))) }
        if all { fields.append(DERText.tagged([0xBF, 0x84, 0x58], [0x05, 0x00])) }
        if let origin { fields.append(DERText.tagged([0xBF, 0x85, 0x3E], DERText.integer(origin))) }
        return DERText.sequence(fields)
    }

    /// KeyDescription as an extension.
    private static func keystore(_ challenge: [UInt8], software: [UInt8], hardware: [UInt8]) -> Certificate.Extension {
        let value = DERText.sequence([
            DERText.integer(3), DERText.enumerated(1), DERText.integer(4), DERText.enumerated(1),
            DERText.octets(challenge),
            DERText.octets([]), software, hardware,
        ])
        return Certificate.Extension(oid: keystoreOID, critical: false, value: value[...])
    }

    @Test("android-key: the challenge of this ceremony, a key made in the keystore, to sign, for this app alone")
    func android() async throws {
        let maker = AttestationMaker(), authenticator = SoftAuthenticator(), subject = try AttestationMaker.subject()
        func statement(
            _ software: [UInt8], _ hardware: [UInt8], key: P256.Signing.PrivateKey? = nil, challenge: [UInt8]? = nil,
            signed other: [UInt8]? = nil
        ) -> ([UInt8]) throws -> [UInt8] {
            { signed in
                let attestationKey = key ?? authenticator.key,
                    stated = Self.keystore(
                        challenge ?? Array(signed.suffix(32)), software: software, hardware: hardware)
                let certificate = try maker.leafCertificate(
                    subject, key: attestationKey.publicKey, extensions: [stated])
                let signature = Array(try attestationKey.signature(for: other ?? signed).derRepresentation)
                return CBORText.named([
                    ("alg", CBORText.integer(-7)), ("sig", CBORText.bytes(signature)),
                    ("x5c", CBORText.array([CBORText.bytes(certificate)])),
                ])
            }
        }
        let none = Self.authorizations([], origin: nil), good = Self.authorizations([2], origin: 0)
        let cases: [(Outcome, ([UInt8]) throws -> [UInt8])] = [
            (.fine, statement(none, good)), (.fine, statement(good, none)),
            (.fine, statement(none, Self.authorizations([2, 3], origin: 0))),
            (.refused(.androidChallenge), statement(none, good, challenge: [UInt8](repeating: 0, count: 32))),
            (.refused(.androidChallenge), statement(none, good, challenge: [])),
            (.refused(.androidAuthorizations), statement(none, none)),
            (.refused(.androidAuthorizations), statement(none, Self.authorizations([2], origin: nil))),
            (.refused(.androidAuthorizations), statement(none, Self.authorizations([2], origin: 2))),
            (.refused(.androidAuthorizations), statement(Self.authorizations([2], origin: 2), good)),
            (.refused(.androidAuthorizations), statement(none, Self.authorizations([], origin: 0))),
            (.refused(.androidAuthorizations), statement(none, Self.authorizations([3], origin: 0))),
            (.refused(.androidAuthorizations), statement(none, Self.authorizations([0, 2], origin: 0))),
            (.refused(.androidAuthorizations), statement(Self.authorizations([], origin: nil, all: true), good)),
            (.refused(.androidAuthorizations), statement(none, Self.authorizations([2], origin: 0, all: true))),
            (.refused(.certificateKeyMismatch), statement(none, good, key: maker.leaf)),
            (.refused(.statementSignature), statement(none, good, signed: [1])),
            (.refused(.certificateMalformed), statement(none, [0x04, 0x00])),
        ]
        for (index, (expected, statement)) in cases.enumerated() {
            let outcome = try await Self.outcome(authenticator, "android-key", statement)
            #expect(outcome == expected, "\(index)")
        }
    }

    // MARK: TPM

    private struct TPM {
        let maker = AttestationMaker()
        var version = CBORText.text("2.0")
        var magic: [UInt8] = [0xFF, 0x54, 0x43, 0x47, 0x80, 0x17]
        var subject = DistinguishedName()
        var uses: [UInt8] = DERText.sequence([[0x06, 0x05, 0x67, 0x81, 0x05, 0x08, 0x03]])
        var attributes: [UInt8] = [1, 2, 3]
        var key: P256.Signing.PublicKey
        var named: (([UInt8]) -> [UInt8]) = { $0 }
        var extra: (([UInt8]) -> [UInt8]) = { $0 }
        var spoil: (([UInt8]) -> [UInt8]) = { $0 }

        static func sized(_ bytes: [UInt8]) -> [UInt8] { [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes }

        /// TPMT_PUBLIC of a P-256 key whose name is by SHA-256.
        var publicArea: [UInt8] {
            let point = Array(key.rawRepresentation)
            var area: [UInt8] = [0x00, 0x23, 0x00, 0x0B, 0x00, 0x06, 0x04, 0x72]
            area += Self.sized([])
            area += [0x00, 0x10, 0x00, 0x10, 0x00, 0x03, 0x00, 0x10]
            area += Self.sized(Array(point[..<32]))
            return area + Self.sized(Array(point[32...]))
        }

        private func certificate() throws -> [UInt8] {
            let names = attributes.map { attribute in
                DERText.set([
                    DERText.sequence([
                        [0x06, 0x05, 0x67, 0x81, 0x05, 0x02, attribute], DERText.tagged([0x0C], Array("id:1".utf8)),
                    ])
                ])
            }
            let alternative = DERText.sequence([DERText.tagged([0xA4], DERText.sequence(names))])
            let extensions = [
                Certificate.Extension(oid: [2, 5, 29, 37], critical: false, value: uses[...]),
                Certificate.Extension(oid: [2, 5, 29, 17], critical: true, value: alternative[...]),
            ]
            return try maker.leafCertificate(subject, extensions: extensions)
        }

        func statement(_ signed: [UInt8]) throws -> [UInt8] {
            let area = publicArea, name: [UInt8] = [0x00, 0x0B] + named(Array(SHA256.hash(data: area)))
            var certified = magic + Self.sized([])
            certified += Self.sized(extra(Array(SHA256.hash(data: signed))))
            certified += [UInt8](repeating: 0, count: 25)
            certified += Self.sized(name)
            certified += Self.sized([])
            let signature = Array(try maker.leaf.signature(for: spoil(certified)).derRepresentation)
            return CBORText.named([
                ("ver", version), ("alg", CBORText.integer(-7)),
                ("x5c", CBORText.array([CBORText.bytes(try certificate())])), ("sig", CBORText.bytes(signature)),
                ("certInfo", CBORText.bytes(certified)), ("pubArea", CBORText.bytes(area)),
            ])
        }
    }

    @Test("tpm: its version, the key, what was certified, who certified")
    func tpm() async throws {
        let authenticator = SoftAuthenticator(), other = P256.Signing.PrivateKey().publicKey,
            named = try AttestationMaker.subject()
        let anyUse = DERText.sequence([[0x06, 0x08, 0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x02]])
        let cases: [(Outcome, (inout TPM) -> Void)] = [
            (.fine, { _ in }), (.refused(.tpmVersion), { $0.version = CBORText.text("1.2") }),
            (.refused(.tpmVersion), { $0.version = CBORText.text("") }),
            (.refused(.statementMalformed), { $0.version = CBORText.integer(2) }),
            (.refused(.tpmPublicArea), { $0.key = other }),
            (.refused(.tpmCertified), { $0.magic[0] = 0 }), (.refused(.tpmCertified), { $0.magic[5] = 0x18 }),
            (.refused(.tpmExtraData), { $0.extra = { $0.reversed() } }),
            (.refused(.tpmExtraData), { $0.extra = { _ in [] } }),
            (.refused(.tpmName), { $0.named = { $0.reversed() } }), (.refused(.tpmName), { $0.named = { _ in [] } }),
            (.refused(.statementSignature), { $0.spoil = { $0 + [0] } }),
            (.refused(.certificateUnfit), { $0.subject = named }),
            (.refused(.certificateUnfit), { $0.uses = anyUse }),
            (.refused(.certificateUnfit), { $0.attributes = [1, 2] }),
        ]
        for (index, (expected, change)) in cases.enumerated() {
            var tpm = TPM(key: authenticator.key.publicKey)
            change(&tpm)
            let ready = tpm, outcome = try await Self.outcome(authenticator, "tpm") { try ready.statement($0) }
            #expect(outcome == expected, "\(index)")
        }
    }
}
