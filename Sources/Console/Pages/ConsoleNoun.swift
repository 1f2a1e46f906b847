import Base

/// What the catalog does not say of a kind of thing: how a row names it, which few columns a list has, and what belongs
/// to one. A kind without a row of this table has pages too, with the first members that it tells.
struct ConsoleNoun: Sendable {
    /// An argument of a command, and the member of a row that holds its value.
    struct Name: Sendable {
        let argument: String, member: String

        init(_ argument: String, _ member: String) { (self.argument, self.member) = (argument, member) }
    }

    /// A list, or one thing, on the page of another: the command, and which of its arguments come from there.
    struct Part: Sendable {
        let words: [String], names: [Name]

        /// `words` with blanks between; `argument` takes the value of `member`.
        init(_ words: String, _ argument: String, _ member: String) {
            (self.words, names) = (words.split(separator: " ").map(String.init), [Name(argument, member)])
        }

        init(_ words: String, names: [Name]) {
            (self.words, self.names) = (words.split(separator: " ").map(String.init), names)
        }
    }

    let words: [String]
    /// How a row names the thing.
    let names: [Name]
    /// What it is called for people, the first that is there.
    let labels: [String]
    let columns: [String]
    let parts: [Part]
    /// Its node in the token tree, before the value of a member.
    let node: Name?

    init(
        _ words: String, names: [Name], labels: [String], columns: [String], parts: [Part] = [], node: Name? = nil
    ) {
        self.words = words.split(separator: " ").map(String.init)
        (self.names, self.labels, self.columns, self.parts, self.node) = (names, labels, columns, parts, node)
    }

    static func of(_ words: some Sequence<String>) -> ConsoleNoun? { all[words.joined(separator: " ")] }

    private static let all = Dictionary(
        uniqueKeysWithValues: (people + software + services + devices).map { ($0.words.joined(separator: " "), $0) })

    private static let people = [
        ConsoleNoun(
            "accounts", names: [Name("account", "id")], labels: ["username"],
            columns: ["username", "name", "email", "status", "institution", "created_at"],
            parts: [
                Part("roles list", "account", "id"), Part("instances list", "account", "id"),
                Part("passkeys list", "account", "id"), Part("tiqr identities list", "account", "id"),
                Part("operations registrations list", "account", "id"), Part("wallets list", "account", "id"),
            ], node: Name("account", "id")),
        ConsoleNoun(
            "institutions", names: [Name("institution", "id"), Name("id", "id")], labels: ["name", "id"],
            columns: ["name", "id", "domains", "created_at"],
            parts: [
                Part("accounts list", "institution", "id"), Part("apps list", "institution", "id"),
                Part("services list", "institution", "id"), Part("clients list", "institution", "id"),
                Part("roles list", "institution", "id"),
            ]),
        ConsoleNoun(
            "roles",
            names: [
                Name("account", "account"), Name("role", "role"), Name("institution", "institution"),
                Name("service", "service"),
            ], labels: [], columns: ["account", "role", "institution", "service", "granted_at"]),
        ConsoleNoun(
            "providers", names: [Name("provider", "id")], labels: ["name", "id"],
            columns: ["name", "id", "issuer", "institution", "enabled"]),
    ]

    private static let software = [
        ConsoleNoun(
            "apps", names: [Name("app", "id")], labels: ["name"],
            columns: ["name", "id", "status", "institution", "created_at"],
            parts: [Part("apps versions list", "app", "id"), Part("instances list", "app", "id")]),
        ConsoleNoun(
            "apps versions", names: [Name("app", "app"), Name("version", "version")], labels: ["version"],
            columns: ["version", "status", "kid", "created_at"],
            parts: [Part("instances list", names: [Name("app", "app"), Name("version", "version")])],
            node: Name("version", "id")),
        ConsoleNoun(
            "instances", names: [Name("id", "id")], labels: ["name", "id"],
            columns: ["name", "account", "app", "version", "status", "last_seen"], node: Name("instance", "id")),
        ConsoleNoun(
            "keys", names: [Name("kid", "kid")], labels: [], columns: ["kid", "alg", "status", "created_at"],
            node: Name("key", "kid")),
    ]

    private static let services = [
        ConsoleNoun(
            "services", names: [Name("service", "id")], labels: ["name", "id"],
            columns: ["name", "base", "status", "protocols", "institution"],
            parts: [
                Part("crawl status", "services", "id"), Part("crawl history", "service", "id"),
                Part("crawl show", "service", "id"), Part("events status", "service", "id"),
                Part("events dead list", "service", "id"), Part("services refusals", "service", "id"),
                Part("roles list", "service", "id"),
            ], node: Name("service", "id")),
        ConsoleNoun(
            "services proposals", names: [Name("proposal", "id")], labels: ["name", "base"],
            columns: ["name", "base", "proposer", "status", "created_at", "proven_at"]),
        ConsoleNoun(
            "crawl", names: [Name("services", "service")], labels: ["service"],
            columns: ["service", "state", "reason", "warnings", "last_success", "next_try"]),
        ConsoleNoun(
            "events", names: [Name("service", "service")], labels: [],
            columns: ["service", "hears", "lag_s", "dead", "failures", "last_error"]),
        ConsoleNoun(
            "events dead", names: [Name("service", "service"), Name("jti", "jti")], labels: ["jti"],
            columns: ["seq", "event", "error", "created_at", "given_up_at"]),
        ConsoleNoun(
            "clients", names: [Name("id", "client_id")], labels: ["client_name", "client_id"],
            columns: ["client_name", "client_id", "grant_types", "token_endpoint_auth_method", "institution"],
            node: Name("client", "client_id")),
    ]

    private static let devices = [
        ConsoleNoun(
            "tiqr identities", names: [Name("identity", "identity")], labels: ["display_name", "identity"],
            columns: ["display_name", "identity", "account", "identifier", "blocked", "last_used_at"]),
        ConsoleNoun(
            "tiqr identifiers", names: [Name("identifier", "identifier")], labels: ["display_name", "identifier"],
            columns: ["display_name", "identifier", "suite", "app", "default", "used", "retired"]),
        ConsoleNoun(
            "operations registrations", names: [Name("registration", "id")], labels: ["name", "id"],
            columns: ["name", "id", "user", "app", "status", "last_used_at"]),
        ConsoleNoun(
            "operations", names: [Name("operation", "id")], labels: ["id"],
            columns: ["id", "type", "user", "status", "created_at"]),
        ConsoleNoun(
            "passkeys", names: [Name("passkey", "id")], labels: ["name", "id"],
            columns: ["name", "account", "wallet", "created_at", "last_used_at"]),
        ConsoleNoun(
            "wallets", names: [Name("wallet", "wallet")], labels: ["wallet"],
            columns: ["wallet", "account", "passkeys", "sessions"],
            parts: [Part("wallets sessions", "wallet", "wallet"), Part("passkeys list", "wallet", "wallet")]),
    ]

    /// Members that name a thing of another kind, wherever they stand: the command that shows it, and its argument.
    static let references: [String: (show: [String], argument: String)] = [
        "account": (["accounts", "show"], "account"), "proposer": (["accounts", "show"], "account"),
        "app": (["apps", "show"], "app"),
        "institution": (["institutions", "show"], "institution"), "service": (["services", "show"], "service"),
        "client_id": (["clients", "show"], "id"), "client": (["clients", "show"], "id"),
        "wallet": (["wallets", "show"], "wallet"), "instance": (["instances", "show"], "id"),
    ]
}
