import Database
import Foundation

/// Who asks for services in the order of their use, and for whom.
public struct ServiceUser: Sendable {
    let account: UUID
    /// The instance that asks, and the key that it showed: a phone may be kept out by either.
    let client: String?
    let key: String?
    /// The other app that the person wants to use there, where the question names one.
    let bundle: String?

    public init(account: UUID, client: String?, key: String?, bundle: String? = nil) {
        (self.account, self.client, self.key, self.bundle) = (account, client, key, bundle)
    }

    /// Holds for a service that takes them, as those see it who issue: the person, their phone and the other app.
    func isTaken(at service: SQL) -> SQL {
        let admitted = ServiceRefusals.admits(account, client: client, key: key, at: service)
        guard let bundle else { return admitted }
        return "\(admitted) and \(AppPolicyStore.admits(bundle, to: service))"
    }
}

/// What is sought, in the order in which one person used it last; what they never used comes behind, by id. What they
/// may not use comes last of all, whether they used it or not: it is there, and the refusal of an assertion says why
/// they do not get in, where an answer without it would say that nobody offers this.
struct UsedFirst: Sendable {
    let user: ServiceUser
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
                    row_number() over (
                        order by (\(user.isTaken(at: "every.service"))) desc, u.last_used desc nulls last, every.service
                    ) as place
                from ((\(ProtocolQuery.found(sought))) union (\(used))) every
                left join service_usage u on u.account = \(user.account) and u.service = every.service
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
            where u.account = \(user.account) and p.names @> \(names) and \(FederationListing.isLive)
            """
        // Who asks by address asks for a hundred at most, so none is left out.
        case .addresses: "select null::text where false"
        }
    }
}
