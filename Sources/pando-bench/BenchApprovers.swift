import Base
import Database
import Foundation
import Operations
import PowerAuth
import Server
import Simulators
import TokenTree

/// Phones of the operations SDK and operations that wait for them, made in this process by the calls that the routes
/// make, with real keys.
struct BenchApprovers: Sendable {
    static let count = 1_000
    /// Operations begun for each second measured; more than the server takes.
    static let abundance = 2_000

    /// A phone that looks for what waits for it.
    struct Watcher: Sendable { let phone: DemoActivation, token: DemoActivation.Token }

    private struct Approver: Sendable {
        let user: String
        var phone: DemoActivation
    }
    private struct Order: Sendable { let turn: Int, operation: PhoneOperation }

    private static let bank = OperationsCaller.machine(
        client: "bench", below: [], actor: AuditActor(name: "client:bench"))
    private static let pin = "2580"
    private static let template: JSONValue = [
        "name": "payment", "operationType": "authorize_payment",
        "dataTemplate": "A1*A${amount}${currency}*I${iban}*N${note}", "expiration": 900,
        "texts": [
            [
                "language": "en", "title": "Payment", "message": "Pay ${amount} ${currency} to ${note}?",
                "attributes": [
                    [
                        "id": "amount", "type": "AMOUNT", "text": "Amount",
                        "params": ["amount": "amount", "currency": "currency"],
                    ],
                    ["id": "account", "type": "KEY_VALUE", "text": "To account", "params": ["value": "iban"]],
                ],
            ]
        ],
    ]

    private let room: OperationsServices
    private let database: Database
    private let app: DemoPowerAuthApp

    /// An application and a template, as a bank has them.
    static func prepare(
        _ room: OperationsServices, at base: String, _ database: Database
    ) async throws -> BenchApprovers {
        let application = try await room.powerAuth.addApplication(
            try ApplicationDraft(appID: "bench", name: "Bench"), by: bank
        ).application
        _ = try await room.operations.addTemplate(template, by: bank)
        guard let config = application.sdkConfig else { throw BenchFailure.notServing }
        return BenchApprovers(room: room, database: database, app: try DemoPowerAuthApp(sdkConfig: config, base: base))
    }

    /// For one measure: approvals, each of an operation of its own, in the order in which they must be sent, since a
    /// phone's counter moves with each; `each` of a second.
    func approvals(
        for seconds: Int, each abundance: Int = BenchApprovers.abundance
    ) async throws -> [DemoRequest] {
        var phones = try await BenchCrew.make(BenchApprovers.count, within: .seconds(120)) { number in
            Approver(user: "approver-\(number)", phone: try await activate("approver-\(number)"))
        }
        guard !phones.isEmpty else { throw BenchFailure.notServing }
        let users = phones.map(\.user)
        let orders = try await BenchCrew.make(abundance * (seconds + 1), within: .seconds(90)) {
            number in
            Order(turn: number, operation: try await begin(for: users[number % users.count]))
        }
        let requests = orders.sorted { $0.turn < $1.turn }.map { order in
            phones[order.turn % phones.count].phone.approve(
                order.operation.id, data: order.operation.data, pin: BenchApprovers.pin)
        }
        try await settle()
        return requests
    }

    /// Phones with a token; something waits for each of them, or nothing.
    func watchers(waiting isWaiting: Bool) async throws -> [Watcher] {
        let kind = isWaiting ? "asked" : "idle"
        let watchers = try await BenchCrew.make(BenchApprovers.count, within: .seconds(120)) { number in
            var phone = try await activate("\(kind)-\(number)")
            let token = try await createToken(&phone)
            if isWaiting { _ = try await begin(for: "\(kind)-\(number)") }
            return Watcher(phone: phone, token: token)
        }
        guard !watchers.isEmpty else { throw BenchFailure.notServing }
        try await settle()
        return watchers
    }

    // MARK: In this process

    private func activate(_ user: String) async throws -> DemoActivation {
        let draft = try PhoneRegistrationDraft(userID: user, commitPhase: .onKeyExchange)
        let started = try await room.powerAuth.startRegistration(draft, by: BenchApprovers.bank)
        let question = try app.askKey(),
            key = try app.key(in: try await answer(.temporaryKey, question.request), to: question)
        let exchange = try app.exchangeKeys(started.qrText, with: key)
        return try exchange.activation(
            in: try await answer(.activationCreate, exchange.request), pin: BenchApprovers.pin)
    }

    private func createToken(_ phone: inout DemoActivation) async throws -> DemoActivation.Token {
        let question = try app.askKey(for: phone),
            key = try app.key(in: try await answer(.temporaryKey, question.request), to: question, for: phone)
        let (request, sealed) = try phone.askToken(with: key)
        return try phone.token(in: try await answer(.tokenCreate, request), to: sealed)
    }

    private func begin(for user: String) async throws -> PhoneOperation {
        let order: JSONValue = [
            "template": "payment", "userId": .string(user),
            "parameters": [
                "amount": "129.90", "currency": "CHF", "iban": "CH9300762011623852957", "note": "Demo book shop",
            ],
        ]
        return try await room.operations.beginOperation(order, by: BenchApprovers.bank).operation
    }

    private func answer(_ endpoint: PowerAuthEndpoint, _ request: DemoRequest) async throws -> JSONValue {
        func header(_ name: String) -> String? { request.headers.first { $0.name == name }?.value }
        let asked = PowerAuthRequest(
            authorization: header(SignatureHeader.name), encryption: header(EncryptionHeader.name),
            body: Array((request.bodyText ?? "").utf8))
        let answer = try await room.powerAuth.answer(endpoint, asked)
        guard answer.status == 200 else { throw BenchFailure.refused(status: answer.status, answer.body.text) }
        return answer.body
    }

    /// Else PostgreSQL plans for tables that are all but empty.
    private func settle() async throws {
        for table in ["phone_registration", "phone_token", "phone_operation"] {
            _ = try await database.execute("vacuum (analyze) \(identifier: table)")
        }
    }
}
