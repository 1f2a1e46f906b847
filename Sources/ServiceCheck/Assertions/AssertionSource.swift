import PandoClient

/// Where good assertions for the service come from.
public protocol AssertionSource: Sendable {
    /// As reports name it.
    var name: String { get }
    /// The issuer that the service has to trust.
    var issuer: String { get }
    /// A good one for the service, never shown to anybody.
    func assertion() async throws -> HeldAssertion
    /// One that is good at another service; `nil` where there is none.
    func assertionForAnother() async throws -> String?
    /// Signed by the issuer, and no assertions that may be taken: each is wrong in one thing.
    func spoilt() async throws -> [SpoiltAssertion]
    /// Security events that this source sends itself; `nil` where the federation does.
    func events() async throws -> [SentEvent]?
    /// Ends what is above all of its assertions, and has the service told.
    func revoke() async throws
    /// Ends what the check made, revoked or not.
    func end() async
}

/// An assertion and the key to which it is bound.
public struct HeldAssertion: Sendable {
    let text: String
    /// The `client_id` of the installation.
    let instance: String
    /// Shows the key to the service.
    let holder: KeyHolder
}

/// An assertion that must be refused.
public struct SpoiltAssertion: Sendable {
    /// A stable word.
    let id: String
    /// What is wrong, as it stands behind "an assertion".
    let what: String
    let text: String
}

/// A Security Event Token, and whether the service has to take it.
public struct SentEvent: Sendable {
    let id: String
    let what: String
    let text: String
    let isGood: Bool
}
