import Base
import Database
import Foundation
import Keys
import TokenTree
import Traces
import Vocabulary

/// Client authentication of web and service clients (RFC 6749, 2.3; RFC 7523, 2.2; RFC 8705, 2). Unknown client and
/// wrong secret answer alike.
public struct ClientAuthentication: Sendable {
    let database: Database
    let clients: WebClientStore
    let oneTime: OneTimeStore
    let remoteKeys: RemoteKeys
    let issuer: String
    let clock: WallClock
    public let limits: ClientLimits
    /// Clients as they were when they were last read, so that who asks again and again is not read each time. It may be
    /// out of date: whoever lets one in by it asks the database, with whatever it asks that next, whether the client
    /// `isUnchanged`, and refuses nobody by it.
    private let memory = BoundedMemory<String, WebClient>(most: 10_000)
    /// What headers were found to say that let somebody in; whether it still does is asked anew each time.
    private let headers = BoundedMemory<SIMD4<UInt64>, ShownSecret>(most: 10_000)
    /// Registered keys by client and version of its row.
    private let registered = BoundedMemory<String, [JSONWebKey]>(most: 10_000)

    public init(
        database: Database, oneTime: OneTimeStore, remoteKeys: RemoteKeys, issuer: String, clock: WallClock,
        randomness: Randomness, limits: ClientLimits? = nil
    ) {
        self.limits = limits ?? ClientLimits(rate: 0, exempt: [], tally: nil, clock: clock)
        (self.database, self.oneTime, self.remoteKeys, self.issuer, self.clock) = (
            database, oneTime, remoteKeys, issuer, clock
        )
        clients = WebClientStore(clock: clock, randomness: randomness)
    }

    /// The client, or `nil` when the request shows no credentials of one. Two ways at once are refused (RFC 6749, 2.3).
    ///
    /// `allowingPublic` lets a client that is registered for `none` pass by its name alone: where it asks for its own
    /// tokens or ends them, never where tokens are looked at. Whoever has a secret or key and does not show it is
    /// nobody.
    ///
    /// `remembered` lets it be as it was when it was last read, which may be longer ago: for who asks the database
    /// later whether it `isUnchanged`. Nobody is refused for what is only remembered.
    ///
    /// `isCounted`: what it asks for is more than a look at something, so it may not do so without end.
    ///
    /// Throws `slow_down` (429) where it asks too often, and where too many from its address were wrong and it is by
    /// what is remembered, which somebody's wrong try in its name has renewed within the last second.
    public func authenticate(
        _ request: PresentedRequest, _ parameters: OAuthParameters, allowingPublic: Bool = false,
        remembered: Bool = false, isCounted: Bool = true
    ) async throws -> WebClient? {
        try await Phase.run("authenticate a client") {
            try await find(
                request, parameters, allowingPublic: allowingPublic, remembered: remembered, isCounted: isCounted)
        }
    }

    private func find(
        _ request: PresentedRequest, _ parameters: OAuthParameters, allowingPublic: Bool, remembered: Bool,
        isCounted: Bool
    ) async throws -> WebClient? {
        let isSuspect = try showsCredentials(request, parameters) && limits.isSuspect(request.origin)
        if remembered || isSuspect {
            do {
                let client = try await authenticate(
                    request, parameters, allowingPublic: allowingPublic, isClaiming: remembered
                ) {
                    memory[$0]
                }
                // Whoever asks nothing later gets the client as it is now: what it showed may be taken no longer.
                if remembered, let client { return try counted(client, request, isCounted) }
            } catch let refusal as OAuthError where refusal.code == .invalidClient {
                if isSuspect, !limits.isWorthALook(refusal.client) {
                    throw limits.suspected(request.origin, client: refusal.client)
                }
            }
        }
        do {
            let client = try await authenticate(request, parameters, allowingPublic: allowingPublic) {
                try await read($0)
            }
            return try client.map { try counted($0, request, isCounted) }
        } catch let refusal as OAuthError where refusal.code == .invalidClient {
            limits.wasWrong(request.origin, client: refusal.client)
            throw refusal
        }
    }

    /// A public client shows nothing: whoever knows its name would have all others wait who use it.
    private func counted(_ client: WebClient, _ request: PresentedRequest, _ isCounted: Bool) throws -> WebClient {
        if isCounted, client.authMethod != .none { try limits.take(client.id, from: request.origin) }
        return client
    }

