/// Reads comma-separated values as they come (RFC 4180): quotes, CRLF or LF, UTF-8 with or without a byte order mark. A
/// line that is none is told with its number, and the next one is read.
public struct CSVReader: Sendable {
    public enum Problem: Error, Sendable, Equatable {
        case notUTF8, nulByte
        /// A quote within a field that does not begin with one, or something behind the one that ends it.
        case strayQuote
        /// The file ends within quotes.
        case unfinished
        case tooLong
    }

    public struct Line: Sendable, Equatable {
        /// From 1, as editors count: where it begins.
        public let number: Int
        public let fields: Result<[String], Problem>
    }

    private enum State { case start, plain, quoted, quoteInQuoted, skipping }

    /// Bytes of one record.
    public static let longest = 65_536

    private let separator: UInt8
    private var state = State.start
    private var field: [UInt8] = []
    private var fields: [[UInt8]] = []
    private var size = 0, number = 1, began = 1
    private var problem: Problem?
    private var skipsLineFeed = false, isFirst = true, hasQuotes = false
    private var mark: [UInt8] = []

    public init(separator: Character = ",") { self.separator = separator.asciiValue ?? UInt8(ascii: ",") }

    /// The lines that are whole by now. Empty ones are passed over.
    public mutating func read(_ bytes: some Sequence<UInt8>) -> [Line] {
        var lines: [Line] = []
        for byte in bytes { take(byte, into: &lines) }
        return lines
    }

    /// What is left at the end of the file.
    public mutating func finish() -> [Line] {
        var lines: [Line] = []
        if isFirst, !mark.isEmpty { flushMark(into: &lines) }
        if state == .quoted { problem = .unfinished }
        if size > 0 || problem != nil { endRecord(into: &lines) }
        return lines
    }

    // MARK: Bytes

    private mutating func take(_ byte: UInt8, into lines: inout [Line]) {
        if isFirst {
            // EF BB BF.
            mark.append(byte)
            let wanted: [UInt8] = [0xEF, 0xBB, 0xBF]
            guard wanted.starts(with: mark) else { return flushMark(into: &lines) }
            if mark.count == wanted.count { (isFirst, mark) = (false, []) }
            return
        }
        if skipsLineFeed {
            skipsLineFeed = false
            if byte == UInt8(ascii: "\n") { return }
        }
        count(byte)
        let isLineEnd = byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
        switch (state, byte) {
        case (.quoted, UInt8(ascii: "\"")): state = .quoteInQuoted
        case (.quoted, _): field.append(byte)
        case (.quoteInQuoted, UInt8(ascii: "\"")):
            field.append(byte)
            state = .quoted
        case (_, _) where isLineEnd:
            skipsLineFeed = byte == UInt8(ascii: "\r")
            endRecord(into: &lines)
            number += 1
            began = number
        case (.skipping, _): break
        case (_, separator): endField()
        case (.start, UInt8(ascii: "\"")): (state, hasQuotes) = (.quoted, true)
        case (.plain, UInt8(ascii: "\"")), (.quoteInQuoted, _): skip(.strayQuote)
        default:
            field.append(byte)
            state = .plain
        }
        // A quote without an end takes in no more than this, and the line after it is read again.
        if size > CSVReader.longest, state != .skipping { skip(.tooLong) }
    }

    private mutating func count(_ byte: UInt8) {
        size += 1
        if state == .quoted, byte == UInt8(ascii: "\n") { number += 1 }
    }

    private mutating func flushMark(into lines: inout [Line]) {
        let held = mark
        (isFirst, mark) = (false, [])
        for byte in held { take(byte, into: &lines) }
    }

    private mutating func skip(_ problem: Problem) {
        self.problem = problem
        (state, field, fields) = (.skipping, [], [])
    }

    private mutating func endField() {
        fields.append(field)
        (field, state) = ([], .start)
    }

    private mutating func endRecord(into lines: inout [Line]) {
        defer {
            (state, field, fields, size, problem, hasQuotes) = (.start, [], [], 0, nil, false)
        }
        if let problem { return lines.append(Line(number: began, fields: .failure(problem))) }
        endField()
        if fields.count == 1, fields[0].isEmpty, !hasQuotes { return }
        lines.append(Line(number: began, fields: CSVReader.texts(fields)))
    }

    private static func texts(_ fields: [[UInt8]]) -> Result<[String], Problem> {
        var texts: [String] = []
        texts.reserveCapacity(fields.count)
        for field in fields {
            if field.contains(0) { return .failure(.nulByte) }
            guard let text = String(validating: field, as: UTF8.self) else { return .failure(.notUTF8) }
            texts.append(text)
        }
        return .success(texts)
    }
}

/// Writes what `CSVReader` reads, so that no spreadsheet takes a value for a formula.
public enum CSVWriter {
    /// Of scalars, here and below, as files are read so: what combines with a quote leaves it a quote.
    private static let formulae: Set<Unicode.Scalar> = ["=", "+", "-", "@", "\t", "\r"]

    /// With its line end.
    public static func line(_ fields: [String]) -> String {
        fields.map { quoted(harmless($0)) }.joined(separator: ",") + "\r\n"
    }

    /// With an apostrophe in front of what spreadsheets would calculate.
    static func harmless(_ text: String) -> String {
        isCalculated(text) || unguarded(text) != text ? "'" + text : text
    }

    /// Of what `harmless` gave, the text itself.
    public static func unguarded(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard scalars.first == "'" else { return text }
        let rest = String(scalars.dropFirst())
        // One more in front of those that have one of their own.
        return isCalculated(String(rest.unicodeScalars.drop { $0 == "'" })) ? rest : text
    }

    private static func isCalculated(_ text: String) -> Bool {
        text.unicodeScalars.first.map(formulae.contains) ?? false
    }

    private static func quoted(_ text: String) -> String {
        guard text.utf8.contains(where: { ",\"\r\n;".utf8.contains($0) }) else { return text }
        var quoted = "\"".unicodeScalars
        for scalar in text.unicodeScalars {
            if scalar == "\"" { quoted.append(scalar) }
            quoted.append(scalar)
        }
        return String(quoted) + "\""
    }
}
