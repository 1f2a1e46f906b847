import Base
import Foundation
import Harness

@testable import HTTP
@testable import Keys
@testable import PKIX

/// Certificates as a proxy hands them on (`CertificateHeader`), and what is read of them. What is no header is taken as
/// DER.
enum CertificateTarget {
    static let target = Target("certificate", mutate: mutate, run: run)

    private static func run(_ input: [UInt8]) {
        if let der = CertificateHeader.der(String(decoding: input, as: UTF8.self)) {
            require(der.count <= input.count, "bytes are not more than their base64")
            read(der)
        } else {
            read(input)
        }
        if let name = CertificateSubject(String(decoding: input, as: UTF8.self)) { written(name) }
    }

    private static func read(_ der: [UInt8]) {
        let certificate: ClientCertificate
        do {
            certificate = try ClientCertificate(der: der, isTrusted: false)
        } catch {
            return require(!error.description.isEmpty, "a refusal says why")
        }
        require(!certificate.isTrusted && certificate.der == der, "a certificate is its bytes")
        require(certificate.thumbprint == Base64URL.encode(Digest.sha256(der)), "RFC 8705, 3.1")
        let colons = ":" + Data(der).base64EncodedString() + ":"
        require(CertificateHeader.der(colons) == der, "RFC 9440 writes what is read")
        require(certificate.ips.allSatisfy { IPAddress($0) != nil }, "addresses are addresses")
        let subject = certificate.subject
        guard subject.utf8.count <= 4_096 else { return }
        require(
            certificate.isNamed(subject) == !subject.isEmpty,
            "a certificate has the name that is written for it: \(subject)")
    }

    private static func written(_ name: CertificateSubject) {
        let text = name.description
        guard text.utf8.count <= 4_096 else { return }
        require(CertificateSubject(text) == name, "a name is read as it is written: \(text.debugDescription)")
    }

    /// Changes the DER inside of `:base64:`, three times of four.
    private static func mutate(_ input: [UInt8], _ limit: Int, _ seed: UInt32) -> [UInt8]? {
        guard seed % 4 != 0, input.first == UInt8(ascii: ":"), input.count > 2,
            let der = Data(base64Encoded: Data(input.dropFirst().dropLast()))
        else { return nil }
        return Array((":" + Data(Driver.mutated(Array(der), limit: der.count + 32)).base64EncodedString() + ":").utf8)
    }
}
