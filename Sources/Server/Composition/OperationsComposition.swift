import Base
import Database
import Foundation
import Logging
import Operations
import Registration
import HTTP
import Tiqr
import TokenTree

/// The room Operations from the `operations-…` settings, and what runs beside it.
public struct OperationsServices: Sendable {
    public let powerAuth: PowerAuthService
    public let operations: OperationsService
    private let values: OperationsValues
    private let clock: WallClock
    private let randomness: Randomness

    /// No file is read here: the command line has a room as well, and sends nothing.
    init(_ settings: Settings, master: MasterKey, database: Database, oneTime: OneTimeStore, clock: WallClock, randomness: Randomness, logger: Logger) {
        (values, self.clock, self.randomness) = (settings.operations, clock, randomness)
        let room = OperationsSettings(base: settings.root + "/services/operations", allowsLoopbackCallbacks: settings.allowsLoopbackServices,
                                      sendsPushes: settings.operations.webhook != nil)
        operations = OperationsService(database: database, master: master, settings: room, oneTime: oneTime, clock: clock, randomness: randomness,
                                       logger: logger)
        powerAuth = PowerAuthService(database: database, master: master, oneTime: oneTime,
                                     settings: PowerAuthSettings(displayName: settings.operations.name, version: Version.text),
                                     events: operations.registrationEvents, clock: clock, randomness: randomness, logger: logger)
    }

    func endpoints(basic: ClientAuthentication?) -> OperationsEndpoints { OperationsEndpoints(powerAuth: powerAuth, operations: operations, basic: basic) }

    /// For the people of the IdP.
    public var approvals: ApprovalLogin { ApprovalLogin(operations, powerAuth, name: values.name, scheme: values.scheme) }

    // MARK: Workers

    /// Reads the file of the webhook's secret.
    func workers(database: Database, http: OutgoingHTTP, logger: Logger) throws -> [Worker] {
        let service = operations
        var workers = [
            Worker(name: "operations changes") { await service.changes.run(on: database) },
            Worker(name: "operations callbacks") { await CallbackSender(service, http: CallbackHTTP { try await http.callback($0) }, logger: logger).run() },
            Worker(name: "operations expiry") { await OperationsServices.expire(service, logger) },
        ]
        if let delivery = try pushes(by: http) {
            workers.append(Worker(name: "operations pushes") { await PhonePushSender(service, delivery: delivery, logger: logger).run() })
        }
        return workers
    }

    /// Every five seconds; what is there more than one page at once.
    private static func expire(_ service: OperationsService, _ logger: Logger) async {
        while !Task.isCancelled {
            do {
                while try await service.expire() >= 100, !Task.isCancelled {}
            } catch {
                logger.warning("operations expire later: the database does not answer", metadata: ["error": "\(error)"])
            }
            try? await Task.sleep(for: .seconds(5))
        }
    }

    /// The operator named that address, so it is asked wherever it is; `nil` without one.
    private func pushes(by outgoing: OutgoingHTTP) throws -> PhonePushDelivery? {
        guard let webhook = values.webhook else { return nil }
        guard let text = try? String(contentsOfFile: webhook.secretFile, encoding: .utf8) else {
            throw Settings.Unacceptable(description: "operations-webhook-secret: \(webhook.secretFile) cannot be read")
        }
        guard let secret = Base64URL.decode(text.trimmingCharacters(in: .whitespacesAndNewlines)), secret.count >= 32 else {
            throw Settings.Unacceptable(description: "operations-webhook-secret: \(webhook.secretFile) must hold 32 bytes or more as base64url")
        }
        let http = CallbackHTTP { try await outgoing.send(PushHTTP.Request(method: "POST", url: $0.url, headers: $0.headers, body: $0.body)).status }
        return .webhook(url: webhook.url, secret: SecretBytes(secret), http: http, clock: clock, randomness: randomness)
    }
}

extension Product {
    static let operations = Product(name: "operations") { context, isServed in
        guard let operations = context.operations else { return nil }
        let takesBasic = context.settings.operations.takesBasic
        return .operations(
            operations.endpoints(basic: takesBasic ? context.clients : nil), role: context.role(.operations(context.root), isServed),
            login: context.login(.operations) { .operations(operations.approvals, pushes: context.pushes) }, root: context.root,
            workers: try context.http.map { try operations.workers(database: context.database, http: $0, logger: context.logger) } ?? [])
    }
}
