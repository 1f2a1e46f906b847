import Foundation
import PandoClient

/// A service that greets by the name that the federation releases: it takes assertions, issues tokens, and hears of
/// what has ended.
public struct SmallService: Sendable {
    /// How it asks the federation for events, and when: after how long a silence, and after how long a one it takes no
    /// token any more.
    public struct Hearing: Sendable {
        let clientID: String
        let secret: String
        let askAfter: TimeInterval
        let failClosed: TimeInterval

        public init(clientID: String, secret: String, askAfter: TimeInterval = 90, failClosed: TimeInterval = 300) {
            (self.clientID, self.secret) = (clientID, secret)
            (self.askAfter, self.failClosed) = (askAfter, failClosed)
        }
    }

    static let scope = "org.example.greetings"

    public let base: String
    private let ledger: Ledger
    private let assertions: AssertionVerifier
    private let proofs: ProofVerifier
    private let hearing: Hearing?
    let events: EventReceiver

    private var tokenEndpoint: String { base + "/token" }

    /// `file` is where it writes down what a restart must not forget. Without `hearing` it hears what is pushed alone.
    public init(
        issuer: String, base: String, transport: Transport, hearing: Hearing? = nil, file: String? = nil
    ) throws {
        let ledger = try Ledger(file: file)
        let keys = KeySource.keySet(at: issuer + "/jwks.json", transport: transport)
        (self.base, self.ledger, self.hearing) = (base, ledger, hearing)
        proofs = ProofVerifier(replays: ReplayGuard { try await ledger.claim($0, $1, until: $2) })
        assertions = AssertionVerifier(issuer: issuer, tokenEndpoint: base + "/token", keys: keys)
        let journal = EventReceiver.Journal(
            isTaken: { await ledger.isTaken($0) }, isRevoked: { await ledger.isEnded($0) },
            take: { try await ledger.take($0) })
        let catchUp = hearing.map { hearing in
            CatchUp(
                missed: .basic(
                    issuer: issuer, clientID: hearing.clientID, secret: hearing.secret, transport: transport),
                position: { await ledger.position }, heard: { try await ledger.hear($0) })
        }
        events = EventReceiver(issuer: issuer, base: base, keys: keys, journal: journal, catchUp: catchUp)
    }

    /// The RSD2 document by which the federation's crawler finds it.
    var document: JSON {
        [
            "engineName": "Greetings", "engineLink": .string(base), "homePageLink": .string(base),
            "apis": [
                "org.ietf.oauth2": ["apiLink": .string(base), "apiVersion": "2.0", "transport": ["REST"]],
                "org.example.greetings": [
                    "apiLink": .string(base + "/greeting"), "apiVersion": "1.0", "transport": ["REST"],
                ],
            ],
        ]
    }

