/// # PowerAuth, floor 2
///
/// Owns the protocol between Wultra's mobile SDKs and a server (PowerAuth 3.0 to 3.3): signatures, envelopes,
/// activation, status, tokens, offline codes. Values and arithmetic: no database, no clock, no state. Whatever comes
/// from the network is parsed by it into a value or refused with the step that refused; nothing in it traps. Does not
/// own what a registration, a counter or an operation is (Operations). Facts: protocols/operations.md.
///
/// | file | what |
/// |---|---|
/// | `PowerAuthRefusal` | the step that refused, as the audit explains it |
/// | `PowerAuthVersion` | 3.0 to 3.3, and what differs between them |
/// | `KeyDerivation` `BlockCipher` `BigEndian` | KDF, X9.63, AES-CBC: what everything below is computed with |
/// | `Base64Text` `CRC16` `CompactJWT` `DecimalCode` `Milliseconds` | codecs, one spelling per value; time as phones tell it |
/// | `PowerAuthKeyPair` `PublicPoint` `ActivationKeys` | one P-256 pair to agree and to sign; points from the network; what both sides share |
/// | `HashCounter` `Factor` `FactorType` `FactorSignature` | the counter and what is signed with it |
/// | `HeaderMembers` `SignatureHeader` `TokenHeader` `EncryptionHeader` | the `X-PowerAuth-…` headers in the dialects of both SDKs |
/// | `ECIES` `ECIESContext` `ECIESLabel` `EnvelopeKeys` `Envelope` | requests opened and responses sealed |
/// | `TemporaryKeyRequest` `TemporaryKeyResponse` | the JWTs of `/pa/v3/keystore/create` |
/// | `ActivationCode` `Fingerprint` `SDKConfiguration` `StatusBlob` `ActivationState` `TokenDigest` | activation, status and tokens |
/// | `OfflineCode` `OfflineAnswer` `ProximityCode` | QR codes without a network, and proof of having seen the screen |
///
/// 2026-11-21: Base64 and Base32 are read strictly, since a second spelling of a nonce or of a code would be a second
/// value to a replay check.
