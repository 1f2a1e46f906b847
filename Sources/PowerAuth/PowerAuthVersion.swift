/// A protocol version that this room can compute (protocols/operations.md, 3). 4.0 is none of them.
public enum PowerAuthVersion: String, Comparable, Sendable, CaseIterable {
    case v30 = "3.0"
    case v31 = "3.1"
    case v32 = "3.2"
    case v33 = "3.3"

    /// What envelopes may have (decisions.md, operations 1).
    public static let ofEnvelopes: Set<PowerAuthVersion> = [.v33]
    /// What signatures of requests may have. Not 3.0: its eight digits could be guessed where no failures are counted.
    public static let ofSignatures: Set<PowerAuthVersion> = [.v31, .v32, .v33]
    /// What token headers may have: watches send old ones.
    public static let ofTokens: Set<PowerAuthVersion> = [.v30, .v31, .v32, .v33]

    public static func < (left: PowerAuthVersion, right: PowerAuthVersion) -> Bool { left.rawValue < right.rawValue }
}
