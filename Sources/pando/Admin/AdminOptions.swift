import ArgumentParser
import Foundation
import Server

/// Options of every administration command.
struct AdminOptions: ParsableArguments {
    @OptionGroup(title: "Configuration") var configuration: ConfigurationOptions
    @Flag(help: "One JSON value on stdout and nothing else.") var json = false
}

/// Options of every command that changes something.
struct ChangeOptions: ParsableArguments {
    @Flag(help: "Do the whole work, report it, and undo it.") var dryRun = false
    @Flag(help: "Do not ask; needed by what destroys where stdin or stderr is no terminal.") var yes = false
    @Option(help: "Why; kept in the audit trail.") var reason: String?
}

/// Options of every list.
struct ListOptions: ParsableArguments {
    @Option(help: "At most this many items.") var limit = 100
    @Option(help: "Go on after this cursor.") var after: String?

    func validate() throws {
        guard (1...10_000).contains(limit) else { throw ValidationError("--limit takes 1 to 10000") }
    }
}

/// Files and stdin, where secrets and keys come from.
enum AdminInput {
    /// The text of a file; `-` is stdin.
    static func text(_ path: String) throws -> String {
        let data = path == "-" ? FileHandle.standardInput.readDataToEndOfFile() : FileManager.default.contents(atPath: path)
        guard let data, let text = String(data: data, encoding: .utf8) else { throw AdminFailure(.invalid, "\(path) cannot be read as text") }
        return text
    }

    /// A password from stdin, without the line end that an editor or `echo` adds.
    static func password() throws -> String {
        var text = try text("-")
        if text.hasSuffix("\n") { text.removeLast() }
        return text
    }
}
