import Base
import Foundation
import Operations
import PowerAuth
import Simulators

/// The walk of `pando demo operations`: a bank, and a phone from its activation code to its removal, in twelve steps.
/// Every step is one sentence of backoffice.md.
struct DemoOperationsJourney: Sendable {
    /// What the phone's owner types.
    static let pin = "2580"
    private static let customer = "ada", appID = "demo-bank"
    /// Seconds that the server may hold an answer; less than what `DemoWire` waits.
    private static let patience = 10

    /// A payment that waits for its customer.
    struct Order { let exchange: DemoExchange, id: String, data: String }

    /// What the phone speaks: 3.3 without.
    private let algorithm: SharedSecretAlgorithm?
    private let wire: DemoWire
    var bank: DemoRelyingService
    var teller: StepPrinter

    /// Walks with a fresh phone against the server at `issuer`, in the name of `client`.
    static func walk(
        _ issuer: String, _ client: DemoCredentials.Client, speaking algorithm: SharedSecretAlgorithm?,
        telling teller: StepPrinter
    ) async throws {
        try await DemoWire.open { wire in
            var journey = DemoOperationsJourney(
                algorithm: algorithm, wire: wire, bank: DemoRelyingService(.operations, at: issuer, client: client),
                teller: teller)
            try await journey.walk()
        }
    }

    private mutating func walk() async throws {
        teller.begin(title: "Approving on the phone at \(bank.issuer)")
        try await obtainToken()
        let app = try await describeApp()
        let (registration, code) = try await beginRegistration()
        var phone = try await exchangeKeys(app, code, registration)
        try await commit(registration, phone)
        let token = try await createToken(&phone)
        let order = try await beginPayment()
        try await look(at: order, phone, token)
        try await approve(order, &phone)
        try await reject(&phone, token)
        try await approveOffline(&phone, registration)
        try await remove(&phone, token)
        teller.end(
            """
            A phone was activated, approved with a network and without, rejected, and is forgotten.
            People of this federation can have one as well: set it up at \(bank.issuer)/account, then approve logins \
            at \(bank.issuer)/login/approval?return_to=/account
            An app with the real SDK does the same against \(bank.base), built with its sdkConfig (`pando admin \
            operations config`).
            """)
    }

    func send(_ request: DemoRequest) async throws -> DemoExchange { try await wire.send(request) }

    /// What a phone makes of an answer, or why it would go no further.
    private func trusting<Value>(_ exchange: DemoExchange, _ read: (JSONValue) throws -> Value) throws -> Value {
        do { return try read(try exchange.good().body) } catch let refusal as PowerAuthRefusal {
            throw DemoFailure.unexpected(exchange, "a phone would not trust it: \(refusal.explain)")
        }
    }

    /// The state of a registration or operation, which must be `wanted`.
    func state(of path: String, _ member: String, is wanted: String) async throws -> DemoExchange {
        let exchange = try await send(bank.ask("GET", path)), status = try exchange.text(member)
        guard status == wanted else {
            throw DemoFailure.unexpected(exchange, "its \(member) is \(status), not \(wanted)")
        }
        return exchange
    }

    func state(_ registration: String, is wanted: String) async throws -> DemoExchange {
        try await state(of: "/v2/registrations/\(registration)", "registrationStatus", is: wanted)
    }

    func state(_ order: Order, is wanted: String) async throws -> DemoExchange {
        try await state(of: "/v2/operations/\(order.id)", "status", is: wanted)
    }

    func ask(_ amount: String, _ iban: String, _ note: String) async throws -> Order {
        let payment: JSONObject = [
            "template": .string(DemoPaymentTemplate.name), "userId": .string(DemoOperationsJourney.customer),
            "appId": .string(DemoOperationsJourney.appID),
            "parameters": [
                "amount": .string(amount), "currency": "CHF", "iban": .string(iban), "note": .string(note),
            ],
        ]
        let exchange = try await send(bank.ask("POST", "/v2/operations", payment))
        return Order(exchange: exchange, id: try exchange.text("operationId"), data: try exchange.text("data"))
    }

    // MARK: A phone

    private mutating func obtainToken() async throws {
        let (metadata, exchange, facts) = try await bank.obtainToken(by: wire)
        teller.tell(
            "A bank that wants its customers' approval gets itself a token for operations.", before: [metadata],
            exchange, facts: facts)
    }

