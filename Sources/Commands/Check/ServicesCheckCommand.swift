import Administration
import ArgumentParser
import Base
import Crawler
import Federation
import Foundation
import HTTP
import PandoClient
import Server
import ServiceCheck
import TokenTree

extension ServicesCommand {
    /// `services check SERVICE`. It keeps its own transactions, so this is no `AdminChange`: what it makes lives while
    /// it runs, and is ended whatever comes.
    struct Check: AdminCommand {
        static let configuration = CommandConfiguration(
            abstract: "Check a service with assertions, events and a revocation of this federation.",
            discussion: """
                Makes a version of the app \(ThrowawayApp.app) and a person, goes to the service as that app, and ends \
                both. The server has to run: the check asks it as an app does, and it sends the events.
                """)
        @Argument(help: "Id or base URL.") var service: String
        @Option(
            help: ArgumentHelp("A person who is there already, instead of one for this check.", valueName: "account"))
        var `as`: String?
        @Flag(help: "Read their password from stdin.") var passwordStdin = false
        @Option(help: "Why; kept in the audit trail.") var reason: String?
        @OptionGroup var check: CheckOptions
        @OptionGroup var common: AdminOptions

        func validate() throws {
            if (`as` != nil) != passwordStdin { throw ValidationError("--as and --password-stdin go together") }
        }

        func run(on runner: AdminRunner) async throws {
            try await runner.run(common, reason: reason) { session in
                let known = try await ServicesCommand.find(service, session)
                guard known.status == .active else {
                    throw AdminFailure(
                        .conflict, "\(known.id) is \(known.status.rawValue): nobody gets assertions for it",
                        hint: "pando admin services approve \(known.id)")
                }
                try await ThrowawayApp.endLeftovers(session)
                try await session.audit("services.check", node: "service:\(known.id)")
                let report = try await report(known, session)
                await session.database.close()
                try CheckOutput.write(report, json: common.json)
            }
        }

        private func report(_ known: FederationService, _ session: AdminSession) async throws -> CheckReport {
            let settings = try session.composition.settings
            let run = CheckRun(
                try CrawlerSettings(settings, version: Version.text), loopback: known.allowsLoopback,
                clock: session.clock, options: check.run(issuer: settings.root))
            let app = try await person(session), progress = CheckOutput.progress(json: common.json)
            let result: Result<CheckReport, any Error>
            do {
                let report = try await Interruption.cancelling {
                    try await Transport.withAsyncHTTPClient { federation in
                        try await run.run(
                            known.base,
                            source: { base, _ in
                                try await FederationSource.enter(
                                    settings.root, base: base, as: app.version, username: app.username,
                                    password: app.password, federation: federation, service: run.toService)
                            }, progress: progress)
                    }
                }
                result = .success(report)
            } catch is CancellationError {
                result = .failure(AdminFailure(.failed, "interrupted; what the check had made is ended"))
            } catch {
                result = .failure(error)
            }
            try await app.end(session)
            return try result.get()
        }

        private func person(_ session: AdminSession) async throws -> ThrowawayApp {
            guard let name = `as` else { return try await ThrowawayApp.make(session) }
            let account = try await session.account(name)
            return try await ThrowawayApp.make(
                as: account.username, password: try AdminInput.password(), session)
        }
    }
}
