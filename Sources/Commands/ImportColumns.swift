import Administration
import Base
import OAuth

/// What the columns of a file of people mean.
struct ImportColumns {
    struct Problem: Error, CustomStringConvertible {
        let description: String
    }

    private let members: [DirectoryMember?]
    /// Columns without a meaning.
    let ignored: [String]

    /// Throws `AdminFailure`.
    init(_ names: [String], map: [String], isStrict: Bool) throws {
        var named: [String: DirectoryMember] = [:]
        for pair in map {
            guard let place = pair.lastIndex(of: "="),
                let member = DirectoryMember(String(pair[pair.index(after: place)...]))
            else { throw AdminFailure(.usage, "--map takes COLUMN=MEMBER, not \(pair)") }
            named[String(pair[..<place])] = member
        }
        if let missing = named.keys.filter({ !names.contains($0) }).min() {
            throw AdminFailure(.invalid, "the file has no column \(missing)")
        }
        members = names.map { named[$0] ?? DirectoryMember($0) }
        ignored = zip(names, members).filter { $0.1 == nil }.map(\.0)
        let known = members.compactMap(\.self)
        if let twice = Dictionary(grouping: known, by: \.word).filter({ $0.value.count > 1 }).keys.min() {
            throw AdminFailure(.invalid, "two columns are \(twice)")
        }
        guard known.contains(.username) || known.contains(.externalID) else {
            throw AdminFailure(
                .invalid, "no column is username", hint: "--map COLUMN=username says which one is")
        }
        if isStrict, let first = ignored.first { throw AdminFailure(.invalid, "the column \(first) has no meaning") }
    }

    func line(_ line: CSVReader.Line) throws -> DirectoryLine {
        let fields: [String]
        do { fields = try line.fields.get() } catch { throw Problem(description: ImportColumns.words(error)) }
        guard fields.count == members.count else {
            throw Problem(description: "it has \(fields.count) fields, and the header \(members.count)")
        }
        var values: [DirectoryMember: String] = [:]
        for (member, field) in zip(members, fields) {
            guard let member else { continue }
            values[member] = CSVWriter.unguarded(field)
        }
        return DirectoryLine(number: line.number, values: values)
    }

    private static func words(_ problem: CSVReader.Problem) -> String {
        switch problem {
        case .notUTF8: "it is not UTF-8"
        case .nulByte: "it has a NUL character"
        case .strayQuote: "a quote stands where none can: within quotes it is written twice"
        case .unfinished: "the file ends within quotes"
        case .tooLong: "it is longer than \(CSVReader.longest) bytes: is a quote left open?"
        }
    }
}
