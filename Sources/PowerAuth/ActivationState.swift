/// What a registration is, as the status blob has it (protocols/operations.md, 4.6).
public enum ActivationState: String, Sendable, CaseIterable {
    case created = "CREATED"
    case pendingCommit = "PENDING_COMMIT"
    case active = "ACTIVE"
    case blocked = "BLOCKED"
    case removed = "REMOVED"

    public var number: UInt8 {
        switch self {
        case .created: 1
        case .pendingCommit: 2
        case .active: 3
        case .blocked: 4
        case .removed: 5
        }
    }

    public init?(number: UInt8) {
        guard let state = Self.allCases.first(where: { $0.number == number }) else { return nil }
        self = state
    }
}
