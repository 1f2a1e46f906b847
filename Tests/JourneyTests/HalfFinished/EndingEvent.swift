import Testing

/// What may happen between two halves.
enum EndingEvent: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case consentWithdrawn = "consent withdrawn"
    case passwordChanged = "password changed by the person, in another browser"
    case passwordReset = "password set by an operator"
    case accountSuspended = "account suspended"
    case accountResumed = "account suspended and resumed"
    case accountDeleted = "account deleted"
    case sessionEnded = "browser session ended"
    case clientDeleted = "client deleted"
    case clientRekeyed = "client re-keyed"
    case scopesNarrowed = "client loses scopes"
    case redirectsNarrowed = "client loses its redirect URI"
    case factorRemoved = "factor removed"
    case versionRefused = "app version refused"
    case serviceSuspended = "service suspended"
    case epochBumped = "epoch bumped"

    var testDescription: String { rawValue }
}
