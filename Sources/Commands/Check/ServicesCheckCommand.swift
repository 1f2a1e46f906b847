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
    /// `services check SERVICE`. At the database it keeps its own transactions: what it makes lives while it runs, and
    /// is ended whatever comes. As a change, which servers run for others, it makes nothing: it asks the service before
    /// its transaction begins.
    struct Check: AdminChange {
        static let configuration = CommandConfiguration(
            abstract: "Check a service as a crawl, an app and the federation meet it.",
            discussion: """
                At the database it makes a version of the app \(ThrowawayApp.app) and a person, goes to the service as \
                that app, with assertions, events and a revocation of this federation, and ends both. The server has \
                to run: the check asks it as an app does, and it sends the events. With --dry-run, and through a \
                server (--server, the administration API), nothing is made, and what needs nobody's trust is tried: \
                document, links, TLS, CORS, and that what is forged is refused.
                """)
        @Argument(help: "Id or base URL.") var service: String
        @OptionGroup var check: CheckOptions
        @OptionGroup(title: AdminArgument.atDatabase) var app: CheckPersonOptions
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions

        func run(on runner: AdminRunner) async throws {
            guard common.watch == nil else { throw AdminFailure(.usage, "--watch is for commands that only look") }
            if app.isGiven, change.dryRun || runner.isRemote(common) {
                throw AdminFailure(
                    .usage, "--as, --password-stdin, --bundle and --patience are for a check that makes assertions",
                    hint: "that is at the database, without --server and --dry-run")
            }
            var hasErrors = false
            let isRemote = try await runner.remotely(common) { told in
                if case .object(let report) = told { hasErrors = (report["errors"]?.integer ?? 0) > 0 }
                try AdminOutput.write(told, common)
            }
            if hasErrors { throw ExitCode(AdminFailure.Code.partial.exitStatus) }
            if !isRemote { try await runner.run(common, reason: change.reason) { try await write($0) } }
        }

        func prepare(_ session: AdminSession) async throws -> (any Sendable)? {
            try await brief(try await known(session), session)
        }

        func perform(_ session: AdminSession) async throws -> JSONObject {
            guard let report = session.prepared as? CheckReport else {
                throw AdminFailure(.failed, "the service was not asked")
            }
            let known = try await known(session)
            try await session.audit("services.check", node: "service:\(known.id)")
            return report.json
        }

        private func write(_ session: AdminSession) async throws {
            let known = try await known(session)
            let report: CheckReport
            if change.dryRun {
                report = try await brief(known, session)
            } else {
                try await ThrowawayApp.endLeftovers(session)
                try await session.audit("services.check", node: "service:\(known.id)")
                report = try await self.report(known, session)
            }
            await session.database.close()
            try CheckOutput.write(report, json: common.json)
        }

        private func known(_ session: AdminSession) async throws -> FederationService {
            let known = try await ServicesCommand.find(service, session)
            guard known.status == .active else {
                throw AdminFailure(
                    .conflict, "\(known.id) is \(known.status.rawValue): nobody gets assertions for it",
                    hint: "pando admin services approve \(known.id)")
            }
            return known
        }

        private func brief(_ known: FederationService, _ session: AdminSession) async throws -> CheckReport {
            let settings = try session.composition.settings
            return try await BriefCheck(
                try CrawlerSettings(settings, version: Version.text), loopback: known.allowsLoopback,
                clock: session.clock
            ).report(on: known.base, rsd: check.rsd ?? known.rsd, issuer: settings.root, origin: check.origin)
        }

        private func report(_ known: FederationService, _ session: AdminSession) async throws -> CheckReport {
            let settings = try session.composition.settings
            var options = check.run(issuer: settings.root, as: self.app.app)
            options.rsd = options.rsd ?? known.rsd
            let run = CheckRun(
                try CrawlerSettings(settings, version: Version.text), loopback: known.allowsLoopback,
                clock: session.clock, options: options)
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
            guard let name = app.as else { return try await ThrowawayApp.make(session) }
            let account = try await session.account(name)
            return try await ThrowawayApp.make(
                as: account.username, password: try AdminInput.password(), session)
        }
    }
}

/// As whom it goes there.
struct CheckPersonOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("A person who is there already, instead of one for this check.", valueName: "account"))
    var `as`: String?
    @Flag(help: "Read their password from stdin.") var passwordStdin = false
    @OptionGroup var app: CheckAppOptions

    var isGiven: Bool { `as` != nil || passwordStdin || app.bundle != nil || app.patience != nil }

    func validate() throws {
        if (`as` != nil) != passwordStdin { throw ValidationError("--as and --password-stdin go together") }
    }
}
