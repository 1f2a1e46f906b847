import Administration
import ArgumentParser
import Commands
import Database
import Foundation
import Logging
import Server

/// `pando serve`: the server, for production. Wants a migrated database and a master key.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the server.",
        discussion: """
            Stops gracefully at SIGTERM or SIGINT: for drain-delay it says at /readyz that it will, then what is in \
            flight is answered. At SIGHUP it reads the files of TLS again.
            """)

    @OptionGroup var options: ConfigurationOptions

    @Option(help: "Roles of this process, comma separated; all by default.")
    var roles: String?

    @Flag(help: "Print every endpoint and leave.")
    var printRoutes = false

    func run() async throws {
        var options = self.options
        if let roles { options.set.append("roles=\(roles)") }
        let settings = try await Bootstrap.settings(options)
        let logger = Bootstrap.logging(settings)
        let metrics = Bootstrap.metrics()
        try await Bootstrap.reporting {
            let database = try settings.connect(logger)
            let pending = try await settings.migrator(on: database, logger: logger).pending()
            guard pending.isEmpty else {
                throw Settings.Unacceptable(
                    description: "the database lacks \(pending.count) migrations: run `pando migrate`")
            }
            let composition = try await Composition(
                settings, database: database, logger: logger, administration: .ofServer)
            if printRoutes { return print(composition.routes().text) }
            try await ServerProcess(composition: composition, metrics: metrics, readsAgain: true).run(ready: {
                logger.info(
                    "serving",
                    metadata: [
                        "issuer": "\(settings.root)",
                        "roles": "\(settings.roles.map(\.name).sorted().joined(separator: ","))",
                    ])
            })
        }
    }
}
