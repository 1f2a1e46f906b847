/// Halves at built-in services: tiqr and operations.
extension Reach {
    /// As the phone hears that there is nothing to answer.
    private static func over(_ artefact: Artefact) -> Reach {
        switch artefact {
        case .appChallenge, .serviceChallenge: ends("200 203")
        case .appEnrollment, .serviceEnrollment: ends("200 101")
        case .appOperation, .serviceOperation: ends("400 OPERATION_ALREADY_CANCELED")
        default: ends("400 ERR_ACTIVATION")
        }
    }

    /// Begun by an app's token, which hangs from the app's version and from the person who logged in there.
    static func ofApp(_ artefact: Artefact, _ event: EndingEvent) -> Reach {
        switch event {
        case .passwordChanged, .passwordReset, .accountSuspended, .accountResumed, .accountDeleted, .versionRefused,
            .epochBumped:
            over(artefact)
        case .factorRemoved: noFactor
        case .sessionEnded: noSession
        case .consentWithdrawn, .clientDeleted, .clientRekeyed, .scopesNarrowed, .redirectsNarrowed: noClient
        case .serviceSuspended: suspendedLater
        }
    }

    /// Begun by a service that relies on this one, as a client.
    static func ofService(_ artefact: Artefact, _ event: EndingEvent) -> Reach {
        switch event {
        case .clientDeleted, .epochBumped: over(artefact)
        case .clientRekeyed: sameClient
        case .scopesNarrowed: asBegun
        case .redirectsNarrowed: noRedirect
        case .consentWithdrawn, .passwordChanged, .passwordReset, .accountSuspended, .accountResumed, .accountDeleted,
            .sessionEnded,
            .factorRemoved:
            ownPeople
        case .versionRefused: noApp
        case .serviceSuspended: suspendedLater
        }
    }
}
