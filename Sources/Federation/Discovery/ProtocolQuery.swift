import Base
import Database
import Foundation
import Vocabulary

/// Protocol discovery (api.md; decisions.md, Federation 10): what was last committed, never a wait for the crawler.
///
/// One for the process: it remembers answers, and forgets them when `watch` hears of a change.
public struct ProtocolQuery: Sendable {
    /// Most names or URLs in one question.
    public static let mostItems = 100
    /// Most documents in one answer, and most bytes of them.
    public static let mostDocuments = 1_000
    static let mostBytes = 16 << 20

    public enum Question: Sendable, Equatable {
        /// Every one of these must be offered.
        case names([String])
        case addresses([String])
    }

    public enum Face: Sendable { case either, names, addresses }

    let database: Database
    let memory: AnswerMemory
    let tables: ListedTables
    /// Asked where there is one. What was heard before a reading begins is in it all the same; while nothing is heard
    /// an answer may be as old as that may be.
    private let replica: ReadReplica?
    private let channel: String

    /// - Parameter memory: bytes for answers.
    public init(
        database: Database, replica: ReadReplica? = nil, memory: Int = 64 << 20, of tables: ListedTables = .index
    ) {
        self.init(
            database: database, replica: replica, memory: memory, of: tables, channel: ServiceIndex.channel)
    }

    /// Notifications cross schemas, so tests that run side by side in one database need channels of their own.
    init(
        database: Database, replica: ReadReplica? = nil, memory: Int = 64 << 20, of tables: ListedTables = .index,
        channel: String
    ) {
        (self.database, self.memory, self.channel) = (database, AnswerMemory(limit: memory), channel)
        (self.tables, self.replica) = (tables, replica)
    }

    /// Reads a question. An item with `://` is a URL; a mixture, an empty list and anything but strings are refused.
    public static func question(_ body: JSONValue, face: Face) throws(OAuthError) -> Question {
        guard let items = body.strings else {
            throw OAuthError(.invalidRequest, "the body must be a JSON array of strings")
        }
        guard !items.isEmpty else {
            throw OAuthError(.invalidRequest, "ask for at least one protocol name or service URL")
        }
        guard items.count <= mostItems else { throw OAuthError(.invalidRequest, "at most \(mostItems) items, please") }
        guard items.allSatisfy({ (1...2_048).contains($0.utf8.count) }) else {
            throw OAuthError(.invalidRequest, "an item is empty or longer than 2048 bytes")
        }
        let urls = items.filter { $0.contains("://") }
        switch face {
        case .either where urls.count == items.count, .addresses where urls.count == items.count:
            return .addresses(items)
        case .either where urls.isEmpty, .names where urls.isEmpty: return .names(items)
        case .either: throw OAuthError(.invalidRequest, "names and URLs must not be mixed: ask twice")
        case .names:
            throw OAuthError(
                .invalidRequest, "this path takes protocol names; ask for URLs at /protocol-discovery/service")
        case .addresses:
            throw OAuthError(
                .invalidRequest, "this path takes service URLs; ask for names at /protocol-discovery/protocol")
        }
    }

    /// RSD2 documents of active services. Apps see only those that offer `org.ietf.oauth2`: without it they could not
    /// get a token there.
    public func answer(_ question: Question, forApp: Bool) async throws -> DiscoveryAnswer {
        let sought = SoughtDocuments(question, forApp: forApp)
        return try await memory.answer(.documents(sought)) {
            try await reading { try await ProtocolQuery.read(sought, of: tables, in: $0) }
        }
    }

    /// The same documents, those of services that the person used before all others, the latest first, be they among
    /// the first by id or not; behind all those that do not take them. Nobody else shares this answer, so it is read
    /// each time and not remembered.
    public func answer(
        _ question: Question, forApp: Bool, usedFirstBy user: ServiceUser
    ) async throws -> DiscoveryAnswer {
        let sought = SoughtDocuments(question, forApp: forApp)
        let rows = try await database.query(UsedFirst(user: user, sought: sought).statement)
        return DiscoveryAnswer(text: try rows.first.map { try $0("answer") } ?? "[]")
    }

