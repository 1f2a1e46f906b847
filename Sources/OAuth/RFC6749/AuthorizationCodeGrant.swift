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

    /// The same, for the statement that uses it up.
    var token: OneTimeToken { OneTimeToken(id: node, secret: secretHash) }

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

    /// RFC 3986, 2.3.
    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// RFC 7636, 4.1 and 4.6.
    func isMet(by verifier: String) -> Bool {
        guard (43...128).contains(verifier.utf8.count), verifier.utf8.allSatisfy(CodeChallenge.isUnreserved) else {
            return false
        }
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
    let notices: AccountNotices

    init(
        store: TokenStore, revocation: Revocation, writer: AccessTokenWriter, web: WebCodeGrant,
        notices: AccountNotices,
        lifetimes: Lifetimes, clock: WallClock
    ) {
        self.notices = notices
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

    /// A web client may be as it was when it was last read: see `issue`.
    public func authenticate(
        _ presented: PresentedRequest, _ parameters: OAuthParameters, for request: Request,
        by authentication: GrantAuthentication
    ) async throws -> AuthenticatedClient {
        if let client = try await authentication.client(presented, parameters, remembered: true) { return client }
        return try await authentication.holder(presented)
    }

    public func issue(_ request: Request, to caller: AuthenticatedClient) async throws -> TokenResponse {
        guard let code = AuthorizationCode(request.code), let row = try await store.find(code.node),
            row.body.kind == .code
        else {
            _ = try await caller.renewed()
            throw refused("unknown")
        }
        guard row.body.claims.code?.redirectURI != nil else {
            return try await issue(request, code, row: row, to: try await caller.renewed())
        }
        if let answer = try await web.together(request, code, row: row, to: caller) { return answer }
        return try await web.issue(request, code, row: row, to: try await caller.renewed())
    }

    /// To the instance that logged in.
    private func issue(
        _ request: Request, _ code: AuthorizationCode, row: TokenRow, to caller: AuthenticatedClient
    ) async throws -> TokenResponse {
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
        if let issued = try await together(code, row: row, to: caller) { return try await writer.respond(issued) }
        let issued = try await store.database.settling { transaction in
            // In the order of `together`.
            if let account = row.body.account, let instance = row.body.client {
                _ = try await transaction.batch([
                    AccountStore.find(account, locking: true), InstanceStore.holding(instance),
                ])
            }
            return try await redeem(code, caller, in: transaction)
        }
        return try await writer.respond(issued)
    }

    /// In few round trips, where nothing speaks against it: the statement that issues uses the code up. `nil` where
    /// something does, or may; then nothing was done, and `redeem` tells what.
    private func together(
        _ code: AuthorizationCode, row: TokenRow, to caller: AuthenticatedClient
    ) async throws -> IssuedToken? {
        guard row.usedAt == nil, let account = row.body.account, let instance = row.body.client else { return nil }
        do {
            return try await store.database.atomically { transaction in
                let results = try await transaction.batch([
                    AccountStore.find(account, locking: true), instances.assigning(instance, to: account),
                ])
                guard try AccountStore.found(results[0])?.status == .active, !results[1].isEmpty else {
                    throw ConditionFailed()
                }
                let issued = try await store.issue(draft(row, redeeming: code.token), in: transaction)
                try await finish(issued, by: caller, in: transaction)
                return issued
            }
        } catch is ConditionFailed {
            return nil
        }
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
        let issued = try await store.issue(draft(row), in: transaction)
        try await store.record(child: issued.row.id, of: code.node, in: transaction)
        try await finish(issued, by: caller, in: transaction)
        return .done(issued)
    }

    /// A code's lineage is its parent's, the account, itself. The account is inherited, not added: revoked since, it
    /// ends this, and is not opened anew.
    private func draft(_ row: TokenRow, redeeming code: OneTimeToken? = nil) -> TokenDraft {
        var claims = row.body.claims
        claims.code = nil
        let body = TokenBody(
            realm: row.body.realm, kind: .personalAccessToken, parent: row.body.parent, anchor: row.body.anchor,
            account: row.body.account, client: row.body.client, jkt: row.body.jkt, claims: claims)
        return TokenDraft(
            body, inherited: row.lineage.dropLast(), lifetime: lifetimes.personalAccessToken, refresh: .init(),
            redeeming: code)
    }

    /// What goes with a login: its person is told of a phone that had none of their tokens before, and an earlier login
    /// ends.
    private func finish(
        _ issued: IssuedToken, by caller: AuthenticatedClient, in transaction: any SQLExecutor
    ) async throws {
        let body = issued.row.body
        if notices.queue.isOn, let account = body.account, let client = body.client {
            // A family is kept for as long as it can be refreshed: a phone that was away for longer is new again.
            let earlier = try await transaction.query(
                """
                select f.id from family f where f.anchor = \(body.anchor) and f.kind = \(TokenKind.personalAccessToken)
                    and f.id <> \(issued.row.id) limit 1
                """)
            if earlier.isEmpty, let person = try await accounts.find(account, in: transaction),
                let instance = try await instances.find(client, in: transaction)
            {
                try await notices.deviceAdded(instance, to: person, in: transaction)
            }
        }
        try await revokeEarlier(than: issued, by: caller, in: transaction)
    }

    private func revokeEarlier(
        than issued: IssuedToken, by caller: AuthenticatedClient, in transaction: any SQLExecutor
    ) async throws {
        let body = issued.row.body
        try await revocation.revokeFamilies(
            kind: .personalAccessToken, anchor: body.anchor, matching: "f.id <> \(issued.row.id)",
            by: caller.actor("instance:\(body.client ?? "")").because("a new login on the instance"), in: transaction)
    }

    private func refused(_ cause: String) -> OAuthError {
        OAuthError(.invalidGrant, "the authorization code was refused: \(cause)", cause: cause)
    }
}
