import Base

/// An argument of a command, as a member of a JSON object.
public struct AdminArgument: Sendable {
    public enum Kind: String, Sendable { case positional, option, flag }

    /// The section of options for whoever is at the database: no server takes them of others.
    public static let atDatabase = "At the database"

    /// What a command reads of stdin, such as a password.
    public static let stdin = "password"

    /// In JSON: `given_name` of `--given-name`.
    public let name: String
    public let kind: Kind
    public let isOptional: Bool
    public let isRepeating: Bool
    /// On the command line it is a file: its content stands here.
    public let isFile: Bool
    public let about: String
    /// Those that are known, where they are few.
    public let values: [String]
    /// Without its dashes; of a flag that has two, `yes` and `no`.
    let option: String
    private(set) var inverse: String?

    /// A flag that says no, too: it is said, or not, or said not to be.
    public var isDenied: Bool { kind == .flag && inverse != nil }

    /// `nil` for what has no meaning but on the command line.
    init?(_ declared: CommandDeclaration.Argument) {
        guard declared.section != "Configuration", declared.section != AdminArgument.atDatabase,
            let kind = Kind(rawValue: declared.kind)
        else { return nil }
        let option = declared.names.first ?? declared.valueName
        guard
            !["json", "yes", "help", "version", "server", "output", "columns", "sort", "watch"].contains(option)
                || kind == .positional
        else { return nil }
        self.option = option
        self.kind = kind
        name = option == "password-stdin" ? AdminArgument.stdin : option.replacing("-", with: "_")
        (isOptional, isRepeating, isFile) = (declared.isOptional, declared.isRepeating, declared.isFile)
        (about, values) = (declared.abstract, declared.values)
    }

    /// A flag that is declared with its denial (`--[no-]lineage`) is told as two, and is one member: true or false.
    static func paired(_ arguments: [AdminArgument]) -> [AdminArgument] {
        let flags = Set(arguments.filter { $0.kind == .flag }.map(\.option))
        return arguments.compactMap { argument in
            guard argument.kind == .flag else { return argument }
            if argument.option.hasPrefix("no-"), flags.contains(String(argument.option.dropFirst(3))) { return nil }
            var argument = argument
            if flags.contains("no-" + argument.option) { argument.inverse = "no-" + argument.option }
            return argument
        }
    }

    /// As the command line has it.
    func texts(_ value: JSONValue) throws -> [String] {
        if kind == .flag {
            if option == "password-stdin" { return [option] }
            guard let flag = value.bool else { throw AdminFailure(.usage, "\(name) is true or false") }
            return flag ? [option] : [inverse].compactMap(\.self)
        }
        if isFile { return [value.string ?? value.text] }
        if isRepeating, let items = value.array { return try items.map(text) }
        return [try text(value)]
    }

    private func text(_ value: JSONValue) throws -> String {
        switch value {
        case .string(let text): text
        case .integer(let number): String(number)
        case .bool(let flag): String(flag)
        default:
            throw AdminFailure(.usage, "\(name) is a text or a number" + (isRepeating ? ", or an array of them" : ""))
        }
    }
}
