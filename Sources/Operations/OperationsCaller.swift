import Base
import TokenTree

/// Who calls the back office (design/backoffice.md, "Getting in"), as far as belonging goes: what one made does not
/// exist for another.
public struct OperationsCaller: Sendable {
    /// `client:ID`, `person:PSEUDONYM` or `house`; `nil` for the operator, who sees everything and begins nothing.
    let owner: String?
    /// The one person in whose name an app calls, as a user id; `nil` for everyone else.
    let person: String?
    /// What it begins hangs from this: the lineage of its token or session, and of an app token the family, since that
    /// lineage moves.
    let family: NodeID?
    let lineage: [NodeID]
    /// The software id of the app that calls, from its token: what its person is told.
    let software: String?
    public let actor: AuditActor

    private init(
        owner: String?, person: String? = nil, family: NodeID? = nil, lineage: [NodeID] = [], software: String? = nil,
        actor: AuditActor
    ) {
        (self.owner, self.person, self.family, self.lineage, self.software, self.actor) = (
            owner, person, family, lineage, software, actor
        )
    }

    /// A service; `client` is its client id, `lineage` what its token hangs from, or would. The token itself may end:
    /// what it began goes on.
    public static func machine(client: String, below lineage: [NodeID], actor: AuditActor) -> OperationsCaller {
        OperationsCaller(owner: "client:\(client)", lineage: lineage, actor: actor)
    }

    /// An app in the name of one person: `person` is the person's pseudonym at this service. When the token ends, so
    /// does what it began.
    public static func app(person: String, token: TokenRow, actor: AuditActor) -> OperationsCaller {
        OperationsCaller(
            owner: "person:\(person)", person: person, family: token.family, lineage: token.lineage,
            software: token.body.bundle, actor: actor)
    }

    /// The server itself, where operations are a factor of its own login. What it begins hangs from `lineage`: that of
    /// the session in which a person asks for it; none before anybody is known.
    public static func identityProvider(_ actor: AuditActor, below lineage: [NodeID] = []) -> OperationsCaller {
        OperationsCaller(owner: idpOwner, lineage: lineage, actor: actor)
    }

    public static func administrator(_ actor: AuditActor) -> OperationsCaller {
        OperationsCaller(owner: nil, actor: actor)
    }

    /// Of which there are as many as there are phones and people.
    public var isApp: Bool { person != nil }

    static let idpOwner = "house"

    /// Whose applications it works with: apps use the server's.
    var applicationOwner: String? { person == nil ? owner : OperationsCaller.idpOwner }

    func beginner() throws(BackOfficeRefusal) -> String {
        guard let owner else { throw .request("an operator begins neither registrations nor operations") }
        return owner
    }

    /// Whom a call is about: an app speaks for its own person alone, and may leave the user id out.
    func user(_ asked: String?) throws(BackOfficeRefusal) -> String? {
        guard let person else { return asked }
        guard asked == nil || asked == person else { throw .request("userId is another than the person of the token") }
        return person
    }

    /// What † of backoffice.md asks: an app manages neither applications nor templates nor callbacks.
    func notAnApp() throws(BackOfficeRefusal) {
        guard person == nil else { throw .request("an app cannot do this") }
    }
}
