import Base
import Harness

@testable import OCRA
@testable import Tiqr

/// OCRA (RFC 6287). An input is a suite, a challenge and the other side's challenge, a line each; the last two may be
/// missing.
enum OCRATarget {
    static let target = Target("ocra", run: run)

    private static let key = SecretBytes([UInt8](repeating: 7, count: 20))
    /// Section 6, by other means.
    private static var grammar: Regex<Substring> {
        #/
        OCRA-1:HOTP-SHA(?:1|256|512)-(?:0|[4-9]|10):
        (?:C-)?
        Q[ANH](?:0[4-9]|[1-5][0-9]|6[0-4])
        (?:-PSHA(?:1|256|512))?
        (?:-S(?:00[1-9]|0[1-9][0-9]|[1-4][0-9]{2}|50[0-9]|51[0-2])?)?
        (?:-T(?:(?:0?[1-9]|[1-5][0-9])[SM]|(?:0?[1-9]|[1-3][0-9]|4[0-8])H))?
        /#
    }

    private static func run(_ input: [UInt8]) {
        let lines = input.split(separator: UInt8(ascii: "\n"), maxSplits: 2, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        let suite: OCRASuite
        do {
            suite = try OCRASuite(lines[0])
        } catch {
            return require(
                lines[0].wholeMatch(of: grammar) == nil, "a suite of the RFC is taken: \(lines[0].debugDescription)")
        }
        require(lines[0].wholeMatch(of: grammar) != nil, "what is no suite is refused: \(lines[0].debugDescription)")
        require(isSpelledAlike(suite.text, lines[0]), "the text is hashed, so it is kept")
        require(
            !suite.isOffered || suite.sessionLength == 64 && (6...8).contains(suite.digits),
            "what is offered is known to the apps")
        answer(suite, lines.count > 1 ? lines[1] : "", lines.count > 2 ? lines[2] : nil)
    }

    private static func answer(_ suite: OCRASuite, _ question: String, _ counterpart: String?) {
        let input = data(suite, question, counterpart),
            isGood = ([question] + (counterpart.map { [$0] } ?? [])).allSatisfy { fits($0, suite.question) }
        let response: String
        do {
            response = try OCRAAlgorithm.response(suite: suite, key: key, input: input)
        } catch {
            return require(!isGood && error == .question, "a challenge of the suite's form has an answer: \(error)")
        }
        require(isGood, "what is no challenge of the suite has no answer: \(question.debugDescription)")
        let length = suite.digits == 0 ? suite.function.byteCount * 2 : suite.digits
        require(
            response.utf8.count == length && response.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) },
            "an answer is as long as the suite says")
        require(suite.digits == 0 || response.utf8.allSatisfy { "0123456789".utf8.contains($0) }, "digits are decimal")
        require(OCRAAlgorithm.verify(suite: suite, key: key, input: input, response: response), "the answer is right")
        let other = response.dropLast() + (response.last == "0" ? "1" : "0")
        require(
            !OCRAAlgorithm.verify(suite: suite, key: key, input: input, response: String(other)),
            "another answer is wrong")
        spelled(suite, question, counterpart, response)
        let message = certain("what was answered has an input") {
            try OCRAAlgorithm.dataInput(suite: suite, input: input)
        }
        let counted = (suite.hasCounter ? 8 : 0) + (suite.timeStep == nil ? 0 : 8)
        let size =
            suite.text.utf8.count + 1 + 128 + counted + (suite.pinHash?.byteCount ?? 0) + (suite.sessionLength ?? 0)
        require(message.count == size, "5.1: each input has its length")
    }

    /// Case says nothing in hexadecimal, nor a zero before a number.
    private static func spelled(_ suite: OCRASuite, _ question: String, _ counterpart: String?, _ response: String) {
        func same(_ spelling: String) -> Bool {
            (try? OCRAAlgorithm.response(suite: suite, key: key, input: data(suite, spelling, counterpart))) == response
        }
        switch suite.question.format {
        case .hexadecimal:
            require(same(question.uppercased()) && same(question.lowercased()), "hexadecimal has no case")
        case .numeric where counterpart == nil && question.utf8.count < suite.question.length:
            require(same("0" + question), "a number has no leading zeros")
        case .numeric, .alphanumeric: return
        }
    }

    /// Every input that the suite has.
    private static func data(_ suite: OCRASuite, _ question: String, _ counterpart: String?) -> OCRAInput {
        OCRAInput(
            counter: suite.hasCounter ? 1 : nil, question: question, counterpart: counterpart,
            pinHash: suite.pinHash.map { $0.digest("1234".utf8) },
            session: suite.sessionLength.map { _ in [1] }, timestamp: suite.timeStep.map { _ in 1 })
    }

    private static func fits(_ challenge: String, _ question: OCRASuite.Question) -> Bool {
        let letters =
            switch question.format {
            case .numeric: "0123456789"
            case .hexadecimal: "0123456789abcdefABCDEF"
            case .alphanumeric: "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
            }
        return (1...question.length).contains(challenge.utf8.count)
            && challenge.utf8.allSatisfy { letters.utf8.contains($0) }
    }
}