    /// `POST /token`: `form` are its members.
    func token(_ form: [String: String], _ headers: Headers) async throws -> JSON {
        switch form["grant_type"] {
        case "urn:ietf:params:oauth:grant-type:jwt-bearer":
            let assertion = try await assertions.verify(form["assertion"] ?? "")
            // Behind it, since each proof is written down, and anybody can make them.
            let key = try await prover(headers, tokenEndpoint)
            guard key == nil || key?.thumbprint == assertion.key.thumbprint else {
                throw OAuthError(400, .invalidProof, "the proof is not by the key of the assertion")
            }
            return try await ledger.redeem(assertion, scope: tokenEndpoint)
        case "authorization_code":
            let holder = try await shown(headers, "POST", tokenEndpoint)
            guard holder.app == nil else {
                throw OAuthError(401, .invalidToken, "only the token of an assertion hands out tokens for apps")
            }
            guard form["scope"] == Self.scope else { throw OAuthError(400, .invalidScope, "scope is \(Self.scope)") }
            let app = try form.wanted("client_id"), code = try form.wanted("code")
            guard app.utf8.count < 256, app.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
                throw OAuthError(400, .invalidGrant, "client_id is no bundle id")
            }
            let key = try await proofs.verify(
                code: code, of: holder.instance, key: try VerificationKey(holder.instanceKey), app: app,
                tokenEndpoint: tokenEndpoint)
            return try await ledger.authorize(app, scope: Self.scope, key: key, below: holder)
        case "refresh_token":
            let text = try form.wanted("refresh_token")
            // A wrong key neither uses it nor ends anything.
            guard let found = await ledger.living(text), found.isRefresh,
                try await prover(headers, tokenEndpoint)?.thumbprint == found.family.thumbprint
            else { throw OAuthError(400, .invalidGrant, "the refresh token is dead, or another's") }
            return try await ledger.refresh(text, of: found.family)
        default: throw OAuthError(400, .unsupportedGrantType)
        }
    }

    /// `POST /revoke` (RFC 7009), by who holds a token, and its key where it has one.
    func revoke(_ form: [String: String], _ headers: Headers) async throws {
        guard let found = await ledger.living(try form.wanted("token")) else { return }
        let key = try await prover(headers, base + "/revoke")
        if found.family.thumbprint == key?.thumbprint { try await ledger.end(found.family.id) }
    }

    /// `POST /introspect` (RFC 7662), for who shows a living token: it is told of those for the same person and phone.
    func introspect(_ form: [String: String], _ headers: Headers) async throws -> JSON {
        let holder = try await shown(headers, "POST", base + "/introspect")
        guard let found = await ledger.living(try form.wanted("token")), !found.isUsed,
            found.family.person == holder.person, found.family.instance == holder.instance
        else { return ["active": false] }
        let family = found.family
        var told: [String: JSON] = [
            "active": true, "iss": .string(base), "sub": .string(family.person), "scope": .string(family.scope),
            "client_id": .string(family.app ?? family.instance),
            "token_type": family.thumbprint == nil ? "Bearer" : "DPoP",
        ]
        if let thumbprint = family.thumbprint { told["cnf"] = ["jkt": .string(thumbprint)] }
        return .object(told)
    }

    /// `GET /greeting`, for tokens of apps.
    func greeting(_ headers: Headers) async throws -> JSON {
        let family = try await shown(headers, "GET", base + "/greeting")
        guard family.scope == Self.scope else { throw OAuthError(403, .insufficientScope) }
        return ["greeting": .string("Hello, \(family.name ?? "stranger")!"), "person": .string(family.person)]
    }

    /// What stands behind the access token of a request. One that is bound to a key comes with a proof by it.
    private func shown(_ headers: Headers, _ method: String, _ url: String) async throws -> LedgerState.Family {
        let words = headers.authorization?.split(separator: " ", maxSplits: 1).map(String.init) ?? []
        // Nothing has to be known to say that.
        guard words.count == 2 else { throw OAuthError(401, .invalidToken, "no token came with the request") }
        try await hear()
        guard let found = await ledger.living(words[1]), !found.isRefresh else {
            throw OAuthError(401, .invalidToken, "the token is dead, or none of this service")
        }
        guard words[0].lowercased() == (found.family.thumbprint == nil ? "bearer" : "dpop") else {
            throw OAuthError(401, .invalidToken, "a bound token comes as DPoP, another as Bearer")
        }
        guard let thumbprint = found.family.thumbprint else { return found.family }
        let key = try await proofs.verify(headers.proof ?? "", method: method, url: url, token: words[1])
        guard key.thumbprint == thumbprint else {
            throw OAuthError(401, .invalidProof, "the proof is not by the key of the token")
        }
        return found.family
    }

    private func prover(_ headers: Headers, _ url: String) async throws -> VerificationKey? {
        guard let proof = headers.proof else { return nil }
        return try await proofs.verify(proof, method: "POST", url: url, status: 400)
    }

    /// No token is taken on the word of a federation that was not heard for long.
    private func hear() async throws {
        guard let hearing else { return }
        // That it is away is no harm yet.
        if await ledger.mayAsk(after: hearing.askAfter) { try? await events.catchUp() }
        guard Date().timeIntervalSince(await ledger.heard) <= hearing.failClosed else {
            throw OAuthError(503, .temporarilyUnavailable, "what has ended is not known now", retryAfter: 2)
        }
    }
}

/// Those of a request that say who asks.
struct Headers: Sendable {
    let authorization: String?
    let proof: String?
}

extension [String: String] {
    func wanted(_ name: String) throws -> String {
        guard let value = self[name], !value.isEmpty else {
            throw OAuthError(400, .invalidRequest, "\(name) is missing")
        }
        return value
    }
}
