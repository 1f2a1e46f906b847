import ArgumentParser

/// `pando`: the federation control-plane, its tools and its demo.
@main
struct Pando: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pando",
        abstract: "Federation control-plane: one token tree, cut anywhere, dead below at once.",
        version: Version.text,
        subcommands: [Serve.self, Migrate.self, Dev.self, Demo.self, ConfigCommand.self, Admin.self]
    )
}

enum Version {
    static let text = "0.1.0"
}
