import Base
import Database
import Foundation
import Keys
import Logging
import HTTP
import Tiqr

/// The room Tiqr from the `tiqr-…` settings.
enum TiqrComposition {
    /// Without `pushes` nothing here can push, and the files of the push services are not read: only a server has them. `routes` in place of those of the settings.
    static func service(
        _ settings: Settings, master: MasterKey, database: Database, pushes: OutgoingHTTP?, routes: PushRoutes?, clock: WallClock, randomness: Randomness
    ) async throws -> TiqrService {
        let routes = if let routes { routes } else if let pushes { try await self.routes(settings.tiqr, pushes, clock: clock) } else { PushRoutes.none }
        return TiqrService(database: database, master: master, settings: room(settings), routes: routes, clock: clock, randomness: randomness)
    }

    static func workers(_ tiqr: TiqrService, database: Database, logger: Logger) -> [Worker] {
        [
            Worker(name: "tiqr changes") { await tiqr.changes.run(on: database) },
            Worker(name: "tiqr pushes") { await PushSender(tiqr, logger: logger).run() },
        ]
    }

    private static func room(_ settings: Settings) -> TiqrSettings {
        let base = settings.root + "/services/tiqr", host = settings.issuer.host, values = settings.tiqr
        // A service identifier is a name (protocols/tiqr.md, 1.5), which an address in brackets is not.
        return TiqrSettings(base: base, root: settings.root, defaultIdentifier: host.hasPrefix("[") ? "localhost" : host, displayName: values.name,
                            logoURL: values.logo ?? base + "/logo.png", infoURL: values.info ?? settings.root + "/", enrollScheme: values.enrollScheme,
                            authScheme: values.authScheme, defaultSuite: values.suite)
    }

    /// Reads the files of the push services.
    private static func routes(_ values: TiqrValues, _ outgoing: OutgoingHTTP, clock: WallClock) async throws -> PushRoutes {
        let http = PushHTTP { try await outgoing.send($0) }
        return PushRoutes(apns: try await apns(values, http, clock), fcm: try await fcm(values, http, clock),
                          exchange: values.exchange.map { TokenExchange(url: $0, http: http) }, webhook: try webhook(values, http, clock))
    }

    private static func apns(_ values: TiqrValues, _ http: PushHTTP, _ clock: WallClock) async throws -> APNsSender? {
        guard let apns = values.apns else { return nil }
        let key = try await providerKey(try read(apns.keyFile, .tiqrAPNsKey), .es256, .tiqrAPNsKey)
        return APNsSender(.init(endpoint: apns.endpoint, teamID: apns.team, keyID: apns.keyID, topic: apns.topic), key: key, http: http, clock: clock)
    }

    private static func fcm(_ values: TiqrValues, _ http: PushHTTP, _ clock: WallClock) async throws -> FCMSender? {
        guard let fcm = values.fcm else { return nil }
        let text = try read(fcm.accountFile, .tiqrFCMAccount), account = try? JSONReader.read(Array(text.utf8))
        guard let project = account?["project_id"]?.string, let email = account?["client_email"]?.string, let token = account?["token_uri"]?.string,
              let pem = account?["private_key"]?.string else {
            throw Settings.Unacceptable(description: "tiqr-fcm-account: \(fcm.accountFile) is no service account: project_id, client_email, token_uri, private_key")
        }
        let key = try await providerKey(pem, .rs256, .tiqrFCMAccount)
        return FCMSender(.init(endpoint: fcm.endpoint, project: project, clientEmail: email, tokenURL: token), key: key, http: http, clock: clock)
    }

    private static func webhook(_ values: TiqrValues, _ http: PushHTTP, _ clock: WallClock) throws -> PushWebhook? {
        guard let webhook = values.webhook else { return nil }
        let text = try read(webhook.secretFile, .tiqrWebhookSecret).trimmingCharacters(in: .whitespacesAndNewlines)
        guard let secret = Base64URL.decode(text), secret.count >= 32 else {
            throw Settings.Unacceptable(description: "tiqr-webhook-secret: \(webhook.secretFile) must hold 32 bytes or more as base64url")
        }
        return PushWebhook(url: webhook.url, secret: SecretBytes(secret), http: http, clock: clock)
    }

    private static func providerKey(_ pem: String, _ algorithm: SigningAlgorithm, _ setting: SettingKey) async throws -> ProviderKey {
        do { return try await ProviderKey(pem: SecretBytes(Array(pem.utf8)), algorithm: algorithm) } catch {
            throw Settings.Unacceptable(description: "\(setting.rawValue): its key is no PKCS #8 in PEM for \(algorithm.rawValue)")
        }
    }

    private static func read(_ file: String, _ setting: SettingKey) throws -> String {
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
            throw Settings.Unacceptable(description: "\(setting.rawValue): \(file) cannot be read")
        }
        return text
    }
}

extension Product {
    static let tiqr = Product(name: "tiqr") { context, isServed in
        guard let tiqr = context.tiqr else { return nil }
        return .tiqr(
            tiqr, role: context.role(.tiqr(context.root), isServed),
            login: context.login(.tiqr) { .tiqr(TiqrLogin(tiqr), pushes: context.pushes) }, root: context.root,
            workers: TiqrComposition.workers(tiqr, database: context.database, logger: context.logger))
    }
}
