import Foundation

/// A suite of RFC 6287, 6: `OCRA-1:HOTP-H-t:[C]-QFxx-[PH]-[Snnn]-[TG]`.
///
/// Read as it is written there: in capitals, each data input once and in the order of section 5.1. `text` is kept,
/// because it is part of what is hashed. Two departures: a bare `S` is a session of 64 bytes, as tiqr has it (its text
/// stays `S`, so its answers differ from `S064`), and a time step of no hours is refused, since nothing can be counted
/// in it.
public struct OCRASuite: Sendable, Hashable {
    public enum QuestionFormat: Character, Sendable { case alphanumeric = "A", numeric = "N", hexadecimal = "H" }

    public struct Question: Sendable, Hashable {
        public let format: QuestionFormat
        /// Characters of one challenge, at most.
        public let length: Int
    }

    public let text: String
    public let function: OCRAHash
    /// Of the answer: 4…10, or 0 for the whole HMAC in hexadecimal.
    public let digits: Int
    public let hasCounter: Bool
    public let question: Question
    public let pinHash: OCRAHash?
    /// In bytes, 1…512.
    public let sessionLength: Int?
    /// In seconds.
    public let timeStep: Int?

    public init(_ text: String) throws(OCRAError) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard text.utf8.allSatisfy({ $0 < 0x80 }), parts.count == 3, parts[0] == "OCRA-1" else { throw .algorithm }
        let words = parts[1].split(separator: "-", omittingEmptySubsequences: false)
        guard words.count == 3, words[0] == "HOTP", let function = OCRAHash(rawValue: String(words[1])),
            let digits = Self.lengths.first(where: { String($0) == words[2] })
        else { throw .cryptoFunction }
        var fields = parts[2].split(separator: "-", omittingEmptySubsequences: false)[...]

        func take<Value>(_ letter: Character, _ read: (Substring) -> Value?) throws(OCRAError) -> Value? {
            guard let field = fields.first, field.first == letter else { return nil }
            guard let value = read(field.dropFirst()) else { throw .dataInput(String(field)) }
            fields.removeFirst()
            return value
        }

        (self.text, self.function, self.digits) = (text, function, digits)
        hasCounter = try take("C", Self.counter) != nil
        guard let question = try take("Q", Self.question) else { throw .dataInput("Q") }
        self.question = question
        pinHash = try take("P", Self.pinHash)
        sessionLength = try take("S", Self.sessionLength)
        timeStep = try take("T", Self.timeStep)
        if let field = fields.first { throw .dataInput(String(field)) }
    }

    /// 6.2: "0 means no truncation".
    private static let lengths = [0, 4, 5, 6, 7, 8, 9, 10]

    private static func counter(_ rest: Substring) -> Bool? { rest.isEmpty ? true : nil }
    private static func pinHash(_ rest: Substring) -> OCRAHash? { OCRAHash(rawValue: String(rest)) }

    private static func question(_ rest: Substring) -> Question? {
        guard let letter = rest.first, let format = QuestionFormat(rawValue: letter),
            let length = number(rest.dropFirst(), digits: 2...2),
            (4...64).contains(length)
        else { return nil }
        return Question(format: format, length: length)
    }

    private static func sessionLength(_ rest: Substring) -> Int? {
        if rest.isEmpty { return 64 }
        guard let length = number(rest, digits: 3...3), (1...512).contains(length) else { return nil }
        return length
    }

    /// 6.3, table 4.
    private static func timeStep(_ rest: Substring) -> Int? {
        guard let unit = rest.last, let count = number(rest.dropLast(), digits: 1...2), count > 0 else { return nil }
        return switch unit {
        case "S" where count < 60: count
        case "M" where count < 60: count * 60
        case "H" where count <= 48: count * 3_600
        default: nil
        }
    }

    private static func number(_ text: Substring, digits: ClosedRange<Int>) -> Int? {
        guard digits.contains(text.utf8.count),
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return Int(text)
    }
}

extension OCRASuite {
    /// Plain signatures (7.3) have no session.
    public var canSign: Bool { sessionLength == nil }

    /// The input `T`: time steps since the epoch; `nil` without `T`, and before the epoch.
    public func timeSteps(at instant: Date) -> UInt64? {
        guard let timeStep, instant.timeIntervalSince1970 >= 0 else { return nil }
        return UInt64(exactly: (instant.timeIntervalSince1970 / Double(timeStep)).rounded(.down))
    }
}
