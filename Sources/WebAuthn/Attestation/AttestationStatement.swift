import Foundation
import PKIX

/// One statement and all that it is about (R16, R17; WebAuthn, 7.1 and 8).
struct AttestationStatement: Sendable {
    static let longestChain = 8

    let format: AttestationFormat
    let members: [CBOR.Key: CBOR]
    let data: AuthenticatorData
    let attested: AuthenticatorData.Attested
    let key: COSEKey
    let clientDataHash: [UInt8]
    let policy: AttestationPolicy

    /// What a format found. `chain` is in DER, the attestation key's certificate first.
    struct Finding: Sendable {
        let type: AttestationType
        let chain: [[UInt8]]
    }

    /// attToBeSigned.
    var signed: [UInt8] { data.bytes + clientDataHash }

    func trust(at moment: Date) async throws(WebAuthnRefusal) -> (type: AttestationType, trust: AttestationTrust) {
        guard policy.formats.contains(format) else { throw .formatNotAccepted }
        let finding = try verify()
        let trust: AttestationTrust
        switch finding.type {
        case .none: trust = .none
        case .selfAttested: trust = .selfAttested
        case .basic, .authority, .anonymous:
            let isRooted = await policy.roots[format]?.trusts(finding.chain, at: moment) ?? false
            trust = isRooted ? .rooted : .unverified
        }
        guard policy.trust.contains(trust) else { throw .attestationUntrusted }
        return (finding.type, trust)
    }

    private func verify() throws(WebAuthnRefusal) -> Finding {
        switch format {
        case .none:
            guard members.isEmpty else { throw .statementMalformed }
            return Finding(type: .none, chain: [])
        case .packed: return try PackedAttestation.verify(self)
        case .fidoU2F: return try U2FAttestation.verify(self)
        case .apple: return try AppleAttestation.verify(self)
        case .androidKey: return try AndroidKeyAttestation.verify(self)
        case .tpm: return try TPMAttestation.verify(self)
        }
    }

    // MARK: Members

    /// A member that must be there, and be bytes.
    func bytes(_ name: String) throws(WebAuthnRefusal) -> [UInt8] {
        guard let bytes = members[.text(name)]?.bytes, !bytes.isEmpty else { throw .statementMalformed }
        return bytes
    }

    func algorithm() throws(WebAuthnRefusal) -> COSEAlgorithm {
        guard let number = members[.text("alg")]?.integer else { throw .statementMalformed }
        guard let algorithm = COSEAlgorithm(rawValue: number), algorithm != .rs1 || policy.admitsSHA1 && format == .tpm
        else { throw .statementAlgorithm }
        return algorithm
    }

    var hasChain: Bool { members[.text("x5c")] != nil }

    /// `x5c`, and the first of it read.
    func chain() throws(WebAuthnRefusal) -> (leaf: AttestationCertificate, chain: [[UInt8]]) {
        guard let items = members[.text("x5c")]?.array, (1...Self.longestChain).contains(items.count) else {
            throw .statementMalformed
        }
        let chain = items.compactMap(\.bytes)
        guard chain.count == items.count else { throw .statementMalformed }
        guard let first = chain.first, let leaf = try? AttestationCertificate(der: first) else {
            throw .certificateMalformed
        }
        return (leaf, chain)
    }

    /// Members that a format does not have refuse it.
    func expect(_ names: Set<String>) throws(WebAuthnRefusal) {
        for key in members.keys {
            guard case .text(let name) = key, names.contains(name) else { throw .statementMalformed }
        }
    }

    /// A certificate that states a model states this one (8.2.1).
    func checkModel(_ certificate: AttestationCertificate) throws(WebAuthnRefusal) {
        let stated: [UInt8]?
        do {
            stated = try certificate.model()
        } catch {
            throw .certificateMalformed
        }
        guard stated == nil || stated == attested.model else { throw .modelMismatch }
    }
}
