/// Which step refused (never what goes on the wire, which tells no more than the protocol's codes). `explain` stands in
/// the audit.
public enum PowerAuthRefusal: String, Error, Equatable, Sendable, CaseIterable {
    // Headers
    case headerMissing = "header_missing"
    case headerMalformed = "header_malformed"
    case versionUnsupported = "version_unsupported"
    // Applications
    case unknownApplicationKey = "unknown_application_key"
    case applicationUnsupported = "application_version_unsupported"
    case configurationMalformed = "configuration_malformed"
    // Registrations
    case activationUnknown = "activation_unknown"
    case activationNotActive = "activation_not_active"
    case activationBlocked = "activation_blocked"
    case activationRemoved = "activation_removed"
    case activationOfOtherApplication = "activation_of_other_application"
    case activationCodeMalformed = "activation_code_malformed"
    case activationCodeUnknown = "activation_code_unknown"
    case activationCodeExpired = "activation_code_expired"
    case activationOTPMismatch = "activation_otp_mismatch"
    case activationTypeUnsupported = "activation_type_unsupported"
    case activationUnconfirmed = "activation_unconfirmed"
    case protocolNotTaken = "protocol_not_taken"
    case algorithmNotTaken = "algorithm_not_taken"
    case upgradeUnknown = "upgrade_unknown"
    case biometryOff = "biometry_off"
    // Signatures and tokens
    case signatureMismatch = "signature_mismatch"
    case factorNotAllowed = "factor_not_allowed"
    case tokenUnknown = "token_unknown"
    case tokenDigestMismatch = "token_digest_mismatch"
    case timestampOld = "timestamp_old"
    case timestampAhead = "timestamp_ahead"
    case replay = "replay"
    // Envelopes
    case bodyMalformed = "body_malformed"
    case envelopeMalformed = "envelope_malformed"
    case publicKeyMalformed = "public_key_malformed"
    case keyMalformed = "key_malformed"
    case macMismatch = "mac_mismatch"
    case ciphertextMalformed = "ciphertext_malformed"
    case plaintextMalformed = "plaintext_malformed"
    // Temporary keys
    case jwtMalformed = "jwt_malformed"
    case jwtSignatureMismatch = "jwt_signature_mismatch"
    case temporaryKeyUnknown = "temporary_key_unknown"
    case temporaryKeyExpired = "temporary_key_expired"
    case temporaryKeyOfOther = "temporary_key_of_other"
    // Shared secrets of protocol 4
    case algorithmUnsupported = "algorithm_unsupported"
    case sharedSecretMalformed = "shared_secret_malformed"
    // Offline and proximity codes
    case offlineDataMalformed = "offline_data_malformed"
    case offlineAnswerMalformed = "offline_answer_malformed"

    /// The word of the audit.
    public var explain: String { rawValue }
}
