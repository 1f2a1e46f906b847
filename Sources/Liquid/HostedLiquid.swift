import Administration
import Base
import Foundation
import HTTP
import Metrics
import OAuth
import Passkeys

extension Product {
    /// liquid: wallets that register passkeys and find one another; without a role it tells the people of the IdP what
    /// their wallets opened.
    public static let liquid = Product(
        "liquid", loginFactor: "passkey", settings: Setting.ofLiquid, values: { try LiquidValues($0, issuer: $1) },
        revoked: { try await SessionRevocations(clock: $1).ended($0, in: $2) },
        administration: ProductAdministration(
            commands: [WalletsCommand.self], rules: [.institutions("wallets list", .account)]), held: HeldData.liquid
    ) { context, values in
        guard let role = context.role(.liquid(context.root)) else {
            return HostedService("liquid", login: context.linkedWallets(.none, nil))
        }
        let liquid = try LiquidService(values, context)
        let doors = LiquidEndpoints(
            liquid, links: values.links, isCrossSite: !values.origins.isEmpty,
            conformance: values.isTested ? ConformanceService(liquid) : nil, role: role)
        return HostedService(
            "liquid", model: liquid, role: role,
            endpoints: LiquidRoutes.endpoints(doors, root: context.root)
                + CredentialRoutes.endpoints(role, context.ownCredentials(liquid, role), root: context.root),
            schemas: OpenAPISchema.passkeys + OpenAPISchema.liquid + OpenAPISchema.credentials
                + OpenAPISchema.conformance + OpenAPISchema.pairings,
            login: context.linkedWallets(
                liquid.signalling.signals, WalletCodeLogin(liquid, root: context.root)),
            workers: [
                Worker(name: "liquid signalling") { await liquid.signalling.run() },
                Worker(name: "liquid sockets") { await measure(liquid.signalling) },
            ],
            housekeeping: { try await liquid.tidy() })
    }

    private static func measure(_ hub: SignallingHub) async {
        let sockets = Gauge(label: "pando_liquid_sockets")
        while !Task.isCancelled {
            sockets.record(hub.count)
            try? await Task.sleep(for: .seconds(10))
        }
    }
}

extension Product.Context {
    fileprivate func ownCredentials(_ liquid: LiquidService, _ role: ServiceRole) -> OwnCredentials {
        let passkeys = PasskeyLogin(
            database: database, party: liquid.settings.people, clock: clock, randomness: randomness, logger: logger)
        return OwnCredentials(
            people: LiquidPeople(database: database, role: role, clock: clock), passkeys: passkeys, database: database,
            revocation: revocation, clock: clock)
    }

    fileprivate func linkedWallets(_ signals: SessionSignals, _ codes: WalletCodeLogin?) -> LoginMethod? {
        guard takesPasskeys else { return nil }
        return .linkedWallets(
            LinkedWallets(database: database, revocation: revocation, clock: clock, signals: signals), codes)
    }
}

extension LiquidService {
    /// In a process without workers no file is read: nobody registers there.
    fileprivate init(_ values: LiquidValues, _ context: Product.Context) throws {
        let passkeys = values.passkeys
        var settings = LiquidSettings(
            rpID: passkeys.rpID, name: passkeys.name,
            origins: Set(values.origins + values.links.android.flatMap(\.origins)),
            peopleOrigins: passkeys.origins, attestation: try passkeys.attestation(isServing: context.http != nil),
            isBoundOnly: values.isBoundOnly)
        settings.relays = try values.relays.settings(isServing: context.http != nil)
        self.init(
            store: context.store, revocation: context.revocation, master: context.master, settings: settings,
            algod: try context.http.flatMap { try Algod(values.algod, $0) }, clock: context.clock, time: .steady,
            randomness: context.randomness, logger: context.logger)
    }
}

extension Algod {
    private struct NotTold: Error { let status: Int }

    /// The operator named that address, so it is asked wherever it is. Whatever goes wrong means that nobody knows, and
    /// wallets are refused (docs/design/decisions.md, liquid 5).
    fileprivate init?(_ node: LiquidValues.Algod?, _ http: OutgoingHTTP) throws {
        guard let node else { return nil }
        var headers: [(name: String, value: String)] = [("Accept", "application/json")]
        if let file = node.tokenFile {
            let token = try SettingValues.read(file, .liquidAlgodToken).trimmingCharacters(in: .whitespacesAndNewlines)
            headers.append(("X-Algo-API-Token", token))
        }
        let sent = headers
        self.init { address in
            let url = "\(node.url)/v2/accounts/\(address)?exclude=all"
            let answer = try await http.send(.init(method: "GET", url: url, headers: sent))
            guard answer.status == 200 else { throw NotTold(status: answer.status) }
            return try JSONReader.read(answer.body)
        }
    }
}

extension ServiceProfile {
    /// What it offers stands where the SDKs look for it: at the host's root, whose URL is `root`.
    public static func liquid(_ root: String) -> ServiceProfile {
        ServiceProfile(
            id: "liquid", name: "Liquid Auth", base: root + "/services/liquid",
            offers: [
                .init(CredentialRoutes.scope, path: CredentialRoutes.path),
                .init(SignallingRoutes.scope, link: root + SignallingRoutes.path),
            ])
    }
}
