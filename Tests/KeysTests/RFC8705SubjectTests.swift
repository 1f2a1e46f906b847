import Foundation
import Testing

@testable import Keys
@testable import PKIX

@Suite("RFC 8705 subjects of client certificates (RFC 4514)")
struct RFC8705SubjectTests {
    private static let subject =
        ##"CN=Ada Lučić+serialNumber=7,L=Bern,emailAddress=ada@example.org,UID=ada,OU=\#hash,"##
        + #"O=\ Lead\, and\; \"quotes\" \\ \<tail\> a=b\ ,DC=example,C=CH"#

    private static var certificate: ClientCertificate {
        get throws {
            try ClientCertificate(
                der: Array(try #require(Data(base64Encoded: CertificateVectors.names))), isTrusted: false)
        }
    }

    @Test("a subject is written as OpenSSL writes it, and read back as itself")
    func written() throws {
        let certificate = try Self.certificate

        #expect(certificate.subject == Self.subject)
        #expect(certificate.isNamed(Self.subject))
    }

    @Test(
        "spelling does not matter",
        arguments: [
            #"""
            serialNumber=7 + cn=Ada Lučić, L=Bern, E=ada@example.org, uid=ada, ou=\23hash, O=\20Lead\2c and\3B \#
            \22quotes\22 \5C \3ctail\3E a\=b\20, dc=example, C = CH
            """#,
            ##"2.5.4.3=Ada Lu\C4\8Di\C4\87+2.5.4.5=7,L=#1e08004200650072006e,"##
                + ##"1.2.840.113549.1.9.1=#160f616461406578616d706c652e6f7267,UID=ada,OU=\#hash,"##
                + #"O=\ Lead\, and\; \"quotes\" \\ \<tail\> a=b\ ,DC=#0c076578616d706c65,C=CH"#,
        ])
    func spellings(text: String) throws {
        #expect(try Self.certificate.isNamed(text))
    }

    @Test(
        "another name is not this one",
        arguments: [
            "CN=Ada Lučić",
            "", " ", "CN", "=x", "CN=", "CN=Ada Lučić,", "CN=a;C=CH", "CN=\"Ada\"", "CN=a\\", "CN=a\\zz", "CN=a\\c",
            "CN=#", "CN=#0", "CN=#zz", "CN=#0c05", "nobody=x", "1=x",
            "CN=a+CN=a", subject.replacing("Ada", with: "ada"), subject.replacing("Bern", with: " Bern\\ "),
            subject.replacing("+serialNumber=7", with: ""),
            subject.replacing("+serialNumber", with: ",serialNumber"), subject + ",CN=root", subject + "\\ ",
            subject.split(separator: ",").reversed().joined(separator: ","), "OU=first," + subject,
        ])
    func others(text: String) throws {
        #expect(try !Self.certificate.isNamed(text))
    }

    @Test("of a name without a well-known type the value stands in hexadecimal")
    func hexadecimal() {
        #expect(CertificateSubject("1.2.3.4=#0c0770726976617465")?.description == "1.2.3.4=#0c0770726976617465")
        #expect(CertificateSubject("1.2.3.4=private") == CertificateSubject("1.2.3.4=#0c0770726976617465"))
        #expect(CertificateSubject("CN=#0201ff")?.description == "CN=#0201ff")
    }

    @Test("an empty subject is nobody, even for an empty text")
    func empty() throws {
        let unnamed = try ClientCertificate(
            der: Array(try #require(Data(base64Encoded: ChainVectors.unnamed))), isTrusted: true)

        #expect(unnamed.subject.isEmpty && !unnamed.isNamed("") && unnamed.dnsNames == ["bare.example.org"])
    }
}
