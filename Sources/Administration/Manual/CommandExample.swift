/// A call as people would type it, made of what a command needs and cannot do without.
enum CommandExample {
    /// What things are called in examples, by the name of the argument.
    private static let values = [
        "account": "grace", "username": "grace", "app": "org.example.app", "version": "7", "service": "learn",
        "institution": "example.org", "base": "https://learn.example.org", "url": "https://learn.example.org",
        "node": "version:org.example.app.7", "jwk": "version-7.jwk.pub", "name": "Learn", "answer": "yes",
        "token": "- < token.txt", "failed-for": "30", "to-key": "new-master.key", "kid": "KID", "id": "ID",
        "role": "auditor", "file": "people.csv", "email": "grace@example.org",
    ]

    /// Behind the words of the command: as `given`, or else what is required, with one value each.
    static func words(_ given: String?, _ declaration: CommandDeclaration) -> [String] {
        if let given { return given.isEmpty ? [] : [given] }
        let needed = declaration.arguments.filter { !$0.isOptional && $0.kind != "flag" }
        let options = needed.filter { $0.kind == "option" }.compactMap { argument in
            argument.names.first.map { "--\($0) \(value($0, argument))" }
        }
        // What must be said, but is a flag, since a secret is no argument.
        let isSecret = declaration.arguments.contains { $0.names.contains("password-stdin") }
        let secret = isSecret && !declaration.name.hasPrefix("check") ? ["--password-stdin", "< password.txt"] : []
        let positionals = needed.filter { $0.kind == "positional" }.map { value($0.valueName, $0) }
        return positionals.filter { !$0.hasPrefix("-") } + options + secret
            + positionals.filter { $0.hasPrefix("-") }
    }

    private static func value(_ name: String, _ argument: CommandDeclaration.Argument) -> String {
        values[name] ?? argument.values.first ?? name.uppercased().replacing("-", with: "_")
    }
}
