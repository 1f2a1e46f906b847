import Base
import Foundation
import Testing

@testable import Keys
@testable import PKIX

@Suite("RFC 8705 client certificates")
struct RFC8705CertificateTests {
    private static func read(_ base64: String, isTrusted: Bool = false) throws -> ClientCertificate {
        try ClientCertificate(der: Array(try #require(Data(base64Encoded: base64))), isTrusted: isTrusted)
    }

    @Test("the example of appendix A has the thumbprint printed there, and the key")
    func appendixA() async throws {
        let certificate = try Self.read(CertificateVectors.rfc)
        let jwk: JSONValue = [
            "kty": "EC", "crv": "P-256", "x": "1yfLHCpXqFjxCeHHHMVDTcLscpb07KUxudBmOMn8C7Q",
            "y": "8_coZwxS7LfA4vOLS9WuneIXhbGGWvsDSb0tH6IxLm8",
        ]

        #expect(certificate.thumbprint == "A4DtL2JmUMhAsvJj5tKyn64SqzmuXbMrJa0n761y5v0")
        #expect(try await certificate.publicKeyThumbprint == JSONWebKey(jwk).thumbprint)
        #expect(certificate.subject == "CN=mtls" && certificate.isNamed("CN=mtls"))
        #expect(
            certificate.notBefore == Date(numericDate: 1_539_866_229)
                && certificate.notAfter == Date(numericDate: 1_651_495_029))
    }

    @Test(
        "thumbprints of certificate and key are those of other libraries",
        arguments: [
            (
                CertificateVectors.names, "CgX6gvjxxtZjOjpAnyifUDbdCSdm15W4Bq91BGC3hjk",
                "W5WMsSbxfZjzzzOJY5gTDR56dMOAToWqZSDnZQA43EQ"
            ),
            (
                CertificateVectors.p384, "XDdux5aCEJ0-0pNueg4Zm7PPdlg9H48JGZEZYLqaYxA",
                "HaigGmDD_86trrkjsheTRklnvP0maKnlYnNOM5wS5Sc"
            ),
            (
                CertificateVectors.p521, "YzdmTku0DGbXXA9322zsgCUJWeaDRt7L-nWP6CKC53A",
                "-AAsNXJ7MAWGqiIgGbj6Xa2MgqanA0VZd8k7liooG9A"
            ),
            (
                CertificateVectors.ed25519, "6X2VVmLBNK2DhfiVPcCah_S7E9U7JSAzGC0NDdAESJ0",
                "7rE5XHicECfkqqnr3out2qRwZjECQ9LPCdCsb2g3D5U"
            ),
            (
                CertificateVectors.rsa, "RzTAZDTSPrSnEuj1Ni2W3XpUOhabIPWRNSBtrXFfZ1I",
                "krvK3lwN9Cajv0cPjT8DEu74e0nl57sA2xSmLR0NdNk"
            ),
        ])
    func thumbprints(base64: String, thumbprint: String, key: String) throws {
        let certificate = try Self.read(base64)

        #expect(certificate.thumbprint == thumbprint)
        #expect(certificate.publicKeyThumbprint == key)
    }

    @Test("names stand as they are, addresses in one spelling, other kinds are left out")
    func names() throws {
        let certificate = try Self.read(CertificateVectors.names)

        #expect(certificate.dnsNames == ["client.example.org", "*.example.org"])
        #expect(certificate.uris == ["https://client.example.org/id"])
        #expect(certificate.ips == ["192.0.2.7", "2001:db8::7"])
        #expect(certificate.emails == ["ada@example.org"])
    }

    @Test("it is trusted only when its maker says so", arguments: [true, false])
    func trust(isTrusted: Bool) throws {
        #expect(try Self.read(CertificateVectors.names, isTrusted: isTrusted).isTrusted == isTrusted)
    }

    @Test("what is no certificate is refused, and so is one with a byte more")
    func malformed() throws {
        let der = Array(try #require(Data(base64Encoded: CertificateVectors.names)))
        let large = [0x30, 0x83, 0x01, 0x00, 0x00] + [UInt8](repeating: 0, count: 65_536)

        for bytes in [[], [0x30], Array(der.dropLast()), der + [0], Array("-----BEGIN CERTIFICATE-----".utf8), large] {
            #expect(throws: MalformedCertificate.self) { try ClientCertificate(der: bytes, isTrusted: true) }
        }
    }

    @Test(
        "a key that is too small, or of a kind that nobody here knows, refuses its certificate",
        arguments: [CertificateVectors.shortRSA, CertificateVectors.ed448])
    func unusable(base64: String) {
        #expect(throws: MalformedCertificate.self) { try Self.read(base64) }
    }

    @Test("PEM is read in any width, with text around it; a broken one is none of them")
    func pem() throws {
        let one = CertificateVectors.p384, begin = "-----BEGIN CERTIFICATE-----", end = "-----END CERTIFICATE-----",
            der = try Self.read(one).der

        #expect(
            CertificatePEM.read(
                """
                subject=x\n\(begin)\n\(one)\n\(end)\n# and\r\n\(begin) \(one.prefix(76))\r\n\(one.dropFirst(76)) \
                \(end)
                """
            ) == [der, der])
        #expect(CertificatePEM.read("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----") == [])
        for broken in [
            "\(begin)\(one)", "\(begin)\(end)", "\(begin)*\(end)", "\(begin)\(one)\(end)\(begin)",
            "\(begin)\(begin)\(one)\(end)",
        ] {
            #expect(CertificatePEM.read(broken) == nil)
        }
    }
}
