import Base
import Foundation
import Simulators

/// The walk of `pando demo tiqr`: a relying service, and a phone from nothing to removed, in nine steps. Every step is
/// one sentence of backoffice.md.
struct DemoTiqrJourney: Sendable {
    /// What the phone's owner types, and what somebody else would try.
    static let pin = "2580", otherPIN = "1234"
    private static let person = "Ada Lovelace", shop = "Demo book shop"
    /// Seconds that the server may hold an answer; less than what `DemoWire` waits.
    private static let patience = 10

    private typealias Account = DemoTiqrPhone.Account

    private let wire: DemoWire
    private var service: DemoRelyingService
    private var teller: StepPrinter

    /// Walks with a fresh phone against the server at `issuer`, in the name of `client`.
    static func walk(_ issuer: String, _ client: DemoCredentials.Client, telling teller: StepPrinter) async throws {
        try await DemoWire.open { wire in
            var journey = DemoTiqrJourney(
                wire: wire, service: DemoRelyingService(.tiqr, at: issuer, client: client), teller: teller)
            try await journey.walk()
        }
    }

    private mutating func walk() async throws {
        teller.begin(title: "Logging in with tiqr at \(service.issuer)")
        try await obtainToken()
        let (enrollment, link) = try await beginEnrollment()
        let (account, registration) = try await readMetadata(link, enrollment)
        try await register(account, by: registration, enrollment)
        let (authentication, challenge) = try await beginAuthentication()
        try await answerWrongly(challenge, account)
        try await answerRightly(challenge, account, authentication, enrollment)
        try await answerOffline(account)
        try await remove(account)
        teller.end(
            """
            A phone was enrolled, proved itself twice, and is forgotten.
            People of this federation can have one as well: add it at \(service.issuer)/account, then log in at \
            \(service.issuer)/login/tiqr?return_to=/account
            """)
    }

    private func send(_ request: DemoRequest) async throws -> DemoExchange { try await wire.send(request) }

    /// The state of something, which must be `wanted`.
    private func state(of path: String, is wanted: String) async throws -> DemoExchange {
        let exchange = try await send(service.ask("GET", path)), status = try exchange.text("status")
        guard status == wanted else { throw DemoFailure.unexpected(exchange, "its status is \(status), not \(wanted)") }
        return exchange
    }

    private func read(_ link: String, in exchange: DemoExchange) throws -> ScannedChallenge {
        guard let challenge = ScannedChallenge(link) else {
            throw DemoFailure.unexpected(exchange, "no phone can read \(link)")
        }
        return challenge
    }

    /// The phone's word for an answer (protocols/tiqr.md, 1.7), which must be `wanted`.
    private func expect(_ wanted: Int, in exchange: DemoExchange) throws {
        let code = try exchange.good().body["responseCode"]?.integer
        guard code == wanted else {
            throw DemoFailure.unexpected(
                exchange, "the phone reads \(code.map { "\($0)" } ?? "nothing"), not \(wanted)")
        }
    }

    // MARK: Steps

    private mutating func obtainToken() async throws {
        let (metadata, exchange, facts) = try await service.obtainToken(by: wire)
        teller.tell(
            "A service that wants to log people in gets itself a token for tiqr.", before: [metadata], exchange,
            facts: facts)
    }

    private mutating func beginEnrollment() async throws -> (id: String, link: String) {
        let exchange = try await send(
            service.ask(
                "POST", "/enrollments", ["display_name": .string(DemoTiqrJourney.person), "external_id": "ada"]))
        let id = try exchange.text("id"), link = try exchange.text("enroll_url")
        teller.tell(
            "It begins an enrollment for its user ada, and shows this QR code.", exchange,
            facts: [
                "status": exchange.body["status"] ?? .null, "expires_at": exchange.body["expires_at"] ?? .null,
                "link": .string(link),
            ])
        teller.show(link)
        return (id, link)
    }

    private mutating func readMetadata(
        _ link: String, _ enrollment: String
    ) async throws -> (Account, registration: DemoRequest) {
        let exchange = try await send(DemoTiqrPhone.reading(link)).good(), secret = Randomness.system.bytes(32)
        guard let account = Account(exchange.body, secret: secret, pin: DemoTiqrJourney.pin),
            let url = exchange.body["service"]?["enrollmentUrl"]?.string
        else {
            throw DemoFailure.unexpected(exchange, "a phone would refuse this metadata")
        }
        let after = try await state(of: "/enrollments/\(enrollment)", is: "retrieved")
        teller.tell(
            """
            The phone scans it and reads what it is about; the address works once, and the service sees that it was \
            read.
            """,
            exchange, after: [after],
            facts: [
                "service": .string(account.service), "person": .string(account.displayName),
                "suite": .string(account.suite.text), "status": "retrieved",
            ])
        return (account, DemoTiqrPhone.registration(at: url, secret: secret))
    }

