import Administration
import Base

/// `accounts import` by a server far away: a request has room for 64 KiB, so a file goes there in parts, each with the
/// header line and a transaction of its own. What must be seen whole goes whole: who is missing, and where to stop.
struct RemoteImport {
    static let words = ["accounts", "import"]
    /// Bytes of a part: JSON writes most quotes and line ends twice.
    static let size = 24 * 1_024
    /// As at the database.
    static let lines = 500
    /// Refusals that the result tells.
    private static let mostTold = 100

    /// Lines of a file below its header.
    struct Part {
        let text: String
        let count: Int
        /// By the number that a line has here, that which it has in the file.
        let numbers: [Int: Int]
    }

    let server: RemoteServer
    let entry: AdminEntry
    let arguments: JSONObject
    let progress: ProgressLine

    func result(again: (Int?) async throws -> Void) async throws -> AdminResult {
        guard arguments["report"] == nil else {
            throw AdminFailure(
                .usage, "--report is for the command line of the server itself",
                hint: "without it the result tells links, and the first \(Self.mostTold) refusals")
        }
        let parts = parts()
        progress.begin(parts.reduce(0) { $0 + $1.count })
        defer { progress.end() }
        var result = JSONObject(), done = 0
        for part in parts {
            var arguments = arguments
            arguments["file"] = .string(part.text)
            let command = RemoteCommand(server: server, entry: entry, arguments: arguments)
            guard case .object(let told) = try await command.result(again: again) else {
                throw AdminFailure(.failed, "the server told no counts")
            }
            Self.add(told, of: part, to: &result)
            done += part.count
            progress.show(done: done, failed: result["refused"]?.integer ?? 0)
        }
        return .object(result)
    }

    private func parts() -> [Part] {
        let text = arguments["file"]?.string ?? "", separator = arguments["separator"]?.string ?? "comma"
        let signs: [String: Character] = ["comma": ",", "semicolon": ";", "tab": "\t"]
        let goesWhole = ["strict", "suspend_missing"].contains { arguments[$0]?.bool == true }
        return Self.parts(of: text, separator: signs[separator] ?? ",", whole: goesWhole)
    }

    /// At least one: a file without lines is the server's to refuse.
    static func parts(of text: String, separator: Character, whole: Bool) -> [Part] {
        let records = records(of: text, separator)
        guard !whole, let header = records.first, records.count > 1 else {
            return [Part(text: text, count: max(0, records.count - 1), numbers: [:])]
        }
        var parts: [Part] = [], chosen: [Record] = [], size = 0
        for record in records.dropFirst() {
            if !chosen.isEmpty, chosen.count == lines || size + record.bytes.count > RemoteImport.size {
                parts.append(Part(header, chosen, separator))
                (chosen, size) = ([], 0)
            }
            chosen.append(record)
            size += record.bytes.count
        }
        parts.append(Part(header, chosen, separator))
        return parts
    }

    /// A line as it stands in the file, with its end; a field in quotes may have line ends, too.
    struct Record {
        var bytes: [UInt8]
        let number: Int
    }

    private static func records(of text: String, _ separator: Character) -> [Record] {
        var reader = CSVReader(separator: separator), records: [Record] = [], bytes: [UInt8] = []
        func take(_ lines: [CSVReader.Line]) {
            for line in lines {
                records.append(Record(bytes: bytes, number: line.number))
                bytes = []
            }
        }
        for byte in text.utf8 {
            // A record ends at CR, and LF behind it is of the same end.
            let isRest =
                byte == UInt8(ascii: "\n") && bytes.isEmpty && records.last?.bytes.last == UInt8(ascii: "\r")
            if isRest { records[records.count - 1].bytes.append(byte) } else { bytes.append(byte) }
            take(reader.read(CollectionOfOne(byte)))
        }
        take(reader.finish())
        // Empty lines at the end.
        if !records.isEmpty { records[records.count - 1].bytes += bytes }
        return records
    }

    /// Counts are added up, lists put behind one another.
    static func add(_ told: JSONObject, of part: Part, to result: inout JSONObject) {
        for (name, value) in told {
            switch (name, value) {
            case ("refusals", .array(let refusals)):
                let all = (result[name]?.array ?? []) + refusals.map(part.numbered)
                result[name] = .array(Array(all.prefix(mostTold)))
            case ("links", .array(let links)): result[name] = .array((result[name]?.array ?? []) + links)
            case (_, .integer(let count)): result[name] = .integer((result[name]?.integer ?? 0) + count)
            default: result[name] = value
            }
        }
    }
}

extension RemoteImport.Part {
    fileprivate init(_ header: RemoteImport.Record, _ records: [RemoteImport.Record], _ separator: Character) {
        let bytes = header.bytes + records.flatMap(\.bytes)
        var reader = CSVReader(separator: separator)
        let here = reader.read(bytes) + reader.finish()
        self.init(
            text: String(decoding: bytes, as: UTF8.self), count: records.count,
            numbers: Dictionary(
                zip(here.map(\.number), ([header] + records).map(\.number)), uniquingKeysWith: { first, _ in first }))
    }

    fileprivate func numbered(_ refusal: JSONValue) -> JSONValue {
        guard var members = refusal.object, let line = members["line"]?.integer else { return refusal }
        members["line"] = .integer(numbers[line] ?? line)
        return .object(members)
    }
}
