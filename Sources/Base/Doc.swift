/// # Base, floor 1
///
/// Owns what every room needs and no protocol defines: bytes that are secret, base64url, the form and JSON
/// codecs, the clock, randomness, digests, the master key, and the identifiers of tree nodes.
/// Does not own any word of OAuth, any SQL, any I/O.
///
/// | file | what |
/// |---|---|
/// | `SecretBytes` `ConstantTime` | secrets without description, equality without timing |
/// | `Base64URL` `Base32` `FormCodec` `JSONValue` `JSONReader` | strict codecs: what is ambiguous is refused |
/// | `ByteEquality` | whether two texts are one for everybody else, too |
/// | `CSVReader` | comma-separated values as they come, both ways |
/// | `WallClock` `Randomness` | the two sources of surprise, as values that tests replace |
/// | `Digest` `MasterKey` | SHA-256, HMAC, and AES-256-GCM bound to a row |
/// | `WebAddress` `IPAddress` `CIDR` | URLs and addresses in one spelling; no name is looked up |
/// | `OutgoingRequest` | HTTP that somebody begins, and its answer, as values |
/// | `TokenBucket` `AddressRateLimit` `RequestRate` `ServiceLimit` | how much may come at once, and how much from one address or in one name; what of it is told |
/// | `BoundedMemory` | what is remembered while there is room |
/// | `NodeID` | an identifier that tells in which partition it lives |
///
/// 2026-11-21: the JSON reader is ours because Foundation's takes the last of two members with one name, and
/// RFC 7519 (4) and RFC 6749 (3.1) need the request refused instead.
