import Pages

extension IdentityProviderStrings {
    static let english = IdentityProviderStrings(
        scopes: Scopes(
            openid: "An identifier for you", openidText: "so that you are recognised when you come back",
            profile: "Your name", email: "Your e-mail address",
            offline: "Access while you are away", offlineText: "until you withdraw it in your account",
            discovery: "Which services there are",
            discoveryText: "it looks for services of the federation in your name",
            otherText: "the permission of this name", none: "Only the fact that you are logged in"
        ),
        login: Login(
            title: "Log in", again: "The application would like to be sure that it is you. Please log in once more.",
            username: "Username", password: "Password", submit: "Log in",
            wrong: "The username or the password is not correct. Please check both and try again.",
            busy: "Very many people are logging in at the moment. Please try again in a few seconds.",
            expired: "This page was open for too long. Please log in again.",
            remembered: "As last time in this browser:",
            tooMany: { "There have been too many attempts. Please try again \($0)." }),
        consent: Consent(
            title: "Share your details with \(.name)?", receives: "This application will receive:",
            acts: "This application will act for you at:",
            withdrawal: "You can withdraw this at any time in your account.", allow: "Allow", deny: "Don’t allow"
        ),
        logout: Logout(
            title: "Log out?", asks: "\(.name) asks to log you out.",
            text: "This ends your session here, and in all applications that you have opened with it in this browser.",
            phones: "The apps on your phones stay connected.", submit: "Log out", stay: "Stay logged in",
            done: "You are logged out", shared: "On a shared computer, please also close the browser.",
            back: "Back to \(.name)", goOn: "Continue", again: "Log in again"
        ),
        account: Account(
            title: "Your account",
            phones: .init(
                title: "Apps on phones", lead: "The apps on these phones log you in to the services of the federation.",
                effect: "Disconnecting ends everything this phone may do, at once.",
                none: "No phone is connected. When you log in with an app of the federation, its phone appears here.",
                button: "Disconnect"
            ),
            applications: .init(
                title: "Applications", lead: "You have allowed these applications to receive your details.",
                effect: "Withdrawing ends this access at once. The next time, you will be asked again.",
                none: "You have not allowed anything to any application yet.", button: "Withdraw"
            ),
            sessions: .init(
                title: "Browsers", lead: "You are logged in with these browsers.",
                effect: "Ending logs you out there, and in the applications that were opened with it.",
                none: "You are not logged in with any browser.", button: "End"
            ), system: "System", app: "App", receives: "Receives", actsAt: "Acts for you at",
            thisBrowser: "this browser",
            disconnected: "The phone is disconnected. Everything it could do has ended.",
            withdrawn: "The permission is withdrawn. The access has ended.",
            passwordChanged: "Your password is changed.",
            notNow: "No, thank you"),
        password: Password(
            title: "Change password", current: "Current password", new: "New password",
            again: "New password, once more", submit: "Change password", wrong: "The current password is not correct.",
            different: "The two new passwords are not the same. Please type them again.",
            long: "This password is too long. Please choose a shorter one.",
            common: "This password is too easy to guess: many people use it. Please choose another one.",
            ofName:
                "This password is too easy to guess: it is made of your name or of ours. Please choose another one.",
            hint: { "At least \($0) characters. A whole sentence is easy to remember and hard to guess." },
            weak: { "This password is too easy to guess. Please choose one of at least \($0) characters." }),
        device: Device(
            title: "Connect a device", lead: "Please enter the code that your device shows.", code: "Code",
            hint: "For example BCDF-GHJK", submit: "Continue",
            unknown: "This code is not known, or it has expired. Please check it, or let the device show a new one.",
            confirm: "Allow \(.name) on your device?",
            compare: "Compare this code with the one on your device. Go on only if they are the same.",
            warning: "Did someone send you this code? Then do not allow it: that person would get your access.",
            allowed: "Your device is connected", allowedText: "You can close this page and go on with your device.",
            denied: "Nothing was allowed", deniedText: "The device gets no access. You can close this page."
        )
    )
}
