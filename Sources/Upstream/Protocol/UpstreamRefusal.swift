/// Why somebody is not logged in by what a provider answered.
struct UpstreamRefusal: Error, Sendable, Equatable, CustomStringConvertible {
    /// What the person is told.
    enum Kind: String, Sendable, CaseIterable {
        /// The provider says no, or the person did.
        case declined
        /// What came from the provider is not as it must be.
        case invalid
        /// The provider does not answer.
        case unreachable
        /// The person logged in some time ago, and not now, as was asked.
        case stale
        /// Who came back is linked to another account, or may not be linked to this one.
        case taken, foreign
        /// Nobody is known here by that name, and the provider makes no accounts.
        case suspended
    }

    let kind: Kind
    /// Which check it was: a word for the log, never what was checked.
    let check: String

    var description: String { "\(kind.rawValue): \(check)" }

    static func invalid(_ check: String) -> UpstreamRefusal { UpstreamRefusal(kind: .invalid, check: check) }
    static func unreachable(_ check: String) -> UpstreamRefusal { UpstreamRefusal(kind: .unreachable, check: check) }
    static func declined(_ check: String) -> UpstreamRefusal { UpstreamRefusal(kind: .declined, check: check) }
    static let stale = UpstreamRefusal(kind: .stale, check: "auth_time")
    static let taken = UpstreamRefusal(kind: .taken, check: "linked to another account")
    static let foreign = UpstreamRefusal(kind: .foreign, check: "an account of another institution")
}