    private func showsCredentials(_ request: PresentedRequest, _ parameters: OAuthParameters) throws -> Bool {
        if request.credentials?.scheme == "basic" { return true }
        return try parameters["client_secret"] != nil || parameters["client_assertion"] != nil
    }

    /// The client as it is now, of a request that has been authenticated: what it showed is looked at again, and its
    /// assertion is not used up once more.
    public func renewed(
        _ request: PresentedRequest, _ parameters: OAuthParameters, allowingPublic: Bool = true
    ) async throws -> WebClient {
        let client = try await authenticate(
            request, parameters, allowingPublic: allowingPublic, isClaiming: false
        ) { try await read($0) }
        guard let client else { throw refused("the client is no more") }
        return client
    }

    /// Whether there was such a client when it was last read.
    public func remembers(_ id: String) -> Bool { memory[id] != nil }

    private func read(_ id: String) async throws -> WebClient? {
        let client = try await clients.find(id, in: database)
        memory[id] = client
        return client
    }

    private typealias Find = (String) async throws -> WebClient?

    private func authenticate(
        _ request: PresentedRequest, _ parameters: OAuthParameters, allowingPublic: Bool, isClaiming: Bool = true,
        find: Find
    ) async throws -> WebClient? {
        let assertion = try parameters["client_assertion"]
        let secret = try parameters["client_secret"]
        let basic = request.credentials.flatMap { $0.scheme == "basic" ? $0.value : nil }
        guard [assertion, secret, basic].compactMap({ $0 }).count <= 1 else {
            throw OAuthError(.invalidRequest, "authenticate in one way only")
        }
        if let basic { return try await byBasic(basic, parameters, allowingPublic: allowingPublic, find) }
        if let assertion {
            return try await byAssertion(assertion, parameters, at: request.url, isClaiming: isClaiming, find)
        }
        if let secret {
            return try await bySecret(ShownSecret(id: try parameters.required("client_id"), secret), find)
        }
        return try await byName(try parameters["client_id"], request.certificate, allowingPublic: allowingPublic, find)
    }

    /// `client_id` alone: with the certificate of the connection (RFC 8705, 2), or for a public client with nothing.
    /// App instances name themselves so, too.
    private func byName(
        _ id: String?, _ certificate: ClientCertificate?, allowingPublic: Bool, _ find: Find
    ) async throws -> WebClient? {
        guard let id, !id.utf8.contains(0), certificate != nil || allowingPublic,
            let client = try await find(id)
        else { return nil }
        switch client.authMethod {
        case .none: return allowingPublic ? client : nil
        case .tls, .selfSignedTLS:
            guard let certificate else { return nil }
            guard try await isShown(certificate, by: client) else {
                throw refused("the certificate is not the one registered", of: id)
            }
            return client
        case .basic, .post, .privateKeyJWT: return nil
        }
    }

    private func byBasic(
        _ value: String, _ parameters: OAuthParameters, allowingPublic: Bool, _ find: Find
    ) async throws -> WebClient {
        let header = Digest.fingerprint(value), known = headers[header]
        let shown = if let known { known } else { try shown(value) }
        guard try parameters["client_id"] == nil || parameters["client_id"] == shown.id else {
            throw OAuthError(.invalidRequest, "client_id is not that of the Authorization header")
        }
        let client = try await bySecret(shown, allowingPublic: allowingPublic, find)
        if known == nil { headers[header] = shown }
        return client
    }

    private struct ShownSecret {
        let id: String
        /// SHA-256 of the secret.
        let digest: [UInt8]
        let isEmpty: Bool

        init(id: String, _ secret: String) { (self.id, digest, isEmpty) = (id, Digest.sha256(secret), secret.isEmpty) }
    }

    private func shown(_ value: String) throws -> ShownSecret {
        do {
            let credentials = try BasicCredentials(value)
            return ShownSecret(id: credentials.id, credentials.secret)
        } catch {
            throw refused(error.description)
        }
    }

    /// The same work whether the client is unknown, has no secret or another one. By Basic or in the body, whichever
    /// of the two it registered: it is one secret, and libraries choose for themselves (RFC 6749, 2.3.1). With an empty
    /// one a public client says its name in the way that some know alone.
    private func bySecret(
        _ shown: ShownSecret, allowingPublic: Bool = false, _ find: Find
    ) async throws -> WebClient {
        let client = try await find(shown.id)
        let matches = isSecret(shown.digest, of: client)
        if let client, client.authMethod == .none, shown.isEmpty, allowingPublic { return client }
        guard matches, let client, client.authMethod.hasSecret else {
            let cause =
                switch client {
                case nil: "unknown client"
                case let client? where !client.authMethod.hasSecret:
                    "wrong method: a secret was shown, \(client.authMethod.rawValue) is registered"
                case _?: "wrong secret"
                }
            throw refused(cause, of: shown.id)
        }
        return client
    }

