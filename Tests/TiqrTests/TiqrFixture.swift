import Base
import Database
import Foundation
import OAuth
import TestSupport
import Testing
import Tiqr
import TokenTree

@testable import OCRA

/// The room Tiqr alone, on a database with a clock that stands still, and phones that answer.
struct TiqrFixture: Sendable {
    static let settings = TiqrSettings(
        base: "https://id.example/services/tiqr", root: "https://id.example", defaultIdentifier: "id.example",
        displayName: "Example",
        logoURL: "https://id.example/logo.png", infoURL: "https://id.example/")
    static let shop = TiqrCaller.machine(client: "shop", below: [], actor: AuditActor(name: "client:shop"))
    static let stranger = TiqrCaller.machine(client: "stranger", below: [], actor: AuditActor(name: "client:stranger"))
    static let operators = TiqrCaller.administrator(AuditActor(name: "admin:root"))

    let tree: TestTree
    let service: TiqrService
    var database: Database { tree.database }
    var time: SettableClock { tree.time }

    static func key(_ byte: UInt8) throws -> MasterKey {
        try MasterKey(SecretBytes([UInt8](repeating: byte, count: 32)))
    }

    static func with(
        routes: @Sendable (WallClock) async throws -> PushRoutes = { _ in .none }, settings: TiqrSettings = settings,
        metrics: OAuthMetrics = .shared,
        _ body: (TiqrFixture) async throws -> Void
    ) async throws {
        try await TestTree.with { tree in
            let service = TiqrService(
                database: tree.database, master: try key(1), settings: settings,
                routes: try await routes(tree.time.clock),
                clock: tree.time.clock, randomness: .system, metrics: metrics)
            try await body(TiqrFixture(tree: tree, service: service))
        }
    }

    /// Another process on the same database.
    func another(master: MasterKey) -> TiqrService {
        TiqrService(
            database: database, master: master, settings: TiqrFixture.settings, routes: .none, clock: time.clock,
            randomness: .system)
    }

    // MARK: Enrolling

    /// The enrollment secret's key, from the metadata that it reads.
    func scan(_ started: StartedEnrollment) async throws -> String {
        let metadata = try #require(
            try await service.metadata(key: TiqrFixture.value("enrollment_key", in: started.metadataURL)))
        return TiqrFixture.value("enrollment_secret", in: try #require(metadata["service"]?["enrollmentUrl"]?.string))
    }

    func enroll(
        for caller: TiqrCaller = TiqrFixture.shop, externalID: String? = nil, identifier: String? = nil,
        push: (String, String)? = nil
    ) async throws -> EnrolledPhone {
        let started = try await service.startEnrollment(
            EnrollmentDraft(displayName: "Ada", identifier: identifier, externalID: externalID), by: caller)
        let secret = try await scan(started)
        let phone = EnrolledPhone(
            enrollment: started.view.id, identity: started.view.identity, secret: [UInt8].random(count: 32))
        var form = phone.registration
        form["notificationType"] = push?.0
        form["notificationAddress"] = push?.1
        let answer = try await service.register(secret: secret, form: form, origin: nil)
        try #require(answer == .enrolled)
        return phone
    }

    static func value(_ name: String, in url: String) -> String { url.components(separatedBy: "\(name)=").last ?? "" }

    // MARK: Logging in

    func challenge(
        _ phone: EnrolledPhone?, for caller: TiqrCaller = TiqrFixture.shop, expiresIn: Int? = nil, push: Bool = false
    ) async throws -> StartedAuthentication {
        try await service.startAuthentication(
            AuthenticationDraft(identity: phone?.identity, push: push, expiresIn: expiresIn), by: caller)
    }

    func send(
        _ response: String, _ phone: EnrolledPhone, to started: StartedAuthentication,
        adding fields: [String: String] = [:]
    ) async throws -> LoginAnswer {
        let form = [
            "operation": "login", "sessionKey": phone.parts(started.authURL).session, "userId": phone.identity,
            "response": response,
        ]
        return try await service.login(form: form.merging(fields) { _, new in new }, origin: nil)
    }

    /// Five wrong answers.
    func guessUntilBlocked(_ phone: EnrolledPhone) async throws -> [LoginAnswer] {
        let started = try await challenge(phone)
        var answers: [LoginAnswer] = []
        for _ in 0..<5 { answers.append(try await send(phone.wrong(started), phone, to: started)) }
        return answers
    }

    func status(_ started: StartedAuthentication) async throws -> AuthenticationStatus {
        try await service.authentication(started.view.id, for: TiqrFixture.shop).status
    }
}

/// What one phone holds.
struct EnrolledPhone: Sendable {
    let enrollment: String
    let identity: String
    let secret: [UInt8]

    var registration: [String: String] {
        ["operation": "register", "secret": Hexadecimal.encode(secret), "language": "en"]
    }

    func parts(_ link: String) -> (session: String, question: String) {
        let parts = (link.components(separatedBy: "://").last ?? "").components(separatedBy: "/")
        return parts.count > 2 ? (parts[1], parts[2]) : ("", "")
    }

    func right(_ started: StartedAuthentication, suite: String = "OCRA-1:HOTP-SHA1-6:QH10-S064") throws -> String {
        let (session, question) = parts(started.authURL)
        return try OCRAAlgorithm.response(
            suite: OCRASuite(suite), key: SecretBytes(secret),
            input: OCRAInput(question: question, session: Hexadecimal.decode(session)))
    }

    /// The right one and so much more.
    func wrong(_ started: StartedAuthentication, by distance: Int = 1) throws -> String {
        let number = ((Int(try right(started)) ?? 0) + distance) % 1_000_000
        let text = String(number)
        return String(repeating: "0", count: 6 - text.count) + text
    }
}

extension [UInt8] {
    static func random(count: Int) -> [UInt8] { Randomness.system.bytes(count) }
}
