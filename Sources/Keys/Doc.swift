/// # Keys, floor 3
///
/// Owns everything that is signed or checked with a key that has a name: compact JWS and JWT, public keys as JWK, the
/// issuer's own signing keys and their rotation, the key sets of other issuers, certificates of clients. The only user
/// of JWTKit; certificates are read by PKIX. Does not own what a token means: which `typ`, `iss`, `aud`, `exp` is right
/// is decided by the flow that reads it. Two claims mean the same wherever they stand and are read here: `nbf`
/// (`JWT.hasBegun`) and `cnf` (`Confirmation`).
///
/// | folder, file | what |
/// |---|---|
/// | `RFC7515/CompactJWS` | header, payload and signature taken apart, strictly |
/// | `RFC7519/JWT` | a JWS whose payload is claims |
/// | `RFC7800/Confirmation` | the key that a JWT brings with it (`cnf`) |
/// | `RFC7517/JSONWebKey` `KeyMaterial` `JSONWebKeySet` | public keys that are sound, RFC 7638 thumbprints, sets |
/// | `RFC7517/GeneratedKey` | a key pair for somebody else, as JWKs |
/// | `RFC7518/SigningAlgorithm` `Primitive` `PrivateSigningKey` | names of algorithms; the seam to JWTKit |
/// | `SigningKeys/…` | table `signing_key`: signing, publishing, rotation, compromise (`RotationPlan` decides, `RotateKeys` writes) |
/// | `RemoteKeys/…` | JWKS by URL: cached, rate-limited, alive when the peer is not |
/// | `X509/…` | certificates of clients (RFC 8705): thumbprints, names, which authority they are below |
/// | `SealedSecrets` | keys that outlive a change of the master key: of refresh tokens, of pseudonyms, of nonces |
/// | `RFC7519/ProviderKey` | a private key from outside to sign with: of APNs, of a service account |
///
/// JWTKit's own parsers are not used: they take the last of two members with one name and know no `crit`. Only its
/// signatures over bytes are, by way of `Primitive`.
///
/// 2026-11-21: no `alg: none` anywhere, in any spelling; no JSON serialization; no `crit` extension, so its presence
/// refuses. 2026-11-21: a JWK that states an `alg` is used with that one only (RFC 8725, 3.1); an `alg` that does not
/// fit the key refuses the key. An RSA key without `alg` verifies RS256 to PS512, and counts as RS256 where one name is
/// needed. 2026-11-21: a key set for registration refuses what is unsound; a fetched one leaves it out (RFC 7517, 5),
/// because the peer's other keys are not to blame.
/// 2026-11-21: the private half of a signing key is deleted when the key starts retiring: it never signs again.
/// 2026-11-21: a compromised key is `revoked`, and the next one of its algorithm too: it lay in the same store, and
/// others may have cached it as ours. Fresh ones sign at once, unannounced: relying parties that know the thief's key
/// only must see a kid that they do not know. 2026-11-21: RSA keys of this issuer have 2048 bits: what every verifier
/// takes (RFC 7518, 3.3), for keys that sign for 90 days. 2026-11-21: keys of an algorithm no longer configured stay
/// published and are not rotated: another role that shares the database may be configured with it.
/// 2026-11-22: a certificate is what TLS showed, trusted or not. Subjects compare by their attributes and never fold
/// case: an authority that issues two names which differ by case alone issues them to two clients.
/// 2026-11-24: a signature of ours that was found good is remembered by the digest of the whole text, as nothing else
/// can have that digest; whether its key counts still is asked each time.