    private mutating func describeApp() async throws -> DemoPowerAuthApp {
        let application = try await send(
            bank.ask("POST", "/v2/applications", ["appId": .string(DemoOperationsJourney.appID), "name": "Demo bank"]))
        var chosen: [DemoExchange] = []
        if algorithm != nil {
            let choice: JSONObject = ["protocols": ["3.3", "4.0"]]
            chosen = [try await send(bank.ask("PUT", "/v2/applications/\(DemoOperationsJourney.appID)", choice))]
        }
        let config = try (chosen.last ?? application).text("sdkConfig")
        guard let app = try? DemoPowerAuthApp(sdkConfig: config, base: bank.base, algorithm: algorithm) else {
            throw DemoFailure.unexpected(application, "no app can be built with its sdkConfig")
        }
        var templates = [try await send(bank.ask("POST", "/v2/templates", DemoPaymentTemplate.body))]
        if templates[0].status == 409 {
            let path = "/v2/templates/\(DemoPaymentTemplate.name)"
            templates.append(try await send(bank.ask("PUT", path, DemoPaymentTemplate.body)))
        }
        try templates.last?.good()
        teller.tell(
            "It names its app and describes its payments, once. What comes back is built into the app.", application,
            after: chosen + templates,
            facts: [
                "app": .string(DemoOperationsJourney.appID), "template": .string(DemoPaymentTemplate.name),
                "to_be_signed": DemoPaymentTemplate.body["dataTemplate"] ?? .null,
            ])
        return app
    }

    private mutating func beginRegistration() async throws -> (id: String, code: String) {
        var customer: JSONObject = [
            "userId": .string(DemoOperationsJourney.customer), "appId": .string(DemoOperationsJourney.appID),
        ]
        // The key that signs the code is that which the phone looks for.
        if algorithm != nil { customer["protocol"] = "4.0" }
        let exchange = try await send(bank.ask("POST", "/v2/registrations", customer))
        let id = try exchange.text("registrationId"), code = try exchange.text("activationQrCodeData")
        let after = try await state(id, is: "CREATED")
        teller.tell(
            "It begins a registration for its customer ada, and shows this QR code, which it has signed.", exchange,
            after: [after], facts: ["status": "CREATED", "code": .string(code)])
        teller.show(code)
        return (id, code)
    }

    private mutating func exchangeKeys(
        _ app: DemoPowerAuthApp, _ code: String, _ registration: String
    ) async throws -> DemoActivation {
        let question = try app.askKey(), asked = try await send(question.request)
        let exchange = try trusting(asked) { try app.exchangeKeys(code, with: try app.key(in: $0, to: question)) }
        let made = try await send(exchange.request)
        var phone = try trusting(made) { try exchange.activation(in: $0, pin: DemoOperationsJourney.pin) }
        var confirmed: [DemoExchange] = []
        if let confirmation = phone.confirm(pin: DemoOperationsJourney.pin) {
            confirmed = [try await send(confirmation).good()]
        }
        let after = try await state(registration, is: "PENDING_COMMIT")
        teller.tell(
            """
            The phone scans it and checks the signature; its owner chooses a PIN. Phone and server agree on keys, in \
            two envelopes that only they can open.
            """,
            before: [asked], made, after: confirmed + [after],
            facts: ["PIN": .string(DemoOperationsJourney.pin), "status": "PENDING_COMMIT"])
        return phone
    }

    private mutating func commit(_ registration: String, _ phone: DemoActivation) async throws {
        let shown = try await send(bank.ask("GET", "/v2/registrations/\(registration)")),
            atBank = try shown.text("activationFingerprint")
        let onPhone = try trusting(shown) { _ in try phone.fingerprint() }
        guard atBank == onPhone else {
            throw DemoFailure.unexpected(shown, "the phone shows \(onPhone), and the bank \(atBank)")
        }
        let exchange = try await send(bank.ask("POST", "/v2/registrations/\(registration)/commit", [:]))
        guard try exchange.text("status") == "ACTIVE" else {
            throw DemoFailure.unexpected(exchange, "the registration is not active")
        }
        teller.tell(
            "Phone and bank show the same fingerprint, so nobody sits between them, and the bank commits.",
            before: [shown], exchange,
            facts: ["phone_shows": .string(onPhone), "bank_shows": .string(atBank), "status": "ACTIVE"])
    }

