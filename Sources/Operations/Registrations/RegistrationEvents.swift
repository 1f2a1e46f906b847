import Base
import Database

/// What became of a registration, for those who asked to be told; `kind` is the event's name.
public struct RegistrationEvent: Sendable {
    public enum Kind: String, Sendable {
        case created = "registration.created"
        case exchanged = "registration.exchanged"
        case active = "registration.active"
        case blocked = "registration.blocked"
        case unblocked = "registration.unblocked"
        case removed = "registration.removed"
        case flags = "registration.flags"
        /// A wrong PIN, biometry, offline code or one-time password.
        case failedAttempt = "registration.failed_attempt"
    }

    public let kind: Kind
    /// As it is afterwards.
    public let registration: PhoneRegistration
}

/// Told of each change within its transaction, so that what is told and what happened are one.
public struct RegistrationEvents: Sendable {
    let tell: @Sendable (RegistrationEvent, any SQLExecutor) async throws -> Void

    public init(_ tell: @escaping @Sendable (RegistrationEvent, any SQLExecutor) async throws -> Void) {
        self.tell = tell
    }

    public static let none = RegistrationEvents { _, _ in }
}
