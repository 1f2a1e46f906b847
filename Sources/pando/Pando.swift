import Administration
import ArgumentParser
import Commands
import Foundation
import HTTP
import Server

/// `pando`: the federation control-plane, its tools and its demo.
@main
struct Pando: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pando",
        abstract: "Federation control-plane: one token tree, revoked anywhere, dead below at once.",
        version: Version.full,
        subcommands: [
            Serve.self, Migrate.self, Dev.self, Demo.self, CheckServiceCommand.self, ConfigCommand.self, Admin.self,
        ] + RemoteLogins.commands
    )

    static func main() async {
        await ConfigurationOptions.$settings.withValue(Setting.all.map(\.name)) {
            await RemoteLogins.with(ProcessInfo.processInfo.environment) { await perform() }
        }
    }

    /// Exit statuses are those of cli.md, not of ArgumentParser: a command that was not understood leaves 2.
    private static func perform() async {
        let arguments = AdminArguments.normalised(Array(CommandLine.arguments.dropFirst()))
        do {
            var command = try parseAsRoot(arguments)
            if let administration = command as? any AdminCommand {
                let environment = ProcessInfo.processInfo.environment
                try await administration.run(
                    on: .configured(line: Array(arguments.dropFirst()), environment: environment))
            } else if isRemote(arguments), !(command is Admin) {
                throw AdminRunner.onServerOnly
            } else if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch let failure as AdminFailure {
            failure.report(json: arguments.contains("--json"))
            Foundation.exit(failure.code.exitStatus)
        } catch {
            let isScripted = ["admin", "check-service", "login", "logout", "whoami"].contains(arguments.first ?? "")
            leave(error, json: isScripted && arguments.contains("--json"))
        }
    }

    /// A server was named for a command that is none of the administration API.
    private static func isRemote(_ arguments: [String]) -> Bool {
        guard arguments.first == "admin" else { return false }
        let words = arguments.prefix { $0 != "--" }
        return words.contains { $0 == "--server" || $0.hasPrefix("--server=") }
            || ProcessInfo.processInfo.environment["PANDO_SERVER"]?.isEmpty == false
    }

    private static func leave(_ error: any Error, json: Bool) -> Never {
        let code = exitCode(for: error)
        if code == .success || error is ExitCode || !json && code != .validationFailure { exit(withError: error) }
        if code == .validationFailure {
            if json {
                AdminFailure(.usage, message(for: error)).report(json: true)
            } else {
                FileHandle.standardError.write(Data((fullMessage(for: error) + "\n").utf8))
            }
            Foundation.exit(2)
        }
        AdminFailure(.failed, message(for: error)).report(json: json)
        Foundation.exit(1)
    }
}
