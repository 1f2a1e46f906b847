import Base
import Crypto
import Foundation
import SwiftASN1
import X509

/// A certificate with its private key.
public struct TestCertificate: Sendable {
    public let der: [UInt8]
    public let pem: String
    /// PKCS #8.
    public let keyPEM: String
    let key: P256.Signing.PrivateKey
    let certificate: Certificate

    /// `x5t#S256`.
    public var thumbprint: String { Base64URL.encode(SHA256.hash(data: der)) }
    public var base64: String { Data(der).base64EncodedString() }
    public var jwk: JSONValue {
        let point = [UInt8](key.publicKey.rawRepresentation)
        return [
            "crv": "P-256", "kty": "EC", "x": .string(Base64URL.encode(point[..<32])),
            "y": .string(Base64URL.encode(point[32...])),
        ]
    }

    fileprivate init(_ certificate: Certificate, _ key: P256.Signing.PrivateKey) throws {
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        (der, pem, keyPEM) = (
            serializer.serializedBytes, try certificate.serializeAsPEM().pemString + "\n", key.pemRepresentation
        )
        (self.certificate, self.key) = (certificate, key)
    }

    /// Signed by itself.
    public static func selfSigned(_ name: String) throws -> TestCertificate { try TestAuthority(name).own }
}

/// Issues certificates, valid from 2020 to 2100.
public struct TestAuthority: Sendable {
    /// The beginning of 2100.
    public static let end = Date(timeIntervalSince1970: 4_102_444_800)

    public let own: TestCertificate

    public init(_ name: String) throws {
        let key = P256.Signing.PrivateKey()
        let subject = try DistinguishedName { CommonName(name) }
        own = try TestCertificate(
            TestAuthority.certificate(subject, key.publicKey, by: subject, key, TestAuthority.powers), key)
    }

    private init(own: TestCertificate) { self.own = own }

    private static var powers: Certificate.Extensions {
        get throws {
            try Certificate.Extensions { Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil)) }
        }
    }

    /// An authority below this one.
    public func deputy(_ name: String) throws -> TestAuthority {
        let key = P256.Signing.PrivateKey()
        return try TestAuthority(
            own: TestCertificate(
                TestAuthority.certificate(
                    DistinguishedName { CommonName(name) }, key.publicKey, by: own.certificate.subject, own.key,
                    TestAuthority.powers), key))
    }

    /// For `localhost`, or another host, by its name or its address; and for a client of that name.
    public func issue(
        _ name: String, host: String = "localhost", until end: Date = TestAuthority.end
    ) throws -> TestCertificate {
        let key = P256.Signing.PrivateKey()
        let address = IPAddress(host).map { ASN1OctetString(contentBytes: $0.bytes[...]) }
        return try TestCertificate(
            TestAuthority.certificate(
                DistinguishedName { CommonName(name) }, key.publicKey, by: own.certificate.subject, own.key,
                Certificate.Extensions {
                    SubjectAlternativeNames([address.map(GeneralName.ipAddress) ?? .dnsName(host)])
                }, until: end), key)
    }

    private static func certificate(
        _ subject: DistinguishedName, _ key: P256.Signing.PublicKey, by issuer: DistinguishedName,
        _ issuerKey: P256.Signing.PrivateKey,
        _ extensions: Certificate.Extensions, until end: Date = TestAuthority.end
    ) throws -> Certificate {
        try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(key),
            notValidBefore: Date(timeIntervalSince1970: 1_577_836_800),
            notValidAfter: end, issuer: issuer, subject: subject,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: extensions, issuerPrivateKey: .init(issuerKey))
    }
}
