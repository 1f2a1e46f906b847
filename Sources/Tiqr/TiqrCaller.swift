import Base
import TokenTree

/// Who calls the back office (design/backoffice.md, "Getting in"), as far as belonging goes: what one made does not
/// exist for another.
public struct TiqrCaller: Sendable {
    /// `nil` for the operator, who sees everything and begins nothing.
    let owner: String?
    /// What it begins hangs from this: the lineage of its token or session, and of an app token the family, since that
    /// lineage moves.
    let family: NodeID?
    let lineage: [NodeID]
    public let actor: AuditActor

    private init(owner: String?, family: NodeID?, lineage: [NodeID], actor: AuditActor) {
        (self.owner, self.family, self.lineage, self.actor) = (owner, family, lineage, actor)
    }

    /// A service; `client` is its client id, `lineage` what its token hangs from. The token itself may end: what it
    /// began goes on.
    public static func machine(client: String, below lineage: [NodeID], actor: AuditActor) -> TiqrCaller {
        TiqrCaller(owner: "client:\(client)", family: nil, lineage: lineage, actor: actor)
    }

    /// An app in the name of one person: `person` is the person's pseudonym at this service. When the token ends, so
    /// does what it began.
    public static func app(person: String, token: TokenRow, actor: AuditActor) -> TiqrCaller {
        TiqrCaller(owner: "person:\(person)", family: token.family, lineage: token.lineage, actor: actor)
    }

    /// The server itself, where tiqr is a factor of its own login. What it begins hangs from `lineage`: that of the
    /// session in which a person asks for it; none before anybody is known.
    public static func identityProvider(_ actor: AuditActor, below lineage: [NodeID] = []) -> TiqrCaller {
        TiqrCaller(owner: "house", family: nil, lineage: lineage, actor: actor)
    }

    public static func administrator(_ actor: AuditActor) -> TiqrCaller {
        TiqrCaller(owner: nil, family: nil, lineage: [], actor: actor)
    }

    func beginner() throws(TiqrRefusal) -> String {
        guard let owner else { throw .invalidRequest("an operator begins neither enrollments nor authentications") }
        return owner
    }
}
