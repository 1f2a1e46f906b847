import Base

/// How a command is declared, as ArgumentParser tells it (`--experimental-dump-help`, version 0 of its ToolInfo).
struct CommandDeclaration {
    struct Argument {
        let kind: String
        /// Long ones, without dashes.
        let names: [String]
        /// Of one letter, without the dash.
        let letters: [String]
        let valueName: String
        let abstract: String
        let section: String?
        let isOptional: Bool
        let isRepeating: Bool
        let isFile: Bool
        let values: [String]

        init(_ json: JSONValue) {
            kind = json["kind"]?.string ?? ""
            names = (json["names"]?.array ?? []).filter { $0["kind"]?.string == "long" }.compactMap {
                $0["name"]?.string
            }
            letters = (json["names"]?.array ?? []).filter { $0["kind"]?.string == "short" }.compactMap {
                $0["name"]?.string
            }
            valueName = json["valueName"]?.string ?? ""
            abstract = json["abstract"]?.string ?? ""
            section = json["sectionTitle"]?.string
            (isOptional, isRepeating) = (json["isOptional"]?.bool ?? false, json["isRepeating"]?.bool ?? false)
            isFile = json["completionKind"]?["file"] != nil
            values = json["allValues"]?.strings ?? json["completionKind"]?["list"]?["values"]?.strings ?? []
        }
    }

    let name: String
    let abstract: String
    let discussion: String
    let arguments: [Argument]
    let subcommands: [CommandDeclaration]
    /// Of commands that programs call, and nobody else.
    let isHidden: Bool

    /// Of the root command; `nil` for what is no such document.
    init?(dumped text: String) {
        guard let document = try? JSONReader.read(text.utf8, depth: 64), let command = document["command"] else {
            return nil
        }
        self.init(command)
    }

    private init(_ json: JSONValue) {
        name = json["commandName"]?.string ?? ""
        (abstract, discussion) = (json["abstract"]?.string ?? "", json["discussion"]?.string ?? "")
        arguments = (json["arguments"]?.array ?? []).map(Argument.init)
        isHidden = json["shouldDisplay"]?.bool == false
        subcommands = (json["subcommands"]?.array ?? []).map(CommandDeclaration.init)
    }

    /// Commands without commands below, with the words that lead to them.
    func leaves(_ words: [String] = []) -> [(words: [String], declaration: CommandDeclaration)] {
        subcommands.filter { $0.name != "help" }.flatMap {
            child -> [(words: [String], declaration: CommandDeclaration)] in
            let path = words + [child.name]
            return child.subcommands.isEmpty ? [(path, child)] : child.leaves(path)
        }
    }
}
