import Base
import Foundation
import Keys
import Liquid
import Logging
import Metrics
import PKIX
import HTTP
import Tiqr
import TokenTree
import WebAuthn

/// The room Liquid from the `liquid-…` settings, and what runs beside it.
enum LiquidComposition {
    private struct NotTold: Error { let status: Int }

    /// Without `http` no file is read: the command line has a room as well, and nobody registers there.
    static func service(_ settings: Settings, store: TokenStore, revocation: Revocation, master: MasterKey, http: OutgoingHTTP?, clock: WallClock, randomness: Randomness,
                        logger: Logger) throws -> LiquidService {
        let values = settings.liquid, origins = Set(values.origins + values.links.android.flatMap(\.origins))
        let policy = try http == nil ? .lenient : attestation(values)
        let room = LiquidSettings(rpID: values.rpID, name: values.name, origins: origins, houseOrigins: Set([settings.issuer.origin] + values.apps), attestation: policy)
        return LiquidService(store: store, revocation: revocation, master: master, settings: room, algod: try http.flatMap { try algod(values, $0) }, clock: clock,
                             time: .steady, randomness: randomness, logger: logger)
    }

    static func endpoints(_ liquid: LiquidService, _ values: LiquidValues) -> LiquidEndpoints {
        LiquidEndpoints(liquid, links: values.links, isCrossSite: !values.origins.isEmpty, conformance: values.isTested ? ConformanceService(liquid) : nil)
    }

    static func workers(_ liquid: LiquidService) -> [Worker] {
        [Worker(name: "liquid signalling") { await liquid.signalling.run() }, Worker(name: "liquid sockets") { await measure(liquid.signalling) }]
    }

    private static func measure(_ hub: SignallingHub) async {
        let sockets = Gauge(label: "pando_liquid_sockets")
        while !Task.isCancelled {
            sockets.record(hub.count)
            try? await Task.sleep(for: .seconds(10))
        }
    }

    /// With roots, certificates that lead to none of them are refused; statements without certificates are as good as before.
    private static func attestation(_ values: LiquidValues) throws -> AttestationPolicy {
        var roots: [AttestationFormat: AttestationRoots] = [:]
        for entry in values.roots {
            guard roots[entry.format] == nil else {
                throw Settings.Unacceptable(description: "liquid-attestation-roots: \(entry.format.rawValue) comes twice; one file holds many certificates")
            }
            let text = try read(entry.file, .liquidAttestationRoots)
            do { roots[entry.format] = try AttestationRoots(pem: text) } catch {
                throw Settings.Unacceptable(description: "liquid-attestation-roots: \(entry.file) holds no certificates in PEM")
            }
        }
        let unwanted: Set<AttestationTrust> = roots.isEmpty ? [] : [.unverified]
        return AttestationPolicy(conveyance: values.conveyance, trust: Set(AttestationTrust.allCases).subtracting(unwanted), roots: roots)
    }

    /// The operator named that address, so it is asked wherever it is. Whatever goes wrong means that nobody knows, and the room refuses (decisions.md, liquid 5).
    private static func algod(_ values: LiquidValues, _ http: OutgoingHTTP) throws -> Algod? {
        guard let node = values.algod else { return nil }
        var headers: [(name: String, value: String)] = [("Accept", "application/json")]
        if let file = node.tokenFile {
            headers.append(("X-Algo-API-Token", try read(file, .liquidAlgodToken).trimmingCharacters(in: .whitespacesAndNewlines)))
        }
        let sent = headers
        return Algod { address in
            let answer = try await http.send(PushHTTP.Request(method: "GET", url: "\(node.url)/v2/accounts/\(address)?exclude=all", headers: sent, body: []))
            guard answer.status == 200 else { throw NotTold(status: answer.status) }
            return try JSONReader.read(answer.body)
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
    static let liquid = Product(name: "liquid") { context, isServed in
        guard let liquid = context.liquid else { return nil }
        return .liquid(
            LiquidComposition.endpoints(liquid, context.settings.liquid), role: context.role(.liquid(context.root), isServed),
            login: context.login(.passkey) { .passkeys(PasskeyLogin(liquid), randomness: context.randomness) }, root: context.root,
            workers: LiquidComposition.workers(liquid))
    }
}
