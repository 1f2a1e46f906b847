import Base
import Database
import Foundation
import HTTP
import Logging

/// What is made of the `operations-…` settings: registrations of phones, operations, and how people of the IdP approve
/// logins.
public struct OperationsServices: Sendable {
    public let powerAuth: PowerAuthService
    public let operations: OperationsService
    private let values: OperationsValues

    /// No file is read here: the command line has them as well, and sends nothing.
    init(_ values: OperationsValues, _ context: Product.Context) {
        self.values = values
        operations = OperationsService(
            database: context.database, master: context.master,
            settings: OperationsSettings(
                base: context.root + "/services/operations", allowsLoopbackCallbacks: context.allowsLoopback,
                sendsPushes: values.webhook != nil),
            oneTime: context.oneTime, clock: context.clock, randomness: context.randomness, logger: context.logger)
        powerAuth = PowerAuthService(
            database: context.database, master: context.master, oneTime: context.oneTime,
            settings: PowerAuthSettings(displayName: values.name, version: context.version),
            events: operations.registrationEvents,
            clock: context.clock, randomness: context.randomness, logger: context.logger)
    }

    /// For the people of the IdP.
    public var approvals: ApprovalLogin {
        ApprovalLogin(operations, powerAuth, name: values.name, scheme: values.scheme)
    }

    // MARK: Workers

    /// Reads the file of the webhook's secret.
    func workers(_ context: Product.Context, _ http: OutgoingHTTP) throws -> [Worker] {
        let service = operations, logger = context.logger, database = context.database
        let callbacks = CallbackHTTP {
            try await http.callback(.init(method: "POST", url: $0.url, headers: $0.headers, body: $0.body))
        }
        var workers = [
            Worker(name: "operations changes") { await service.changes.run(on: database) },
            Worker(name: "operations callbacks") {
                await CallbackSender(service, http: callbacks, logger: logger).run()
            },
            Worker(name: "operations expiry") { await service.runExpiry(logger: logger) },
        ]
        if let delivery = try pushes(context, http) {
            workers.append(
                Worker(name: "operations pushes") {
                    await PhonePushSender(service, delivery: delivery, logger: logger).run()
                })
        }
        return workers
    }

    /// The operator named that address, so it is asked wherever it is; `nil` without one.
    private func pushes(_ context: Product.Context, _ outgoing: OutgoingHTTP) throws -> PhonePushDelivery? {
        guard let webhook = values.webhook else { return nil }
        let http = CallbackHTTP {
            try await outgoing.send(.init(method: "POST", url: $0.url, headers: $0.headers, body: $0.body)).status
        }
        return .webhook(
            url: webhook.url, secret: try webhook.secret(), http: http, clock: context.clock,
            randomness: context.randomness)
    }
}

extension Product {
    /// operations: apps in which people approve or reject what a service asks.
    public static let operations = Product(
        "operations", loginFactor: "operations", settings: Setting.ofOperations,
        values: { values, _ in try OperationsValues(values) },
        administration: .operations, held: HeldData.operations
    ) { context, values in
        let made = OperationsServices(values, context)
        return .operations(
            made, basic: values.takesBasic ? context.clients : nil, role: context.role(.operations(context.root)),
            login: context.logsIn ? .operations(made.approvals, pushes: context.pushes) : nil, root: context.root,
            workers: try context.http.map { try made.workers(context, $0) } ?? [])
    }
}
