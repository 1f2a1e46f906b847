import Base
import Testing

@testable import OCRA

@Suite("RFC 6287 refusals")
struct OCRARefusalTests {
    let key = SecretBytes([1, 2, 3])

    @Test(
        "a suite is read in capitals, in order, and whole",
        arguments: [
            ("", OCRAError.algorithm), ("OCRA-2:HOTP-SHA1-6:QN08", .algorithm), ("ocra-1:HOTP-SHA1-6:QN08", .algorithm),
            ("OCRA-1:HOTP-SHA1-6", .algorithm),
            ("OCRA-1:HOTP-SHA1-6:QN08:", .algorithm), (" OCRA-1:HOTP-SHA1-6:QN08", .algorithm),
            ("OCRA-1:HOTP-SHA1-6:QN0８", .algorithm),
            ("OCRA-1:HOTP-sha1-6:QN08", .cryptoFunction), ("OCRA-1:HOTP-SHA384-6:QN08", .cryptoFunction),
            ("OCRA-1:HOTP-SHA1-06:QN08", .cryptoFunction),
            ("OCRA-1:HOTP-SHA1-11:QN08", .cryptoFunction), ("OCRA-1:HOTP-SHA1-:QN08", .cryptoFunction),
            ("OCRA-1:HOTP-SHA1-6-:QN08", .cryptoFunction),
            ("OCRA-1:HOTP-SHA1-+6:QN08", .cryptoFunction),
            ("OCRA-1:HOTP-SHA1-6:", .dataInput("Q")), ("OCRA-1:HOTP-SHA1-6:C", .dataInput("Q")),
            ("OCRA-1:HOTP-SHA1-6:S064", .dataInput("Q")),
            ("OCRA-1:HOTP-SHA1-6:Q", .dataInput("Q")), ("OCRA-1:HOTP-SHA1-6:QN8", .dataInput("QN8")),
            ("OCRA-1:HOTP-SHA1-6:QN008", .dataInput("QN008")),
            ("OCRA-1:HOTP-SHA1-6:QN+8", .dataInput("QN+8")), ("OCRA-1:HOTP-SHA1-6:Qn08", .dataInput("Qn08")),
            ("OCRA-1:HOTP-SHA1-6:C1-QN08", .dataInput("C1")),
            ("OCRA-1:HOTP-SHA1-6:QN08-C", .dataInput("C")), ("OCRA-1:HOTP-SHA1-6:C-C-QN08", .dataInput("Q")),
            ("OCRA-1:HOTP-SHA1-6:QN08-QN08", .dataInput("QN08")),
            ("OCRA-1:HOTP-SHA1-6:QN08-S064-PSHA1", .dataInput("PSHA1")),
            ("OCRA-1:HOTP-SHA1-6:QN08-T1M-S064", .dataInput("S064")),
            ("OCRA-1:HOTP-SHA1-6:QN08-P", .dataInput("P")), ("OCRA-1:HOTP-SHA1-6:QN08-PMD5", .dataInput("PMD5")),
            ("OCRA-1:HOTP-SHA1-6:QN08-", .dataInput("")),
            ("OCRA-1:HOTP-SHA1-6:QN08-S64", .dataInput("S64")), ("OCRA-1:HOTP-SHA1-6:QN08-S000", .dataInput("S000")),
            ("OCRA-1:HOTP-SHA1-6:QN08-S513", .dataInput("S513")), ("OCRA-1:HOTP-SHA1-6:QN08-T60S", .dataInput("T60S")),
            ("OCRA-1:HOTP-SHA1-6:QN08-T60M", .dataInput("T60M")), ("OCRA-1:HOTP-SHA1-6:QN08-T49H", .dataInput("T49H")),
            ("OCRA-1:HOTP-SHA1-6:QN08-T0H", .dataInput("T0H")), ("OCRA-1:HOTP-SHA1-6:QN08-T0S", .dataInput("T0S")),
            ("OCRA-1:HOTP-SHA1-6:QN08-TM", .dataInput("TM")),
        ] as [(String, OCRAError)])
    func malformed(text: String, refusal: OCRAError) {
        #expect(throws: refusal) { try OCRASuite(text) }
    }

