import ArgumentParser
import Base
import Simulators

/// `pando demo`: an app instance that walks the whole path against a running server.
struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Walk the whole path of a phone app against a running server, then revoke what it is by.",
        discussion: """
            Registers a fresh phone, logs a person in, finds a service, hands a token to another app; then ends the \
            phone's instance and shows each token die. \
            The demo's people and the key of its app are in demo.json of the state directory, where `pando dev` puts \
            them.
            """,
        subcommands: [DemoTiqr.self, DemoOperations.self, DemoLiquid.self, DemoService.self]
    )

    @OptionGroup var options: DemoOptions

    @Option(help: "Who logs in; by default the first person of the demo.", completion: .list(["ada", "bob"]))
    var username: String?

    @Flag(help: "Read their password from stdin.")
    var passwordStdin = false

    func validate() throws {
        if passwordStdin, username == nil { throw ValidationError("--password-stdin needs --username") }
    }

    func run() async throws {
        let values = try await options.configuration.values(), address = try options.address(values)
        try await options.reporting {
            guard let credentials = DemoCredentials(readFrom: values[.stateDirectory]),
                let version = credentials.versions.first
            else {
                throw DemoFailure.noCredentials(DemoCredentials.file(in: values[.stateDirectory]).path)
            }
            try await DemoJourney.walk(address, version, try person(of: credentials), telling: options.teller)
        }
    }

    private func person(of credentials: DemoCredentials) throws -> DemoCredentials.Person {
        guard let username else {
            guard let first = credentials.people.first else { throw DemoFailure.noPassword("anybody") }
            return first
        }
        if passwordStdin { return .init(username: username, password: readLine() ?? "") }
        guard let known = credentials.people.first(where: { $0.username == username }) else {
            throw DemoFailure.noPassword(username)
        }
        return known
    }
}
