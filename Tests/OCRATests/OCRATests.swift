import Base
import Foundation
import Testing

@testable import OCRA

@Suite("RFC 6287 OCRA")
struct OCRATests {
    let key = SecretBytes(Array("12345678901234567890123456789012".utf8))

    static func input(_ suite: OCRASuite, _ row: OCRATable.Row) throws -> OCRAInput {
        let length = suite.question.length
        return try OCRAInput.hexadecimal(
            counter: row.counter, question: String(row.question.prefix(length)),
            counterpart: row.question.utf8.count > length ? String(row.question.dropFirst(length)) : nil,
            pinHash: suite.pinHash.map { Hexadecimal.encode($0.digest(OCRATable.pin.utf8)) },
            timestamp: suite.timeStep == nil ? nil : OCRATable.timestamp
        )
    }

    @Test(
        "the values of appendix C: one-way, mutual and signatures, each for its own row only", arguments: OCRATable.all)
    func appendixC(table: OCRATable) throws {
        let suite = try OCRASuite(table.suite), key = SecretBytes(table.key)

        for (row, next) in zip(table.rows, table.rows.dropFirst() + table.rows.prefix(1)) {
            let input = try Self.input(suite, row)
            let answer = try OCRAAlgorithm.response(suite: suite, key: key, input: input)

            #expect(answer == row.answer, "\(row)")
            #expect(OCRAAlgorithm.verify(suite: suite, key: key, input: input, response: row.answer), "\(row)")
            #expect(!OCRAAlgorithm.verify(suite: suite, key: key, input: input, response: next.answer), "\(row)")
        }
    }

    @Test("appendix C is whole: 40 one-way, 20 mutual and 10 signatures")
    func count() {
        let counts = ["C.1", "C.2", "C.3"].map { section in
            OCRATable.all.filter { $0.section == section }.map(\.rows.count).reduce(0, +)
        }

        #expect(counts == [40, 20, 10])
    }

    @Test("the time of appendix C is its instant in steps of a minute")
    func time() throws {
        // 2008-03-25T12:06:30Z
        let instant = Date(timeIntervalSince1970: 1_206_446_790), suite = try OCRASuite("OCRA-1:HOTP-SHA512-8:QN08-T1M")
        let timeless = try OCRASuite("OCRA-1:HOTP-SHA1-6:QN08")

        #expect(suite.timeSteps(at: instant) == 0x132_D0B6)
        #expect(suite.timeSteps(at: Date(timeIntervalSince1970: -1)) == nil)
        #expect(timeless.timeSteps(at: instant) == nil)
    }

    @Test("the data input of tiqr: suite, zero, question to the left of 128 bytes, session to the right of 64")
    func layout() throws {
        let suite = try OCRASuite("OCRA-1:HOTP-SHA1-6:QH10-S064")
        let message = try OCRAAlgorithm.dataInput(
            suite: suite, input: OCRAInput(question: "12345678AF", session: [1, 2, 3]))

        let expected: [UInt8] =
            Array(suite.text.utf8) + [0] + [0x12, 0x34, 0x56, 0x78, 0xAF] + [UInt8](repeating: 0, count: 123 + 61) + [
                1, 2, 3,
            ]
        #expect(message == expected)
    }

    @Test("counter, PIN and time have their places and lengths")
    func places() throws {
        let suite = try OCRASuite("OCRA-1:HOTP-SHA1-6:C-QN08-PSHA256-S003-T30S")
        let pin = [UInt8](repeating: 7, count: 32)
        let input = OCRAInput(counter: 258, question: "16", pinHash: pin, session: [9], timestamp: 1 << 63)
        let message = try OCRAAlgorithm.dataInput(suite: suite, input: input)

        let rest = Array(message.dropFirst(suite.text.utf8.count + 1))
        #expect(Array(rest.prefix(9)) == [0, 0, 0, 0, 0, 0, 1, 2, 0x10])
        #expect(Array(rest.dropFirst(8 + 128)) == pin + [0, 0, 9, 0x80, 0, 0, 0, 0, 0, 0, 0])
    }

    @Test(
        "a number becomes base 16 whatever its length; an odd number of digits ends within a byte",
        arguments: [
            ("0", "0"), ("0000", "0"), ("15", "f"), ("16", "10"), ("99999999", "5f5e0ff"),
            ("18446744073709551616", "10000000000000000"),
            (
                "9999999999999999999999999999999999999999999999999999999999999999",
                "184f03e93ff9f4daa797ed6e38ed64bf6a1f00ffffffffffffffff"
            ),
        ])
    func numeric(decimal: String, hexadecimal: String) throws {
        let question = try OCRASuite("OCRA-1:HOTP-SHA1-6:QN64").question
        let field = try question.field(decimal, nil)

        #expect(Hexadecimal.encode(field) == hexadecimal + String(repeating: "0", count: 256 - hexadecimal.count))
    }

    @Test("two whole challenges fill the question of a mutual answer", arguments: ["QN64", "QH64", "QA64"])
    func longest(question: String) throws {
        let suite = try OCRASuite("OCRA-1:HOTP-SHA1-6:\(question)"), nines = String(repeating: "9", count: 64)
        let message = try OCRAAlgorithm.dataInput(suite: suite, input: OCRAInput(question: nines, counterpart: nines))

        #expect(message.count == suite.text.utf8.count + 1 + 128)
    }

    @Test("who asks first matters in a mutual answer")
    func order() throws {
        let suite = try OCRASuite("OCRA-1:HOTP-SHA256-8:QA08")
        let server = try OCRAAlgorithm.response(
            suite: suite, key: key, input: OCRAInput(question: "CLI22220", counterpart: "SRV11110"))
        let client = try OCRAAlgorithm.response(
            suite: suite, key: key, input: OCRAInput(question: "SRV11110", counterpart: "CLI22220"))

        #expect(server == "28247970" && client == "15510767")
    }

    @Test("S and S064 are of one length and have other answers")
    func bareSession() throws {
        let session = [UInt8](0..<16)
        let answers = try ["S064", "S"].map { form in
            try OCRAAlgorithm.response(
                suite: OCRASuite("OCRA-1:HOTP-SHA1-6:QH10-\(form)"), key: key,
                input: OCRAInput(question: "0000000000", session: session))
        }

        #expect(answers == ["699726", "539871"])
    }

    @Test(
        "an answer is compared letter for letter",
        arguments: ["69972", "6997260", "0699726", "699726 ", " 699726", "699726\n", "６９９７２６", "", "699727"])
    func exact(response: String) throws {
        let suite = try OCRASuite("OCRA-1:HOTP-SHA1-6:QH10-S064"),
            input = OCRAInput(question: "0000000000", session: [UInt8](0..<16))

        #expect(OCRAAlgorithm.verify(suite: suite, key: key, input: input, response: "699726"))
        #expect(!OCRAAlgorithm.verify(suite: suite, key: key, input: input, response: response))
    }

    @Test("the answer has as many digits as the suite says, with zeros in front", arguments: [4, 5, 6, 7, 8, 9, 10])
    func digits(count: Int) {
        var mac = [UInt8](repeating: 0, count: 20)
        mac[3] = 42

        #expect(OCRAAlgorithm.truncate(mac, digits: count) == String(repeating: "0", count: count - 2) + "42")
    }

    @Test("the highest bit is left out, and the offset is the last four bits")
    func truncation() {
        var mac = [UInt8](repeating: 0, count: 20)
        mac[15...19] = [0xFF, 0xFF, 0xFF, 0xFF, 0x0F]

        #expect(OCRAAlgorithm.truncate(mac, digits: 10) == "2147483647")
    }
}
