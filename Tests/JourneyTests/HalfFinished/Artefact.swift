import Testing

/// What lives between two halves: begun by one request, finished by another. A table whose rows end by time or by an
/// answer is listed here, or in `StandingTable`; `LifetimeTableTests` reads the schema and fails for one that is in
/// neither.
enum Artefact: String, CaseIterable, Sendable, CustomTestStringConvertible {
    // Web clients.
    case pushedRequest = "pushed authorization request"
    case openRequest = "request at the consent page"
    case webCode = "authorization code"
    case deviceWaiting = "device that waits"
    case deviceApproved = "device that was approved"
    case refreshChild = "child of a refresh token, grace window"
    // Apps.
    case authSession = "auth_session"
    case appCode = "code of an app"
    case assertion = "assertion for a service"
    // Logins in a browser.
    case phoneLogin = "login by phone"
    case stepUp = "second factor under way"
    case approvalLogin = "login by approval"
    case passkeyLogin = "login by passkey"
    case walletCodeLogin = "login by a wallet's code"
    // What a person sets up.
    case phoneSetup = "phone that is set up"
    case approverSetup = "approving phone that is set up"
    case passkeySetup = "passkey that is set up"
    case walletLink = "wallet that is linked"
    // Wallets, which are nobody's account.
    case walletLogin = "login of a wallet"
    // What apps and services begin at built-in services.
    case appChallenge = "tiqr challenge of an app"
    case serviceChallenge = "tiqr challenge of a service"
    case appEnrollment = "tiqr enrollment of an app"
    case serviceEnrollment = "tiqr enrollment of a service"
    case appOperation = "operation of an app"
    case serviceOperation = "operation of a service"
    case appActivation = "activation code of an app"
    case serviceActivation = "activation code of a service"
    // Operators.
    case invitation = "invitation of a client"
    // What is to be told.
    case logout = "logout that a client is to hear of"
    // What a person follows.
    case passwordLink = "link that sets a password"

    var testDescription: String { rawValue }

    /// Where its first half is written down. An `auth_session` is signed and in no table: of it `one_time` knows that
    /// it was used.
    var tables: [String] {
        switch self {
        case .pushedRequest, .openRequest: ["authorization_request"]
        case .webCode, .appCode, .assertion: ["token"]
        case .deviceWaiting, .deviceApproved: ["device_authorization"]
        case .refreshChild: ["family"]
        case .authSession: ["one_time"]
        case .phoneLogin, .stepUp: ["login_attempt", "tiqr_authentication"]
        case .approvalLogin: ["login_attempt", "phone_operation"]
        case .passkeyLogin: ["login_attempt", "webauthn_challenge"]
        case .walletCodeLogin: ["login_attempt", "signalling_link"]
        case .phoneSetup: ["login_attempt", "tiqr_enrollment"]
        case .approverSetup: ["login_attempt", "phone_registration"]
        case .passkeySetup, .walletLink, .walletLogin: ["webauthn_challenge"]
        case .appChallenge, .serviceChallenge: ["tiqr_authentication"]
        case .appEnrollment, .serviceEnrollment: ["tiqr_enrollment"]
        case .appOperation, .serviceOperation: ["phone_operation"]
        case .appActivation, .serviceActivation: ["phone_registration"]
        case .invitation: ["invitation"]
        case .logout: ["logout_delivery"]
        case .passwordLink: ["account_link"]
        }
    }

    /// Its second half begins with a login, which leaves a session whatever comes of it.
    var logsIn: Bool { self == .pushedRequest || self == .deviceWaiting }
}
