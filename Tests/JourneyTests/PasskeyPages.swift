import Accounts
import Base
import Foundation
import TestSupport
import Testing

/// What the script of the pages does (`PasskeyScript`), for a browser of a test.
extension Browser {
    static let passkey = "/login/passkey?return_to=/account"

    /// The fields of a page's passkey form, and the question that goes with them.
    func ask(
        _ page: Reply, action: String = "/login/passkey", own: Bool = true
    ) async throws -> (fields: [(String, String)], asked: Reply) {
        let fields = Browser.form(page, action: action).fields.filter { own || $0.0 != "own" }
        let path = page.body.firstMatch(of: #/data-options="([^"]*)"/#).map { String($0.1) } ?? ""
        let sent = fields.filter {
            ["form_token", "request", "return_to", "own", "attempt"].contains($0.0) && !$0.1.isEmpty
        }
        return (fields, try await open(.post, path, form: sent, headers: [.accept: "application/json"]))
    }

    /// Sends the form with what the authenticator answers.
    func answer(
        _ answer: JSONValue, _ fields: [(String, String)], _ asked: Reply, action: String = "/login/passkey",
        _ more: [String: String] = [:]
    ) async throws -> Reply {
        let kept = fields.filter { !["answer", "attempt"].contains($0.0) && more[$0.0] == nil }
        let attempt = asked["attempt"].map { [("attempt", $0)] } ?? []
        return try await open(
            .post, action, form: kept + attempt + [("answer", answer.text)] + more.sorted { $0.key < $1.key })
    }

    /// A passkey from a page that asks for one, to whatever comes of it.
    func show(_ device: PasskeyDevice, at page: Reply) async throws -> Reply {
        let (fields, asked) = try await ask(page)
        try #require(asked.outcome == "200", "question: \(asked.body)")
        return try await answer(try device.get(asked.json["options"]), fields, asked)
    }

    /// Logged in with this passkey, without a name or a password.
    func logInWithPasskey(_ device: PasskeyDevice) async throws {
        let done = try await show(device, at: try await open(.get, Browser.passkey))
        try #require(done.place == "/account", "passkey: \(done.status) \(done.body)")
    }

    /// A new passkey, set up by the account page's form.
    func setUpPasskey(named name: String = "") async throws -> (device: PasskeyDevice, reply: Reply) {
        let action = "/account/passkeys/add", page = try await open(.get, action)
        try #require(page.status == 200, "add: \(page.place)")
        let (fields, asked) = try await ask(page, action: action)
        var device = PasskeyDevice()
        let made = device.create(asked.json["options"])
        return (device, try await answer(made, fields, asked, action: action, ["name": name]))
    }
}
