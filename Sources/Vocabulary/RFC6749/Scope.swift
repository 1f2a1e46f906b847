/// A set of scope tokens (RFC 6749, 3.3), in the order of first mention.
public struct Scope: Sendable, Equatable, CustomStringConvertible {
    public let names: [String]

    /// `nil` for characters that the grammar forbids. Words come apart by single blanks; more are forgiven.
    public init?(_ text: String) {
        let allowed = text.utf8.allSatisfy {
            $0 == 0x20 || $0 == 0x21 || (0x23...0x5B).contains($0) || (0x5D...0x7E).contains($0)
        }
        guard allowed else { return nil }
        self.init(names: text.split(separator: " ").map(String.init))
    }

    public init(names: [String]) {
        var seen: Set<String> = []
        self.names = names.filter { seen.insert($0).inserted }
    }

    public var isEmpty: Bool { names.isEmpty }
    public func contains(_ name: String) -> Bool { names.contains(name) }
    public func isSubset(of other: some Sequence<String>) -> Bool { Set(names).isSubset(of: Set(other)) }

    public var description: String { names.joined(separator: " ") }

    /// One spelling per set, for comparing and storing.
    public var sorted: String { names.sorted().joined(separator: " ") }
}
