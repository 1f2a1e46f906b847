import Database
import Foundation

/// What is sought, in the order in which one person used it last; what they never used comes behind, by id.
struct UsedFirst: Sendable {
    let account: UUID
    let sought: SoughtDocuments

    /// Gives one row, `answer`: an array within the bounds of every answer. Services that were used are sought for
    /// themselves, since the first by id may leave them out.
    var statement: SQL {
        """
        select '[' || coalesce(string_agg(sized.document_text, ',' order by sized.place), '') || ']' as answer
        from (
            select d.document_text, placed.place,
                sum(octet_length(d.document_text)) over (order by placed.place) as size
            from (
                select every.service,
                    row_number() over (order by u.last_used desc nulls last, every.service) as place
                from ((\(ProtocolQuery.found(sought))) union (\(used))) every
                left join service_usage u on u.account = \(account) and u.service = every.service
            ) placed join service_document d on d.service = placed.service
            where placed.place <= \(ProtocolQuery.mostDocuments)
        ) sized
        where sized.size <= \(ProtocolQuery.mostBytes)
        """
    }

    private var used: SQL {
        switch sought {
        case .names(let names):
            """
            select u.service from service_usage u join service s on s.id = u.service
            join service_document d on d.service = s.id join protocol_set p on p.id = d.protocol_set
            where u.account = \(account) and p.names @> \(names) and \(FederationListing.isLive)
            """
        // Who asks by address asks for a hundred at most, so none is left out.
        case .addresses: "select null::text where false"
        }
    }
}
