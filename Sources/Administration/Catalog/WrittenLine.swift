import Base

extension AdminEntry {
    /// What stands behind the words of a command line that ArgumentParser has understood, as the administration API
    /// takes it: files and stdin are read here, and options of the command line alone are left out.
    public func arguments(of line: [String]) throws -> JSONObject {
        try WrittenLine(
            arguments: arguments, file: { try AdminInput.sent($0) }, stdin: { try AdminInput.text("-") }
        ).members(line.dropFirst(words.count))
    }
}

/// A command line behind the words of its command. Where it names files and stdin, `file` and `stdin` have what they
/// hold.
struct WrittenLine {
    let arguments: [AdminArgument]
    let file: (String) throws -> String
    let stdin: () throws -> String

    func members(_ line: ArraySlice<String>) throws -> JSONObject {
        var found: JSONObject = [:], places = arguments.filter { $0.kind == .positional }[...]
        var rest = line
        func take(_ text: String, for argument: AdminArgument) throws {
            let value = JSONValue.string(argument.isFile ? try file(text) : text)
            if text == "-", !argument.isFile { found[AdminArgument.stdin] = .string(try stdin()) }
            found[argument.name] = argument.isRepeating ? .array((found[argument.name]?.array ?? []) + [value]) : value
        }
        func take(positional text: String) throws {
            guard let argument = places.first else { return }
            if !argument.isRepeating { places.removeFirst() }
            try take(text, for: argument)
        }
        while let word = rest.popFirst() {
            if word == "--" {
                while let text = rest.popFirst() { try take(positional: text) }
            } else if word.hasPrefix("--") {
                let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                let name = String(parts.first ?? "")
                guard let argument = arguments.first(where: { $0.isNamed(name) }) else {
                    WrittenLine.passOver(name, hasValue: parts.count > 1, &rest)
                    continue
                }
                if argument.kind == .flag {
                    let isPassword = argument.name == AdminArgument.stdin
                    found[argument.name] =
                        isPassword
                        ? .string(try stdin()) : .bool(name == argument.option)
                } else if let text = parts.count > 1 ? String(parts[1]) : rest.popFirst() {
                    try take(text, for: argument)
                }
            } else if word.hasPrefix("-"), word != "-" {
                // `-o FORMAT`, of the command line alone.
                if word.count == 2 { _ = rest.popFirst() }
            } else {
                try take(positional: word)
            }
        }
        return found
    }

    /// An option of the command line alone.
    private static func passOver(_ name: String, hasValue: Bool, _ rest: inout ArraySlice<String>) {
        switch name {
        case "json", "yes": break
        // Its value may be left out.
        case "watch": if !hasValue, let next = rest.first, Int(next) != nil { rest.removeFirst() }
        default: if !hasValue { _ = rest.popFirst() }
        }
    }
}

extension AdminArgument {
    func isNamed(_ name: String) -> Bool { kind != .positional && (option == name || inverse == name) }
}
