import Base

/// What became of an import, or would.
public struct ImportReport: Sendable {
    public enum Outcome: String, Sendable {
        case imported
        /// There with the same secret, for the same person; left as it is.
        case already
        /// There, but another's or with another secret; left as it is.
        case conflict
        /// The row cannot be imported.
        case refused
    }

    public struct Item: Sendable {
        /// In the table of users.
        public let line: Int
        public let userID: String?
        public let outcome: Outcome
        /// `nil` when all is well. Never tells a secret.
        public let reason: String?

        public var json: JSONValue {
            [
                "line": .integer(line), "userid": JSONValue(userID), "outcome": .string(outcome.rawValue),
                "reason": JSONValue(reason),
            ]
        }
    }

    /// One for each row that was asked for, in their order.
    public let items: [Item]
    /// Secrets of nobody in the table of users.
    public let unusedSecrets: Int

    public func count(_ outcome: Outcome) -> Int { items.count { $0.outcome == outcome } }

    public var problems: [Item] { items.filter { $0.outcome == .conflict || $0.outcome == .refused } }

    public var json: JSONObject {
        [
            "rows": .integer(items.count), "imported": .integer(count(.imported)), "already": .integer(count(.already)),
            "conflicts": .integer(count(.conflict)),
            "refused": .integer(count(.refused)), "unused_secrets": .integer(unusedSecrets),
            "items": .array(problems.map(\.json)),
        ]
    }
}
