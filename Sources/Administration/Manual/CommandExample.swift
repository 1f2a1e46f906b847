import Base

/// A call as people would type it, made of what a command needs and cannot do without.
enum CommandExample {
    /// What things are called in examples, by the name of the argument.
    private static let values = [
        "account": "grace", "username": "grace", "app": "org.example.app", "version": "7", "service": "learn",
        "institution": "example.org", "base": "https://learn.example.org", "url": "https://learn.example.org",
        "node": "version:org.example.app.7", "jwk": "version-7.jwk.pub", "name": "Learn", "answer": "yes",
        "token": "- < token.txt", "failed-for": "30", "to-key": "new-master.key", "kid": "KID", "id": "ID",
        "role": "auditor", "file": "people.csv", "email": "grace@example.org", "display-name": "Example",
        "issuer": "https://login.example.org", "team": "A1B2C3D4E5", "key-id": "F6G7H8J9K0",
        "topic": "org.example.app", "app-id": "10000001", "note": "beta",
    ]

    /// What files hold, by the argument that names them, and what is typed where it is a secret.
    private static let contents: JSONObject = [
        "jwk": [
            "kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
            "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
        ],
        "file": "username,email\ngrace,grace@example.org\n", "token": "eyJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl",
        "password": "correct horse battery staple",
        "key": "-----BEGIN PRIVATE KEY-----\nMIGHAgEA…\n-----END PRIVATE KEY-----\n", "secret": "dGhlIHNlY3JldA",
        "account": [
            "client_email": "push@example.iam.gserviceaccount.com", "private_key": "-----BEGIN PRIVATE KEY-----…",
        ],
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

    /// The same as the administration API takes it. A command that needs nothing is told why it is called.
    static func members(
        _ given: String?, _ declaration: CommandDeclaration, _ arguments: [AdminArgument]
    ) -> JSONObject {
        let words = self.words(given, declaration).joined(separator: " ").split(separator: " ").map { String($0) }
        let line = WrittenLine(
            arguments: arguments, file: { $0 }, stdin: { contents["password"]?.string ?? "" })
        // What is redirected stands behind it.
        guard var members = try? line.members(words.prefix { $0 != "<" }) else { return [:] }
        for argument in arguments where members[argument.name] != nil {
            let isRead = argument.isFile || members[argument.name] == "-"
            if isRead, let content = contents[argument.name] { members[argument.name] = content }
            if argument.name == "token" { members[AdminArgument.stdin] = nil }
        }
        return members
    }

    private static func value(_ name: String, _ argument: CommandDeclaration.Argument) -> String {
        values[name] ?? argument.values.first ?? name.uppercased().replacing("-", with: "_")
    }
}
