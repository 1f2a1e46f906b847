/// # PowerAuth, floor 2
///
/// Owns the protocol between Wultra's mobile SDKs and a server (PowerAuth 3.0 to 3.3, and 4.0): signatures, envelopes,
/// activation, status, tokens, offline codes. Values and arithmetic: no database, no clock, no state. Whatever comes
/// from the network is parsed by it into a value or refused with the step that refused; nothing in it traps. Does not
/// own what a registration, a counter or an operation is (Operations). Facts: protocols/operations.md, and of protocol
/// 4 protocols/powerauth4.md.
///
/// | file | what |
/// |---|---|
/// | `PowerAuthRefusal` | the step that refused, as the audit explains it |
/// | `PowerAuthVersion` | 3.0 to 3.3 and 4.0, and what differs between them |
/// | `KeyDerivation` `BlockCipher` `BigEndian` | KDF, X9.63, AES-CBC: what everything below is computed with |
/// | `Base64Text` `CRC16` `CompactJWT` `DecimalCode` `Milliseconds` | codecs, one spelling per value; time as phones tell it |
/// | `PowerAuthKeyPair` `PublicPoint` `ActivationKeys` | one P-256 pair to agree and to sign; points from the network; what both sides share |
/// | `HashCounter` `Factor` `FactorType` `FactorSignature` | the counter and what is signed with it |
/// | `HeaderMembers` `SignatureHeader` `TokenHeader` `EncryptionHeader` | the `X-PowerAuth-…` headers in the dialects of both SDKs |
/// | `ECIES` `ECIESContext` `ECIESLabel` `EnvelopeKeys` `Envelope` | requests opened and responses sealed |
/// | `TemporaryKeyRequest` `TemporaryKeyResponse` `TemporaryKeyClaims` | the JWTs of `/pa/v3/keystore/create`, and what those of both protocols ask for |
/// | `ActivationCode` `Fingerprint` `SDKConfiguration` `StatusBlob` `ActivationState` `TokenDigest` | activation, status and tokens |
/// | `OfflineCode` `OfflineAnswer` `ProximityCode` | QR codes without a network, and proof of having seen the screen |
///
/// Protocol 4 (folder `Protocol4`); headers, counters, tokens, fingerprints, configurations and offline codes above are
/// of both protocols.
///
/// | file | what |
/// |---|---|
/// | `KMAC256` `LabeledKey` | the MAC of everything, and keys from keys under a label |
/// | `SharedSecretAlgorithm` `SharedSecretRequest` `SharedSecretOffer` `EllipticKEM` `LatticeKEM` | the suites, the server's side and the phone's of a shared secret |
/// | `HybridKeyPair` `HybridPublicKey` `GeneralJWS` | P-384 and ML-DSA to sign with, and what both sign |
/// | `ActivationSecret` `AuthenticationCode` `ActivationStatus` | what both sides share, and what is made with it |
/// | `AEAD` `EnvelopeLabel` `EnvelopeContext` `SealedRequest` | requests opened and responses sealed |
/// | `TemporarySecretRequest` `TemporarySecretResponse` `KeyExchangeRequest` | keys of `/pa/v4/keystore/create`, of activations and of upgrades |
///
/// 2026-11-27: KMAC-256 is OpenSSL's (`CKMAC`), as swift-crypto has SHA-3, ML-KEM, ML-DSA and HPKE and no KMAC; libpq
/// and libcurl bring the same library into the process. Its names are seen by one C file only, as BoringSSL has some of
/// them too.
///
/// 2026-11-21: Base64 and Base32 are read strictly, since a second spelling of a nonce or of a code would be a second
/// value to a replay check.
