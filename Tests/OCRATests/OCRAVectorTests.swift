import Base
import ProtocolTestSupport
import Testing

@testable import OCRA

@Suite("Published OCRA vectors, all of them", .enabled(if: TiqrVectors.arePresent, TiqrVectors.whyNot))
struct OCRAVectorTests {
    /// Of a row, with its question in hexadecimal where that is what it varies.
    static func input(_ row: JSONValue, _ suite: OCRASuite, asHexadecimal: Bool = false) throws -> OCRAInput {
        let question = try #require(row.text(asHexadecimal ? "question_hex" : "question")),
            length = suite.question.length
        return try OCRAInput.hexadecimal(
            counter: row.text("counter"), question: String(question.prefix(length)),
            counterpart: question.utf8.count > length ? String(question.dropFirst(length)) : nil,
            pinHash: row.text("pin_hash"), session: row.text("session"), timestamp: row.text("timestamp")
        )
    }

    static func suite(_ row: JSONValue) throws -> OCRASuite {
        let text = try #require(row.text("suite"))
        return try OCRASuite(text)
    }

    @Test("no section of the file is passed over")
    func sections() throws {
        let file = try TiqrVectors.all()

        // Links are TiqrLinkTests', secrets at rest StoredSecretTests'; answers, flows, blocks, timeouts and metadata
        // are TiqrFlowVectorTests'.
        #expect(
            file.object?.names.sorted() == [
                "about", "auth_urls", "block_semantics", "browser_timeouts", "enroll_urls", "flows", "hotp_truncate",
                "legacy_sources", "metadata_required_fields",
                "ocra", "ocra_invalid_input", "ocra_negative", "ocra_suites", "response_bodies",
                "secret_at_rest_openssl", "secret_at_rest_openssl_invalid",
            ])
    }

    @Test("every answer is computed, from the question that the file has in hexadecimal, and verified")
    func answers() throws {
        for row in try TiqrVectors.rows("ocra", count: 157) {
            let id = row.text("id") ?? "", suite = try Self.suite(row), input = try Self.input(row, suite)
            let key = try OCRAAlgorithm.key(hexadecimal: row.text("key") ?? ""),
                expected = try #require(row.text("expected"))
            let answer = try OCRAAlgorithm.response(suite: suite, key: key, input: input)
            let field = try suite.question.field(input.question, input.counterpart)
            let question = try #require(row.text("question_hex")?.lowercased())

            #expect(answer == expected, "\(id)")
            #expect(OCRAAlgorithm.verify(suite: suite, key: key, input: input, response: expected), "\(id)")
            #expect(
                Hexadecimal.encode(field) == question + String(repeating: "0", count: 256 - question.count), "\(id)")
            if let pin = row.text("pin"), let hash = suite.pinHash {
                #expect(Hexadecimal.encode(hash.digest(pin.utf8)) == row.text("pin_hash"), "\(id)")
            }
        }
    }

    @Test("what is not the answer is refused")
    func wrong() throws {
        for row in try TiqrVectors.rows("ocra_negative", count: 11) {
            let suite = try Self.suite(row), input = try Self.input(row, suite, asHexadecimal: true)
            let key = try OCRAAlgorithm.key(hexadecimal: row.text("key") ?? ""),
                response = try #require(row["expected"]?.string)
            let right = try OCRAAlgorithm.response(suite: suite, key: key, input: input)

            #expect(
                !OCRAAlgorithm.verify(suite: suite, key: key, input: input, response: response),
                "\(row.text("why") ?? "")")
            #expect(
                OCRAAlgorithm.verify(suite: suite, key: key, input: input, response: right), "\(row.text("why") ?? "")")
        }
    }

    @Test("each invalid input is refused by its name; without it there is an answer")
    func invalid() throws {
        let refusals: [String: OCRAError] = [
            "key": .key, "counter": .counter, "question": .question, "password": .pinHash, "session": .session,
            "timestamp": .timestamp, "suite": .cryptoFunction,
        ]
        for row in try TiqrVectors.rows("ocra_invalid_input", count: 23) {
            let id = row.text("id") ?? "",
                fault = try #require(row.text("error")?.split(separator: ":").first.map(String.init))
            let refusal = try #require(refusals[fault])

            #expect(throws: refusal, "\(id)") { try Self.answer(row) }
            if fault != "suite" {
                let mended = try Self.answer(
                    row, without: fault == "password" ? "pin_hash" : fault == "question" ? "question_hex" : fault)
                #expect(!mended.isEmpty, "\(id)")
            }
        }
    }

    /// What a row leaves out is filled in, so that its fault is the only one.
    @discardableResult static func answer(_ row: JSONValue, without left: String? = nil) throws -> String {
        func given(_ name: String) -> String? { name == left ? nil : row.text(name) }
        let suite = try Self.suite(row), key = try OCRAAlgorithm.key(hexadecimal: given("key") ?? "00")
        let input = try OCRAInput.hexadecimal(
            counter: given("counter") ?? (suite.hasCounter ? "0" : nil), question: given("question_hex") ?? "00000000",
            pinHash: given("pin_hash") ?? suite.pinHash.map { String(repeating: "00", count: $0.byteCount) },
            session: given("session") ?? (suite.sessionLength == nil ? nil : "00"),
            timestamp: given("timestamp") ?? (suite.timeStep == nil ? nil : "0")
        )
        return try OCRAAlgorithm.response(suite: suite, key: key, input: input)
    }

    @Test("suites are read or refused as they should be")
    func suites() throws {
        for row in try TiqrVectors.rows("ocra_suites", count: 44) {
            let text = row["suite"]?.string ?? "", isRead = (try? OCRASuite(text)) != nil

            #expect(isRead == row["valid"]?.bool, "\(text)")
        }
    }

    @Test("HOTP truncation")
    func truncation() throws {
        for row in try TiqrVectors.rows("hotp_truncate", count: 16) {
            let mac = try #require(Hexadecimal.decode(row.text("mac") ?? "")),
                digits = try #require(row["digits"]?.integer)

            #expect(OCRAAlgorithm.truncate(mac, digits: digits) == row.text("expected"))
        }
    }
}
