import ArgumentParser
import Foundation

/// Options of every administration command.
public struct AdminOptions: ParsableArguments {
    @OptionGroup(title: "Configuration") public var configuration: ConfigurationOptions
    @Flag(help: "One JSON value on stdout and nothing else.") public var json = false
    @Option(
        help: ArgumentHelp(
            "Ask this server, as whom `pando login` says; PANDO_SERVER by default.", valueName: "url"))
    public var server: String?

    public init() {}
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

    /// A password from stdin, without the line end that an editor or `echo` adds.
    public static func password() throws -> String {
        var text = try text("-")
        if text.hasSuffix("\n") { text.removeLast() }
        return text
    }
}