    @Test("a suite means what its parts say")
    func parts() throws {
        let suite = try OCRASuite("OCRA-1:HOTP-SHA512-0:C-QA64-PSHA256-S512-T48H"),
            short = try OCRASuite("OCRA-1:HOTP-SHA1-4:QH04-S")

        #expect(
            suite.function == .sha512 && suite.digits == 0 && suite.hasCounter && suite.question.format == .alphanumeric
                && suite.question.length == 64)
        #expect(suite.pinHash == .sha256 && suite.sessionLength == 512 && suite.timeStep == 172_800 && !suite.canSign)
        #expect(
            short.digits == 4 && !short.hasCounter && short.question.length == 4 && short.pinHash == nil
                && short.sessionLength == 64 && short.timeStep == nil)
    }

    @Test(
        "a suite without session can sign",
        arguments: [("QA10-T1M", true), ("QN08", true), ("QH10-S064", false), ("QH10-S", false)])
    func signs(inputs: String, canSign: Bool) throws {
        let suite = try OCRASuite("OCRA-1:HOTP-SHA512-8:\(inputs)")

        #expect(suite.canSign == canSign)
    }

    @Test(
        "a question has the suite's letters and at most its length",
        arguments: [
            ("QN08", ""), ("QN08", "123456789"), ("QN08", "1234567a"), ("QN08", "+1"), ("QN08", "１２"),
            ("QH10", "12345678901"), ("QH10", "12345g"), ("QH10", "0x12"),
            ("QA08", "ABCDEFGHI"), ("QA08", "ab cd"), ("QA08", "ab-cd"), ("QA08", "Zürich"), ("QA08", "a\0"),
        ])
    func question(form: String, question: String) throws {
        let suite = try OCRASuite("OCRA-1:HOTP-SHA1-6:\(form)")

        #expect(throws: OCRAError.question) {
            try OCRAAlgorithm.response(suite: suite, key: key, input: OCRAInput(question: question))
        }
        #expect(throws: OCRAError.question) {
            try OCRAAlgorithm.response(suite: suite, key: key, input: OCRAInput(question: "12", counterpart: question))
        }
        #expect(!OCRAAlgorithm.verify(suite: suite, key: key, input: OCRAInput(question: question), response: ""))
    }

    @Test(
        "an input that the suite has not, or that it has and is not there, is refused",
        arguments: [
            ("QN08", OCRAInput(counter: 0, question: "1"), OCRAError.counter),
            ("C-QN08", OCRAInput(question: "1"), .counter),
            ("QN08", OCRAInput(question: "1", pinHash: [UInt8](repeating: 0, count: 20)), .pinHash),
            ("QN08-PSHA1", OCRAInput(question: "1"), .pinHash),
            ("QN08-PSHA1", OCRAInput(question: "1", pinHash: [UInt8](repeating: 0, count: 19)), .pinHash),
            ("QN08-PSHA1", OCRAInput(question: "1", pinHash: [UInt8](repeating: 0, count: 32)), .pinHash),
            ("QN08", OCRAInput(question: "1", session: [0]), .session),
            ("QN08-S064", OCRAInput(question: "1"), .session),
            ("QN08-S064", OCRAInput(question: "1", session: []), .session),
            ("QN08-S002", OCRAInput(question: "1", session: [1, 2, 3]), .session),
            ("QN08", OCRAInput(question: "1", timestamp: 0), .timestamp),
            ("QN08-T1M", OCRAInput(question: "1"), .timestamp),
        ] as [(String, OCRAInput, OCRAError)])
    func fields(inputs: String, input: OCRAInput, refusal: OCRAError) throws {
        let suite = try OCRASuite("OCRA-1:HOTP-SHA1-6:\(inputs)")

        #expect(throws: refusal) { try OCRAAlgorithm.response(suite: suite, key: key, input: input) }
    }

    @Test("a key is hexadecimal and not empty", arguments: ["", "0", "abc", "zz", "0x12", "12 34", "１２"])
    func keys(text: String) {
        #expect(throws: OCRAError.key) { try OCRAAlgorithm.key(hexadecimal: text) }
    }

    @Test("a key is read in either case; an empty one is refused")
    func emptyKey() throws {
        let (upper, lower) = (
            try OCRAAlgorithm.key(hexadecimal: "00ABCDEF"), try OCRAAlgorithm.key(hexadecimal: "00abcdef")
        )
        let suite = try OCRASuite("OCRA-1:HOTP-SHA1-6:QN08")

        #expect(upper == lower && upper == SecretBytes([0, 0xAB, 0xCD, 0xEF]))
        #expect(throws: OCRAError.key) {
            try OCRAAlgorithm.response(suite: suite, key: SecretBytes([UInt8]()), input: OCRAInput(question: "1"))
        }
    }
}
