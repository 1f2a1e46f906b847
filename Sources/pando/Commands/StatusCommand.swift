import Administration
import ArgumentParser
import Base
import Commands
import Foundation
import Server

/// `pando status`: whether it runs. Exit 0, or 6 where it does not.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Say whether the server is up, and what it stands on.",
        discussion: "Leaves 6 where the server or its database does not answer, or migrations are pending.")

    @OptionGroup var common: AdminOptions

    func run() async throws {
        let settings = try await Looked.settings(common), logger = Bootstrap.logging(settings)
        try await Terminal.$source.withValue(.init(Terminal.ofProcess)) {
            try await AdminOutput.repeated(every: common.watch) {
                let status = await ServerStatus.of(settings, logger: logger)
                try AdminOutput.write(.object(status.json), common)
                if !status.isUp, common.watch == nil { throw ExitCode(AdminFailure.Code.unavailable.exitStatus) }
            }
        }
    }
}

/// `pando doctor`: everything that a server stands on, with what to do. Exit 0, or 7 where something is an error.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Look at all that the server stands on, and say what to do.",
        discussion: """
            Settings, files, database, keys, clocks, the issuer's name and certificate, mail, the crawler, services. \
            Changes nothing. Leaves 7 where something is an error; warnings do not count.
            """)

    @OptionGroup var common: AdminOptions

    func run() async throws {
        var found: [Finding]
        do {
            let settings = try await Looked.settings(common)
            found = await Doctor(settings, logger: Bootstrap.logging(settings)).findings()
        } catch let refused as ValidationError {
            found = [.unreadable(settings: refused.message)]
        }
        try Terminal.$source.withValue(.init(Terminal.ofProcess)) {
            try AdminOutput.write(
                .list(found.map(\.json), next: nil), common, preferred: ["status", "name", "text", "advice"])
        }
        guard !found.contains(where: { $0.status == .error }) else {
            throw ExitCode(AdminFailure.Code.partial.exitStatus)
        }
    }
}

/// The configuration as commands find it: with the database of `pando dev`, where there is one.
enum Looked {
    /// What `options` name; of a server far away nothing can be told.
    static func settings(_ options: AdminOptions) async throws -> Settings {
        guard options.server == nil else { throw AdminRunner.onServerOnly }
        var values = try await options.configuration.values()
        values.offer("critical", for: .logLevel, origin: "pando status")
        do {
            try DevelopmentDatabase.offer(to: &values)
            return try Settings(values)
        } catch let error as Settings.Unacceptable {
            throw ValidationError(error.description)
        }
    }
}
