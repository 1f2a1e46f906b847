import Base
import Crypto
import Foundation
import ProtocolTestSupport
import SwiftASN1
import Testing
import X509

@testable import PKIX
@testable import WebAuthn

/// Makes certificates for attestation keys, as a maker of authenticators would or should not.
struct AttestationMaker {
    static let modelOID: ASN1ObjectIdentifier = [1, 3, 6, 1, 4, 1, 45724, 1, 1, 4]
    static let nonceOID: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 8, 2]

    let root = P256.Signing.PrivateKey(), leaf = P256.Signing.PrivateKey()

    static func subject(
        country: String = "CH", unit: String = "Authenticator Attestation", name: String = "Model 1"
    ) throws -> DistinguishedName {
        try DistinguishedName {
            CountryName(country)
            OrganizationName("Maker")
            OrganizationalUnitName(unit)
            CommonName(name)
        }
    }

    static func der(_ certificate: Certificate) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        return serializer.serializedBytes
    }

    func rootCertificate() throws -> [UInt8] {
        let name = try DistinguishedName { CommonName("Root") }
        return try Self.der(
            certificate(
                name, root.publicKey,
                Certificate.Extensions { Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil)) }))
    }

    func leafCertificate(
        _ subject: DistinguishedName, key: P256.Signing.PublicKey? = nil, isAuthority: Bool = false,
        extensions more: [Certificate.Extension] = []
    ) throws -> [UInt8] {
        let constraints =
            isAuthority ? BasicConstraints.isCertificateAuthority(maxPathLength: nil) : .notCertificateAuthority
        let basic = try Certificate.Extension(constraints, critical: true)
        return try Self.der(certificate(subject, key ?? leaf.publicKey, Certificate.Extensions([basic] + more)))
    }

    private func certificate(
        _ subject: DistinguishedName, _ key: P256.Signing.PublicKey, _ extensions: Certificate.Extensions
    ) throws -> Certificate {
        try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: Certificate.PublicKey(key),
            notValidBefore: Date(numericDate: 1_577_836_800), notValidAfter: Date(numericDate: 4_102_444_800),
            issuer: DistinguishedName { CommonName("Root") }, subject: subject, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: extensions,
            issuerPrivateKey: Certificate.PrivateKey(root))
    }

    static func model(_ bytes: [UInt8], critical: Bool = false) -> Certificate.Extension {
        Certificate.Extension(oid: modelOID, critical: critical, value: ([0x04, UInt8(bytes.count)] + bytes)[...])
    }

    func packed(
        _ chain: [[UInt8]], alg: Int = -7, by key: P256.Signing.PrivateKey? = nil
    ) -> ([UInt8]) throws -> [UInt8] {
        { signed in
            let signature = try (key ?? leaf).signature(for: signed).derRepresentation
            return CBORText.named([
                ("alg", CBORText.integer(alg)), ("sig", CBORText.bytes(Array(signature))),
                ("x5c", CBORText.array(chain.map(CBORText.bytes))),
            ])
        }
    }
}

@Suite("WebAuthn: attestation that is refused")
struct AttestationRefusalTests {
    static let moment = Date(numericDate: 1_790_000_000), challenge = [UInt8](repeating: 7, count: 32)

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

