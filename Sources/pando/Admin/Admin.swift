import ArgumentParser

/// `pando admin`: design/cli.md.
struct Admin: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Administer the federation.")
}
