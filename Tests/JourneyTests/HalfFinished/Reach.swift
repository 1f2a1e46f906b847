/// Whether an event reaches what is half finished.
enum Reach: Sendable, Equatable {
    /// The second half fails, and so it says: status and code, or where a browser is led.
    case ends(String)
    /// The second half succeeds, and rightly so.
    case lives(because: String)

    /// The rule (docs/half-finished.md) pair by pair. Exhaustive: neither an artefact nor an event can be added without
    /// a word on each pair.
    static func of(_ artefact: Artefact, _ event: EndingEvent) -> Reach {
        switch artefact {
        case .pushedRequest: ofPushedRequest(event)
        case .openRequest: ofOpenRequest(event)
        case .webCode: ofWebCode(event)
        case .deviceWaiting: ofWaitingDevice(event)
        case .deviceApproved: ofApprovedDevice(event)
        case .refreshChild: ofRefreshChild(event)
        case .authSession: ofAuthSession(event)
        case .appCode: ofAppCode(event)
        case .assertion: ofAssertion(event)
        case .phoneLogin, .approvalLogin, .passkeyLogin: ofLogin(event)
        case .walletCodeLogin: ofWalletCode(event)
        case .stepUp: ofStepUp(event)
        case .phoneSetup, .approverSetup, .passkeySetup, .walletLink: ofSetup(artefact, event)
        case .appChallenge, .appEnrollment, .appOperation, .appActivation: ofApp(artefact, event)
        case .serviceChallenge, .serviceEnrollment, .serviceOperation, .serviceActivation: ofService(artefact, event)
        case .walletLogin: ofWalletLogin(event)
        case .invitation: ofInvitation(event)
        case .logout: ofLogout(event)
        case .passwordLink: ofPasswordLink(event)
        }
    }
}

/// Why an event does not reach a half: the reasons that are several pairs'.
extension Reach {
    static let noClient = lives(because: "no web client has a part in it")
    static let noConsent = lives(because: "nothing was agreed to yet: that comes with the second half")
    static let noLogin = lives(because: "nobody has logged in for it yet: whoever finishes it does so by then")
    static let noSession = lives(because: "it was begun in no browser session")
    static let noFactor = lives(because: "that factor has no part in it")
    static let noApp = lives(because: "no app has a part in it")
    static let noService = lives(because: "no service of the federation has a part in it")
    static let noRedirect = lives(because: "nothing is sent to a redirect URI")
    static let noPassword = lives(because: "no password has a part in it")
    static let ownPeople = lives(because: "it is the service's, about people of its own")
    static let newKey = lives(because: "the client is who it was, and shows its new key in the second half")
    static let lessScope = lives(because: "what the client may no longer ask for is left out of it")
    static let sameClient = lives(because: "the client is who it was, and asks what came of it with its new key")
    static let asIssued = lives(
        because: "what was issued keeps the scopes that it was issued with, until it is revoked (RFC 7592, 2.2)")
    static let asBegun = lives(
        because: "what was begun within the scopes of that time stays, until the client is deleted")
    static let suspendedLater = lives(
        because: "a suspended service gets nothing new, and keeps what it has until it is revoked")
    static let nothingGiven = lives(because: "nothing was given yet that an epoch could end")
}
