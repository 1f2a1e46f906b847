import Base
import Database
import Foundation

/// The statement that makes a token: it looks at its lineage, and at whatever else must hold, once more.
struct TokenInsertion: Sendable {
    let draft: TokenDraft
    let id: NodeID
    /// Last among the ancestors, unless it stands in what is inherited.
    let signer: SigningAncestor.Generation?
    /// Its ancestors were: such a generation may be of a transaction that was undone, or from before a backup was put
    /// back.
    let isRemembered: Bool
    let now: Date
    let expires: Date

    /// Root first.
    var ancestors: [NodeID] {
        draft.inherited + draft.added + draft.opening.map(\.generation) + (signer.map { [$0.id] } ?? [])
    }

    /// All that it hangs below; its family hangs below `ancestors`.
    var above: [NodeID] { ancestors + draft.own }

    /// What is locked shared before it: not what it opens, which nobody knows.
    var held: [NodeID] {
        draft.inherited + draft.added + (signer.map { [$0.id] } ?? []) + draft.own + draft.holding
    }

    /// Gives a row if it was made.
    var statement: SQL {
        guard !isPlain else { return TokenInsertion.together([self]) }
        let lineage = above + [id], body = draft.body
        let used: SQL? = usedUp.map { "used as (\($0))" }
        let source: SQL = used == nil ? "where \(isPossible)" : "from used"
        let (kinds, names) = (draft.opening.map(\.ancestor.kind.rawValue), draft.opening.map(\.ancestor.name))
        let detail = JSONValue.object(body.claims.json)
        let token: SQL = """
            insert into token (id, realm, kind, family, parent, anchor, lineage, issued_at, expires_at, secret,
                account, client, service, bundle, scope, jkt, detail)
            select \(id), \(body.realm), \(body.kind), \(id), \(body.parent), \(body.anchor), \(lineage), \(now),
                \(expires), \(draft.secret), \(body.account),
                   \(body.client), \(body.service), \(body.bundle), \(body.scope), \(body.jkt), \(detail)
            \(source)
            returning id, lineage
            """
        var parts: [SQL] = (used.map { [$0] } ?? []) + ["made as (\(token))"]
        if !draft.opening.isEmpty {
            parts.append(
                """
                opened as (
                    insert into ancestor (kind, name, id, opened_at) select fresh.kind, fresh.name, fresh.id, \(now)
                    from made, unnest(\(kinds), \(names), \(draft.opening.map(\.generation)))
                        as fresh (kind, name, id)
                    order by fresh.kind, fresh.name
                )
                """)
        }
        if let refresh = draft.refresh {
            let idleUntil = refresh.idle.map { now.addingTimeInterval($0) }
            parts.append(
                """
                kept as (
                    insert into family (id, realm, kind, parent, anchor, lineage, issued_at, idle_until, child,
                        account, client, service, bundle, scope, jkt, detail)
                    select made.id, \(body.realm), \(body.kind), \(body.parent), \(body.anchor),
                        \(ancestors + [id]), \(now), \(idleUntil), made.id, \(body.account),
                           \(body.client), \(body.service), \(body.bundle), \(body.scope), \(body.jkt), \(detail)
                    from made
                )
                """)
        }
        if let service = draft.reaches {
            parts.append(
                """
                reached as (
                    insert into reach (node, service) select ancestor.node, \(service)
                        from unnest(\(lineage)) as ancestor (node), made
                    order by ancestor.node on conflict do nothing
                )
                """)
        }
        if let service = draft.reaches, draft.isCalledFor {
            parts.append("called as (\(AssertionReach.recording(service, anchor: body.anchor)))")
        }
        if let beside = draft.beside { parts.append("beside as (\(beside))") }
        if let noted = draft.noted { parts.append("noted as (\(noted))") }
        return "with \(parts.joined(separator: ", ")) select id from made"
    }

    /// What works once is used up by what is made, and by nothing else: a refusal, or a second try, finds it unused. Of
    /// two that want it, the second waits for the first one's commit, and gets no row.
    private var usedUp: SQL? {
        if let redeeming = draft.redeeming {
            return "\(TokenStore.using(redeeming, child: id, at: now)) and \(isPossible) returning t.id"
        }
        return draft.using.map {
            "insert into one_time (id) select \($0) where \(isPossible) on conflict do nothing returning id"
        }
    }

    private var isPossible: SQL {
        let areOpen: SQL =
            isRemembered && !draft.added.isEmpty
            ? "and (select count(*) from ancestor a where a.id = any (\(draft.added))) = \(draft.added.count)" : ""
        let condition: SQL = draft.condition.map { "and \($0)" } ?? ""
        let isOpen: SQL =
            signer.map {
                "and exists (select from ancestor a where a.kind = 'signer' and a.name = \($0.kid) and a.id = \($0.id))"
            } ?? ""
        return """
            not exists (select from revocation r where r.node = any (\(above)))
              and not exists (select from family p where p.id = \(draft.body.parent)
                  and p.lineage <> (\(draft.inherited)::uuid[])[1:cardinality(p.lineage)])
              \(isOpen) \(areOpen) \(condition)
            """
    }

    // MARK: Several at once

    /// Nothing else is written with it.
    var isPlain: Bool {
        draft.refresh == nil && draft.reaches == nil && draft.beside == nil && draft.noted == nil
            && draft.using == nil && draft.redeeming == nil && draft.secret == nil && draft.opening.isEmpty
    }

    /// Whether the two differ in nothing but their identifiers and times.
    func isLike(_ other: TokenInsertion) -> Bool {
        isPlain && other.isPlain && signer == other.signer && isRemembered == other.isRemembered
            && draft.inherited == other.draft.inherited && draft.added == other.draft.added
            && draft.own == other.draft.own
            && draft.condition == other.draft.condition && draft.body == other.draft.body
    }

    /// Of one kind (`isLike`): what holds for all is looked at once. Gives the identifiers of those that were made.
    static func together(_ tokens: [TokenInsertion]) -> SQL {
        guard let first = tokens.first else { return "select null::uuid as id where false" }
        let body = first.draft.body
        return """
            insert into token (id, realm, kind, family, parent, anchor, lineage, issued_at, expires_at,
                account, client, service, bundle, scope, jkt, detail)
            select n.id, \(body.realm), \(body.kind), n.id, \(body.parent), \(body.anchor),
                \(first.above)::uuid[] || n.id, n.issued_at, n.expires_at, \(body.account),
                   \(body.client), \(body.service), \(body.bundle), \(body.scope), \(body.jkt),
                   \(JSONValue.object(body.claims.json))
            from unnest(\(tokens.map(\.id)), \(tokens.map(\.now)), \(tokens.map(\.expires)))
                as n (id, issued_at, expires_at)
            where \(first.isPossible)
            returning id
            """
    }
}
