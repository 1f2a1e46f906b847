import ArgumentParser

/// `pando demo`: an app instance that walks the whole path against a running server.
struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Walk the whole path of a phone app against a running server, then cut it down.")

    func run() async throws {}
}
