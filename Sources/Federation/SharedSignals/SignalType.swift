/// Event types that a stream may get (OpenID Shared Signals Framework 1.0, CAEP 1.0, RISC 1.0; docs/shared-signals.md).
public enum SignalType: String, Sendable, CaseIterable {
    case sessionRevoked = "https://schemas.openid.net/secevent/caep/event-type/session-revoked"
    case credentialChange = "https://schemas.openid.net/secevent/caep/event-type/credential-change"
    case accountDisabled = "https://schemas.openid.net/secevent/risc/event-type/account-disabled"
    case accountEnabled = "https://schemas.openid.net/secevent/risc/event-type/account-enabled"
    case accountPurged = "https://schemas.openid.net/secevent/risc/event-type/account-purged"
    /// What says in our own words what the others do not say, for who keeps lineages or obeys policies.
    case moved = "urn:pando:event:moved"
    case policy = "urn:pando:event:policy"
    /// About the stream itself: it comes whether or not it is asked for.
    case verification = "https://schemas.openid.net/secevent/ssf/event-type/verification"
    case streamUpdated = "https://schemas.openid.net/secevent/ssf/event-type/stream-updated"

    /// `events_supported`.
    public static let supported = allCases.filter { $0 != .verification && $0 != .streamUpdated }
    /// What a stream gets whose receiver names none.
    static let usual = supported.filter { $0 != .moved && $0 != .policy }

    /// `events_delivered` for these `events_requested`: unknown ones are passed over (8.1.1).
    static func delivered(_ requested: [String]?) -> [SignalType] {
        guard let requested else { return usual }
        return supported.filter { requested.contains($0.rawValue) }
    }
}
