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

    /// Reads the names of what the results speak of.
    init(_ request: ConsoleRequest, of results: [JSONValue]) async throws {
        (words, now, catalog) = (request.words, request.admin.now, request.context.catalog)
        names = try await ConsoleNames(of: results, in: request.admin.executor)
    }

    /// "3 hours ago"; the page has the exact moment beside it.
    func relative(_ date: Date) -> String {
        let seconds = Int(now.timeIntervalSince(date))
        return seconds >= 0
            ? words.ago(.init(seconds: seconds)) : words.ahead(.init(seconds: -seconds))
    }

    /// Where a member names a thing that has a page.
    func link(_ member: String, _ id: String) -> (text: String, href: String)? {
        guard !id.isEmpty, let reference = ConsoleNoun.references[member], let entry = catalog.entry(reference.show)
        else { return nil }
        let argument = entry.needed.first?.name ?? reference.argument
        return (names.name(member, id) ?? id, CatalogPages.address(reference.show, [(argument, id)]))
    }
}

/// What accounts, services and clients are called, by their ids; asked in one query for each kind that a page has.
struct ConsoleNames: Sendable {
    private var accounts: [String: String] = [:], services: [String: String] = [:], clients: [String: String] = [:]
    private var institutions: [String: String] = [:]

    init(of results: [JSONValue], in executor: any SQLExecutor) async throws {
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
        let ids = (found["account"] ?? []).compactMap { UUID(uuidString: $0) }
        if !ids.isEmpty {
            for row in try await executor.query("select id, username from account where id = any (\(ids))") {
                accounts[(try row("id") as UUID).uuidString.lowercased()] = try row("username")
            }
        }
        let named = Array(found["service"] ?? [])
        if !named.isEmpty {
            for row in try await executor.query("select id, name from service where id = any (\(named))") {
                services[try row("id")] = try row("name")
            }
        }
        let asked = Array((found["client"] ?? []).union(found["client_id"] ?? []))
        if !asked.isEmpty {
            for row in try await executor.query("select id, name from client where id = any (\(asked))") {
                clients[try row("id")] = try row("name")
            }
        }
        let belonging = Array(found["institution"] ?? [])
        if !belonging.isEmpty {
            for row in try await executor.query("select id, name from institution where id = any (\(belonging))") {
                institutions[try row("id")] = try row("name")
            }
        }
    }

    func name(_ member: String, _ id: String) -> String? {
        switch member {
        case "account": accounts[id]
        case "service": services[id]
        case "client", "client_id": clients[id]
        case "institution": institutions[id]
        default: nil
        }
    }
}
