import OCRA
import Testing

@testable import Tiqr

@Suite("tiqr: the suites that phones are given")
struct TiqrSuiteTests {
    @Test(
        "what is offered is what both apps can do, with the bare S of the PHP library too",
        arguments: [
            ("SHA1-6:QH10-S064", true), ("SHA256-8:QH64-S064", true), ("SHA512-7:QH08-S064", true),
            ("SHA1-6:QH10-S", true), ("SHA512-8:QH64-S", true),
            ("SHA1-6:QH10", false), ("SHA1-6:QH10-S128", false), ("SHA1-5:QH10-S064", false),
            ("SHA1-9:QH10-S064", false),
            ("SHA1-0:QH10-S064", false), ("SHA1-10:QH10-S064", false), ("SHA1-6:QN10-S064", false),
            ("SHA1-6:QA10-S064", false),
            ("SHA1-6:QH09-S064", false), ("SHA1-6:QH06-S064", false),
            ("SHA1-6:C-QH10-S064", false), ("SHA1-6:QH10-PSHA1-S064", false),
            ("SHA1-6:QH10-S064-T1M", false),
        ])
    func offered(rest: String, isOffered: Bool) throws {
        let suite = try OCRASuite("OCRA-1:HOTP-\(rest)")

        #expect(suite.isOffered == isOffered)
    }
}