    private mutating func register(_ account: Account, by registration: DemoRequest, _ enrollment: String) async throws
    {
        let exchange = try await send(registration)
        try expect(1, in: exchange)
        let after = try await state(of: "/enrollments/\(enrollment)", is: "finalized")
        teller.tell(
            "Its owner chooses a PIN. The phone makes a secret, sends it this once, and keeps it under the PIN.",
            exchange, after: [after],
            facts: ["PIN": .string(DemoTiqrJourney.pin), "identity": .string(account.identity), "status": "finalized"])
    }

    private mutating func beginAuthentication() async throws -> (id: String, ScannedChallenge) {
        let exchange = try await send(
            service.ask("POST", "/authentications", ["service_provider": .string(DemoTiqrJourney.shop)]))
        let id = try exchange.text("id"), link = try exchange.text("auth_url"), challenge = try read(link, in: exchange)
        teller.tell(
            "Somebody wants to log in. The service asks nobody's name and shows this QR code.", exchange,
            facts: [
                "status": exchange.body["status"] ?? .null, "expires_at": exchange.body["expires_at"] ?? .null,
                "link": .string(link),
            ])
        teller.show(link)
        return (id, challenge)
    }

    private mutating func answerWrongly(_ challenge: ScannedChallenge, _ account: Account) async throws {
        let response = try challenge.response(account.suite, account.secret(DemoTiqrJourney.otherPIN))
        let exchange = try await send(challenge.answer(response, of: account.identity, to: account.authenticationURL))
        try expect(201, in: exchange)
        teller.tell(
            """
            The phone scans it, and a wrong PIN is typed: only the server can tell, since another PIN makes another \
            secret.
            """,
            exchange,
            facts: [
                "PIN": .string(DemoTiqrJourney.otherPIN), "answer": .string(response),
                "attempts_left": exchange.body["attemptsLeft"] ?? .null,
            ])
    }

    private mutating func answerRightly(
        _ challenge: ScannedChallenge, _ account: Account, _ authentication: String, _ enrollment: String
    ) async throws {
        let response = try challenge.response(account.suite, account.secret(DemoTiqrJourney.pin))
        let wire = self.wire,
            question = service.ask("GET", "/authentications/\(authentication)", wait: DemoTiqrJourney.patience)
        async let held = wire.send(question)
        // The question comes first, and waits: that is what is shown here.
        try await Task.sleep(for: .milliseconds(300))
        let exchange = try await send(challenge.answer(response, of: account.identity, to: account.authenticationURL))
        try expect(1, in: exchange)
        let seen = try await held
        guard try seen.text("status") == "authenticated" else {
            throw DemoFailure.unexpected(seen, "the right answer did not log anybody in")
        }
        let after = try await state(of: "/enrollments/\(enrollment)", is: "validated")
        teller.tell(
            "The right PIN. The service had asked how it stands, with Prefer: wait, and is answered at that moment.",
            exchange, after: [seen, after],
            facts: [
                "PIN": .string(DemoTiqrJourney.pin), "answer": .string(response),
                "status": seen.body["status"] ?? .null,
                "who": seen.body["external_id"] ?? .null, "method": seen.body["method"] ?? .null,
                "enrollment": "validated",
            ])
    }

    private mutating func answerOffline(_ account: Account) async throws {
        let started = try await send(
            service.ask(
                "POST", "/authentications",
                ["identity": .string(account.identity), "service_provider": .string(DemoTiqrJourney.shop)]))
        let id = try started.text("id"), challenge = try read(try started.text("auth_url"), in: started)
        let code = try challenge.response(account.suite, account.secret(DemoTiqrJourney.pin))
        let exchange = try await send(service.ask("POST", "/authentications/\(id)/otp", ["otp": .string(code)]))
        guard try exchange.text("status") == "authenticated" else {
            throw DemoFailure.unexpected(exchange, "the right code did not log anybody in")
        }
        teller.tell(
            "Next time the phone has no network: it shows the answer, and its owner types it on the page.",
            before: [started], exchange,
            facts: [
                "typed": .string(code), "status": exchange.body["status"] ?? .null,
                "method": exchange.body["method"] ?? .null,
            ])
    }

    private mutating func remove(_ account: Account) async throws {
        let exchange = try await send(service.ask("DELETE", "/identities/\(account.identity)")).good()
        let started = try await send(service.ask("POST", "/authentications", [:])),
            challenge = try read(try started.text("auth_url"), in: started)
        let response = try challenge.response(account.suite, account.secret(DemoTiqrJourney.pin))
        let refusal = try await send(challenge.answer(response, of: account.identity, to: account.authenticationURL))
        try expect(205, in: refusal)
        teller.tell(
            "The phone is removed: the server forgets its secret, and from now on knows nobody of that name.", exchange,
            after: [started, refusal],
            facts: ["answer": "205, unknown user"])
    }
}
