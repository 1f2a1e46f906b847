import ArgumentParser
import Base
import Foundation

/// `pando demo`: an app instance that walks the whole path against a running server.
struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Walk the whole path of a phone app against a running server, then cut it down.",
        discussion: """
            Registers a fresh phone, logs a person in, finds a service, hands a token to another app; then ends the phone's instance and shows each token die. \
            The demo's people and the key of its app are in demo.json of the state directory, where `pando dev` puts them.
            """
    )

    @OptionGroup var options: ConfigurationOptions

    @Option(help: ArgumentHelp("The server; the configured issuer by default.", valueName: "url"), completion: .list(["http://localhost:8080"]))
    var issuer: String?

    @Option(help: "Who logs in; by default the first person of the demo.", completion: .list(["ada", "bob"]))
    var username: String?

    @Flag(help: "Read their password from stdin.")
    var passwordStdin = false

    @Flag(help: "Print the curl line of each request. Proofs are good for one use: what was sent already is refused.")
    var curl = false

    @Flag(help: "Do not cut tokens and passwords out of the curl lines.")
    var showTokens = false

    @Flag(help: "Print one JSON array of steps, and nothing else.")
    var json = false

    func validate() throws {
        if passwordStdin, username == nil { throw ValidationError("--password-stdin needs --username") }
    }

    func run() async throws {
        let values = try await options.values()
        guard let address = WebAddress(issuer ?? values[.issuer]) else { throw ValidationError("--issuer must be an http or https URL") }
        do {
            guard let credentials = DemoCredentials(readFrom: values[.stateDirectory]), let version = credentials.versions.first else {
                throw DemoFailure.noCredentials(DemoCredentials.file(in: values[.stateDirectory]).path)
            }
            let teller = DemoTeller(json ? .json : .text, tellsCurl: curl, showsTokens: showTokens)
            try await DemoJourney.walk(address.withoutQuery, version, try person(of: credentials), telling: teller)
        } catch let failure as DemoFailure {
            report(failure)
            throw ExitCode(1)
        }
    }

    private func person(of credentials: DemoCredentials) throws -> DemoCredentials.Person {
        guard let username else {
            guard let first = credentials.people.first else { throw DemoFailure.noPassword("anybody") }
            return first
        }
        if passwordStdin { return .init(username: username, password: readLine() ?? "") }
        guard let known = credentials.people.first(where: { $0.username == username }) else { throw DemoFailure.noPassword(username) }
        return known
    }

    /// stderr, as cli.md has it: a sentence and what to do, or one line of JSON.
    private func report(_ failure: DemoFailure) {
        let object: JSONValue = ["error": "failed", "error_description": .string(failure.description), "hint": .string(failure.hint)]
        let text = json ? object.text : "pando demo: \(failure).\nWhat to do: \(failure.hint)."
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }
}
