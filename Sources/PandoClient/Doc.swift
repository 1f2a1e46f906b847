/// # PandoClient, beside the floors
///
/// Owns what an app and a service of the federation need in Swift: registration, login, discovery, assertions, tokens
/// and their refreshing, DPoP and self-made JWTs; assertions, access tokens, proofs and events on the service's side. A
/// library product: it imports no target of this package, and runs on Linux and Apple's platforms. Does not own where
/// keys and tokens are kept, nor any page.
///
/// | folder | what |
/// |---|---|
/// | `JOSE` | keys, JWS and JWTs (RFC 7515, 7517, 7519, 7638) |
/// | `HTTP` | `Transport`, an issuer's metadata (RFC 8414), `KeyHolder` (RFC 9449), `Tokens` and `TokenFamily` |
/// | `App` | `AppVersion`, `Instance`, `Person`, `ServiceAccess`: docs/for-app-makers.md, step by step |
/// | `Web` | `WebClient`: browser, device (RFC 8628), machine |
/// | `Service` | what docs/join-the-federation.md asks a service to check |
///
/// 2026-11-23: signatures are ES256 and EdDSA alone, as `Crypto` has no RSA. A federation whose first algorithm is
/// RS256 has assertions and events that this library refuses.
///
/// 2026-11-26: a service asks for events at its start, and when it heard nothing for long (`EventReceiver.catchUp`):
/// what is pushed comes late to one that was down, and a gap shows only with the next event.