    @Test("none: a statement that is not empty; formats and trust that the policy does not take")
    func none() async throws {
        let authenticator = SoftAuthenticator()
        let full = try await Self.outcome(authenticator, "none") { _ in CBORText.named([("sig", [0x40])]) }
        let excluded = try await Self.outcome(authenticator, "none", policy: AttestationPolicy(formats: [.packed])) {
            _ in CBORText.map([])
        }
        let untrusted = try await Self.outcome(authenticator, "none", policy: AttestationPolicy(trust: [.rooted])) {
            _ in CBORText.map([])
        }
        #expect(
            full == .refused(.statementMalformed) && excluded == .refused(.formatNotAccepted)
                && untrusted == .refused(.attestationUntrusted))
    }

    @Test("packed by the credential's own key: its members, algorithm and signature")
    func packedSelf() async throws {
        let authenticator = SoftAuthenticator()
        func statement(_ alg: [UInt8]?, _ sig: [UInt8]?, more: [(String, [UInt8])] = []) -> [UInt8] {
            var members: [(String, [UInt8])] = []
            if let alg { members.append(("alg", alg)) }
            if let sig { members.append(("sig", sig)) }
            return CBORText.named(members + more)
        }
        let alg = CBORText.integer(-7)
        let fine = try await Self.outcome(authenticator, "packed") {
            statement(alg, CBORText.bytes(try authenticator.sign($0)))
        }
        #expect(fine == .fine)
        let strict = try await Self.outcome(authenticator, "packed", policy: AttestationPolicy(trust: [.rooted])) {
            statement(alg, CBORText.bytes(try authenticator.sign($0)))
        }
        #expect(strict == .refused(.attestationUntrusted))

        let cases: [(WebAuthnRefusal, ([UInt8]) throws -> [UInt8])] = [
            (.statementMalformed, { _ in statement(nil, nil) }), (.statementMalformed, { _ in statement(alg, nil) }),
            (.statementMalformed, { _ in statement(alg, CBORText.bytes([])) }),
            (.statementMalformed, { _ in statement(alg, CBORText.text("x")) }),
            (.statementMalformed, { _ in statement(CBORText.text("ES256"), CBORText.bytes([1])) }),
            (.statementMalformed, { statement(nil, CBORText.bytes(try authenticator.sign($0))) }),
            (
                .statementMalformed,
                { statement(alg, CBORText.bytes(try authenticator.sign($0)), more: [("ecdaaKeyId", [0x40])]) }
            ),
            (.statementAlgorithm, { statement(CBORText.integer(-257), CBORText.bytes(try authenticator.sign($0))) }),
            (.statementAlgorithm, { statement(CBORText.integer(-37), CBORText.bytes(try authenticator.sign($0))) }),
            (.statementAlgorithm, { statement([0x39, 0xFF, 0xFE], CBORText.bytes(try authenticator.sign($0))) }),
            (.statementSignature, { statement(alg, CBORText.bytes(try authenticator.sign($0 + [0]))) }),
            (.statementSignature, { statement(alg, CBORText.bytes(try SoftAuthenticator().sign($0))) }),
            (
                .statementMalformed,
                { statement(alg, CBORText.bytes(try authenticator.sign($0)), more: [("x5c", CBORText.array([]))]) }
            ),
            (
                .statementMalformed,
                {
                    statement(
                        alg, CBORText.bytes(try authenticator.sign($0)),
                        more: [("x5c", CBORText.array([CBORText.text("x")]))])
                }
            ),
            (
                .certificateMalformed,
                {
                    statement(
                        alg, CBORText.bytes(try authenticator.sign($0)),
                        more: [("x5c", CBORText.array([CBORText.bytes([0x30, 0])]))])
                }
            ),
        ]
        for (index, (refusal, statement)) in cases.enumerated() {
            let outcome = try await Self.outcome(authenticator, "packed", statement)
            #expect(outcome == .refused(refusal), "\(index)")
        }
    }

    @Test("packed by a certified key: the certificate's subject, model, powers and key")
    func packedCertified() async throws {
        let maker = AttestationMaker(), subject = try AttestationMaker.subject()
        var authenticator = SoftAuthenticator()
        authenticator.model = [UInt8](repeating: 5, count: 16)
        let good = try maker.leafCertificate(subject, extensions: [AttestationMaker.model(authenticator.model)])
        let cases: [(Outcome, [UInt8])] = [
            (.fine, good), (.fine, try maker.leafCertificate(subject)),
            (.refused(.certificateUnfit), try maker.leafCertificate(try AttestationMaker.subject(country: "ch"))),
            (
                .refused(.certificateUnfit),
                try maker.leafCertificate(try AttestationMaker.subject(unit: "Authenticator"))
            ),
            (.refused(.certificateUnfit), try maker.leafCertificate(try AttestationMaker.subject(name: ""))),
            (.refused(.certificateUnfit), try maker.leafCertificate(try DistinguishedName { CommonName("x") })),
            (.refused(.certificateUnfit), try maker.leafCertificate(subject, isAuthority: true)),
            (
                .refused(.modelMismatch),
                try maker.leafCertificate(
                    subject, extensions: [AttestationMaker.model([UInt8](repeating: 6, count: 16))])
            ),
            (
                .refused(.certificateMalformed),
                try maker.leafCertificate(
                    subject, extensions: [AttestationMaker.model(authenticator.model, critical: true)])
            ),
            (
                .refused(.certificateMalformed),
                try maker.leafCertificate(subject, extensions: [AttestationMaker.model([5])])
            ),
            (.refused(.statementSignature), try maker.leafCertificate(subject, key: maker.root.publicKey)),
        ]
        for (index, (expected, certificate)) in cases.enumerated() {
            let outcome = try await Self.outcome(authenticator, "packed", maker.packed([certificate]))
            #expect(outcome == expected, "\(index)")
        }
        let other = try await Self.outcome(authenticator, "packed", maker.packed([good], alg: -35))
        let long = try await Self.outcome(authenticator, "packed", maker.packed([[UInt8]](repeating: good, count: 9)))
        #expect(other == .refused(.statementSignature) && long == .refused(.statementMalformed))
    }

    @Test("a chain leads to a configured root, in order, and by no other way")
    func chains() async throws {
        let maker = AttestationMaker(), stranger = AttestationMaker(), authenticator = SoftAuthenticator()
        let leaf = try maker.leafCertificate(try AttestationMaker.subject()), root = try maker.rootCertificate()
        let policy = AttestationPolicy(trust: [.rooted], roots: [.packed: try AttestationRoots(ders: [root])])
        let fine = try await Self.outcome(authenticator, "packed", policy: policy, maker.packed([leaf]))
        let whole = try await Self.outcome(authenticator, "packed", policy: policy, maker.packed([leaf, root]))
        #expect(fine == .fine && whole == .fine)

        let foreign = try stranger.leafCertificate(try AttestationMaker.subject(), key: maker.leaf.publicKey)
        for chain in [[foreign], [leaf, leaf], [leaf, foreign]] {
            let outcome = try await Self.outcome(authenticator, "packed", policy: policy, maker.packed(chain))
            #expect(outcome == .refused(.attestationUntrusted))
        }
    }

    @Test("fido-u2f and apple: one certificate, its key, what it was made for")
    func others() async throws {
        let maker = AttestationMaker(), subject = try AttestationMaker.subject(), authenticator = SoftAuthenticator()
        let leaf = try maker.leafCertificate(subject)
        let twice = try await Self.outcome(authenticator, "fido-u2f") { signed in
            CBORText.named([
                ("sig", CBORText.bytes(try authenticator.sign(signed))),
                ("x5c", CBORText.array([CBORText.bytes(leaf), CBORText.bytes(leaf)])),
            ])
        }
        let wrong = try await Self.outcome(authenticator, "fido-u2f") { signed in
            CBORText.named([
                ("sig", CBORText.bytes(try authenticator.sign(signed))),
                ("x5c", CBORText.array([CBORText.bytes(leaf)])),
            ])
        }
        #expect(twice == .refused(.statementMalformed) && wrong == .refused(.statementSignature))

        func apple(
            _ key: P256.Signing.PublicKey, _ nonce: @escaping ([UInt8]) -> [UInt8]
        ) -> ([UInt8]) throws -> [UInt8] {
            { signed in
                let value: [UInt8] = [0x30, 0x24, 0xA1, 0x22, 0x04, 0x20] + nonce(Array(SHA256.hash(data: signed)))
                let made = Certificate.Extension(oid: AttestationMaker.nonceOID, critical: false, value: value[...])
                let certificate = try maker.leafCertificate(subject, key: key, extensions: [made])
                return CBORText.named([("x5c", CBORText.array([CBORText.bytes(certificate)]))])
            }
        }
        let fine = try await Self.outcome(authenticator, "apple", apple(authenticator.key.publicKey) { $0 })
        let stale = try await Self.outcome(authenticator, "apple", apple(authenticator.key.publicKey) { $0.reversed() })
        let short = try await Self.outcome(
            authenticator, "apple", apple(authenticator.key.publicKey) { Array($0.dropLast()) })
        let foreign = try await Self.outcome(authenticator, "apple", apple(maker.leaf.publicKey) { $0 })
        #expect(
            fine == .fine && stale == .refused(.appleNonce) && short == .refused(.appleNonce)
                && foreign == .refused(.certificateKeyMismatch))
        let android = try await Self.outcome(authenticator, "android-key") { signed in
            let certificate = try maker.leafCertificate(subject, key: authenticator.key.publicKey)
            let chain = CBORText.array([CBORText.bytes(certificate)])
            return CBORText.named([
                ("alg", CBORText.integer(-7)), ("sig", CBORText.bytes(try authenticator.sign(signed))), ("x5c", chain),
            ])
        }
        #expect(android == .refused(.certificateMalformed))
    }

    @Test("structures of a TPM that end early, go on, or are something else never trap")
    func tpmStructures() {
        let bad: [[UInt8]] = [
            [], [0], [0, 1], [0, 0x23, 0, 0x0B], [0xFF, 0x54, 0x43, 0x47, 0x80, 0x17],
            [UInt8](repeating: 0xFF, count: 200),
            [0, 1, 0, 0x0B, 0, 0, 0, 0, 0xFF, 0xFF],
        ]
        for bytes in bad {
            #expect(throws: WebAuthnRefusal.self) { try TPMPublicArea(bytes) }
            #expect(throws: WebAuthnRefusal.self) { try TPMCertified(bytes) }
        }
        let quoted: [UInt8] = [0xFF, 0x54, 0x43, 0x47, 0x80, 0x18], forged: [UInt8] = [0, 0, 0, 1, 0x80, 0x17]
        for bytes in [quoted, forged] { #expect(throws: WebAuthnRefusal.tpmCertified) { try TPMCertified(bytes) } }
    }
}
