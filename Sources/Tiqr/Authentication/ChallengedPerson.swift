import Base
import Database
import Foundation
import TokenTree

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
    /// What it was begun under, as that read then.
    let lineage: [NodeID]
    let isPending: Bool
    let person: Person?

    /// Begun by this server, to let one of its people in.
    var isLoginHere: Bool { owner == "house" }

    /// Whose phone it is, where it is one of the IdP's people.
    func account(of person: Person) -> UUID? {
        isLoginHere ? person.externalID.flatMap { UUID(uuidString: $0) } : nil
    }

    /// What a phone shows.
    struct PhoneKey: Hashable, Sendable {
        /// Of the session key.
        let hash: [UInt8]
        /// Of the name of who claims to answer: of two strings that Swift takes for one, the database knows one.
        private let bytes: [UInt8]

        init(hash: [UInt8], identity: String) { (self.hash, bytes) = (hash, Array(identity.utf8)) }

        var identity: String { String(decoding: bytes, as: UTF8.self) }
    }

    /// Those that there are.
    static func read(
        _ keys: [PhoneKey], at now: Date, in executor: any SQLExecutor
    ) async throws -> [(PhoneKey, ChallengedPerson)] {
        let wanted: SQL =
            "unnest(\(keys.map(\.hash)), \(keys.map(\.identity))) with ordinality as w (hash, identity, n)"
        return try await executor.query(statement(wanted, "x.session_hash = w.hash")).map { row in
            let number: Int = try row("n")
            return (keys[number - 1], try ChallengedPerson(row, at: now))
        }
    }

    /// `identity` is who claims to answer.
    static func read(
        _ id: String, of caller: TiqrCaller, identity: String, at now: Date, in executor: any SQLExecutor
    ) async throws -> ChallengedPerson? {
        let chosen: SQL = "x.id = \(id) and (\(caller.owner)::text is null or x.owner = \(caller.owner))"
        return try await executor.query(statement("(values (\(identity), 1)) as w (identity, n)", chosen)).first.map {
            try ChallengedPerson($0, at: now)
        }
    }

    /// `chosen` is the condition of the row `x` for a row `w` of those that are wanted.
    private static func statement(_ wanted: SQL, _ chosen: SQL) -> SQL {
        """
        select w.n, x.id, x.owner, x.identifier, x.identity as named, x.question, x.state, x.expires_at,
            \(TokenBoundRow.lineage) as lineage, \(TiqrID.isRevoked) as is_revoked,
            i.identity as person, i.suite, i.external_id, i.secret, i.sealed_by, i.blocked_for_good,
            i.blocked_until, i.failures
        from \(wanted)
        join tiqr_authentication x on \(chosen)
        left join tiqr_identity i on i.identity = w.identity and i.owner = x.owner and i.identifier = x.identifier
                                 and (x.identity = i.identity or x.identity is null and (x.owner <> 'house'
                                     or i.last_login_at is not null))
        """
    }

    private init(_ row: Row, at now: Date) throws(DatabaseError) {
        (id, owner, identifier, named, question) = (
            try row("id"), try row("owner"), try row("identifier"), try row("named"), try row("question")
        )
        lineage = try row("lineage")
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
