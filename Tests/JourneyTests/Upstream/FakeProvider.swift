import Administration
import Base
import Foundation
import HTTP
import HTTPTypes
import Synchronization
import TestSupport
import Testing

/// An institution's OpenID provider, in process: it takes any code, looks at the verifier, and says of the person what
/// it is told to.
final class FakeProvider: Sendable {
    let issuer: String
    let id: String
    let key = PhoneKey()
    let server: TestServer

    private struct State {
        var metadata: JSONObject = [:]
        var claims: JSONObject = [:]
        var userInfo: JSONObject?
        var challenge = ""
        var header: JSONObject = [:]
        var isAway = false
        var refusals = 0
        var forms: [[String: String]] = []
        var authorizations: [String] = []
        var signer: PhoneKey?
    }

    private let state = Mutex(State())

    /// A provider of an institution of its own, with the domain `ID.example`.
    init(_ server: TestServer, options: JSONObject = [:], metadata: JSONObject = [:]) async throws {
        let id = "u" + UUID().uuidString.prefix(8).lowercased()
        (self.server, self.id, issuer) = (server, id, "https://idp.\(id).example")
        let endpoints = ["authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "jwks"]
        var document: JSONObject = [
            "issuer": .string(issuer), "id_token_signing_alg_values_supported": ["RS256", "ES256"],
            "authorization_response_iss_parameter_supported": true,
        ]
        for (name, path) in endpoints { document[name] = .string("\(issuer)/\(path)") }
        document = document.with(metadata)
        state.withLock { $0.metadata = document }
        server.wire.publish(
            JSONValue.object(["keys": [key.jwk(kid: "k")]]).text, at: "\(issuer)/jwks")
        FakeProviders.shared(server).add(self)
        let domains = ["\(id).example"]
        let name = "University \(id)"
        try await server.database.execute(
            """
            insert into institution (id, name, domains, created_at)
            values (\(id), \(name), \(domains), \(server.time.now))
            """)
        var arguments: JSONObject = [
            "issuer": .string(issuer), "institution": .string(id), "client_id": "pando", "client_secret": "s3cret",
        ]
        arguments = arguments.with(options)
        _ = try await server.administer(["providers", "add"], arguments)
    }

    /// Spoils metadata from now on; each provider is asked once an hour.
    func change(metadata changes: JSONObject) { state.withLock { $0.metadata = $0.metadata.with(changes) } }
    func goAway(_ isAway: Bool = true) { state.withLock { $0.isAway = isAway } }
    func answer(userInfo: JSONObject?) { state.withLock { $0.userInfo = userInfo } }
    /// Another key than the published one.
    func forge(_ signer: PhoneKey?) { state.withLock { $0.signer = signer } }

    var forms: [[String: String]] { state.withLock { $0.forms } }
    /// How often it was asked while it was away.
    var refusals: Int { state.withLock { $0.refusals } }

    func exchange(_ request: OutgoingHTTP.Request) throws -> OutgoingHTTP.Answer {
        try state.withLock { state in
            guard !state.isAway else {
                state.refusals += 1
                return OutgoingHTTP.Answer(status: 503, body: [])
            }
            let path = String(request.url.dropFirst(issuer.count))
            switch path {
            case "/.well-known/openid-configuration": return json(200, .object(state.metadata))
            case "/userinfo": return json(200, .object(state.userInfo ?? [:]))
            case "/par":
                state.forms.append(try FormCodec.read(request.body))
                return json(201, ["request_uri": "urn:one", "expires_in": 60])
            case "/token":
                let form = try FormCodec.read(request.body)
                state.forms.append(form)
                if let authorization = request.headers.first(where: { $0.name == "Authorization" })?.value {
                    state.authorizations.append(authorization)
                }
                guard Base64URL.encode(Digest.sha256(form["code_verifier"] ?? "")) == state.challenge else {
                    return json(400, ["error": "invalid_grant"])
                }
                let header: JSONObject = JSONObject([("kid", "k"), ("typ", "JWT")]).with(state.header)
                let token = try (state.signer ?? key).sign(state.claims, header: header)
                return json(200, ["access_token": "at", "token_type": "Bearer", "id_token": .string(token)])
            default: return OutgoingHTTP.Answer(status: 404, body: [])
            }
        }
    }

    private func json(_ status: Int, _ value: JSONValue) -> OutgoingHTTP.Answer {
        OutgoingHTTP.Answer(status: status, body: value.bytes)
    }

    // MARK: A login

    /// Where the browser was sent, as parameters.
    func begin(
        _ browser: Browser, _ query: String = "return_to=/account"
    ) async throws -> [String: String] {
        let reply = try await browser.open(.get, "/login/institution/\(id)?\(query)")
        let place = try #require(reply[header: "Location"], "\(reply.status) \(reply.body.prefix(200))")
        try #require(place.hasPrefix(issuer + "/authorize?"), "\(place)")
        return Browser.Place.outside(place).answer
    }

    /// What an ID token of `subject` says, for this beginning; `changes` spoil it.
    func prepare(
        _ asked: [String: String], subject: String, _ changes: JSONObject = [:], header: JSONObject = [:]
    ) {
        let now = server.now
        let claims: JSONObject = [
            "iss": .string(issuer), "aud": "pando", "sub": .string(subject), "iat": .integer(now),
            "exp": .integer(now + 300), "nonce": .string(asked["nonce"] ?? ""), "auth_time": .integer(now),
        ]
        state.withLock { state in
            (state.claims, state.header, state.challenge) = (
                claims.with(changes), header, asked["code_challenge"] ?? ""
            )
        }
    }

    func callback(
        _ browser: Browser, _ asked: [String: String], _ changes: [String: String?] = [:]
    ) async throws -> Reply {
        var query: [String: String?] = ["code": "c", "state": asked["state"], "iss": issuer]
        query.merge(changes) { $1 }
        let pairs = query.compactMap { name, value in value.map { (name, $0) } }.sorted { $0.0 < $1.0 }
        return try await browser.open(
            .get, "/login/institution/\(id)/callback?" + FormCodec.write(pairs))
    }

    /// All of it: a person logs in there and comes back.
    func logIn(
        _ browser: Browser, subject: String, _ claims: JSONObject = [:], query: String = "return_to=/account"
    ) async throws -> Reply {
        let asked = try await begin(browser, query)
        prepare(asked, subject: subject, claims)
        return try await callback(browser, asked)
    }

    // MARK: Logout

    func logOut(_ changes: JSONObject, type: String = "logout+jwt") async throws -> Reply {
        let now = server.now
        let claims: JSONObject = [
            "iss": .string(issuer), "aud": "pando", "iat": .integer(now), "exp": .integer(now + 120),
            "jti": .string(UUID().uuidString),
            "events": ["http://schemas.openid.net/event/backchannel-logout": [:]],
        ]
        let token = try key.sign(claims.with(changes), header: ["kid": "k", "typ": .string(type)])
        return try await server.post("/upstream/\(id)/backchannel-logout", ["logout_token": token])
    }
}

/// The providers of a server: exchanges go to the one whose address it is.
final class FakeProviders: Sendable {
    private static let known = Mutex<[ObjectIdentifier: FakeProviders]>([:])
    private let all = Mutex<[FakeProvider]>([])

    static func shared(_ server: TestServer) -> FakeProviders {
        known.withLock { known in
            let id = ObjectIdentifier(server.wire)
            if let found = known[id] { return found }
            let made = FakeProviders()
            known[id] = made
            server.wire.answerExchanges { try made.exchange($0) }
            return made
        }
    }

    func add(_ provider: FakeProvider) { all.withLock { $0.append(provider) } }

    struct Nobody: Error {}

    private func exchange(_ request: OutgoingHTTP.Request) throws -> OutgoingHTTP.Answer {
        guard let provider = all.withLock({ $0.first { request.url.hasPrefix($0.issuer + "/") } }) else {
            throw Nobody()
        }
        return try provider.exchange(request)
    }
}

extension TestServer {
    /// A command of the catalog, by whoever has the database.
    @discardableResult
    func administer(_ words: [String], _ arguments: JSONObject) async throws -> JSONObject {
        let catalog = try #require(parts.composition.administration), entry = try #require(catalog.entry(words))
        let session = parts.composition.administrationSession(
            by: .init(name: "admin:test"), who: .operatorOfDatabase)
        guard case .object(let object) = try await catalog.run(entry, arguments, in: session) else { return [:] }
        return object
    }
}
