import Base
import Database
import Foundation

/// A challenge, and the identity that answers it: read in one query. The identity must have been made by the
/// challenge's owner, under its identifier, and be the one that it names, if it names one. The first answer of a phone
/// of the server is to a challenge that names it: one that was registered and forgotten lets nobody in who comes
/// without a name.
struct ChallengedPerson: Sendable {
    struct Person: Sendable {
        let identity: String
        let suite: String
        let externalID: String?
        let secret: [UInt8]
        let sealedBy: String
        let ladder: BlockLadder
    }

    let id: String
    let owner: String
    let identifier: String
    /// The identity that the challenge names.
    let named: String?
    let question: String
    let isPending: Bool
    let person: Person?

    /// Whose phone it is, where it is one of the IdP's people.
    func account(of person: Person) -> UUID? {
        owner == "house" ? person.externalID.flatMap { UUID(uuidString: $0) } : nil
    }

    enum Key: Sendable {
        case session([UInt8])
        case id(String, TiqrCaller)

        var condition: SQL {
            switch self {
            case .session(let hash): "x.session_hash = \(hash)"
            case .id(let id, let caller):
                "x.id = \(id) and (\(caller.owner)::text is null or x.owner = \(caller.owner))"
            }
        }
    }

    /// `identity` is who claims to answer.
    static func read(
        _ key: Key, identity: String, at now: Date, in executor: any SQLExecutor
    ) async throws -> ChallengedPerson? {
        try await executor.query(
            """
            select x.id, x.owner, x.identifier, x.identity as named, x.question, x.state, x.expires_at,
                \(TiqrID.isRevoked) as is_revoked,
                   i.identity as person, i.suite, i.external_id, i.secret, i.sealed_by, i.blocked_for_good,
                       i.blocked_until, i.failures
            from tiqr_authentication x
            left join tiqr_identity i on i.identity = \(identity) and i.owner = x.owner and i.identifier = x.identifier
                                     and (x.identity = i.identity or x.identity is null and (x.owner <> 'house'
                                         or i.last_login_at is not null))
            where \(key.condition)
            """
        ).first.map { try ChallengedPerson($0, at: now) }
    }

    private init(_ row: Row, at now: Date) throws(DatabaseError) {
        (id, owner, identifier, named, question) = (
            try row("id"), try row("owner"), try row("identifier"), try row("named"), try row("question")
        )
        let state: String = try row("state"), expiresAt: Date = try row("expires_at"),
            isRevoked: Bool = try row("is_revoked")
        isPending = state == "pending" && expiresAt > now && !isRevoked
        let name: String? = try row("person")
        guard let name else {
            person = nil
            return
        }
        let ladder = BlockLadder(
            forGood: try row("blocked_for_good"), until: try row("blocked_until"), failures: try row("failures"))
        person = Person(
            identity: name, suite: try row("suite"), externalID: try row("external_id"), secret: try row("secret"),
            sealedBy: try row("sealed_by"),
            ladder: ladder)
    }
}
