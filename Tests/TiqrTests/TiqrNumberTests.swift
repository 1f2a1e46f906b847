import Base
import Database
import Foundation
import TestSupport
import Testing

@testable import Tiqr

@Suite("design/number-matching.md: the number of a push")
struct TiqrNumberTests {
    private static let matching = TiqrSettings(
        base: "https://id.example/services/tiqr", root: "https://id.example", defaultIdentifier: "id.example",
        displayName: "Example", logoURL: "https://id.example/logo.png", infoURL: "https://id.example/",
        numberMatching: .push)

    /// Somebody's phone that was pushed to, and what it was sent.
    private struct Asked {
        let fixture: TiqrFixture, login: TiqrLogin, phone: EnrolledPhone, started: StartedAuthentication
        let account: UUID, number: String, said: String

        var wrong: String { number == "00" ? "01" : "00" }

        func answers() async throws -> LoginAnswer {
            try await fixture.send(try phone.right(started), phone, to: started)
        }

        func view() async throws -> AuthenticationView { try await login.state(started.view.id) }
        func tell(_ number: String) async throws {
            try await login.tell(number, of: started.view.id, actor: .server)
        }
    }

    private func asked(
        settings: TiqrSettings = matching, asksNumber: Bool = true, push: Bool = true,
        _ body: (Asked) async throws -> Void
    ) async throws {
        let server = FakePushServer()
        let routes: @Sendable (WallClock) -> PushRoutes = { clock in
            PushRoutes(
                webhook: PushWebhook(
                    url: "https://hook.example/", secret: SecretBytes([UInt8](repeating: 1, count: 32)),
                    http: server.http, clock: clock))
        }
        try await TiqrFixture.with(routes: routes, settings: settings) { fixture in
            let account = UUID(), login = TiqrLogin(fixture.service)
            let phone = try await fixture.enroll(
                for: .identityProvider(.server), externalID: TiqrLogin.externalID(account), push: ("OWN", "address"))
            func begin(_ push: Bool) async throws -> StartedAuthentication {
                try await login.begin(
                    account, phone: phone.identity, to: "Shop", push: push, asksNumber: asksNumber, below: [],
                    actor: .server)
            }
            let first = try await begin(false)
            let isIn = try await fixture.send(try phone.right(first), phone, to: first)
            try #require(isIn == .authenticated)

            let started = try await begin(push)
            try await PushSender(fixture.service, logger: .quiet).sendDue()

            let rows = try await fixture.database.query(
                "select coalesce(number, '') as number from tiqr_authentication where id = \(started.view.id)")
            let number: String = try #require(try rows.first?("number"))
            let said = server.requests.map { String(decoding: $0.body, as: UTF8.self) }.joined()
            try await body(
                Asked(
                    fixture: fixture, login: login, phone: phone, started: started, account: account, number: number,
                    said: said))
        }
    }

    @Test("a phone's answer lets nobody in before the number is told, in whichever order; the link does not tell it")
    func right() async throws {
        try await asked { asked in
            let answer = try await asked.answers(), early = try await asked.login.standing(try await asked.view())
            try await asked.tell(asked.number)
            let late = try await asked.login.standing(try await asked.view())

            #expect(asked.number.count == 2 && answer == .authenticated && early == nil && late == asked.account)
            #expect(!asked.started.authURL.contains("/\(asked.number)/") && asked.started.push == .queued)
        }
        try await asked { asked in
            try await asked.tell(asked.number)
            let early = try await asked.login.standing(try await asked.view()), answer = try await asked.answers()
            let late = try await asked.login.standing(try await asked.view())

            #expect(early == nil && answer == .authenticated && late == asked.account)
        }
    }

    @Test(
        "a wrong number ends the login, before the answer and after it, and the right one is too late",
        arguments: [true, false])
    func wrong(isAnswered: Bool) async throws {
        try await asked { asked in
            if isAnswered { _ = try await asked.answers() }
            try await asked.tell(asked.wrong)
            try await asked.tell(asked.number)
            let answer = try await asked.answers(), view = try await asked.view(),
                standing = try await asked.login.standing(view)
            let lines: Int = try await asked.fixture.database.value(
                "select count(*) from audit where (action, outcome, reason) = ('tiqr.login', 'refused', 'wrong_number')"
            )

            #expect(answer == .invalidChallenge && standing == nil && view.number?.state == .wrong && lines == 1)
            #expect(view.status == (isAnswered ? .authenticated : .failed))
            let isStanding = try await asked.login.isStanding(view, of: asked.account, in: asked.fixture.database)
            #expect(!isStanding)
        }
    }

    @Test("of many who guess at once one is heard")
    func races() async throws {
        try await asked { asked in
            _ = try await asked.answers()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for guess in 0..<20 {
                    group.addTask { try await asked.tell(guess < 10 ? "0\(guess)" : "\(guess)") }
                }
                try await group.waitForAll()
            }
            let view = try await asked.view()

            #expect(view.number?.state != .due && view.version == 3, "one answer, one number")
        }
    }

    @Test("a number cannot be told after its time")
    func expired() async throws {
        try await asked { asked in
            asked.fixture.time.advance(200)
            try await asked.tell(asked.number)
            let view = try await asked.view()

            #expect(view.number?.state == .due && view.status == .expired)
        }
    }

    @Test("there is none where nothing was pushed, where nobody could tell it, and where the setting is off")
    func none() async throws {
        func number(_ settings: TiqrSettings, asksNumber: Bool, push: Bool) async throws -> String {
            nonisolated(unsafe) var number = "?"
            try await asked(settings: settings, asksNumber: asksNumber, push: push) { number = $0.number }
            return number
        }

        let unpushed = try await number(Self.matching, asksNumber: true, push: false),
            untold = try await number(Self.matching, asksNumber: false, push: true),
            off = try await number(TiqrFixture.settings, asksNumber: true, push: true)

        #expect(unpushed.isEmpty && untold.isEmpty && off.isEmpty)
    }

    @Test(
        "a push says the number in the language of the phone",
        arguments: [
            ("en", "Please authenticate for Shop. Number for the login page: 07"),
            ("de", "Bitte bestätigen Sie die Anmeldung bei Shop. Zahl für die Anmeldeseite: 07"),
            ("fr", "Veuillez confirmer la connexion à Shop. Nombre pour la page de connexion\u{A0}: 07"),
            ("it", "La preghiamo di confermare l’accesso a Shop. Numero per la pagina di accesso: 07"),
        ])
    func said(_ language: String, _ text: String) {
        #expect(PhoneTexts.ours.push(for: "Shop", number: "07", in: language) == text)
    }

    @Test(
        "two digits are a number; anything else is asked for again",
        arguments: [
            ("42", "42"), (" 0 7 ", "07"), ("", nil), ("7", nil), ("123", nil), ("4a", nil), ("٤٢", nil), ("-1", nil),
            (String(repeating: "4", count: 9_000), nil),
        ] as [(String, String?)])
    func typed(_ text: String, _ number: String?) {
        #expect(PushedNumber.typed(text) == number)
    }
}