    /// A page of the public listing, as `writing` puts it, which follows from the query alone. What moves without a
    /// change, as the time of the last crawl, may be as old as the memory lets an answer be.
    public func page(
        _ query: ListingQuery, writing: @escaping @Sendable ([ListedService]) -> String
    ) async throws -> DiscoveryAnswer {
        return try await memory.answer(.page(query)) {
            let services = try await reading { try await FederationListing(tables).page(query, in: $0) }
            return DiscoveryAnswer(text: writing(services))
        }
    }

    /// One service of the public listing, as it stands now.
    public func service(_ id: String) async throws -> ListedService? {
        try await reading { try await FederationListing(tables).find(id, in: $0) }
    }

    private func reading<Value: Sendable>(
        _ body: @Sendable (any SQLExecutor) async throws -> Value
    ) async throws -> Value {
        guard let replica else { return try await body(database) }
        return try await replica.read(since: memory.heardAt, body)
    }

    /// Listens until cancelled. Started once, beside the server; without it every question reads the database.
    public func watch() async {
        for await event in database.listen(channel) { memory.heard(event) }
        memory.heard(.lost)
    }

    /// The texts are put together by the server: no document is read or written here. What goes beyond `mostBytes` is
    /// left out, whole documents at a time.
    private static func read(
        _ sought: SoughtDocuments, of tables: ListedTables, in database: any SQLExecutor
    ) async throws -> DiscoveryAnswer {
        let rows = try await database.query(
            """
            select '[' || coalesce(string_agg(sized.document_text, ',' order by sized.service), '') || ']' as answer
            from (
                select d.service, d.document_text, sum(octet_length(d.document_text)) over (order by d.service) as size
                from (\(found(sought, of: tables))) found join \(tables.documents) d on d.service = found.service
            ) sized
            where sized.size <= \(mostBytes)
            """)
        guard let row = rows.first else { return DiscoveryAnswer(text: "[]") }
        return DiscoveryAnswer(text: try row("answer"))
    }

    /// The first services by id. By names: of each set that holds them all its first services, in the order of an
    /// index; and of these the first.
    static func found(_ sought: SoughtDocuments, of tables: ListedTables = .index) -> SQL {
        switch sought {
        case .names(let names):
            """
            select one.service from (select p.id from protocol_set p where p.names @> \(names)) sets
            cross join lateral (
                select d.service from \(tables.documents) d join \(tables.services) s on s.id = d.service
                where d.protocol_set = sets.id and \(FederationListing.isLive)
                order by d.service limit \(mostDocuments)
            ) one
            order by one.service limit \(mostDocuments)
            """
        case .addresses(let bases, let offered):
            """
            select s.id as service from \(tables.services) s join \(tables.documents) d on d.service = s.id
            where s.base = any (\(bases)) and d.offered @> \(offered) and \(FederationListing.isFound)
            order by s.id limit \(mostDocuments)
            """
        }
    }
}

/// What is asked for, as answers are remembered by it.
enum Wanted: Sendable, Hashable {
    case documents(SoughtDocuments)
    case page(ListingQuery)

    /// What it takes in memory.
    var size: Int {
        switch self {
        case .documents(.names(let texts)), .documents(.addresses(let texts, _)):
            texts.reduce(0) { $0 + $1.utf8.count + 32 }
        case .page(let query): query.protocols.reduce(128) { $0 + $1.utf8.count + 32 }
        }
    }
}

/// A question in one spelling, so that all who mean the same share its answer.
enum SoughtDocuments: Sendable, Hashable {
    case names([String])
    case addresses([String], offered: [String])

    init(_ question: ProtocolQuery.Question, forApp: Bool) {
        let oauth: [String] = forApp ? ["org.ietf.oauth2"] : []
        switch question {
        case .names(let names): self = .names(Set(oauth + names.map { ProtocolName.folded($0) }).sorted())
        case .addresses(let texts):
            self = .addresses(Set(texts.compactMap { WebAddress($0)?.withoutQuery }).sorted(), offered: oauth)
        }
    }
}
