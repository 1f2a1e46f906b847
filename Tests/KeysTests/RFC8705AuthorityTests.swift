import Base
import Foundation
import Testing

@testable import Keys
@testable import PKIX

@Suite("RFC 8705 authorities of client certificates")
struct RFC8705AuthorityTests {
    private static let now = Date(numericDate: 1_800_000_000)

    private static func der(_ base64: String) throws -> [UInt8] { Array(try #require(Data(base64Encoded: base64))) }
    private static func pem(_ base64: String) -> String {
        "-----BEGIN CERTIFICATE-----\n\(base64)\n-----END CERTIFICATE-----\n"
    }

    private func trusts(
        _ chain: [String], roots: [String] = [ChainVectors.root], at moment: Date = now
    ) async throws -> Bool {
        try await ClientAuthorities(pem: roots.map(Self.pem).joined()).trusts(try chain.map(Self.der), at: moment)
    }

    @Test("a certificate below an authority is trusted, through another one too")
    func trusted() async throws {
        #expect(try await trusts([ChainVectors.plain]))
        #expect(try await trusts([ChainVectors.client, ChainVectors.middle]))
        #expect(try await trusts([ChainVectors.client], roots: [ChainVectors.middle]))
        #expect(try await trusts([ChainVectors.plain], roots: [CertificateVectors.p384, ChainVectors.root]))
    }

    @Test("a critical alternative name is understood")
    func criticalName() async throws {
        #expect(try await trusts([ChainVectors.unnamed]))
    }

    @Test(
        "what is not below an authority is not trusted",
        arguments: [
            ("its own authority", [CertificateVectors.p384]),
            ("an authority of the same name", [ChainVectors.impostor]),
            ("the authority between is missing", [ChainVectors.client]),
            ("meant for servers", [ChainVectors.server]),
            ("a critical extension that nobody knows", [ChainVectors.strange]), ("expired", [ChainVectors.expired]),
            ("signed by one that is no authority", [ChainVectors.byLeaf, ChainVectors.plain]), ("nothing", []),
            ("too many", [ChainVectors.plain] + [String](repeating: ChainVectors.middle, count: 8)),
        ])
    func refused(why: String, chain: [String]) async throws {
        #expect(try await !trusts(chain), "\(why)")
    }

    @Test(
        "it is trusted in its time only",
        arguments: [(1_767_225_599, false), (1_767_225_601, true), (1_769_900_000, true), (1_769_990_401, false)])
    func times(moment: Int, isIn: Bool) async throws {
        #expect(try await trusts([ChainVectors.expired], at: Date(numericDate: moment)) == isIn)
    }

    @Test("without authorities nobody is trusted")
    func none() async throws {
        #expect(try await !ClientAuthorities.none.trusts([Self.der(ChainVectors.root)], at: Self.now))
    }

    @Test(
        "authorities that cannot be read are refused",
        arguments: ["", "no PEM", pem("AAAA"), pem(CertificateVectors.p384) + "-----BEGIN CERTIFICATE-----\nx"])
    func malformed(pem: String) {
        #expect(throws: MalformedCertificate.self) { try ClientAuthorities(pem: pem) }
    }
}
