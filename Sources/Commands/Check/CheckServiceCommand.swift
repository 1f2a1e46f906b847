import Administration
import ArgumentParser
import Base
import Crawler
import Foundation
import HTTP
import PandoClient
import Server
import ServiceCheck
import Simulators

/// `pando check-service`: a service from outside, without the federation's database.
public struct CheckServiceCommand: AsyncParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "check-service",
        abstract: "Look at a service as a crawl, an app and the federation will.",
        discussion: """
            Without more it checks what needs nobody's trust: document, links, TLS, CORS, and what must be refused. \
            With --own-issuer PORT the check is a federation of its own at http://127.0.0.1:PORT: set the service to \
            trust that issuer, and everything is tried. With --issuer and --demo, or --app, it is an app of that \
            federation, in whose index the service has to be. docs/join-the-federation.md, "Check your service".
            """)

    @Argument(help: "Base URL.") var url: String
    @Option(help: ArgumentHelp("The issuer that the service trusts.", valueName: "url")) var issuer: String?
    @Option(help: ArgumentHelp("Be an issuer at this port of 127.0.0.1, which the service trusts.", valueName: "port"))
    var ownIssuer: Int?
    @Flag(help: "App and person of demo.json, as `pando demo` has them.") var demo = false
    @Option(help: "Software id of an app of that federation.") var app: String?
    @Option(help: "Its version.") var appVersion: String?
    @Option(help: "PEM file with the version's private key.", completion: .file()) var versionKey: String?
    @Option(help: "Who logs in to it.") var username: String?
    @Flag(help: "Read their password from stdin.") var passwordStdin = false
    @Flag(help: "Ask addresses of this machine and of private networks, too, and without TLS.")
    var allowPrivate = false
    @OptionGroup var check: CheckOptions
    @OptionGroup var appOptions: CheckAppOptions
    @OptionGroup(title: "Configuration") var configuration: ConfigurationOptions
    @Flag(help: "One JSON value on stdout and nothing else.") var json = false

    public func validate() throws {
        let named = [app, appVersion, versionKey, username].compactMap(\.self).count
        guard named == 0 && !passwordStdin || named == 4 && passwordStdin else {
            throw ValidationError("--app, --app-version, --version-key, --username and --password-stdin go together")
        }
        guard [ownIssuer != nil, demo, app != nil].count(where: { $0 }) <= 1 else {
            throw ValidationError("one of --own-issuer, --demo and --app")
        }
        if app != nil, issuer == nil { throw ValidationError("--app needs --issuer") }
        if let issuer, WebAddress(issuer) == nil { throw ValidationError("--issuer must be an http or https URL") }
        if let ownIssuer, !(1...65_535).contains(ownIssuer) { throw ValidationError("--own-issuer takes a port") }
    }

    public init() {}

    public func run() async throws {
        try await CheckOutput.reporting {
            let report = try await report()
            try CheckOutput.write(report, json: json)
        }
    }

    private func report() async throws -> CheckReport {
        let base = try CheckOutput.base(url), values = try await configuration.values()
        let issuer = (self.issuer ?? (demo ? values[.issuer] : nil)).flatMap { WebAddress($0)?.withoutQuery }
        let options = check.run(issuer: issuer, as: appOptions)
        let run = CheckRun(settings, loopback: false, clock: .system, options: options)
        let progress = CheckOutput.progress(json: json)
        if let ownIssuer {
            let server = OwnIssuerServer(port: ownIssuer)
            return try await Interruption.cancelling {
                try await server.serving {
                    try await run.run(
                        base,
                        source: { base, endpoint in
                            OwnIssuer(
                                issuer: server.issuer, base: base, tokenEndpoint: endpoint, key: server.key,
                                transport: run.toService)
                        }, progress: progress)
                }
            }
        }
        guard let issuer, let credentials = try credentials(values) else {
            return try await Interruption.cancelling { try await run.run(base, source: nil, progress: progress) }
        }
        return try await Interruption.cancelling {
            try await Transport.withAsyncHTTPClient { federation in
                try await run.run(
                    base,
                    source: { base, _ in
                        try await FederationSource.enter(
                            issuer, base: base, as: credentials.version, username: credentials.username,
                            password: credentials.password, federation: federation, service: run.toService)
                    }, progress: progress)
            }
        }
    }

    private var settings: CrawlerSettings {
        let ranges = ["127.0.0.0/8", "::1/128", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"]
        return CrawlerSettings(
            allow: allowPrivate ? ranges.compactMap { CIDR($0) } : [], userAgent: "PandoCheck/\(Version.text)")
    }

    /// Who acts as an app; `nil` where nobody is named.
    private func credentials(
        _ values: ConfigurationValues
    ) throws -> (version: PandoClient.AppVersion, username: String, password: String)? {
        if demo {
            guard let known = DemoCredentials(readFrom: values[.stateDirectory]), let person = known.people.first,
                let version = known.versions.first
            else {
                let failure = DemoFailure.noCredentials(DemoCredentials.file(in: values[.stateDirectory]).path)
                throw AdminFailure(.notFound, failure.description, hint: failure.hint)
            }
            return (try version.appVersion(), person.username, person.password)
        }
        guard let app, let appVersion, let versionKey, let username else { return nil }
        let pem = try AdminInput.text(versionKey)
        guard let key = try? SigningKey(pem: pem) else {
            throw AdminFailure(.invalid, "\(versionKey) is no private key of P-256 in PEM")
        }
        let version = PandoClient.AppVersion(app: app, version: appVersion, key: key)
        return (version, username, try AdminInput.password())
    }
}