    private mutating func createToken(_ phone: inout DemoActivation) async throws -> DemoActivation.Token {
        let question = try phone.app.askKey(for: phone), asked = try await send(question.request), activation = phone
        let key = try trusting(asked) { try activation.app.key(in: $0, to: question, for: activation) }
        let (request, sealed) = try phone.askToken(with: key), exchange = try await send(request)
        let token = try trusting(exchange) { try activation.token(in: $0, to: sealed) }
        teller.tell(
            """
            It gets itself a token to look with, in an envelope that it has signed. Nothing can be \
            approved with that.
            """,
            before: [asked], exchange, facts: ["signed_by": "possession"])
        return token
    }

    // MARK: Payments

    private mutating func beginPayment() async throws -> Order {
        let order = try await ask("129.90", "CH9300762011623852957", "Demo book shop")
        teller.tell(
            "A payment is to be made. The bank asks its customer; nothing is booked yet.", order.exchange,
            facts: ["status": order.exchange.body["status"] ?? .null, "to_be_signed": .string(order.data)])
        return order
    }

    private mutating func look(at order: Order, _ phone: DemoActivation, _ token: DemoActivation.Token) async throws {
        let list = try await send(phone.list(token)).good(),
            detail = try await send(phone.detail(order.id, token)).good()
        guard let found = list.body["responseObject"]?.array?.first(where: { $0["id"]?.string == order.id }),
            found["data"]?.string == order.data
        else {
            throw DemoFailure.unexpected(list, "the payment is not in it")
        }
        var facts: JSONObject = [
            "title": found["formData"]?["title"] ?? .null, "message": found["formData"]?["message"] ?? .null,
        ]
        for attribute in found["formData"]?["attributes"]?.array ?? [] {
            guard let label = attribute["label"]?.string else { continue }
            facts[label] = attribute["valueFormatted"] ?? attribute["value"] ?? .null
        }
        teller.tell(
            "The phone, which asks every few seconds, has something to show.", list, after: [detail], facts: facts)
    }

    private mutating func approve(_ order: Order, _ phone: inout DemoActivation) async throws {
        let wire = self.wire,
            question = bank.ask("GET", "/v2/operations/\(order.id)", wait: DemoOperationsJourney.patience)
        async let held = wire.send(question)
        // The question comes first, and waits: that is what is shown here.
        try await Task.sleep(for: .milliseconds(300))
        let exchange = try await send(phone.approve(order.id, data: order.data, pin: DemoOperationsJourney.pin)).good(),
            seen = try await held
        guard try seen.text("status") == "APPROVED" else {
            throw DemoFailure.unexpected(seen, "the right PIN approved nothing")
        }
        teller.tell(
            """
            With the PIN the phone signs exactly that. The bank had asked how it stands, with Prefer: wait, and is \
            answered at that moment.
            """,
            exchange,
            after: [seen],
            facts: [
                "PIN": .string(DemoOperationsJourney.pin), "status": "APPROVED",
                "signed_by": seen.body["signatureType"] ?? .null,
            ])
    }

    private mutating func reject(_ phone: inout DemoActivation, _ token: DemoActivation.Token) async throws {
        let order = try await ask("2400.00", "CH5604835012345678009", "a stranger"),
            list = try await send(phone.list(token)).good()
        let exchange = try await send(phone.reject(order.id, reason: "UNEXPECTED_OPERATION")).good(),
            after = try await state(order, is: "REJECTED")
        teller.tell(
            "The next payment is none of hers: she rejects it, and says why. That takes no PIN.",
            before: [order.exchange, list], exchange, after: [after],
            facts: [
                "to_be_signed": .string(order.data), "status": "REJECTED",
                "reason": after.body["rejectReason"] ?? .null,
            ])
    }

    private mutating func remove(_ phone: inout DemoActivation, _ token: DemoActivation.Token) async throws {
        let exchange = try await send(phone.remove()).good(), refusal = try await send(phone.list(token))
        guard refusal.status == 401 else { throw DemoFailure.unexpected(refusal, "a removed phone still reads") }
        teller.tell(
            "The phone removes itself: its signatures and its token are worth nothing any more.", exchange,
            after: [refusal], facts: ["status": "REMOVED", "answer": .string("401 \(refusal.error ?? "")")])
    }
}
