import Administration
import ArgumentParser
import Base
import Crawler
import Federation
import Foundation
import Registration
import Server
import TokenTree
import Vocabulary

/// `services …`: the federation index.
struct ServicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "services", abstract: "Services of the federation.",
        subcommands: [
            Add.self, ServicesUpdateCommand.self, RotateSecret.self, Approve.self, Suspend.self, List.self, Show.self,
            Remove.self,
            Propose.self, Proposals.self, Prune.self, Policy.self, Refusals.self, Stream.self, Check.self,
        ])

    struct Add: AdminChange {
        static let configuration = CommandConfiguration(
            abstract: "Enter a service; it is pending until it is approved.")
        @Argument(help: "Base URL.") var base: String
        @Option(help: "Name as it is shown to people.") var name: String
        @Option(help: "Short id; made of the host by default.") var id: String?
        @Option(help: "client_secret_basic or private_key_jwt.") var authMethod: String = "client_secret_basic"
        @Option(help: "File with its JWK set; - is stdin.", completion: .file()) var jwks: String?
        @Option(help: "URL of its keys, as a JWK set.") var jwksURI: String?
        @OptionGroup var claims: ClaimOptions
        @Option(help: "URL of its RSD document, instead of searching.") var rsd: String?
        @OptionGroup var hearing: HearingOptions
        @OptionGroup var lineage: LineageOptions
        @Flag(help: "Let this one service live on 127.0.0.1 or ::1, without TLS.") var allowLoopback = false
        @OptionGroup var institution: InstitutionOption
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let settings = try session.composition.settings
            guard let address = WebAddress(base), address.query == nil else {
                throw AdminFailure(.invalid, "\(base) is not an absolute http(s) URL without userinfo and query")
            }
            if allowLoopback, !settings.allowsLoopbackServices {
                throw AdminFailure(
                    .invalid, "services on loopback are not permitted here",
                    hint: "set allow-loopback-services to true, as `pando dev` does")
            }
            let admitted = try CrawlerSettings(settings, version: Version.text).admits(base: address.withoutQuery)
            guard address.scheme == "https" || admitted || (allowLoopback && address.isLoopback) else {
                throw AdminFailure(
                    .invalid, "\(base) must be https",
                    hint: "--allow-loopback, or crawler-allow for its range, admits plain http")
            }
            if let rsd, WebAddress(rsd) == nil {
                throw AdminFailure(.invalid, "--rsd \(rsd) is not an absolute http(s) URL")
            }
            try ClaimOptions.check(claims.claim)
            if let id, !ServicesCommand.isID(id) {
                throw AdminFailure(.invalid, "--id takes lower-case letters, digits and hyphens")
            }
            return try await enter(address, settings, session)
        }

        private func enter(
            _ address: WebAddress, _ settings: Settings, _ session: AdminSession
        ) async throws -> JSONObject {
            guard let method = WebClient.AuthMethod(rawValue: authMethod), [.basic, .privateKeyJWT].contains(method)
            else {
                throw AdminFailure(.usage, "--auth-method takes client_secret_basic or private_key_jwt")
            }
            let keys = try jwks.map { path in
                guard let value = try? JSONReader.read(try AdminInput.text(path).utf8) else {
                    throw AdminFailure(.invalid, "\(path) is not JSON")
                }
                return value
            }
            let clients = WebClientStore(clock: session.clock, randomness: session.randomness)
            let draft = WebClientDraft(
                name: name, authMethod: method, jwks: keys, jwksURI: jwksURI, grantTypes: ["client_credentials"],
                scope: "")
            let (client, secret) = try await clients.create(draft, in: session.executor)
            let service = try await ServiceIndex(clock: session.clock).add(
                id: id ?? ServicesCommand.identifier(address, session.randomness), name: name, base: address,
                client: client.id, claims: try claims.wanted(beside: []) ?? [], rsd: rsd,
                allowsLoopback: allowLoopback, notify: try hearing.wish() ?? .auto,
                revocationEndpoint: try hearing.endpoint(settings, allowLoopback: allowLoopback)?.text,
                hasLineage: lineage.lineage ?? false, in: session.executor)
            try await session.audit("services.add", node: "service:\(service.id)")
            try await institution.assign(.service(service.id), session)
            var result = try await ServicesCommand.find(service.id, session).json(authMethod: authMethod)
            if let secret { result["client_secret"] = .string(secret) }
            return result
        }
    }

    struct Approve: AdminChange {
        static let configuration = CommandConfiguration(abstract: "Let apps find it and get assertions for it.")
        @Argument(help: "Id or base URL.") var service: String
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions

        func perform(_ session: AdminSession) async throws -> JSONObject {
            var result = try await ServicesCommand.move(service, to: .active, "services.approve", session)
            let known = try await ServicesCommand.find(result["id"]?.string ?? service, session)
            // One that offers nothing has not been read yet, or says nothing: that, `crawl status` tells.
            let isHidden = !known.protocols.isEmpty && !ProtocolName.isShownToApps(known.protocols)
            result["warnings"] = JSONValue(
                strings: isHidden ? ["apps will not see this: its document does not list \(ProtocolName.oauth)"] : [])
            return result
        }
    }

    struct Suspend: AdminChange {
        static let configuration = CommandConfiguration(
            abstract: "Neither find it nor get assertions for it; what lives, lives on unless --revoke.")
        @Argument(help: "Id or base URL.") var service: String
        @Flag(help: "End all that was issued for it, too.") var revoke = false
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions
        var question: String? { revoke ? "Suspend \(service) and end all that was issued for it?" : nil }

        func perform(_ session: AdminSession) async throws -> JSONObject {
            var result = try await ServicesCommand.move(service, to: .suspended, "services.suspend", session)
            if revoke, let id = result["id"]?.string {
                try await session.revocation.hold(Ancestor(.service, id), in: session.executor)
                result["revoked"] = try await RevocationReport.revoke(.virtual(Ancestor(.service, id)), session)
            }
            return result
        }
    }

    struct List: AdminQuery {
        static let configuration = CommandConfiguration(abstract: "List services.")
        @Option(help: "pending, active, suspended or removed.") var status: String?
        @Option(name: .customLong("protocol"), help: "Only those that offer it.") var offering: String?
        @OptionGroup var institution: InstitutionListOption
        @OptionGroup var list: ListOptions
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult {
            let status = try self.status.map { word in
                guard let status = FederationService.Status(rawValue: word) else {
                    throw AdminFailure(.usage, "--status takes pending, active, suspended or removed")
                }
                return status
            }
            let found = try await ServiceIndex(clock: session.clock).list(
                status: status, offering: offering.map { ProtocolName.folded($0) },
                of: institution.filter(session), after: list.after,
                limit: list.limit + 1, in: session.executor)
            let described = try await found.asyncMap { ($0.id, try await ServicesCommand.describe($0, session)) }
            return .page(described, limit: list.limit, cursor: \.0, json: { .object($0.1) })
        }
    }

    struct Show: AdminQuery {
        static let configuration = CommandConfiguration(abstract: "Show a service.")
        @Argument(help: "Id or base URL.") var service: String
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult {
            let known = try await ServicesCommand.find(service, session)
            var shown = try await ServicesCommand.describe(known, session)
            let stream = try await StreamOperation(try session.composition.streams).show(known, in: session.executor)
            shown["stream"] = stream.map { .object($0) } ?? .null
            return .object(shown)
        }
    }

    struct Remove: AdminChange {
        static let configuration = CommandConfiguration(
            abstract: "Take a service out of the federation and end all that was issued for it.")
        @Argument(help: "Id or base URL.") var service: String
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions
        var question: String? { "Remove \(service) from the federation?" }

        func perform(_ session: AdminSession) async throws -> JSONObject {
            try await ServicesCommand.remove(try await ServicesCommand.find(service, session), session)
        }
    }

    /// The service, its client and all that was issued for it.
    static func remove(_ known: FederationService, _ session: AdminSession) async throws -> JSONObject {
        var result = try await describe(known, session)
        result["status"] = "removed"
        try await session.revocation.hold(Ancestor(.service, known.id), in: session.executor)
        result["revoked"] = try await RevocationReport.revoke(.virtual(Ancestor(.service, known.id)), session)
        try await session.revocation.hold(Ancestor(.client, known.clientID), in: session.executor)
        try await session.revocation.revoke(
            .virtual(Ancestor(.client, known.clientID)), by: session.actor, in: session.executor)
        try await ServiceIndex(clock: session.clock).remove(known, in: session.executor)
        try await session.audit("services.remove", node: "service:\(known.id)")
        return result
    }

    static func find(_ name: String, _ session: AdminSession) async throws -> FederationService {
        guard let service = try await ServiceIndex(clock: session.clock).find(name, in: session.executor) else {
            throw AdminFailure.missing(.service, name)
        }
        return service
    }

    static func describe(_ service: FederationService, _ session: AdminSession) async throws -> JSONObject {
        let client = try await WebClientStore(clock: session.clock, randomness: session.randomness).find(
            service.clientID, in: session.executor)
        var facts = service.json(authMethod: client?.authMethod.rawValue ?? "none")
        facts["jwks_uri"] = client?.jwksURI.map { .string($0) }
        if let until = client?.oldKeysUntil(at: session.now) { facts["old_keys_until"] = .string(until.rfc3339) }
        return facts
    }

    private static func move(
        _ name: String, to status: FederationService.Status, _ action: String, _ session: AdminSession
    ) async throws -> JSONObject {
        let known = try await find(name, session)
        let moved = try await ServiceIndex(clock: session.clock).move(known.id, to: status, in: session.executor)
        try await session.audit(action, node: "service:\(known.id)")
        var result = try await describe(moved, session)
        result["already"] = .bool(known.status == status)
        return result
    }

    static func isID(_ text: String) -> Bool { text.wholeMatch(of: #/[a-z0-9][a-z0-9-]{0,62}/#) != nil }

    /// The host's first label and some letters, so that it reads and does not collide.
    static func identifier(_ address: WebAddress, _ randomness: Randomness) -> String {
        let label = address.host.split(separator: ".").first.map(String.init) ?? "service"
        let word = label.filter { $0.isLetter || $0.isNumber }.prefix(20)
        let tail = randomness.bytes(4).map { String($0 % 36, radix: 36) }.joined()
        return (word.isEmpty ? "service" : String(word)) + "-" + tail
    }
}
