import Base

/// How protocol 4 makes keys from keys: KMAC-256 under a label (protocols/powerauth4.md).
public enum LabeledKey {
    /// Each key has one purpose; the words before the stroke tell from what it is derived.
    public enum Label: String, Sendable, CaseIterable {
        case authentication = "auth"
        case possession = "auth/possession"
        case knowledge = "auth/knowledge"
        case biometry = "auth/biometry"
        case envelopeEncryption = "aead/enc"
        case envelopeMAC = "aead/mac"
        case vault = "vault"
        case devicePrivate = "vault/kek-device-private"
        case applicationVaultKnowledge = "vault/kdk-app-vault-knowledge"
        case applicationVault2FA = "vault/kdk-app-vault-2fa"
        case utility = "util"
        case counterMAC = "util/mac/ctr-data"
        case statusMAC = "util/mac/status"
        case applicationTemporaryKey = "util/mac/get-app-temp-key"
        case activationTemporaryKey = "util/mac/get-act-temp-key"
        case personalizedData = "util/mac/personalized-data"
        case sharedInfo2 = "util/key-e2ee-sh2"
    }

    /// `diversifier` tells keys of one label apart, as each envelope has keys of its own.
    public static func derive(
        _ key: SecretBytes, _ label: Label, diversifier: [UInt8] = [], length: Int = 32
    ) throws(PowerAuthRefusal) -> SecretBytes {
        try derive(key, label: label.rawValue, diversifier: diversifier, length: length)
    }

    /// The label and the diversifier with their lengths are the message. In vectors of June 2025 the label stood in the
    /// customization string and the diversifier was the message.
    static func derive(
        _ key: SecretBytes, label: String, diversifier: [UInt8], length: Int
    ) throws(PowerAuthRefusal) -> SecretBytes {
        SecretBytes(
            try KMAC256.mac(
                key: key, BigEndian.sized([Array(label.utf8), diversifier]), .keyDerivation, length: length))
    }

    /// What a phone wraps its knowledge factor with; no server computes it. `salt` has 32 bytes or more.
    public static func ofPassword(
        _ password: SecretBytes, salt: [UInt8], length: Int = 32
    ) throws(PowerAuthRefusal) -> SecretBytes {
        guard salt.count >= 32 else { throw .keyMalformed }
        return SecretBytes(try KMAC256.mac(key: password, salt, .password, length: length))
    }
}
