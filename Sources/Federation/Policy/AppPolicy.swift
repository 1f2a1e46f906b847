import Base
import Vocabulary

/// Which third-party apps a service takes: those that it allows, not those that it denies, and of the others all
/// (`open`) or none (`closed`).
public struct AppPolicy: Sendable, Equatable {
    /// What holds for apps that are not named.
    public enum Others: String, Sendable, CaseIterable { case open, closed }

    /// Why a policy cannot be so.
    public struct Refused: Error, Sendable, CustomStringConvertible {
        public let description: String
    }

    /// Names in each list.
    public static let mostNames = 1_000
    /// Bytes of a bundle id.
    public static let longestName = 255
    /// Bytes of the whole policy as JSON: it leaves as one event, which a service takes at an endpoint for 64 KiB.
    public static let longest = 40_000

    public var others: Others
    /// Bundle ids in order, each once, and in one list only.
    public private(set) var allow: [String]
    public private(set) var deny: [String]

    public init(others: Others = .open, allow: [String] = [], deny: [String] = []) {
        (self.others, self.allow, self.deny) = (others, Set(allow).sorted(), Set(deny).sorted())
    }

    public mutating func allow(_ bundles: [String]) {
        self = AppPolicy(others: others, allow: allow + bundles, deny: deny.filter { !bundles.contains($0) })
    }

    public mutating func deny(_ bundles: [String]) {
        self = AppPolicy(others: others, allow: allow.filter { !bundles.contains($0) }, deny: deny + bundles)
    }

    public mutating func clear(_ bundles: [String]) {
        self = AppPolicy(
            others: others, allow: allow.filter { !bundles.contains($0) }, deny: deny.filter { !bundles.contains($0) })
    }

    /// Those of some apps that it takes.
    func taken(of bundles: [String]) -> [String] {
        let named = Set(others == .open ? deny : allow)
        return bundles.filter { named.contains($0) == (others == .closed) }
    }

    /// Whether an app may have this name. Others are spelled in more than one way, of which Swift and PostgreSQL do not
    /// think alike, so a policy could not name them for sure.
    public static func isName(_ bundle: String) -> Bool {
        (1...longestName).contains(bundle.utf8.count) && bundle.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// Throws `Refused` where a list is too long, a name is none, or one stands in both.
    public func check() throws {
        guard allow.count <= AppPolicy.mostNames, deny.count <= AppPolicy.mostNames else {
            throw Refused(description: "allow and deny take \(AppPolicy.mostNames) names each")
        }
        for name in allow + deny {
            guard AppPolicy.isName(name) else {
                throw Refused(
                    description: "a bundle id has 1 to \(AppPolicy.longestName) characters of ASCII, and no blanks")
            }
        }
        if let both = allow.first(where: Set(deny).contains) {
            throw Refused(description: "\(both) stands in allow and in deny")
        }
        guard json.bytes.count <= AppPolicy.longest else {
            throw Refused(description: "the policy takes \(AppPolicy.longest) bytes of JSON at most")
        }
    }

    public var json: JSONValue {
        [
            "default": .string(others.rawValue), "allow": JSONValue(strings: allow), "deny": JSONValue(strings: deny),
        ]
    }

    /// With the members of a PATCH in place of what was: a list replaces a list. Throws `Refused`.
    public func changed(by members: JSONObject) throws -> AppPolicy {
        var others = others
        if let word = members["default"] {
            guard let named = word.string.flatMap({ Others(rawValue: $0) }) else {
                throw Refused(description: "default must be open or closed")
            }
            others = named
        }
        func list(_ name: String, _ before: [String]) throws -> [String] {
            guard let value = members[name] else { return before }
            guard let names = value.strings else {
                throw Refused(description: "\(name) must be an array of bundle ids")
            }
            return names
        }
        let policy = AppPolicy(others: others, allow: try list("allow", allow), deny: try list("deny", deny))
        try policy.check()
        return policy
    }
}
