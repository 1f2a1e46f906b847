/// # WebAuthn, floor 3
///
/// Owns the relying party's side of WebAuthn Level 3: what is asked, what authenticators and clients say, both
/// ceremonies, attestation. Values and arithmetic: no database, no clock, no state. Whatever comes from the network is
/// parsed by it into a value or refused with the check that refused; nothing in it traps. Only chains of certificates
/// are awaited. Does not own challenges, credentials or sessions (Liquid).
///
/// | file | what |
/// |---|---|
/// | `WebAuthnRefusal` | the check that refused, as log and audit explain it, with its section |
/// | `RelyingParty` | who asks, and what it insists on |
/// | `Encoding/CBOR` `CBORReader` | CBOR, strictly |
/// | `Encoding/COSEAlgorithm` `COSEKey` `SignatureCheck` | public keys that are sound, and their signatures |
/// | `Encoding/AuthenticatorData` `ClientData` | what authenticator and client say |
/// | `Attestation/AttestationPolicy` | formats, trust and roots that are accepted |
/// | `Attestation/AttestationObject` `AttestationStatement` | the statement taken apart, verified by its format, and what stands behind it |
/// | `Attestation/PackedAttestation` `U2FAttestation` `AppleAttestation` `AndroidKeyAttestation` `TPMAttestation` `TPMStructures` | one format each |
/// | `Ceremonies/RegistrationCeremony` `NewCredential` | registering: `verify` |
/// | `Ceremonies/AuthenticationCeremony` `CredentialResponse` | using: `verify`; what both ceremonies send |
/// | `Options/…` | what clients are asked, member by member |
///
/// 2026-11-22: CBOR is read by a decoder of our own: libcbor leaves members with one name and long forms to its caller,
/// who would parse everything a second time. The order of keys is not checked, as wallets shuffle them.
/// 2026-11-22: a COSE key has the parameters of its kind and no others (WebAuthn, 6.5.1.1). Keys that YubiKeys of one
/// firmware wrote with a wrong count are refused. 2026-11-22: with no roots configured a statement that is right counts
/// as `unverified`, and is accepted: attestation is not asked for by default. 2026-11-22: compound attestation (8.9)
/// and SafetyNet are not here: the one is made by nobody yet, the other's service is over. Both are `format_unknown`.
/// 2026-11-22: SHA-1 in TPM statements, and AAGUIDs in FIDO U2F statements (nothing signs them), are refused unless the
/// policy admits them. 2026-11-22: ECDSA goes with its curve also in attestation certificates: ES256 with P-256.
