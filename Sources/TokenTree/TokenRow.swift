import Base
import Database
import Foundation

/// What hangs in the tree, from the instance token down.
public enum TokenKind: String, Sendable, CaseIterable, SQLEncodable, SQLDecodable {
    case instanceToken = "instance_token"
    case code
    case personalAccessToken = "pat"
    case assertion
    case serviceToken = "service_token"
    case appToken = "app_token"
    /// Of a web or service client.
    case accessToken = "access_token"
}

/// What every rotation of a token shares: a row of `family` is made of it, and so is a row of `token`. By reference,
/// since rows are handed on through a request, and many that are remembered say the same.
public final class TokenBody: Sendable, Equatable {
    public let realm: String
    public let kind: TokenKind
    public let parent: NodeID?
    /// The generation of the instance or client that holds it; at a service, the pseudonym of the instance.
    public let anchor: NodeID
    public let account: UUID?
    public let client: String?
    public let service: String?
    public let bundle: String?
    public let scope: String?
    /// Thumbprint of the key that must be shown with it; `nil` for a bearer token.
    public let jkt: String?
    /// What else it tells.
    public let claims: TokenClaims

    public init(
        realm: String, kind: TokenKind, parent: NodeID?, anchor: NodeID, account: UUID? = nil, client: String? = nil,
        service: String? = nil,
        bundle: String? = nil, scope: String? = nil, jkt: String? = nil, claims: TokenClaims = TokenClaims()
    ) {
        (self.realm, self.kind, self.parent, self.anchor) = (realm, kind, parent, anchor)
        (self.account, self.client, self.service, self.bundle) = (account, client, service, bundle)
        (self.scope, self.jkt, self.claims) = (scope, jkt, claims)
    }

    func with(anchor: NodeID) -> TokenBody {
        TokenBody(
            realm: realm, kind: kind, parent: parent, anchor: anchor, account: account, client: client,
            service: service,
            bundle: bundle, scope: scope, jkt: jkt, claims: claims)
    }

    public static func == (left: TokenBody, right: TokenBody) -> Bool {
        left === right
            || left.realm == right.realm && left.kind == right.kind && left.parent == right.parent
                && left.anchor == right.anchor && left.account == right.account && left.client == right.client
                && left.service == right.service && left.bundle == right.bundle && left.scope == right.scope
                && left.jkt == right.jkt && left.claims == right.claims
    }

    convenience init(_ row: Row) throws(DatabaseError) {
        let detail: JSONValue = try row("detail")
        self.init(
            realm: try row("realm"), kind: try row("kind"), parent: try row("parent"), anchor: try row("anchor"),
            account: try row("account"),
            client: try row("client"), service: try row("service"), bundle: try row("bundle"), scope: try row("scope"),
            jkt: try row("jkt"),
            claims: try TokenClaims(detail.object ?? [:]))
    }
}

/// One issued token as it stands in the tree, with the answer whether its lineage is whole.
public struct TokenRow: Sendable {
    public let id: NodeID
    /// The node that stands for all rotations: revoking it ends them all.
    public let family: NodeID
    public let lineage: [NodeID]
    public let issuedAt: Date
    public let expiresAt: Date
    public let usedAt: Date?
    public let child: NodeID?
    public let body: TokenBody
    public let isRevoked: Bool

    static let columns: SQL = """
        t.id, t.family, t.lineage, t.issued_at, t.expires_at, t.used_at, t.child, t.realm, t.kind, t.parent,
            t.anchor, t.account, t.client, t.service,
        t.bundle, t.scope, t.jkt, t.detail, exists (select from revocation r
            where r.node = any (t.lineage)) as is_revoked
        """

    init(_ row: Row) throws(DatabaseError) {
        (id, family, lineage) = (try row("id"), try row("family"), try row("lineage"))
        (issuedAt, expiresAt, usedAt, child) = (
            try row("issued_at"), try row("expires_at"), try row("used_at"), try row("child")
        )
        body = try TokenBody(row)
        isRevoked = try row("is_revoked")
    }

    /// One that another server issued and keeps: nothing of it is stored here. `lineage` is what it hangs from as it is
    /// known here, itself last.
    public init(elsewhere lineage: [NodeID], id: NodeID, issuedAt: Date, expiresAt: Date, body: TokenBody) {
        (self.id, family, self.lineage, self.issuedAt, self.expiresAt) = (id, id, lineage, issuedAt, expiresAt)
        (usedAt, child, isRevoked, self.body) = (nil, nil, false, body)
    }

    private init(_ row: TokenRow, body: TokenBody) {
        (id, family, lineage, issuedAt, expiresAt) = (row.id, row.family, row.lineage, row.issuedAt, row.expiresAt)
        (usedAt, child, isRevoked, self.body) = (row.usedAt, row.child, row.isRevoked, body)
    }

    /// The same row, whose body is that of another that says the same.
    func sharing(_ body: TokenBody?) -> TokenRow {
        if let body, body == self.body { TokenRow(self, body: body) } else { self }
    }

    /// token-tree.md, rule 1.
    public func isLive(at now: Date) -> Bool { !isRevoked && now < expiresAt }
}
