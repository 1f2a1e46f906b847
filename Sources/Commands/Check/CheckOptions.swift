import Administration
import ArgumentParser
import Base
import Foundation
import ServiceCheck

/// What both checks of services take.
struct CheckOptions: ParsableArguments {
    @Option(help: "URL of its RSD document, instead of searching.") var rsd: String?
    @Option(help: ArgumentHelp("An origin of web applications that use the service.", valueName: "url"))
    var origin: String?

    func validate() throws {
        if let rsd, WebAddress(rsd) == nil { throw ValidationError("--rsd must be an http or https URL") }
        if let origin, WebAddress(origin)?.origin != origin {
            throw ValidationError("--origin takes scheme, host and port, without a path")
        }
    }

    /// `issuer`: whose name forgeries carry, where no source knows it.
    func run(issuer: String? = nil, as app: CheckAppOptions) -> CheckRun.Options {
        var options = CheckRun.Options()
        (options.rsd, options.issuer, options.origin) = (rsd, issuer, origin)
        options.bundle = app.bundle ?? options.bundle
        options.patience = app.patience.map { Duration.seconds($0) } ?? options.patience
        return options
    }
}

/// What a check takes that goes to the service as an app. None has a default here, so that it is seen what was said.
struct CheckAppOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Bundle id of the app for which app tokens are asked; org.example.check by default.", valueName: "app"))
    var bundle: String?
    @Option(
        help: ArgumentHelp("How long a token may live after it was revoked; 30 by default.", valueName: "seconds"))
    var patience: Int?

    func validate() throws {
        guard patience.map({ (1...3_600).contains($0) }) ?? true else {
            throw ValidationError("--patience takes 1 to 3600 seconds")
        }
    }
}

/// How a report leaves the command (docs/design/cli.md, "Manners").
enum CheckOutput {
    /// A line on a terminal, so that whoever waits knows for what.
    static func progress(json: Bool) -> @Sendable (String) -> Void {
        guard isatty(STDERR_FILENO) != 0, !json else { return { _ in } }
        return { step in FileHandle.standardError.write(Data("looking at \(step) …\n".utf8)) }
    }

    /// - Throws: `ExitCode` of 7 where something is wrong: the report says what.
    static func write(_ report: CheckReport, json: Bool) throws {
        let text =
            json
            ? JSONValue.object(report.json).text
            : report.lines.map { PlainText.harmless($0) }.joined(separator: "\n")
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
        if report.hasErrors { throw ExitCode(AdminFailure.Code.partial.exitStatus) }
    }

    /// What a service is called by, without a slash at its end.
    static func base(_ text: String) throws -> String {
        guard let address = WebAddress(text), address.query == nil else {
            throw AdminFailure(.invalid, "\(text) is not an absolute http(s) URL without userinfo and query")
        }
        return address.withoutQuery
    }

    /// Errors of a check in the words of the command line: those of the federation's answers, and an interruption.
    static func reporting(_ body: () async throws -> Void) async throws {
        try await AdminFailure.reporting {
            do {
                try await body()
            } catch is CancellationError {
                throw AdminFailure(.failed, "interrupted; what the check had made is ended")
            }
        }
    }
}
