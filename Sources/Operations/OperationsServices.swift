import Base
import Database
import Foundation
import HTTP
import Logging
import Push

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
                pushes: PhonePushWays(hasWebhook: values.webhook != nil, providers: values.pushes.providers)),
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

    /// Reads the files of the push services and the webhook. Apps may get credentials of their own at any time, so that
    /// pushes are always looked for.
    func workers(_ context: Product.Context, _ http: OutgoingHTTP) async throws -> [Worker] {
        let service = operations, logger = context.logger, database = context.database
        let callbacks = CallbackHTTP {
            try await http.callback(.init(method: "POST", url: $0.url, headers: $0.headers, body: $0.body))
        }
        let delivery = try await pushes(context, http)
        return [
            Worker(name: "operations changes") { await service.changes.run(on: database) },
            Worker(name: "operations callbacks") {
                await CallbackSender(service, http: callbacks, logger: logger).run()
            },
            Worker(name: "operations expiry") { await service.runExpiry(logger: logger) },
            Worker(name: "operations pushes") {
                await PhonePushSender(service, delivery: delivery, logger: logger).run()
            },
        ]
    }

    /// The operator named the addresses, so they are asked wherever they are.
    private func pushes(_ context: Product.Context, _ outgoing: OutgoingHTTP) async throws -> PhonePushDelivery {
        let callbacks = CallbackHTTP {
            try await outgoing.send(.init(method: "POST", url: $0.url, headers: $0.headers, body: $0.body)).status
        }
        let webhook = try values.webhook.map {
            PhonePushDelivery.webhook(
                url: $0.url, secret: try $0.secret(), http: callbacks, clock: context.clock,
                randomness: context.randomness)
        }
        let http = PushHTTP(send: outgoing.send)
        let server = try await values.pushes.senders(http: http, clock: context.clock)
        return .services(server: server, values.pushes.endpoints, webhook: webhook, http: http, clock: context.clock)
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
        let workers = if let http = context.http { try await made.workers(context, http) } else { [Worker]() }
        return .operations(
            made, basic: values.takesBasic ? context.clients : nil, role: context.role(.operations(context.root)),
            login: context.logsIn ? .operations(made.approvals, pushes: context.pushes) : nil, root: context.root,
            workers: workers)
    }
}