    /// Both secrets are looked at, whatever the first look says: that of now, and that before for as long as it is
    /// taken.
    private func isSecret(_ digest: [UInt8], of client: WebClient?) -> Bool {
        let nobody = [UInt8](repeating: 0, count: 32)
        let isNew = ConstantTime.equal(digest, client?.secret ?? nobody)
        let isOld = ConstantTime.equal(digest, client?.oldSecret?.hash ?? nobody)
        return isNew || isOld && client?.oldSecretUntil(at: clock.now()) != nil
    }

    private func byAssertion(
        _ text: String, _ parameters: OAuthParameters, at endpoint: String, isClaiming: Bool, _ find: Find
    ) async throws -> WebClient {
        guard WireName.current(try parameters["client_assertion_type"] ?? "") == ClientAssertionType.jwtBearer else {
            throw OAuthError(.invalidRequest, "client_assertion_type must be \(ClientAssertionType.jwtBearer)")
        }
        guard let jwt = try? JWT(text), let id = jwt.string("iss"), jwt.string("sub") == id,
            try parameters["client_id"] == nil || parameters["client_id"] == id
        else {
            throw refused("the assertion is malformed, or its iss, sub and client_id are not one")
        }
        guard let client = try await find(id) else { throw refused("unknown client", of: id) }
        guard client.authMethod == .privateKeyJWT else {
            throw refused(
                "wrong method: private_key_jwt was used, \(client.authMethod.rawValue) is registered", of: id)
        }
        guard isAllowed(jwt.algorithm, for: client) else {
            throw refused("alg is not the token_endpoint_auth_signing_alg of the client", of: id)
        }
        guard try await keys(of: client, for: jwt).contains(where: { jwt.isSigned(by: $0) }) else {
            throw refused("the signature is by none of the client's keys", of: id)
        }
        let rule = ClientAssertion.Rule.web(client, at: endpoint, issuer: issuer)
        let (jti, expires) = try ClientAssertion.check(jwt, by: rule, at: clock.now())
        guard isClaiming else { return client }
        guard try await oneTime.claim(jti, namespace: "client-assertion \(id)", expires: expires) else {
            throw refused("the assertion was used before", of: id)
        }
        return client
    }

    private func isAllowed(_ algorithm: String, for client: WebClient) -> Bool {
        guard let registered = client.metadata.assertionAlgorithm.flatMap({ SigningAlgorithm(rawValue: $0) }) else {
            return true
        }
        return SigningAlgorithm(rawValue: algorithm).map { $0.isSame(as: registered) } ?? false
    }

    /// Of its registered set or `jwks_uri`, and for a time of the set before; those that the JWT may be signed by.
    public func keys(of client: WebClient, for jwt: JWT) async throws -> [JSONWebKey] {
        guard let jwks = client.oldJWKS(at: clock.now()) else { return try await currentKeys(of: client, for: jwt) }
        let old = try await JSONWebKey.set(jwks).filter { jwt.kid == nil || $0.kid == nil || $0.kid == jwt.kid }
        // Those of before first: where the new ones lie elsewhere, that place may not answer.
        if old.contains(where: { jwt.isSigned(by: $0) }) { return old }
        return old + (try await currentKeys(of: client, for: jwt))
    }

    private func currentKeys(of client: WebClient, for jwt: JWT) async throws -> [JSONWebKey] {
        if let jwks = client.jwks {
            let row = "\(client.id) \(client.version)"
            let keys = if let known = registered[row] { known } else { try await JSONWebKey.set(jwks) }
            registered[row] = keys
            return keys.filter { jwt.kid == nil || $0.kid == nil || $0.kid == jwt.kid }
        }
        guard let uri = client.jwksURI else { return [] }
        return try await remoteKeys.key(kid: jwt.kid, algorithm: jwt.algorithm, from: uri)
    }

    /// One description for all, so that nobody can ask which clients exist; the cause goes to the log.
    private func refused(_ cause: String, of id: String? = nil) -> OAuthError {
        OAuthError(.invalidClient, ClientAuthentication.failed, cause: cause).asked(by: id)
    }

    /// What whoever is refused is told, whatever was wrong.
    public static let failed = "client authentication failed: check client_id, secret and method"
}
