/// A protocol version that this room can compute (protocols/operations.md, 3, and protocols/powerauth4.md).
public enum PowerAuthVersion: String, Comparable, Sendable, CaseIterable {
    case v30 = "3.0"
    case v31 = "3.1"
    case v32 = "3.2"
    case v33 = "3.3"
    case v40 = "4.0"

    /// What envelopes of protocol 3 may have (decisions.md, operations 1).
    public static let ofEnvelopes: Set<PowerAuthVersion> = [.v33]
    /// What signatures of requests may have. Not 3.0: its eight digits could be guessed where no failures are counted.
    public static let ofSignatures: Set<PowerAuthVersion> = [.v31, .v32, .v33]
    /// What token headers may have: watches send old ones.
    public static let ofTokens: Set<PowerAuthVersion> = [.v30, .v31, .v32, .v33]
    /// What everything of a registration of protocol 4 has.
    public static let ofProtocol4: Set<PowerAuthVersion> = [.v40]

    public var isProtocol4: Bool { self >= .v40 }

    public static func < (left: PowerAuthVersion, right: PowerAuthVersion) -> Bool { left.rawValue < right.rawValue }
}
