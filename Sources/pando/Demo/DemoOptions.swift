import Administration
import ArgumentParser
import Base
import Foundation
import Server
import Simulators

/// What every demo takes. A subcommand has it as its parent has it: ArgumentParser hands the values on, so that they
/// may stand before and behind its name.
struct DemoOptions: ParsableArguments {
    @OptionGroup var configuration: ConfigurationOptions

    @Option(
        help: ArgumentHelp("The server; the configured issuer by default.", valueName: "url"),
        completion: .list(["http://localhost:8080"]))
    var issuer: String?

    @Flag(help: "Print the curl line of each request. Proofs are good for one use: what was sent already is refused.")
    var curl = false

    @Flag(help: "Do not cut tokens and passwords out of the curl lines.")
    var showTokens = false

    @Flag(help: "Print one JSON array of steps, and nothing else.")
    var json = false

    var teller: StepPrinter { StepPrinter(json ? .json : .text, tellsCurl: curl, showsTokens: showTokens) }

    /// The server's issuer, without a slash at its end.
    func address(_ values: ConfigurationValues) throws -> String {
        guard let address = WebAddress(issuer ?? values[.issuer]) else {
            throw ValidationError("--issuer must be an http or https URL")
        }
        return address.withoutQuery
    }

    /// A failure goes to stderr, as cli.md has it: a sentence and what to do, or one line of JSON.
    func reporting(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let failure as DemoFailure {
            let object: JSONValue = [
                "error": "failed", "error_description": .string(failure.description), "hint": .string(failure.hint),
            ]
            let text = json ? object.text : "pando demo: \(failure).\nWhat to do: \(failure.hint)."
            FileHandle.standardError.write(Data((text + "\n").utf8))
            throw ExitCode(1)
        }
    }
}
