/// Halves of apps, of logins in a browser, and of what a person sets up.
extension Reach {
    static func ofAuthSession(_ event: EndingEvent) -> Reach {
        switch event {
        case .passwordChanged, .passwordReset: ends("403 access_denied")
        case .accountResumed: ends("400 invalid_session")
        case .accountSuspended, .accountDeleted: ends("403 access_denied")
        case .factorRemoved: ends("400 authorization_pending")
        case .versionRefused, .epochBumped: ends("401 invalid_token")
        case .sessionEnded: noSession
        case .consentWithdrawn, .clientDeleted, .clientRekeyed, .scopesNarrowed, .redirectsNarrowed: noClient
        case .serviceSuspended: noService
        }
    }

    static func ofAppCode(_ event: EndingEvent) -> Reach {
        switch event {
        case .passwordChanged, .passwordReset, .accountSuspended, .accountResumed, .accountDeleted, .versionRefused,
            .epochBumped:
            ends("400 invalid_grant")
        case .factorRemoved: noFactor
        case .sessionEnded: noSession
        case .consentWithdrawn, .clientDeleted, .clientRekeyed, .scopesNarrowed, .redirectsNarrowed: noClient
        case .serviceSuspended: noService
        }
    }

    static func ofAssertion(_ event: EndingEvent) -> Reach {
        switch event {
        case .passwordChanged, .passwordReset, .accountSuspended, .accountResumed, .accountDeleted, .versionRefused,
            .epochBumped:
            ends("400 invalid_grant")
        case .factorRemoved: noFactor
        case .sessionEnded: noSession
        case .consentWithdrawn, .clientDeleted, .clientRekeyed, .scopesNarrowed, .redirectsNarrowed: noClient
        case .serviceSuspended: suspendedLater
        }
    }

    /// By something that a person holds, before anybody is known.
    static func ofLogin(_ event: EndingEvent) -> Reach {
        switch event {
        case .passwordChanged, .passwordReset: noPassword
        case .accountResumed: noLogin
        case .accountSuspended: ends("403")
        // The page asks again, and goes on asking.
        case .accountDeleted, .factorRemoved: ends("200")
        case .sessionEnded: noSession
        case .consentWithdrawn, .clientDeleted, .clientRekeyed, .scopesNarrowed, .redirectsNarrowed: noClient
        case .versionRefused: noApp
        case .serviceSuspended: lives(because: "as the server's own factor it is no service of the federation")
        case .epochBumped: nothingGiven
        }
    }

    /// By a wallet that has answered, before its person says that it is theirs. What it answered hangs from its
    /// session; a link between a page and a wallet, of the same table, joins two of these, which are read anew where
    /// messages go through.
    static func ofWalletCode(_ event: EndingEvent) -> Reach {
        switch event {
        case .passwordChanged, .passwordReset: noPassword
        case .accountResumed: noLogin
        case .accountSuspended, .epochBumped: ends("403")
        // The page says what there is now: a wallet that is linked with nobody, or none.
        case .accountDeleted, .factorRemoved: ends("303 /login/wallet/wait")
        case .sessionEnded: noSession
        case .consentWithdrawn, .clientDeleted, .clientRekeyed, .scopesNarrowed, .redirectsNarrowed: noClient
        case .versionRefused: noApp
        case .serviceSuspended: lives(because: "as the server's own factor it is no service of the federation")
        }
    }

    /// Wherever somebody follows it.
    static func ofPasswordLink(_ event: EndingEvent) -> Reach {
        switch event {
        case .passwordChanged, .passwordReset, .accountSuspended, .accountResumed, .accountDeleted, .epochBumped:
            ends("404")
        case .sessionEnded: noSession
        case .factorRemoved: noFactor
        case .consentWithdrawn, .clientDeleted, .clientRekeyed, .scopesNarrowed, .redirectsNarrowed: noClient
        case .versionRefused: noApp
        case .serviceSuspended: noService
        }
    }

    static func ofStepUp(_ event: EndingEvent) -> Reach {
        switch event {
        case .passwordChanged, .passwordReset, .accountSuspended, .accountResumed, .sessionEnded, .epochBumped:
            ends("303 /account")
        case .accountDeleted: ends("404")
        case .factorRemoved: ends("200")
        case .consentWithdrawn, .clientDeleted, .clientRekeyed, .scopesNarrowed, .redirectsNarrowed: noClient
        case .versionRefused: noApp
        case .serviceSuspended: lives(because: "as the server's own factor it is no service of the federation")
        }
    }

    /// At the door for wallets, which no account stands behind.
    static func ofWalletLogin(_ event: EndingEvent) -> Reach {
        switch event {
        case .factorRemoved: ends("401")
        case .consentWithdrawn, .passwordChanged, .passwordReset, .accountSuspended, .accountResumed, .accountDeleted,
            .sessionEnded:
            lives(because: "a wallet is nobody's account here")
        case .clientDeleted, .clientRekeyed, .scopesNarrowed, .redirectsNarrowed: noClient
        case .versionRefused: noApp
        case .serviceSuspended: suspendedLater
        case .epochBumped: nothingGiven
        }
    }

    static func ofSetup(_ artefact: Artefact, _ event: EndingEvent) -> Reach {
        switch event {
        case .passwordChanged, .passwordReset, .accountSuspended, .accountResumed, .accountDeleted, .sessionEnded,
            .epochBumped:
            ends(artefact == .phoneSetup ? "404 not_found" : artefact == .approverSetup ? "400 ERR_ACTIVATION" : "403")
        case .factorRemoved: artefact == .walletLink ? ends("200") : noFactor
        case .consentWithdrawn, .clientDeleted, .clientRekeyed, .scopesNarrowed, .redirectsNarrowed: noClient
        case .versionRefused: noApp
        case .serviceSuspended: lives(because: "as the server's own factor it is no service of the federation")
        }
    }
}
