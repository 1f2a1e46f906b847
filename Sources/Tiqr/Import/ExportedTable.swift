/// A table as the tools of its database write it, with a line of column names (docs/tiqr.md, "Coming from another
/// server").
///
/// With tabs in that line it is `mysql --batch`: `\t` `\n` `\r` `\0` `\\`, and `NULL` (or `\N`) for none. Otherwise it
/// is CSV (RFC 4180) as `psql --csv` and `sqlite3 -csv` write it. Empty is none. Column names count in lower case.
public struct ExportedTable: Sendable {
    public struct Malformed: Error, Equatable, CustomStringConvertible {
        /// Tells the line, never what stands in it.
        public let description: String
    }

    public struct Line: Sendable {
        /// In the file, from 1, where the column names are.
        public let number: Int
        let fields: [String?]
        let places: [String: Int]

        public subscript(column: String) -> String? { places[column].flatMap { fields[$0] } }
    }

    public let columns: Set<String>
    public let lines: [Line]

    public init(_ text: String) throws(Malformed) {
        var bytes = Array(text.utf8)[...]
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
        let isTabbed = bytes.prefix { $0 != UInt8(ascii: "\n") }.contains(UInt8(ascii: "\t"))
        let records = try isTabbed ? TabbedText.records(bytes) : CommaText.records(bytes)
        guard let header = records.first else { throw Malformed(description: "there is no line with column names") }
        var places: [String: Int] = [:]
        for (place, name) in header.fields.enumerated() {
            guard let name, places.updateValue(place, forKey: name.lowercased()) == nil else {
                throw Malformed(description: "line \(header.number): a column has no name, or that of another")
            }
        }
        var lines: [Line] = []
        for record in records.dropFirst() {
            guard record.fields.count == header.fields.count else {
                throw Malformed(
                    description:
                        """
                        line \(record.number) has \(record.fields.count) fields, and the column names are \
                        \(header.fields.count)
                        """
                )
            }
            lines.append(Line(number: record.number, fields: record.fields, places: places))
        }
        (self.columns, self.lines) = (Set(places.keys), lines)
    }

    public func need(_ column: String) throws(Malformed) {
        guard columns.contains(column) else { throw Malformed(description: "there is no column \(column)") }
    }
}

private struct Record {
    let number: Int
    let fields: [String?]
}

/// What `mysql --batch` writes.
private enum TabbedText {
    static func records(_ bytes: ArraySlice<UInt8>) throws(ExportedTable.Malformed) -> [Record] {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let hasReturns = lines.first?.last == UInt8(ascii: "\r")
        var records: [Record] = []
        for (index, line) in lines.enumerated() {
            let whole = hasReturns && line.last == UInt8(ascii: "\r") ? line.dropLast() : line
            guard !whole.isEmpty else { continue }
            var fields: [String?] = []
            for field in whole.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false) {
                fields.append(try value(field, line: index + 1))
            }
            records.append(Record(number: index + 1, fields: fields))
        }
        return records
    }

    private static func value(_ field: ArraySlice<UInt8>, line: Int) throws(ExportedTable.Malformed) -> String? {
        guard !field.isEmpty, !field.elementsEqual("NULL".utf8), !field.elementsEqual("\\N".utf8) else { return nil }
        var plain: [UInt8] = [], rest = field
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                plain.append(byte)
                continue
            }
            switch rest.popFirst() ?? 0 {
            case UInt8(ascii: "t"): plain.append(UInt8(ascii: "\t"))
            case UInt8(ascii: "n"): plain.append(UInt8(ascii: "\n"))
            case UInt8(ascii: "r"): plain.append(UInt8(ascii: "\r"))
            case UInt8(ascii: "0"): plain.append(0)
            case UInt8(ascii: "\\"): plain.append(UInt8(ascii: "\\"))
            default:
                throw ExportedTable.Malformed(
                    description:
                        """
                        line \(line): a backslash before what it does not stand before in `mysql --batch` (was it \
                        --raw?)
                        """
                )
            }
        }
        return String(decoding: plain, as: UTF8.self)
    }
}

/// CSV: fields may stand in quotes, with two for one, and then hold commas and line ends.
private struct CommaText {
    private var records: [Record] = []
    private var fields: [String?] = []
    private var field: [UInt8] = []
    private var wasQuoted = false
    private var line = 1
    /// Where the record began.
    private var start = 1

    static func records(_ bytes: ArraySlice<UInt8>) throws(ExportedTable.Malformed) -> [Record] {
        var reader = CommaText()
        try reader.read(bytes)
        return reader.records
    }

    private mutating func read(_ bytes: ArraySlice<UInt8>) throws(ExportedTable.Malformed) {
        let quote = UInt8(ascii: "\""), newline = UInt8(ascii: "\n")
        var rest = bytes, isQuoted = false
        while let byte = rest.popFirst() {
            if isQuoted {
                if byte == newline { line += 1 }
                if byte != quote {
                    field.append(byte)
                } else if rest.first == quote {
                    field.append(rest.removeFirst())
                } else {
                    isQuoted = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: ","): endField()
            case newline: endRecord()
            case UInt8(ascii: "\r") where rest.first == newline: continue
            case quote where field.isEmpty && !wasQuoted: (isQuoted, wasQuoted) = (true, true)
            case _ where byte == quote || wasQuoted:
                throw ExportedTable.Malformed(description: "line \(line): a quote in the middle of a field")
            default: field.append(byte)
            }
        }
        guard !isQuoted else { throw ExportedTable.Malformed(description: "line \(start): a quote is never closed") }
        endRecord()
    }

    private mutating func endField() {
        fields.append(field.isEmpty ? nil : String(decoding: field, as: UTF8.self))
        (field, wasQuoted) = ([], false)
    }

    /// A line with nothing in it is none.
    private mutating func endRecord() {
        let isBlank = fields.isEmpty && field.isEmpty && !wasQuoted
        if !isBlank {
            endField()
            records.append(Record(number: start, fields: fields))
        }
        fields = []
        line += 1
        start = line
    }
}
