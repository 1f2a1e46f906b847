/// Which check of WebAuthn refused, one case each (what goes on the wire is the door's matter). `explain` stands in the
/// audit.
///
/// R and A are the numbers of protocols/liquid.md, 5.1 and 5.2; `section` names the place in WebAuthn Level 3.
public enum WebAuthnRefusal: String, Error, Equatable, Sendable, CaseIterable {
    // R1, A1: the shape
    case responseMalformed = "response_malformed"
    case typeNotPublicKey = "type_not_public_key"
    case credentialIDMalformed = "credential_id_malformed"
    case credentialIDMismatch = "credential_id_mismatch"
    case userHandleMalformed = "user_handle_malformed"
    // R2 to R7: client data
    case clientDataMalformed = "client_data_malformed"
    case clientDataDuplicate = "client_data_duplicate"
    case clientDataTypeMismatch = "client_data_type_mismatch"
    /// None was issued to this session and flow, or it is over or used. For whoever keeps challenges; `verify` is given
    /// one.
    case challengeUnknown = "challenge_unknown"
    case challengeMismatch = "challenge_mismatch"
    case originNotAllowed = "origin_not_allowed"
    case crossOriginNotAllowed = "cross_origin_not_allowed"
    case topOriginNotAllowed = "top_origin_not_allowed"
    case tokenBindingMalformed = "token_binding_malformed"
    // R8 to R13, A5, A7: attestation object and authenticator data
    case attestationObjectMalformed = "attestation_object_malformed"
    case authenticatorDataMalformed = "authenticator_data_malformed"
    case rpIDMismatch = "rp_id_mismatch"
    case userNotPresent = "user_not_present"
    case userNotVerified = "user_not_verified"
    case backupStateImpossible = "backup_state_impossible"
    case attestedCredentialMissing = "attested_credential_missing"
    case credentialIDLength = "credential_id_length"
    case credentialIDNotAttested = "credential_id_not_attested"
    case extensionsMalformed = "extensions_malformed"
    // R14: the key
    case keyMalformed = "key_malformed"
    case keyUnsound = "key_unsound"
    case algorithmNotOffered = "algorithm_not_offered"
    // R15 to R17: attestation
    case formatUnknown = "format_unknown"
    case formatNotAccepted = "format_not_accepted"
    case statementMalformed = "statement_malformed"
    case statementAlgorithm = "statement_algorithm"
    case statementSignature = "statement_signature"
    case certificateMalformed = "certificate_malformed"
    case certificateUnfit = "certificate_unfit"
    case certificateKeyMismatch = "certificate_key_mismatch"
    case modelMismatch = "model_mismatch"
    case u2fKey = "u2f_key"
    case u2fModel = "u2f_model"
    case appleNonce = "apple_nonce"
    case androidChallenge = "android_challenge"
    case androidAuthorizations = "android_authorizations"
    case tpmVersion = "tpm_version"
    case tpmStructure = "tpm_structure"
    case tpmPublicArea = "tpm_public_area"
    case tpmCertified = "tpm_certified"
    case tpmExtraData = "tpm_extra_data"
    case tpmName = "tpm_name"
    case attestationUntrusted = "attestation_untrusted"
    // R18, A2, A3, A8, A9: what depends on what is stored
    /// For whoever keeps credentials.
    case credentialExists = "credential_exists"
    case credentialNotAllowed = "credential_not_allowed"
    /// For whoever keeps credentials.
    case credentialUnknown = "credential_unknown"
    case userHandleMissing = "user_handle_missing"
    case userHandleMismatch = "user_handle_mismatch"
    case signatureMismatch = "signature_mismatch"
    /// For whoever refuses what `AssertionOutcome.counterRegressed` tells.
    case counterRegressed = "counter_regressed"

    /// The word of the audit.
    public var explain: String { rawValue }

    /// WebAuthn Level 3.
    public var section: String {
        switch self {
        case .responseMalformed, .typeNotPublicKey, .credentialIDMalformed, .credentialIDMismatch, .userHandleMalformed:
            "5.1"
        case .clientDataMalformed, .clientDataDuplicate: "5.8.1"
        case .clientDataTypeMismatch, .challengeUnknown, .challengeMismatch, .originNotAllowed, .crossOriginNotAllowed,
            .topOriginNotAllowed,
            .rpIDMismatch, .userNotPresent, .userNotVerified, .backupStateImpossible, .algorithmNotOffered,
            .formatUnknown:
            "7.1, 7.2"
        case .tokenBindingMalformed: "5.8.1"
        case .attestationObjectMalformed: "6.5.4"
        case .authenticatorDataMalformed: "6.1"
        case .attestedCredentialMissing, .credentialIDLength, .credentialIDNotAttested: "6.5.1"
        case .extensionsMalformed: "9.5"
        case .keyMalformed, .keyUnsound: "6.5.1.1, 5.8.5"
        case .formatNotAccepted, .attestationUntrusted, .credentialExists: "7.1"
        case .statementMalformed, .statementAlgorithm, .statementSignature, .certificateMalformed, .certificateUnfit,
            .certificateKeyMismatch:
            "8"
        case .modelMismatch: "8.2.1"
        case .u2fKey, .u2fModel: "8.6"
        case .appleNonce: "8.8"
        case .androidChallenge, .androidAuthorizations: "8.4"
        case .tpmVersion, .tpmStructure, .tpmPublicArea, .tpmCertified, .tpmExtraData, .tpmName: "8.3"
        case .credentialNotAllowed, .credentialUnknown, .userHandleMissing, .userHandleMismatch, .signatureMismatch:
            "7.2"
        case .counterRegressed: "6.1.1"
        }
    }
}
