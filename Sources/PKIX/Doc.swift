/// # PKIX, floor 2
///
/// Owns X.509 as clients and authenticators show it (RFC 5280, RFC 4514, RFC 7468): chains, names, the extensions of
/// attestation, and public keys by their numbers, with what makes one unsound. Values: no database, no clock. Does not
/// own which certificate is whose client's (Keys), nor what an attestation must say (WebAuthn).
///
/// | file | what |
/// |---|---|
/// | `CertificateChain` `CertificatePEM` `MalformedCertificate` | a chain as its peer shows it, and whether it ends at a root; PEM; why bytes are none |
/// | `CertificateSubject` `CertificateSubjectText` | distinguished names, compared by their attributes |
/// | `PublicKeyNumbers` `RSAModulus` `EdwardsPoint` | keys by their numbers, from any encoding; those that deserve no trust |
/// | `AttestationCertificate` `AttestationExtensions` `AttestationRoots` | certificates of authenticators, and the makers whose word is taken |
///
/// 2026-11-22: stands below Keys and WebAuthn, which both read certificates: a passkey's ceremony needs no signing keys
/// and no database.
