import Base
import Database
import Foundation

/// A service in the federation index (decisions.md, Federation 12).
public struct FederationService: Sendable {
    public enum Status: String, Sendable, CaseIterable, SQLEncodable, SQLDecodable {
        case pending, active, suspended, removed
    }

    public let id: String
    public let name: String
    /// In one spelling: see `WebAddress`.
    public let base: String
    public let status: Status
    public let clientID: String
    public let tokenEndpoint: String
    public let eventsEndpoint: String
    public let claims: [String]
    public let allowsLoopback: Bool
    public let protocols: [String]
    public let hearing: ServiceHearing
    /// Whether access tokens for it say what they hang from, so that it checks them by itself.
    public let hasLineage: Bool
    /// Where its document is, where an operator says so.
    public let rsd: String?
    /// Whom to write to about it.
    public let contact: String?
    /// Seconds that access tokens for it live at most; `nil` for what the server says.
    public let tokenLifetime: Int?
    public let createdAt: Date
    /// To which it belongs, if to any.
    public let institution: String?
    /// Another with each change of the row.
    private let version: String

    /// Holds while the row is the one that was read.
    public var isUnchanged: SQL {
        "exists (select from service s where s.id = \(id) and s.xmin::text = \(version))"
    }

    static let columns: SQL = """
        s.id, s.name, s.base, s.status, s.client, s.token_endpoint, s.events_endpoint, s.claims, s.allow_loopback,
            s.created_at, \(ServiceHearing.columns), s.lineage, s.contact, s.token_lifetime, s.rsd,
        s.xmin::text as version,
            s.institution,
        coalesce((select d.protocols from service_document d where d.service = s.id), '{}') as protocols
        """

    init(_ row: Row) throws(DatabaseError) {
        (id, name, base, status, clientID) = (
            try row("id"), try row("name"), try row("base"), try row("status"), try row("client")
        )
        (tokenEndpoint, eventsEndpoint) = (try row("token_endpoint"), try row("events_endpoint"))
        (claims, allowsLoopback, protocols, createdAt) = (
            try row("claims"), try row("allow_loopback"), try row("protocols"), try row("created_at")
        )
        (hearing, hasLineage) = (try ServiceHearing(row), try row("lineage"))
        (version, institution) = (try row("version"), try row("institution"))
        (contact, tokenLifetime, rsd) = (try row("contact"), try row("token_lifetime"), try row("rsd"))
    }

    /// For `TokenClaims.lineage`, of a token whose audience it is.
    public var namedForLineage: String? { hasLineage ? id : nil }

    public func json(authMethod: String) -> JSONObject {
        var members: JSONObject = [
            "id": .string(id), "base": .string(base), "name": .string(name), "status": .string(status.rawValue),
            "client_id": .string(clientID),
            "auth_method": .string(authMethod), "token_endpoint": .string(tokenEndpoint),
            "events_endpoint": .string(eventsEndpoint),
            "claims": JSONValue(strings: claims), "protocols": JSONValue(strings: protocols.sorted()),
            "created_at": .string(createdAt.rfc3339), "lineage": .bool(hasLineage),
            "institution": JSONValue(institution),
            "rsd": JSONValue(rsd), "contact": JSONValue(contact),
            "token_lifetime": tokenLifetime.map { .integer($0) } ?? .null,
        ]
        for (name, value) in hearing.json { members[name] = value }
        return members
    }
}
