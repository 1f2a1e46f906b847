import Base
import Foundation

/// Registering a credential (WebAuthn, 7.1).
public enum RegistrationCeremony {
    /// Everything but what only a store knows: that the challenge is this session's and unused (R3), and that the id is
    /// new (R18).
    ///
    /// Consume the challenge before, whatever comes of it. Outputs of extensions are not looked at (R20).
    public static func verify(
        _ json: JSONValue, challenge: [UInt8], party: RelyingParty, at moment: Date
    ) async throws(WebAuthnRefusal) -> NewCredential {
        let response = try CredentialResponse(json)
        let clientData = try response.bytes("clientDataJSON"), attestation = try response.bytes("attestationObject")
        try ClientData(clientData).check(.create, challenge: challenge, party)

        let object = try AttestationObject(attestation), data = object.data
        try data.check(party)
        guard let attested = data.attested else { throw .attestedCredentialMissing }
        guard attested.id == response.id else { throw .credentialIDNotAttested }
        let key = try COSEKey(bytes: attested.keyBytes, value: attested.key)
        guard party.algorithms.contains(key.algorithm) else { throw .algorithmNotOffered }

        let statement = AttestationStatement(
            format: object.format, members: object.statement, data: data, attested: attested, key: key,
            clientDataHash: Digest.sha256(clientData), policy: party.attestation)
        let (type, trust) = try await statement.trust(at: moment)
        return NewCredential(
            id: attested.id, key: key, counter: data.counter, userVerified: data.flags.contains(.userVerified),
            backupEligible: data.flags.contains(.backupEligible), backedUp: data.flags.contains(.backedUp),
            model: attested.model,
            transports: response.transports, format: object.format, type: type, trust: trust,
            attestationObject: object.bytes)
    }
}
