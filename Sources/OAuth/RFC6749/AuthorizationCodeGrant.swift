import Accounts
import Base
import Database
import Foundation
import Registration
import TokenTree
import Vocabulary

/// An authorization code on the wire: base64url of its node (16 bytes) and secret (32). Only the secret's hash is
/// stored.
struct AuthorizationCode {
    let node: NodeID
    let secretHash: [UInt8]

    init?(_ text: String) {
        guard let bytes = Base64URL.decode(text), bytes.count == 48 else { return nil }
        node = NodeID(rawValue: Array(bytes[..<16]).withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
        secretHash = Digest.sha256(bytes[16...])
    }

    static func text(node: NodeID, secret: [UInt8]) -> String {
        Base64URL.encode(withUnsafeBytes(of: node.rawValue.uuid) { Array($0) } + secret)
    }
}

/// `code_challenge` of RFC 7636, method S256 only.
struct CodeChallenge: Equatable {
    let value: String

    /// 43 letters: base64url of a SHA-256.
    init?(_ value: String) {
        guard Base64URL.decode(value)?.count == 32 else { return nil }
        self.value = value
    }

    /// RFC 7636, 4.1 and 4.6.
    func isMet(by verifier: String) -> Bool {
        guard verifier.wholeMatch(of: #/[A-Za-z0-9\-._~]{43,128}/#) != nil else { return false }
        return ConstantTime.equal(Base64URL.encode(Digest.sha256(verifier)), value)
    }
}

/// `authorization_code` at the IdP: the code of `/authorize/challenge`, shown by the instance that got it, becomes a
/// personal access token; that of `/authorize` is the web client's (`WebCodeGrant`).
public struct AuthorizationCodeGrant: Grant {
    public let type = GrantType.authorizationCode
    let store: TokenStore
    let revocation: Revocation
    let instances: InstanceStore
    let accounts: AccountStore
    let writer: AccessTokenWriter
    let lifetimes: Lifetimes
    let clock: WallClock
    let web: WebCodeGrant

    init(
        store: TokenStore, revocation: Revocation, writer: AccessTokenWriter, web: WebCodeGrant, lifetimes: Lifetimes,
        clock: WallClock
    ) {
        (self.store, self.revocation, self.writer, self.lifetimes, self.clock) = (
            store, revocation, writer, lifetimes, clock
        )
        self.web = web
        (instances, accounts) = (InstanceStore(clock: clock), AccountStore(clock: clock))
    }

    /// RFC 6749, 4.1.3; RFC 7636, 4.5.
    public struct Request: Sendable {
        let code: String
        let verifier: String?
        let redirectURI: String?
        let clientID: String?
        let resource: String?
    }

    public func read(_ parameters: OAuthParameters) throws -> Request {
        Request(
            code: try parameters.required("code"), verifier: try parameters["code_verifier"],
            redirectURI: try parameters["redirect_uri"],
            clientID: try parameters["client_id"], resource: try parameters["resource"])
    }

    public func issue(_ request: Request, to caller: AuthenticatedClient) async throws -> TokenResponse {
        guard let code = AuthorizationCode(request.code), let row = try await store.find(code.node),
            row.body.kind == .code
        else { throw refused("unknown") }
        if row.body.claims.code?.redirectURI != nil {
            return try await web.issue(request, code, row: row, to: caller)
        }
        guard let key = caller.key else {
            throw OAuthError(.invalidProof, "show the instance's key: a DPoP proof, or a JWT made for this request")
        }
        guard key.jkt == row.body.jkt else { throw refused("another key than the one that logged in") }
        guard request.clientID == nil || request.clientID == row.body.client, caller.client == nil else {
            throw refused("another client than the one that logged in")
        }
        guard let challenge = row.body.claims.code?.challenge.flatMap({ CodeChallenge($0) }) else {
            throw refused("no challenge")
        }
        guard let verifier = request.verifier else { throw OAuthError(.invalidRequest, "code_verifier is missing") }
        guard challenge.isMet(by: verifier) else { throw refused("code_verifier does not match") }
        let issued = try await store.database.settling { transaction in try await redeem(code, caller, in: transaction)
        }
        return try await writer.respond(issued)
    }

    /// Of all that redeem one code at once, one gets the token; each of the others ends what it gave (RFC 6749, 4.1.2).
    private func redeem(
        _ code: AuthorizationCode, _ caller: AuthenticatedClient, in transaction: any SQLExecutor
    ) async throws -> Outcome<IssuedToken> {
        guard let row = try await store.use(code.node, secret: code.secretHash, in: transaction) else {
            if let used = try await store.find(code.node, in: transaction), used.usedAt != nil, let child = used.child {
                try await revocation.revoke(
                    .token(child), by: caller.actor("server").because("authorization code used twice"), in: transaction)
            }
            return .refused(refused("used, expired or revoked"))
        }
        guard let account = row.body.account,
            let person = try await accounts.find(account, locking: true, in: transaction), person.status == .active
        else {
            return .refused(refused("the person may no longer log in"))
        }
        guard let instance = row.body.client, try await instances.assign(instance, to: account, in: transaction) else {
            return .refused(
                OAuthError(.invalidGrant, "this app instance belongs to another person; disconnect it first"))
        }
        var claims = row.body.claims
        claims.code = nil
        let body = TokenBody(
            realm: row.body.realm, kind: .personalAccessToken, parent: row.body.parent, anchor: row.body.anchor,
            account: account,
            client: instance, jkt: row.body.jkt, claims: claims)
        // A code's lineage is its parent's, the account, itself. The account is inherited, not added: revoked since, it
        // ends this, and is not opened anew.
        let issued = try await store.issue(
            TokenDraft(
                body, inherited: row.lineage.dropLast(), lifetime: lifetimes.personalAccessToken, refresh: .init()),
            in: transaction)
        try await store.record(child: issued.row.id, of: code.node, in: transaction)
        try await revocation.revokeFamilies(
            kind: .personalAccessToken, anchor: row.body.anchor, matching: "f.id <> \(issued.row.id)",
            by: caller.actor("instance:\(instance)").because("a new login on the instance"), in: transaction)
        return .done(issued)
    }

    private func refused(_ cause: String) -> OAuthError {
        OAuthError(.invalidGrant, "the authorization code was refused: \(cause)", cause: cause)
    }
}
