import Base
import Database
import Foundation
import Vocabulary

/// Protocol discovery (api.md; decisions.md, Federation 10): what was last committed, never a wait for the crawler.
public struct ProtocolQuery: Sendable {
    /// Most names or URLs in one question.
    public static let mostItems = 100
    /// Most documents in one answer.
    public static let mostDocuments = 1_000

    public enum Question: Sendable, Equatable {
        /// Every one of these must be offered.
        case names([String])
        case addresses([String])
    }

    public enum Face: Sendable { case either, names, addresses }

    let database: Database

    public init(database: Database) { self.database = database }

    /// Reads a question. An item with `://` is a URL; a mixture, an empty list and anything but strings are refused.
    public static func question(_ body: JSONValue, face: Face) throws(OAuthError) -> Question {
        guard let items = body.strings else { throw OAuthError(.invalidRequest, "the body must be a JSON array of strings") }
        guard !items.isEmpty else { throw OAuthError(.invalidRequest, "ask for at least one protocol name or service URL") }
        guard items.count <= mostItems else { throw OAuthError(.invalidRequest, "at most \(mostItems) items, please") }
        guard items.allSatisfy({ (1...2_048).contains($0.utf8.count) }) else { throw OAuthError(.invalidRequest, "an item is empty or longer than 2048 bytes") }
        let urls = items.filter { $0.contains("://") }
        switch face {
        case .either where urls.count == items.count, .addresses where urls.count == items.count: return .addresses(items)
        case .either where urls.isEmpty, .names where urls.isEmpty: return .names(items)
        case .either: throw OAuthError(.invalidRequest, "names and URLs must not be mixed: ask twice")
        case .names: throw OAuthError(.invalidRequest, "this path takes protocol names; ask for URLs at /protocol-discovery/service")
        case .addresses: throw OAuthError(.invalidRequest, "this path takes service URLs; ask for names at /protocol-discovery/protocol")
        }
    }

    /// RSD2 documents of active services. Apps see only those that offer `org.ietf.oauth2`: without it they could not get a token there.
    public func documents(_ question: Question, forApp: Bool) async throws -> [JSONValue] {
        let oauth: [String] = forApp ? ["org.ietf.oauth2"] : []
        let condition: SQL = switch question {
        case .names(let names): "d.offered @> \(oauth + names.map { ProtocolName.folded($0) })"
        case .addresses(let texts): "s.base = any (\(texts.compactMap { WebAddress($0)?.withoutQuery })) and d.offered @> \(oauth)"
        }
        return try await database.query("""
            select d.document from service_document d join service s on s.id = d.service
            where s.status = 'active' and d.state in ('ok', 'degraded', 'stale') and d.document is not null and \(condition)
            order by s.id limit \(ProtocolQuery.mostDocuments)
            """).map { try $0("document") }
    }

    /// Changes when and only when the answer does.
    public static func etag(of answer: JSONValue) -> String { "\"\(Base64URL.encode(Digest.sha256(answer.text).prefix(18)))\"" }
}
