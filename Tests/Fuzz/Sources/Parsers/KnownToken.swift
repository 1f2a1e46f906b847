import Base
import Harness
import Keys

/// Keys whose private halves are forgotten, and the one token that each has signed.
struct KnownToken: Sendable {
    let key: JSONWebKey
    let compact: String
    /// ECDSA signs (r, s) and (r, n - s) alike, and JWS does not ask for the smaller (RFC 7518, 3.4): whoever has seen
    /// one can write the other. Nobody may therefore tell tokens apart by their signatures; Pando does by `jti`.
    let twin: String?

    static let turner = Turner()
    static let all = [
        KnownToken(
            [
                "kty": "EC", "crv": "P-256", "x": "3PwBW7L-zIl0wOuZPltCTL_H53oOc7PMnLlVzVH06rQ",
                "y": "TOC9d6Q8ITTg-9YTSPI8Xm3aRwCh-_w9b4i75wiLpqo",
            ],
            es256, twin: es256.split(separator: ".").prefix(2).joined(separator: ".") + "." + es256Twin),
        KnownToken(["kty": "OKP", "crv": "Ed25519", "x": "G03KrB_xMUnEaOtqzvX90qiJCxFkYhG3kxGjNasyqnY"], ed25519),
        KnownToken(["kty": "RSA", "n": .string(modulus), "e": "AQAB"], rs256),
    ]

    private init(_ jwk: JSONValue, _ compact: String, twin: String? = nil) {
        switch KnownToken.turner.run({ try await JSONWebKey(jwk) }) {
        case .success(let key): (self.key, self.compact, self.twin) = (key, compact, twin)
        case .failure(let error): violated("a known key is a key: \(error)")
        }
    }

    private static let es256 =
        """
        eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCIsImtpZCI6ImEifQ.eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUub3JnIiwic3ViIjoic\
        GhvbmUiLCJhdWQiOiJodHRwczovL2lkL
        """
            + """
            mV4YW1wbGUub3JnL3Rva2VuIiwiaWF0IjoxODAwMDAwMDAwLCJleHAiOjE4MDAwMDAzMDAsImp0aSI6IjdmM2EiLCJzY29wZSI6Im9wZ\
            W5pZCBwcm9maWxlIn0.PBfMfGEQq5QETUf96
            """
        + "H9xnNrQiLEAwnbOiqvYpbAuFrjYi1li2jWiOznEjtyybvY7aCSxox9XAEJEx-DgUciyYQ"
    private static let es256Twin =
        "PBfMfGEQq5QETUf96H9xnNrQiLEAwnbOiqvYpbAuFrgndKacJcpdxcY7cSNNkQnEVMJJCofAnkKu8eniqppy8A"
    private static let ed25519 =
        """
        eyJhbGciOiJFZERTQSIsInR5cCI6IkpXVCIsImtpZCI6ImIifQ.eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUub3JnIiwic3ViIjoicGhvb\
        mUiLCJhdWQiOiJodHRwczovL2lkLmV4Y
        """
            + """
            W1wbGUub3JnL3Rva2VuIiwiaWF0IjoxODAwMDAwMDAwLCJleHAiOjE4MDAwMDAzMDAsImp0aSI6IjdmM2EiLCJzY29wZSI6Im9wZW5pZ\
            CBwcm9maWxlIn0.Cr9VP4pp5qeAU1qfKshiF
            """
        + "BEj6r2TRS-ghpMaGKJB-XB2TNcF9zp8v_L5ZwOIBHuBQTkMX1GvXn7ht06IEzo5CQ"
    private static let modulus =
        """
        mprQIK1qrHyFsC-iTEsbatXJ-JIcwigwSAZqTO4Loqf7lb4hvfp7VXDd6tDD7S0F-ZfASZ3JKZrh4_jkw8nhoYzgR5DS_Gpgj0pZOuw5HoMq\
        DSwGGpFBffzHyHYSgBkHd5uNhYSuYtS8
        """
            + """
            hgdkTlyRrDNCSbIThbWN_QbvTRkY-IcW5rhdz6M9-0dMa7RqKWKIwDkKw5HFTqec93mkk5OY2Zi9hEkpNTRk3c-gTpllndRGqoX3BaK9\
            jiSgA5N85NZl03_bLVk01hfRjtIZQUiFe7vE
            """
        + "fyft4yLrJaZ9Eb2rqULR9lFuCSVbDcr9wziAy9NdRSx6mAIH8Qsk39zYuq3l3Q"
    private static let rs256 =
        """
        eyJhbGciOiJSUzI1NiIsImtpZCI6ImMifQ.eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUub3JnIiwic3ViIjoicGhvbmUiLCJhdWQiOlsiY\
        SIsImIiXSwiaWF0IjoxODAwMDAwMDAwL
        """
            + """
            jUsImV4cCI6MTgwMDAwMDMwMCwianRpIjoiN2YzYSIsInNjb3BlIjoib3BlbmlkIHByb2ZpbGUifQ.Sv80ryVO1L3bTCmqCl9Xu8A2uC\
            jKQ6ZSaxcJNLGunn0WaISwXV4dAQdZwyA8ZX
            """
            + """
            OxFJLTRKBuTFibgLsfjNCMmfrtOx2LbRZjQBso3N0yGXIhkouhWI0M0fYTeTg8jahCC0LzH8zOwUg93noyTrp1Y_3XKZBZmi4yoQxzdM\
            n7schOWjNENXvL7O0IgUzUof1P9ZIXh9sgE-
            """
            + """
            zW-KfPFtuFTYViYZlTno3JtdNPFje6u6nuUFULTe7SjvKcx03CArNEY0sGCpcXFU3MlqAUYAh43v_hGE4QHOXntwj7dgSoYrI7M7oCFu\
            EtIrUupGIXy7vIXK4DGVD4T1D7rZ1h_6L5kg
            """
}
