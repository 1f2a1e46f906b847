import Base
import HTTP
import Keys
import Push

extension Product {
    /// tiqr: phones that log people in by scanning a code.
    public static let tiqr = tiqr(routes: nil)

    /// `routes` in place of those of the settings.
    public static func tiqr(routes: PushRoutes?) -> Product {
        Product(
            "tiqr", loginFactor: "tiqr", settings: Setting.ofTiqr, values: { values, _ in try TiqrValues(values) },
            administration: .tiqr, held: HeldData.tiqr
        ) { context, values in
            // Without workers nothing here pushes, and the files of the push services are not read.
            let read =
                if let http = context.http { try await PushRoutes(values, http, clock: context.clock) } else {
                    PushRoutes.none
                }
            let tiqr = TiqrService(
                database: context.database, master: context.master, settings: try TiqrSettings(values, context),
                routes: routes ?? read,
                clock: context.clock, randomness: context.randomness)
            return .tiqr(
                tiqr, role: context.role(.tiqr(context.root)),
                login: context.logsIn ? .tiqr(TiqrLogin(tiqr), pushes: context.pushes) : nil, root: context.root,
                workers: [
                    Worker(name: "tiqr changes") { await tiqr.changes.run(on: context.database) },
                    Worker(name: "tiqr pushes") { await PushSender(tiqr, logger: context.logger).run() },
                ])
        }
    }
}

extension TiqrSettings {
    fileprivate init(_ values: TiqrValues, _ context: Product.Context) throws {
        let base = context.root + "/services/tiqr", host = context.issuer.host
        // A service identifier is a name (docs/design/protocols/tiqr.md), which an address in brackets is not.
        self.init(
            base: base, root: context.root, defaultIdentifier: host.hasPrefix("[") ? "localhost" : host,
            displayName: values.name,
            logoURL: values.logo ?? base + "/logo.png", infoURL: values.info ?? context.root + "/",
            enrollScheme: values.enrollScheme, authScheme: values.authScheme, defaultSuite: values.suite,
            texts: try values.texts(), numberMatching: values.numberMatching)
    }
}

extension PushRoutes {
    /// Reads the files of the push services.
    fileprivate convenience init(_ values: TiqrValues, _ outgoing: OutgoingHTTP, clock: WallClock) async throws {
        // The operator named the addresses, so they are asked wherever they are.
        let http = PushHTTP(send: outgoing.send)
        self.init(
            apns: try await Self.apns(values, http, clock), fcm: try await Self.fcm(values, http, clock),
            exchange: values.exchange.map { TokenExchange(url: $0, http: http) },
            webhook: try values.webhook.map {
                PushWebhook(url: $0.url, secret: try $0.secret(), http: http, clock: clock)
            })
    }

    private static func apns(_ values: TiqrValues, _ http: PushHTTP, _ clock: WallClock) async throws -> APNsSender? {
        guard let apns = values.apns else { return nil }
        let pem = SecretBytes(try SettingValues.read(apns.keyFile, .tiqrAPNsKey).utf8)
        let key = try await providerKey(pem, .es256, .tiqrAPNsKey)
        return APNsSender(
            .init(endpoint: apns.endpoint, teamID: apns.team, keyID: apns.keyID, topic: apns.topic), key: key,
            http: http, clock: clock)
    }

    private static func fcm(_ values: TiqrValues, _ http: PushHTTP, _ clock: WallClock) async throws -> FCMSender? {
        guard let fcm = values.fcm else { return nil }
        let text = try SettingValues.read(fcm.accountFile, .tiqrFCMAccount)
        guard let account = (try? JSONReader.read(Array(text.utf8))).flatMap({ FCMAccount($0) }) else {
            throw SettingValues.unacceptable(
                .tiqrFCMAccount,
                "\(fcm.accountFile) is no service account: \(FCMAccount.members.joined(separator: ", "))")
        }
        let key = try await providerKey(account.privateKey, .rs256, .tiqrFCMAccount)
        return FCMSender(
            .init(
                endpoint: fcm.endpoint, project: account.project, clientEmail: account.clientEmail,
                tokenURL: account.tokenURL), key: key, http: http, clock: clock)
    }

    private static func providerKey(
        _ pem: SecretBytes, _ algorithm: SigningAlgorithm, _ setting: Setting
    ) async throws -> ProviderKey {
        do { return try await ProviderKey(pem: pem, algorithm: algorithm) } catch {
            throw SettingValues.unacceptable(setting, "its key is no PKCS #8 in PEM for \(algorithm.rawValue)")
        }
    }
}
