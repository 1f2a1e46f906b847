/// `pa_signature_type`: which factors made a signature (protocols/operations.md, 1.2 and 4.8). Three at once exist in
/// the vectors alone.
public enum FactorType: String, Sendable, CaseIterable {
    case possession
    case knowledge
    case biometry
    case possessionKnowledge = "possession_knowledge"
    case possessionBiometry = "possession_biometry"

    /// In either case, as old SDKs write it in capitals; `nil` for everything else.
    public init?(parsing text: String) {
        guard text.utf8.count <= 32, text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        self.init(rawValue: text.lowercased())
    }

    /// In the order in which a signature has its components.
    public var factors: [Factor] {
        switch self {
        case .possession: [.possession]
        case .knowledge: [.knowledge]
        case .biometry: [.biometry]
        case .possessionKnowledge: [.possession, .knowledge]
        case .possessionBiometry: [.possession, .biometry]
        }
    }

    public var needsTwo: Bool { factors.count == 2 }

    /// Whether a wrong signature of this type counts against the registration: possession alone does not (4.8).
    public var isCounted: Bool { self != .possession }
}
