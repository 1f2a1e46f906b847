import ArgumentParser
import Simulators

/// Whom a demo of a relying service acts for.
struct DemoClientOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A client with grant client_credentials and the scopes named above.", valueName: "id"))
    var client: String?

    @Flag(help: "Read its secret from stdin.")
    var secretStdin = false

    func validate() throws {
        if (client == nil) == secretStdin { throw ValidationError("--client and --secret-stdin go together") }
    }

    /// The one that is named, or that of demo.json in the folder `state`.
    func credentials(_ state: String) throws -> DemoCredentials.Client {
        if let client { return .init(id: client, secret: readLine() ?? "") }
        guard let known = DemoCredentials(readFrom: state)?.client else {
            throw DemoFailure.noClient(DemoCredentials.file(in: state).path)
        }
        return known
    }
}
