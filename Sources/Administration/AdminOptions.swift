import ArgumentParser
import Foundation

/// Options of every administration command.
public struct AdminOptions: ParsableArguments {
    @OptionGroup(title: "Configuration") public var configuration: ConfigurationOptions
    @Flag(name: .customLong("json"), help: "One JSON value on stdout and nothing else; the same as -o json.")
    var isJSON = false
    @Option(name: .shortAndLong, help: "How the result is told.") public var output: OutputFormat?
    @Option(help: ArgumentHelp("Only these members of what is told, in this order.", valueName: "a,b"))
    public var columns: String?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Order a list by this member; with a hyphen before it, backwards.", valueName: "[-]member"))
    public var sort: String?
    @Option(
        defaultAsFlag: 2, parsing: .next,
        help: ArgumentHelp(
            "Look again and again, with so many seconds between (2), until Ctrl-C.", valueName: "seconds"))
    public var watch: Int?
    @Option(
        help: ArgumentHelp(
            "Ask this server, as whom `pando login` says; PANDO_SERVER by default.", valueName: "url"))
    public var server: String?

    public init() {}

    public var json: Bool { format == .json }
    public var format: OutputFormat { isJSON ? .json : output ?? .table }

    /// What `--columns` names.
    var members: [String]? {
        columns.map { $0.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) } }
    }

    public func validate() throws {
        if isJSON, let output, output != .json {
            throw ValidationError("--json and -o \(output.rawValue): one of them")
        }
        if let members, members.isEmpty { throw ValidationError("--columns takes names, with commas between") }
        if let watch, !(1...3_600).contains(watch) { throw ValidationError("--watch takes 1 to 3600 seconds") }
    }
}

/// Options of every command that changes something.
public struct ChangeOptions: ParsableArguments {
    @Flag(help: "Do the whole work, report it, and undo it.") public var dryRun = false
    @Flag(help: "Do not ask; needed by what destroys where stdin or stderr is no terminal.") public var yes = false
    @Option(help: "Why; kept in the audit trail.") public var reason: String?

    public init() {}
}

/// Options of every list.
public struct ListOptions: ParsableArguments {
    @Option(help: "At most this many items.") public var limit = 100
    @Option(help: "Go on after this cursor.") public var after: String?

    public init() {}

    public func validate() throws {
        guard (1...10_000).contains(limit) else { throw ValidationError("--limit takes 1 to 10000") }
    }
}

/// What a command that was not given on a command line reads of stdin; its files are what their arguments hold.
public struct GivenInput: Sendable {
    public let stdin: String?

    public init(stdin: String?) { self.stdin = stdin }
}

/// Files and stdin, where secrets and keys come from.
public enum AdminInput {
    /// Set where nobody is at this machine: then no file of it is ever read. ArgumentParser makes commands itself, so
    /// none can be handed it.
    @TaskLocal public static var given: GivenInput?

    /// The text of a file; `-` is stdin.
    public static func text(_ path: String) throws -> String {
        if let given {
            guard path == "-" else { return path }
            guard let text = given.stdin else { throw AdminFailure(.usage, "\(AdminArgument.stdin) is missing") }
            return text
        }
        let data =
            path == "-" ? FileHandle.standardInput.readDataToEndOfFile() : FileManager.default.contents(atPath: path)
        guard let data, let text = String(data: data, encoding: .utf8) else {
            throw AdminFailure(.invalid, "\(path) cannot be read as text")
        }
        return text
    }

    /// A file as the administration API takes it: its text, or a picture's bytes as base64. No text in UTF-8 begins as
    /// PNG and JPEG do.
    static func sent(_ path: String) throws -> String {
        guard given == nil, path != "-", let data = FileManager.default.contents(atPath: path),
            data.starts(with: [0x89, 0x50]) || data.starts(with: [0xFF, 0xD8])
        else { return try text(path) }
        return data.base64EncodedString()
    }

    /// The bytes of a file, such as a picture; where nobody is at this machine they come as base64.
    public static func bytes(_ path: String) throws -> [UInt8] {
        if given != nil {
            guard let data = Data(base64Encoded: try text(path), options: .ignoreUnknownCharacters), !data.isEmpty
            else { throw AdminFailure(.invalid, "the file is not in base64") }
            return Array(data)
        }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw AdminFailure(.invalid, "\(path) cannot be read")
        }
        return Array(data)
    }

    /// A password from stdin, without the line end that an editor or `echo` adds.
    public static func password() throws -> String {
        var text = try text("-")
        if text.hasSuffix("\n") { text.removeLast() }
        return text
    }
}
