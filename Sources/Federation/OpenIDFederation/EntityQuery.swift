import Base
import Vocabulary

/// The query of a federation endpoint (OpenID Federation 1.0, 8): three parameters may come several times, every other
/// one once. An empty one is absent.
public struct EntityQuery: Sendable {
    static let repeatable: Set<String> = ["entity_type", "trust_anchor", "claims"]
    /// Most values of one parameter.
    static let mostValues = 32

    private let values: [String: [String]]

    public init(_ query: String?) throws(OAuthError) {
        var values: [String: [String]] = [:]
        for pair in (query ?? "").utf8.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = try EntityQuery.decoded(parts[0]),
                value = parts.count > 1 ? try EntityQuery.decoded(parts[1]) : ""
            guard values[name] == nil || EntityQuery.repeatable.contains(name) else {
                throw OAuthError(.invalidRequest, "parameter \(name.prefix(80)) comes twice")
            }
            values[name, default: []].append(value)
            guard values[name, default: []].count <= EntityQuery.mostValues else {
                throw OAuthError(.invalidRequest, "parameter \(name) comes too often")
            }
        }
        self.values = values.mapValues { $0.filter { !$0.isEmpty } }
    }

    private static func decoded(_ raw: some Collection<UInt8>) throws(OAuthError) -> String {
        do {
            return try FormCodec.decode(raw)
        } catch {
            throw OAuthError(.invalidRequest, "the query is not percent-encoded UTF-8")
        }
    }

    func all(_ name: String) -> [String] { values[name] ?? [] }

    func one(_ name: String) -> String? { all(name).first }

    func required(_ name: String) throws(OAuthError) -> String {
        guard let value = one(name) else { throw OAuthError(.invalidRequest, "parameter \(name) is missing") }
        return value
    }

    func flag(_ name: String) throws(OAuthError) -> Bool? {
        switch one(name) {
        case nil: nil
        case "true": true
        case "false": false
        default: throw OAuthError(.invalidRequest, "parameter \(name) must be true or false")
        }
    }

    /// A whole number of at most twelve digits, so that as a NumericDate PostgreSQL can hold it.
    func number(_ name: String, from least: Int) throws(OAuthError) -> Int? {
        guard let text = one(name) else { return nil }
        let isDigits =
            text.utf8.count <= 12 && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard isDigits, let number = Int(text), number >= least else {
            throw OAuthError(.invalidRequest, "parameter \(name) must be a whole number, \(least) or more")
        }
        return number
    }
}
