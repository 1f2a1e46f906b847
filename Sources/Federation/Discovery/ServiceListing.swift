import Base
import Database
import Foundation
import Vocabulary

/// What the index publishes of a service: its document, the text that discovery answers with, and the names that it is
/// found by.
///
/// Among many services there are few different sets of names; each stands once, in `protocol_set`. Thus a question
/// reads the few sets and takes from each its first services, however many there are.
public enum ServiceListing {
    /// For `put` and `forgetSets`: several documents may be put at a time, but no set may go meanwhile.
    static var lock: Int64 { NodeID(digestOf: "protocol sets").lockNumber }

    /// A new document in place of what was there. For one transaction: afterwards discovery gives all of it, before
    /// nothing. The service must have its row in `service_document`.
    public static func put(_ document: JSONValue, protocols: [String], of service: String, at now: Date) -> [SQL] {
        let offered = ProtocolName.offered(by: protocols), digest = ServiceListing.digest(of: offered)
        return [
            "select pg_advisory_xact_lock_shared(\(lock))",
            make(offered),
            """
            update service_document set document = \(document), document_text = \(document.text),
                protocols = \(protocols), offered = \(offered),
                protocol_set = (select p.id from protocol_set p where p.digest = \(digest)), changed_at = \(now)
            where service = \(service)
            """,
            touch(service, at: now),
            "select pg_notify(\(ServiceIndex.channel), \(service))",
        ]
    }

    /// Its set, where there is none yet. Whoever makes the same at this moment is waited for, and its row is the one
    /// that the next statement sees.
    static func make(_ offered: [String]) -> SQL {
        """
        insert into protocol_set (names, digest) values (\(offered.sorted()), \(digest(of: offered)))
        on conflict (digest) do nothing
        """
    }

    static func digest(of offered: [String]) -> SQL {
        "sha256(convert_to((\(offered.sorted()))::text[]::text, 'UTF8'))"
    }

    /// For changes that the listing shows without a new document, e.g. that a service is not discoverable any more.
    public static func touch(_ service: String, at now: Date) -> SQL {
        "update service set changed_at = \(now) where id = \(service)"
    }

    /// Sets of names that no service has any more. Housekeeping; they only take room.
    public static func forgetSets(in database: Database) async throws {
        _ = try await database.batch([
            "select pg_advisory_xact_lock(\(lock))",
            """
            delete from protocol_set p where not exists (select from service_document d where d.protocol_set = p.id)
                and not exists (select from copied_service c where c.protocol_set = p.id)
            """,
        ])
    }
}
