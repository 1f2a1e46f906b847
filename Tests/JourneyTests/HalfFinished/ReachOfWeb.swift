/// Halves of web clients.
extension Reach {
    static func ofPushedRequest(_ event: EndingEvent) -> Reach {
        switch event {
        case .consentWithdrawn: noConsent
        case .passwordChanged, .passwordReset, .accountResumed, .sessionEnded: noLogin
        case .accountSuspended, .accountDeleted: ends("200 login")
        case .clientDeleted, .redirectsNarrowed: ends("400")
        case .clientRekeyed: newKey
        case .scopesNarrowed: lessScope
        case .factorRemoved: noFactor
        case .versionRefused: noApp
        case .serviceSuspended: ends("invalid_target")
        case .epochBumped: nothingGiven
        }
    }

    static func ofOpenRequest(_ event: EndingEvent) -> Reach {
        switch event {
        case .consentWithdrawn: noConsent
        // The form was the session's.
        case .passwordChanged, .passwordReset, .accountSuspended, .accountResumed, .accountDeleted, .sessionEnded,
            .epochBumped:
            ends("403")
        case .clientDeleted, .redirectsNarrowed: ends("400")
        case .clientRekeyed: newKey
        case .scopesNarrowed: lessScope
        case .factorRemoved: noFactor
        case .versionRefused: noApp
        case .serviceSuspended: ends("invalid_target")
        }
    }

    static func ofWebCode(_ event: EndingEvent) -> Reach {
        switch event {
        case .consentWithdrawn, .passwordChanged, .passwordReset, .accountSuspended, .accountResumed, .accountDeleted,
            .sessionEnded,
            .epochBumped:
            ends("400 invalid_grant")
        case .clientDeleted: ends("401 invalid_client")
        case .clientRekeyed: newKey
        case .scopesNarrowed, .redirectsNarrowed: ends("400 invalid_grant")
        case .factorRemoved: noFactor
        case .versionRefused: noApp
        case .serviceSuspended: ends("400 invalid_target")
        }
    }

    static func ofWaitingDevice(_ event: EndingEvent) -> Reach {
        switch event {
        case .consentWithdrawn: noConsent
        case .passwordChanged, .passwordReset, .accountResumed, .sessionEnded: noLogin
        case .accountSuspended, .accountDeleted, .scopesNarrowed: ends("400 authorization_pending")
        case .clientDeleted: ends("401 invalid_client")
        case .clientRekeyed: newKey
        case .redirectsNarrowed: noRedirect
        case .factorRemoved: noFactor
        case .versionRefused: noApp
        case .serviceSuspended: noService
        case .epochBumped: nothingGiven
        }
    }

    static func ofApprovedDevice(_ event: EndingEvent) -> Reach {
        switch event {
        case .consentWithdrawn, .passwordChanged, .passwordReset, .accountSuspended, .accountResumed, .accountDeleted,
            .epochBumped:
            ends("400 invalid_grant")
        case .sessionEnded: lives(because: "a device outlives the browser in which it was approved")
        case .clientDeleted: ends("401 invalid_client")
        case .clientRekeyed: newKey
        case .scopesNarrowed: ends("400 invalid_grant")
        case .redirectsNarrowed: noRedirect
        case .factorRemoved: noFactor
        case .versionRefused: noApp
        case .serviceSuspended: noService
        }
    }

    static func ofRefreshChild(_ event: EndingEvent) -> Reach {
        switch event {
        case .consentWithdrawn, .passwordChanged, .passwordReset, .accountSuspended, .accountResumed, .accountDeleted,
            .sessionEnded,
            .epochBumped:
            ends("400 invalid_grant")
        case .clientDeleted: ends("401 invalid_client")
        case .clientRekeyed: newKey
        case .scopesNarrowed: asIssued
        case .redirectsNarrowed: noRedirect
        case .factorRemoved: noFactor
        case .versionRefused: noApp
        case .serviceSuspended: noService
        }
    }

    /// An end that is told, whatever else ends.
    static func ofLogout(_ event: EndingEvent) -> Reach {
        switch event {
        case .clientDeleted: ends("told nobody")
        case .consentWithdrawn, .passwordChanged, .passwordReset, .accountSuspended, .accountResumed, .accountDeleted,
            .sessionEnded,
            .clientRekeyed, .scopesNarrowed, .redirectsNarrowed, .factorRemoved, .versionRefused, .serviceSuspended,
            .epochBumped:
            lives(because: "it tells of an end, which nothing takes back")
        }
    }

    static func ofInvitation(_ event: EndingEvent) -> Reach {
        switch event {
        case .epochBumped: ends("401 invalid_token")
        case .consentWithdrawn, .passwordChanged, .passwordReset, .accountSuspended, .accountResumed, .accountDeleted,
            .sessionEnded,
            .factorRemoved:
            lives(because: "an operator gave it, to no person")
        case .clientDeleted, .clientRekeyed, .scopesNarrowed, .redirectsNarrowed:
            lives(because: "there is no client yet")
        case .versionRefused: noApp
        case .serviceSuspended: noService
        }
    }
}
