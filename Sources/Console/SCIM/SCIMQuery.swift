import Base
import Database
import Foundation
import HTTP
import Hummingbird

/// Which resources are asked for, which part of them, and what of each (RFC 7644, 3.4.2 and 3.9): from the address, or
/// from the body of `/.search`.
struct SCIMQuery: Sendable {
    let filter: SCIMFilter?
    let sortBy: SCIMPath?
    let isDescending: Bool
    /// From 1.
    let start: Int
    let count: Int
    let shown: SCIMProjection

    static let searchSchema = "urn:ietf:params:scim:api:messages:2.0:SearchRequest"

    init(_ request: Request) throws {
        let items = try QueryItems(request)
        func text(_ name: String) throws -> String? {
            let found = items.items.filter { $0.name.lowercased() == name.lowercased() }
            guard found.count <= 1 else { throw SCIMRefusal(.invalidValue, "\(name) comes twice") }
            return found.first.flatMap { $0.value.isEmpty ? nil : $0.value }
        }
        func number(_ name: String) throws -> Int? {
            try text(name).map { text in
                guard let number = Int(text) else { throw SCIMRefusal(.invalidValue, "\(name) is a number") }
                return number
            }
        }
        func names(_ name: String) throws -> [String] { try text(name)?.split(separator: ",").map(String.init) ?? [] }
        try self.init(
            filter: try text("filter"), sortBy: try text("sortBy"), sortOrder: try text("sortOrder"),
            start: try number("startIndex"), count: try number("count"), attributes: try names("attributes"),
            excluded: try names("excludedAttributes"))
    }

    init(_ body: JSONValue) throws {
        guard body.member("schemas")?.strings?.contains(SCIMQuery.searchSchema) == true else {
            throw SCIMRefusal(.invalidSyntax, "schemas names \(SCIMQuery.searchSchema)")
        }
        func value<Value>(_ name: String, _ read: (JSONValue) -> Value?) throws -> Value? {
            guard let member = body.member(name), member != .null else { return nil }
            guard let value = read(member) else { throw SCIMRefusal(.invalidValue, "\(name) is of another type") }
            return value
        }
        try self.init(
            filter: try value("filter", \.string), sortBy: try value("sortBy", \.string),
            sortOrder: try value("sortOrder", \.string), start: try value("startIndex", \.integer),
            count: try value("count", \.integer), attributes: try value("attributes", \.strings) ?? [],
            excluded: try value("excludedAttributes", \.strings) ?? [])
    }

    private init(
        filter: String?, sortBy: String?, sortOrder: String?, start: Int?, count: Int?, attributes: [String],
        excluded: [String]
    ) throws {
        self.filter = try filter.map { try SCIMFilter($0) }
        self.sortBy = try sortBy.map { text in
            guard let path = SCIMPath(text) else { throw SCIMRefusal(.invalidPath, "sortBy names an attribute") }
            return path
        }
        guard sortOrder.map({ ["ascending", "descending"].contains($0.lowercased()) }) ?? true else {
            throw SCIMRefusal(.invalidValue, "sortOrder is ascending or descending")
        }
        isDescending = sortOrder?.lowercased() == "descending"
        // What is too small counts as the smallest (RFC 7644, table 6).
        self.start = min(max(start ?? 1, 1), 1_000_000_000)
        self.count = min(max(count ?? SCIMDiscovery.usualResults, 0), SCIMDiscovery.mostResults)
        shown = try SCIMProjection(attributes: attributes, excluded: excluded)
    }

    /// `last`: what settles it among equals.
    func order(_ column: (SCIMPath) -> SQL?, last: SQL) throws -> SQL {
        guard let sortBy else { return last }
        guard let order = column(sortBy) else {
            throw SCIMRefusal(.invalidPath, "nothing is sorted by \(sortBy.attribute.prefix(80))")
        }
        return isDescending ? "\(order) desc nulls last, \(last)" : "\(order) nulls last, \(last)"
    }
}

/// What of a resource is told (RFC 7644, 3.9). `schemas` and `id` always are.
struct SCIMProjection: Sendable {
    private let attributes: [SCIMPath]
    private let excluded: [SCIMPath]

    static let everything = SCIMProjection()

    private init() { (attributes, excluded) = ([], []) }

    init(attributes: [String], excluded: [String]) throws {
        guard attributes.isEmpty || excluded.isEmpty else {
            throw SCIMRefusal(.invalidValue, "attributes and excludedAttributes do not go together")
        }
        guard attributes.count + excluded.count <= 100 else { throw SCIMRefusal(.invalidValue, "too many attributes") }
        (self.attributes, self.excluded) = (
            attributes.compactMap(SCIMProjection.path), excluded.compactMap(SCIMProjection.path)
        )
    }

    /// Of an extension as a whole, the last word of its URN is the attribute, and there is none of that name.
    private static func path(_ text: String) -> SCIMPath? { SCIMPath(text.trimmingCharacters(in: .whitespaces)) }

    /// Whether `members` is to be read at all.
    func tells(_ attribute: String) -> Bool {
        let names = { (path: SCIMPath) in path.attribute.lowercased() == attribute.lowercased() }
        if !attributes.isEmpty { return attributes.contains(where: names) }
        return !excluded.contains { names($0) && $0.part == nil }
    }

    func told(_ resource: JSONObject) -> JSONObject {
        if attributes.isEmpty, excluded.isEmpty { return resource }
        return JSONObject(
            resource.compactMap { name, value -> (String, JSONValue)? in
                if ["schemas", "id"].contains(name) { return (name, value) }
                if name.hasPrefix("urn:") { return inner(name, value).map { (name, $0) } }
                return shown(name, value, of: nil).map { (name, $0) }
            })
    }

    private func inner(_ schema: String, _ value: JSONValue) -> JSONValue? {
        let whole = { (path: SCIMPath) in
            "\(path.schema ?? ""):\(path.attribute)".lowercased() == schema.lowercased()
        }
        if attributes.contains(where: whole) { return value }
        if excluded.contains(where: whole) { return nil }
        let left = JSONObject(
            (value.object ?? [:]).compactMap { name, value in shown(name, value, of: schema).map { (name, $0) } })
        return left.isEmpty ? nil : .object(left)
    }

    private func shown(_ name: String, _ value: JSONValue, of schema: String?) -> JSONValue? {
        let core = SCIMResourceType.all.map { $0.schema.id.lowercased() }
        let means = { (path: SCIMPath) in
            let isOfSchema =
                schema.map { $0.lowercased() == path.schema?.lowercased() }
                ?? path.schema.map { core.contains($0.lowercased()) } ?? true
            return isOfSchema && path.attribute.lowercased() == name.lowercased()
        }
        let wanted = attributes.filter(means), hidden = excluded.filter(means)
        if !attributes.isEmpty {
            guard !wanted.isEmpty else { return nil }
            if wanted.contains(where: { $0.part == nil }) { return value }
            return SCIMProjection.parts(of: value) { part in wanted.contains { $0.part?.lowercased() == part } }
        }
        if hidden.contains(where: { $0.part == nil }) { return nil }
        if hidden.isEmpty { return value }
        return SCIMProjection.parts(of: value) { part in !hidden.contains { $0.part?.lowercased() == part } }
    }

    private static func parts(of value: JSONValue, _ isTold: (String) -> Bool) -> JSONValue? {
        switch value {
        case .object(let members):
            let left = members.filtered { isTold($0.lowercased()) }
            return left.isEmpty ? nil : .object(left)
        case .array(let items):
            let left = items.compactMap { parts(of: $0, isTold) }
            return left.isEmpty ? nil : .array(left)
        default: return value
        }
    }
}
