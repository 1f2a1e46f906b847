/// # Vocabulary, floor 2
///
/// Owns the words of the protocols as pure values: OAuth's errors, grants and parameters, RSD's documents. Does not own
/// any decision, any I/O, any SQL. A wire string appears here once, as a raw value, and nowhere else.
///
/// | folder | words of |
/// |---|---|
/// | `RFC6454` | origins of web pages |
/// | `RFC6749` | OAuth 2.0: errors, grant types, token responses, parameters, scopes; credentials by Basic |
/// | `RFC7519` | types of JWTs |
/// | `RFC7591` | client metadata, redirect URIs and what they match, text for people |
/// | `RFC8693` | types of tokens in an exchange |
/// | `OpenID` | how well and when a person was authenticated |
/// | `RSD` | Really Simple Discovery 1 and 2 |
