import Base
import Crawler
import Foundation
import PandoClient
import Vocabulary

/// One check of one service, from its document to the end of its tokens.
public struct CheckRun: Sendable {
    /// What is asked for, besides the service.
    public struct Options: Sendable {
        /// URL of the document, instead of searching.
        public var rsd: String?
        /// The issuer that the service trusts, where no source knows it: forgeries carry its name.
        public var issuer: String?
        public var bundle = "org.example.check"
        public var origin: String?
        public var patience = Duration.seconds(30)
        /// How long the service may be asked, besides `patience`.
        public var longest = Duration.seconds(900)

        public init() {}
    }

    /// Makes a source once the service is known: it wants base URL and token endpoint.
    public typealias MakeSource =
        @Sendable (_ base: String, _ tokenEndpoint: String) async throws -> any AssertionSource

    private let settings: CrawlerSettings
    private let loopback: Bool
    private let clock: WallClock
    private let options: Options
    private let transport: Transport

    /// - Parameters:
    ///   - settings: which addresses may be asked.
    ///   - loopback: whether the service may live on this machine.
    public init(_ settings: CrawlerSettings, loopback: Bool, clock: WallClock, options: Options) {
        (self.settings, self.loopback, self.clock, self.options) = (settings, loopback, clock, options)
        transport = CheckedTransport.make(
            OutsideRequest(settings, loopback: loopback), limit: options.longest + options.patience)
    }

    /// To the service under check.
    public var toService: Transport { transport }

    /// - Parameters:
    ///   - base: without a slash at its end.
    ///   - source: `nil` checks what needs nobody's trust.
    ///   - progress: called with what is looked at next.
    /// - Throws: when the task is cancelled, and what `source` throws when it is made. What it made is ended before.
    public func run(
        _ base: String, source make: MakeSource?, progress: @Sendable (String) -> Void = { _ in }
    ) async throws -> CheckReport {
        progress("the document")
        let look = DocumentLook(settings, loopback: loopback, clock: clock)
        var (findings, document) = try await DocumentCheck(
            base: base, look: look, rsd: options.rsd, transport: transport
        ).run()
        let endpoint = document.map { DocumentLook.tokenEndpoint(of: $0, base: base) } ?? base + "/token"
        let source = try await make?(base, endpoint), clock = clock
        let context = CheckContext(
            base: base, tokenEndpoint: endpoint, document: document, transport: transport, source: source,
            issuer: options.issuer ?? source?.issuer, bundle: options.bundle, origin: options.origin,
            patience: options.patience, now: { clock.now() })
        do {
            try await examine(context, &findings, progress)
        } catch let error as CancellationError {
            await source?.end()
            throw error
        } catch {
            // What was found so far is worth telling, most of all of a service that does not go on.
            let says = "The check could not go on: the service stopped answering, or the federation did."
            findings.append(Finding(.error, "unfinished", says, .check, evidence: "\(error)"))
        }
        await source?.end()
        return CheckReport(
            base: base, tokenEndpoint: endpoint, assertions: source?.name ?? "none", findings: findings)
    }

    private func examine(
        _ context: CheckContext, _ findings: inout [Finding], _ progress: @Sendable (String) -> Void
    ) async throws {
        progress("what the token endpoint refuses")
        findings += try await RefusalCheck(context: context).run()
        // Where nobody is at home, the rest would say the same again.
        guard !findings.contains(where: { $0.id.hasPrefix("token-endpoint") }) else { return }
        progress("what browsers may do")
        findings += try await BrowserCheck(context: context).run()
        progress("events")
        findings += try await EventsCheck(context: context).run()
        guard let source = context.source else {
            let says = """
                No good assertion was tried, as the service trusts nobody here: --own-issuer, --demo or --app make \
                some, and `pando admin services check` at the federation's database does for services in the index.
                """
            findings.append(Finding(.info, "assertions", says, .check))
            return
        }
        progress("assertions")
        let (redeemed, token) = try await RedemptionCheck(context: context, source: source).run()
        findings += redeemed
        guard let token else { return }
        progress("app tokens")
        let (granted, tokens) = try await AppTokenCheck(context: context, token: token).run()
        // A new authorization of the same app may have replaced what came before, so these are the latest.
        let fresh = try await renewed(tokens, token, context)
        let resources = ResourceCheck(context: context, service: token, tokens: fresh)
        let (opened, guarded) = try await resources.run()
        findings += granted + opened
        progress("revocation, for at most \(context.patience.components.seconds) s")
        let revocation = RevocationCheck(
            context: context, source: source, token: token, guarded: guarded, resources: resources)
        findings += try await revocation.run()
    }

    /// Each protocol's token once more, for an app of its own: another authorization of one app replaces the older.
    private func renewed(
        _ tokens: [AppToken], _ token: ServiceToken, _ context: CheckContext
    ) async throws -> [AppToken] {
        var renewed: [AppToken] = []
        for old in tokens {
            let key = old.holder.key
            let answer = try await token.grant(context, scope: old.api.name, key: key)
            if let new = try? Tokens(answer, now: context.now()) {
                renewed.append(AppToken(api: old.api, tokens: new, holder: old.holder))
            }
        }
        return renewed
    }
}
