import Administration
import Base
import Database
import Foundation
import Pages

/// In whose language, at which time, and with which names in place of ids a result is read.
struct ConsoleReading: Sendable {
    let words: SharedStrings<ConsoleStrings>
    let now: Date
    let names: ConsoleNames
    private let catalog: AdminCatalog
    private let authority: AdminAuthority

    /// Reads the names of what the results speak of.
    init(_ request: ConsoleRequest, of results: [JSONValue]) async throws {
        (words, now, catalog) = (request.words, request.admin.now, request.context.catalog)
        authority = request.admin.authority
        names = try await ConsoleNames(of: results, for: request.admin.authority, in: request.admin.executor)
    }

    /// "3 hours ago"; the page has the exact moment beside it.
    func relative(_ date: Date) -> String {
        let seconds = Int(now.timeIntervalSince(date))
        return seconds >= 0
            ? words.ago(.init(seconds: seconds)) : words.ahead(.init(seconds: -seconds))
    }

    /// Where a member names a thing that has a page, and which whoever reads may see: of what has a name, they were
    /// told that then.
    func link(_ member: String, _ id: String) -> (text: String, href: String)? {
        guard !id.isEmpty, let reference = ConsoleNoun.references[member], let entry = catalog.entry(reference.show),
            AdminPermissions.mayRun(entry, authority)
        else { return nil }
        let name = names.name(member, id)
        guard name != nil || authority.visible == nil || !ConsoleNames.members.contains(member) else { return nil }
        let argument = entry.needed.first?.name ?? reference.argument
        return (name ?? id, CatalogPages.address(reference.show, [(argument, id)]))
    }
}

/// What accounts, services and clients are called, by their ids; asked in one query for each kind that a page has. Of
/// what is not theirs to see people read the id alone, as the command tells it.
struct ConsoleNames: Sendable {
    /// Those that name something which people call by another word than its id.
    static let members: Set<String> = ["account", "proposer", "service", "client", "client_id", "institution"]

    private var accounts: [String: String] = [:], services: [String: String] = [:], clients: [String: String] = [:]
    private var institutions: [String: String] = [:]

    init(of results: [JSONValue], for authority: AdminAuthority, in executor: any SQLExecutor) async throws {
        var found: [String: Set<String>] = [:]
        func collect(_ value: JSONValue, depth: Int) {
            guard depth < 5 else { return }
            for item in value.array ?? [] { collect(item, depth: depth + 1) }
            for (name, inner) in value.object ?? [:] {
                if let text = inner.string, ConsoleNoun.references[name] != nil {
                    found[name, default: []].insert(text)
                }
                collect(inner, depth: depth + 1)
            }
        }
        for result in results { collect(result, depth: 0) }
        let visible = authority.visible, isAll = visible == nil
        let own = visible?.institutions ?? [], ownServices = visible?.services ?? []
        let ids = (found["account"] ?? []).union(found["proposer"] ?? []).compactMap { UUID(uuidString: $0) }
        if !ids.isEmpty {
            let rows = try await executor.query(
                """
                select a.id, a.username from account a where a.id = any (\(ids))
                    and (\(isAll) or a.institution = any (\(own)) or a.id = \(authority.account))
                """)
            for row in rows { accounts[(try row("id") as UUID).uuidString.lowercased()] = try row("username") }
        }
        let named = Array(found["service"] ?? [])
        if !named.isEmpty {
            let rows = try await executor.query(
                """
                select s.id, s.name from service s where s.id = any (\(named))
                    and (\(isAll) or s.institution = any (\(own)) or s.id = any (\(ownServices)))
                """)
            for row in rows { services[try row("id")] = try row("name") }
        }
        let asked = Array((found["client"] ?? []).union(found["client_id"] ?? []))
        if !asked.isEmpty {
            let rows = try await executor.query(
                """
                select c.id, c.name from client c where c.id = any (\(asked)) and (\(isAll)
                    or c.institution = any (\(own))
                    or c.id in (select s.client from service s where s.id = any (\(ownServices))))
                """)
            for row in rows { clients[try row("id")] = try row("name") }
        }
        let belonging = Array(found["institution"] ?? [])
        if !belonging.isEmpty {
            let rows = try await executor.query(
                """
                select i.id, i.name from institution i where i.id = any (\(belonging))
                    and (\(isAll) or i.id = any (\(own)))
                """)
            for row in rows { institutions[try row("id")] = try row("name") }
        }
    }

    func name(_ member: String, _ id: String) -> String? {
        switch member {
        case "account", "proposer": accounts[id]
        case "service": services[id]
        case "client", "client_id": clients[id]
        case "institution": institutions[id]
        default: nil
        }
    }
}
