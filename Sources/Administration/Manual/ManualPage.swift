/// A manual page (man-pages(7)) of a command with all below it, made of how they are declared.
public struct ManualPage: Sendable {
    public let name: String
    public let text: String

    /// One for the root, one for each command below, and below `admin` one for each noun.
    public static func all(_ tree: CommandTree, version: String) -> [ManualPage] {
        var pages = [ManualPage(tree, isWhole: false, version: version)]
        for command in tree.subcommands {
            let isOfNouns = command.subcommands.contains { !$0.subcommands.isEmpty }
            pages.append(ManualPage(command, isWhole: !isOfNouns, version: version))
            if isOfNouns { pages += command.subcommands.map { ManualPage($0, isWhole: true, version: version) } }
        }
        return pages
    }

    /// `isWhole`: commands below are told in full here, as they have no pages of their own.
    private init(_ command: CommandTree, isWhole: Bool, version: String) {
        name = command.words.joined(separator: "-")
        let title = name.uppercased()
        var lines = [
            ".TH \(ManualPage.quoted(title)) 1 \"\" \(ManualPage.quoted("pando \(version)")) \"Pando\"", ".SH NAME",
            "\(ManualPage.plain(name)) \\- \(ManualPage.plain(ManualPage.summary(command.abstract)))", ".SH SYNOPSIS",
        ]
        let told = isWhole ? command.leaves : [command]
        for (index, leaf) in told.enumerated() {
            if index > 0 { lines.append(".br") }
            lines += ManualPage.synopsis(leaf)
        }
        lines.append(".SH DESCRIPTION")
        lines += ManualPage.paragraphs(command.abstract)
        if !command.discussion.isEmpty { lines += [".PP"] + ManualPage.paragraphs(command.discussion) }
        if isWhole, !command.subcommands.isEmpty {
            lines.append(".SH COMMANDS")
            for leaf in command.leaves { lines += ManualPage.command(leaf) }
        } else if !command.subcommands.isEmpty {
            lines.append(".SH COMMANDS")
            for child in command.subcommands {
                lines += [".TP", ".BR \(ManualPage.plain(child.words.joined(separator: "-"))) (1)"]
                lines += ManualPage.paragraphs(child.abstract)
            }
        } else {
            lines.append(".SH OPTIONS")
            lines += ManualPage.arguments(command)
            lines += [".SH EXAMPLES", ".nf", ManualPage.plain(command.example), ".fi"]
        }
        lines += [".SH EXIT STATUS"] + ManualPage.statuses
        let above = (1..<max(1, command.words.count)).map { command.words.prefix($0).joined(separator: "-") }
        if !above.isEmpty {
            lines.append(".SH SEE ALSO")
            lines += above.enumerated().map { index, name in
                ".BR \(ManualPage.plain(name)) (1)" + (index == above.count - 1 ? "" : " ,")
            }
        }
        text = lines.joined(separator: "\n") + "\n"
    }

    private static func command(_ command: CommandTree) -> [String] {
        var lines = [".SS \(quoted(command.words.joined(separator: " ")))"] + paragraphs(command.abstract)
        if !command.discussion.isEmpty { lines += [".PP"] + paragraphs(command.discussion) }
        lines += arguments(command)
        return lines + [".PP", "Example:", ".PP", ".nf", ".RS 4", plain(command.example), ".RE", ".fi"]
    }

    private static func arguments(_ command: CommandTree) -> [String] {
        command.arguments.flatMap { argument in
            [".TP", bold(spelling(argument))]
                + (argument.abstract.isEmpty ? [] : paragraphs(argument.abstract))
                + (argument.values.isEmpty || argument.values.count > 12
                    ? [] : paragraphs("One of \(argument.values.joined(separator: ", "))."))
        }
    }

    private static func spelling(_ argument: CommandDeclaration.Argument) -> String {
        let more = argument.isRepeating ? " ..." : ""
        if argument.kind == "positional" { return "<\(argument.valueName)>\(more)" }
        let names = (argument.letters.map { "-\($0)" } + argument.names.map { "--\($0)" }).joined(separator: ", ")
        return names + (argument.kind == "flag" ? "" : " <\(argument.valueName)>") + more
    }

    private static func synopsis(_ command: CommandTree) -> [String] {
        let positionals = command.arguments.filter { $0.kind == "positional" }.map {
            let word = "<\($0.valueName)>" + ($0.isRepeating ? " ..." : "")
            return $0.isOptional ? "[\(word)]" : word
        }
        let needed = command.arguments.filter { $0.kind == "option" && !$0.isOptional }.compactMap { argument in
            argument.names.first.map { "--\($0) <\(argument.valueName)>" }
        }
        let rest = command.subcommands.isEmpty ? "[options]" : "<command>"
        return [
            bold(command.words.joined(separator: " ")),
            plain((positionals + needed + [rest]).joined(separator: " ")),
        ]
    }

    private static let statuses = [
        (0, "done"), (1, "failed for another reason"), (2, "not understood, or nobody there to answer a question"),
        (3, "what was named does not exist"), (4, "something of that name is there, or its state forbids this"),
        (5, "a value cannot be taken"), (6, "the database or the server cannot be reached, or is not migrated"),
        (7, "some of what was named failed"), (8, "whoever asks may not, or is not logged in at the server"),
        (9, "the login at the server is too old for what destroys"),
    ].flatMap { [".TP", ".B \($0)", $1 + "."] }

    // MARK: roff

    /// A line that is no request, whatever it begins with; a backslash and a hyphen mean themselves.
    static func plain(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("\n", with: " ")
        return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
    }

    private static func quoted(_ text: String) -> String { "\"" + plain(text).replacing("\"", with: "\\(dq") + "\"" }

    private static func bold(_ text: String) -> String { ".B " + quoted(text) }

    /// Each line of a text is a paragraph of its own; empty lines are none.
    private static func paragraphs(_ text: String) -> [String] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: true).map { plain(String($0)) }
        return lines.isEmpty ? [] : lines.enumerated().flatMap { $0 == 0 ? [$1] : [".br", $1] }
    }

    /// As `whatis` shows it: without a full stop.
    private static func summary(_ abstract: String) -> String {
        abstract.hasSuffix(".") ? String(abstract.dropLast()) : abstract
    }
}
