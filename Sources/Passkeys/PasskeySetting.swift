import HTTP

/// Their names are older than this product: wallets have the same passkeys, and had them first.
extension Setting {
    static let passkeyName = Setting(
        "liquid-name", "what phones and browsers call this server beside a passkey", default: "Pando", namesServer: true
    )
    static let relyingParty = Setting(
        "liquid-rp-id",
        """
        domain that passkeys are bound to: the issuer's host, or one above it; empty for the host. Another one ends \
        all passkeys
        """
    )
    static let attestation = Setting(
        "liquid-attestation", "whether makers of authenticators are asked for: none, indirect, direct, enterprise",
        default: "none")
    static let attestationRoots = Setting(
        "liquid-attestation-roots",
        "PEM files of makers' roots by format: packed=FILE, fido-u2f=…, apple=…, android-key=…, tpm=…, comma separated")
    static let passkeyOrigins = Setting(
        "passkey-origins",
        "origins of apps that people of this IdP use passkeys in: android:apk-key-hash:…, comma separated")

    static let ofPasskeys: [Setting] = [passkeyOrigins, passkeyName, relyingParty, attestation, attestationRoots]
}
