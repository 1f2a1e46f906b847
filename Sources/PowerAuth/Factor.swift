/// What a signature proves: having the phone, knowing the PIN, being its owner.
public enum Factor: String, Sendable, CaseIterable {
    case possession
    case knowledge
    case biometry
}
