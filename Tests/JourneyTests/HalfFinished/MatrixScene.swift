import Accounts
import Base
import Foundation
import HTTPTypes
import Keys
import Registration
import TestSupport
import Testing

/// One person and what is theirs, for one pair of the matrix: an account, and, as far as a half or an event asks for
/// them, a browser, an app of its own on a phone, a web client, a factor. Nobody else has any of it, so every event may
/// happen to it.
actor MatrixScene {
    static let device = "urn:ietf:params:oauth:grant-type:device_code"
    /// What the client asks for; `email` is what it loses.
    static let scope = "openid profile email"

    nonisolated let server: TestServer
    nonisolated let account: Account
    /// The person's, which events change.
    private(set) var password = Residents.password
    /// The client's, once it has one in place of its secret.
    private(set) var clientKey: PhoneKey?
    /// Takes away the factor that the half was begun with; without one, events remove a phone.
    private(set) var removal: (@Sendable () async throws -> Void)?
    private var knownClient: WebApp?
    private var knownBrowser: (browser: Browser, session: String)?
    private var knownApp: (phone: Phone, version: String)?
    private var knownPhone: PhoneIdentity?

    init(_ server: TestServer) async throws {
        self.server = server
        account = try await server.newResident()
    }

    // MARK: What there is

    /// A confidential web client, which has the device grant as well.
    func client() async throws -> WebApp {
        if let knownClient { return knownClient }
        let made = try await server.webApp("Half", grants: ["authorization_code", "refresh_token", Self.device])
        knownClient = made
        return made
    }

    /// The person's browser, logged in by password.
    func browser() async throws -> Browser { try await loggedIn().browser }

    /// The session of that browser.
    func session() async throws -> String { try await loggedIn().session }

    private func loggedIn() async throws -> (browser: Browser, session: String) {
        if let knownBrowser { return knownBrowser }
        let browser = Browser(server)
        try await browser.logInWithPassword(as: account)
        let session: String = try await server.database.value(
            """
            select id from browser_session where account = \(account.id) order by created_at desc, id limit 1
            """)
        knownBrowser = (browser, session)
        return (browser, session)
    }

    /// An instance of a version that nobody else has.
    func app() async throws -> Phone { try await registered().phone }

    func version() async throws -> String { try await registered().version }

    private func registered() async throws -> (phone: Phone, version: String) {
        if let knownApp { return knownApp }
        let name = "org.example.m\(UUID().uuidString.prefix(8).lowercased())", key = PhoneKey()
        let apps = AppStore(clock: server.time.clock), jwk = try await JSONWebKey(key.jwk(kid: "kid-1"))
        _ = try await apps.create(app: name, name: name, in: server.database)
        let version = try await apps.add(version: "1", to: name, key: jwk, in: server.database)
        var draft = RegistrationDraft(server, app: name)
        draft.signingKey = key
        let reply = try await draft.send()
        try #require(reply.outcome == "200", "registration: \(reply.body)")
        let made = (
            phone: Phone(server: server, key: draft.key, device: draft.device, instance: reply), version: version.id
        )
        knownApp = made
        return made
    }

    /// A phone by which the person logs in.
    func identity() async throws -> PhoneIdentity {
        if let knownPhone { return knownPhone }
        let made = try await server.enrollPhone(of: account)
        knownPhone = made
        return made
    }

    /// One that relies on built-in services.
    func adopts(_ client: WebApp) { knownClient = client }
    func removes(by removal: @escaping @Sendable () async throws -> Void) { self.removal = removal }
    func nowHas(password: String) { self.password = password }
    func nowHas(key: PhoneKey) { clientKey = key }

    // MARK: What they do

    /// A request of the client, authenticated as it does by then.
    func post(_ path: String, _ form: [(String, String)]) async throws -> Reply {
        let client = try await client()
        var form = form, headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
        if let clientKey {
            let claims: JSONObject = [
                "iss": .string(client.id), "sub": .string(client.id), "aud": .string(ServerParts.root),
                "iat": .integer(server.now), "exp": .integer(server.now + 60), "jti": .string(UUID().uuidString),
            ]
            form.append(("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"))
            form.append(("client_assertion", try clientKey.sign(claims, header: ["kid": "new"])))
        } else {
            headers[.authorization] = client.basic[.authorization]
        }
        return try await server.send(.post, path, headers: headers, body: Array(FormCodec.write(form).utf8))
    }

    func redeem(_ code: String) async throws -> Reply {
        try await post(
            "/token",
            [
                ("grant_type", "authorization_code"), ("code", code), ("code_verifier", Phone.verifier),
                ("redirect_uri", Browser.callback),
            ])
    }

    /// As far as the person gets by themselves: logs in where asked, agrees where asked.
    func goOn(_ browser: Browser, _ first: Reply, stopsAt: String? = nil) async throws -> Browser.Place {
        try await browser.goOn(
            try await browser.follow(first), as: account.username, password: password, stopsAt: stopsAt)
    }
}

/// What became of a second half.
struct SecondHalf: Sendable, Equatable {
    let isDone: Bool
    /// Status and code, or where the browser was led.
    let told: String

    init(_ reply: Reply, isDone: Bool? = nil) {
        self.isDone = isDone ?? (reply.outcome == "200")
        told =
            (300..<400).contains(reply.status) ? "\(reply.status) \(reply.place.prefix { $0 != "?" })" : reply.outcome
    }

    init(isDone: Bool, _ told: String) { (self.isDone, self.told) = (isDone, told) }

    /// Back at the client with a code, or else with what.
    init(_ place: Browser.Place) {
        switch place {
        case .outside: self.init(isDone: place.answer["code"] != nil, place.answer["error"] ?? "code")
        case .page(let page):
            let asksPassword = Browser.form(page).fields.contains { $0.0 == "password" }
            self.init(isDone: false, asksPassword ? "\(page.status) login" : page.outcome)
        }
    }
}

/// Finishes what was begun.
typealias Finish = @Sendable () async throws -> SecondHalf
