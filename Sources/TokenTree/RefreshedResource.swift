import Base
import Database

/// What a refreshed token is to be for, where its family was granted several resources (RFC 8707, 2.2): the parts of
/// the statement that rotates `f`, a row of `family`.
public struct RefreshedResource: Sendable {
    public let granted: GrantedResource
    /// What else must hold when it is made: that the service is an active one.
    public let condition: SQL?
    /// What is written with it, if it is made; reads `id` from `made`.
    public let beside: SQL?

    public init(_ granted: GrantedResource, condition: SQL? = nil, beside: SQL? = nil) {
        (self.granted, self.condition, self.beside) = (granted, condition, beside)
    }

    /// Holds while there are tokens for it.
    var isOpen: SQL {
        let stands: SQL = "not exists (select from revocation r where r.node = any (\(granted.nodes)))"
        return condition.map { "\(stands) and \($0)" } ?? stands
    }

    /// The family stays last, and stays what all its tokens share.
    var lineage: SQL { "f.lineage[1:cardinality(f.lineage) - 1] || \(granted.nodes)::uuid[] || f.id" }
    var detail: SQL { granted.replacing("f.detail") }

    /// Held shared before it where a service is told of the end of what it hangs below, so that none is missed.
    func above(_ family: TokenRow) -> [NodeID] {
        granted.lineage == nil ? [] : family.lineage.dropLast() + granted.nodes
    }

    /// Statements beside the insertion, which read `rotated`.
    var parts: SQL {
        var parts: [SQL] = []
        if let service = granted.lineage {
            parts.append(
                """
                , reached as (
                    insert into reach (node, service) select ancestor.node, \(service)
                        from rotated, unnest(rotated.lineage) as ancestor (node)
                    order by ancestor.node on conflict do nothing
                )
                """)
        }
        if let beside {
            parts.append(", made as (select rotated.id, rotated.lineage from rotated), beside as (\(beside))")
        }
        return parts.joined(separator: " ")
    }
}
