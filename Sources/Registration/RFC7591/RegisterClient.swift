import Base
import Database
import Foundation
import Keys
import TokenTree
import Vocabulary

/// Web clients that register themselves with an initial access token (RFC 7591; OpenID Connect Dynamic Client
/// Registration 1.0). How they look after themselves later (RFC 7592) is in `ManageRegistration`.
///
/// Order: the initial access token, the metadata, the sector's consent; then, in one transaction, the token's use is
/// counted and the client made. So a refused registration uses nothing up, and strangers make this server read no
/// document.
public struct RegisterClient: Sendable {
    let database: Database
    let clients: WebClientStore
    let invitations: InvitationStore
    let revocation: Revocation
    let issuer: String
    let offer: RegistrationDocument.Offer
    let fetch: @Sendable (String) async throws -> [UInt8]
    let clock: WallClock
    let randomness: Randomness

    /// `algorithms`: with which this server signs ID tokens and userinfo. `allowsLoopback`: clients may name loopback
    /// addresses for this server to ask and call, for development. `fetch` reads a `sector_identifier_uri`; it bounds
    /// size, time, redirects and addresses, since a client names it.
    public init(
        database: Database, revocation: Revocation, issuer: String, algorithms: [SigningAlgorithm],
        allowsLoopback: Bool,
        fetch: @escaping @Sendable (String) async throws -> [UInt8], clock: WallClock, randomness: Randomness
    ) {
        (self.database, self.revocation, self.issuer, self.fetch) = (database, revocation, issuer, fetch)
        (self.clock, self.randomness) = (clock, randomness)
        clients = WebClientStore(clock: clock, randomness: randomness)
        invitations = InvitationStore(clock: clock, randomness: randomness)
        offer = .init(
            algorithms: algorithms.map(\.rawValue),
            usualAlgorithm: SigningAlgorithm.usualForIDTokens(among: algorithms).rawValue,
            allowsLoopback: allowsLoopback)
    }

    /// Client information (RFC 7591, 3.2.1), with the secrets that are told this once. `body` is read only when the
    /// token is good.
    public func register(_ request: PresentedRequest, body: () async throws -> JSONValue) async throws -> JSONValue {
        let token = try RegisterClient.bearer(request)
        guard let invitation = try await invitations.find(token, in: database) else {
            throw RegisterClient.unknownInvitation
        }
        let draft = try await draft(of: try await body(), under: invitation.policy)
        let managing = randomness.secretText()
        let management = WebClientStore.Management(tokenHash: Digest.sha256(managing), policy: invitation.policy)
        let (client, secret) = try await database.atomically { transaction in
            guard try await invitations.take(token, in: transaction) else { throw RegisterClient.unknownInvitation }
            let made = try await clients.insert(draft, management: management, in: transaction)
            try await audit(
                "clients.register", made.0.id,
                by: AuditActor(name: "invitation:\(invitation.id)", origin: request.origin), in: transaction)
            return made
        }
        return information(client, secret: secret, token: managing)
    }

    /// Read, held against the rules, and vouched for by its sector.
    func draft(of body: JSONValue, under policy: RegistrationPolicy) async throws -> WebClientDraft {
        do {
            let draft = try await DraftRules.checked(try RegistrationDocument(body, policy: policy, offer: offer).draft)
            if let uri = draft.metadata.sectorIdentifierURI {
                try await SectorIdentifier.confirm(uri, for: draft, fetch: fetch)
            }
            return draft
        } catch let error as WebClientStore.Unacceptable {
            throw OAuthError(error.code, error.description, cause: error.cause)
        }
    }

    /// RFC 7592, 3. What was left to the server is told as it holds (RFC 7591, 3.2.1).
    func information(_ client: WebClient, secret: String?, token: String) -> JSONValue {
        var object = client.json
        if object["id_token_signed_response_alg"] == nil {
            object["id_token_signed_response_alg"] = .string(offer.usualAlgorithm)
        }
        object["client_secret"] = secret.map(JSONValue.string)
        object["registration_client_uri"] = .string("\(issuer)/register/\(client.id)")
        object["registration_access_token"] = .string(token)
        return .object(object)
    }

    func audit(
        _ action: String, _ client: String, by actor: AuditActor, detail: JSONObject = [:],
        in transaction: any SQLExecutor
    ) async throws {
        let entry = AuditEntry(actor: actor, action: action, node: Ancestor(.client, client).label, detail: detail)
        try await AuditTrail.write(entry, at: clock.now(), in: transaction)
    }

    static func bearer(_ request: PresentedRequest) throws(OAuthError) -> String {
        guard let credentials = request.credentials, credentials.scheme == "bearer",
            (1...512).contains(credentials.value.utf8.count)
        else {
            throw OAuthError(.invalidToken, "a token must be shown: Authorization: Bearer TOKEN")
        }
        return credentials.value
    }

    /// One answer for unknown, expired and used up.
    private static var unknownInvitation: OAuthError {
        OAuthError(.invalidToken, "the initial access token is unknown, expired or used up")
    }
}
