extension Strings {
    static let english = Strings(
        frame: Frame(
            motto: "One root, many trunks.", problem: "Problem:", loggedInAs: "Logged in as", startPage: "Start page",
            yourAccount: "Your account",
            website: "Website", policy: "Privacy policy", terms: "Terms of use"
        ),
        wait: Wait(
            oneMinute: "in one minute", oneHour: "in one hour", minutes: { "in \($0) minutes" },
            hours: { "in \($0) hours" }),
        scopes: Scopes(
            openid: "An identifier for you", openidText: "so that you are recognised when you come back",
            profile: "Your name", email: "Your e-mail address",
            offline: "Access while you are away", offlineText: "until you withdraw it in your account",
            otherText: "the permission of this name", none: "Only the fact that you are logged in"
        ),
        login: Login(
            title: "Log in", to: "to continue to \(.name)", toAccount: "to continue to your account",
            again: "The application would like to be sure that it is you. Please log in once more.",
            username: "Username", password: "Password", submit: "Log in",
            withPassword: "Log in with your password", or: "or",
            wrong: "The username or the password is not correct. Please check both and try again.",
            busy: "Very many people are logging in at the moment. Please try again in a few seconds.",
            expired: "This page was open for too long. Please log in again.",
            tooMany: { "There have been too many attempts. Please try again \($0)." }
        ),
        consent: Consent(
            title: "Share your details with \(.name)?", receives: "This application will receive:",
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
            ),
            phone: "Phone", device: "Device", system: "System", app: "App", since: "Since", lastUsed: "Last used",
            receives: "Receives", usedFor: "Used for",
            thisBrowser: "this browser", unknownBrowser: "Unknown browser", browserOn: { "\($0) on \($1)" },
            disconnected: "The phone is disconnected. Everything it could do has ended.",
            withdrawn: "The permission is withdrawn. The access has ended.",
            ended: "The session is ended.", passwordChanged: "Your password is changed."
        ),
        password: Password(
            title: "Change password", current: "Current password", new: "New password",
            again: "New password, once more", submit: "Change password",
            cancel: "Cancel", wrong: "The current password is not correct.",
            different: "The two new passwords are not the same. Please type them again.",
            long: "This password is too long. Please choose a shorter one.",
            common: "This password is too easy to guess: many people use it. Please choose another one.",
            ofName:
                "This password is too easy to guess: it is made of your name or of ours. Please choose another one.",
            hint: { "At least \($0) characters. A whole sentence is easy to remember and hard to guess." },
            weak: { "This password is too easy to guess. Please choose one of at least \($0) characters." }
        ),
        device: Device(
            title: "Connect a device", lead: "Please enter the code that your device shows.", code: "Code",
            hint: "For example BCDF-GHJK", submit: "Continue",
            unknown: "This code is not known, or it has expired. Please check it, or let the device show a new one.",
            confirm: "Allow \(.name) on your device?",
            compare: "Compare this code with the one on your device. Go on only if they are the same.",
            warning: "Did someone send you this code? Then do not allow it: that person would get your access.",
            allowed: "Your device is connected", allowedText: "You can close this page and go on with your device.",
            denied: "Nothing was allowed", deniedText: "The device gets no access. You can close this page."
        ),
        phone: phoneStrings,
        problem: Problem(
            badRequest: .init(
                title: "This request cannot be answered",
                text: """
                    The application has asked for something that is not possible here. Please go back to it and \
                    start again. If \
                    that does not help, tell its support what stands below.
                    """
            ),
            expired: .init(
                title: "This took too long",
                text: "The page is no longer valid. Please go back to the application and start again."),
            forbidden: .init(
                title: "This is not permitted",
                text:
                    """
                    Your account may not do this. If you think that it should, please ask the support of your \
                    institution.
                    """
            ),
            unavailable: .init(title: "Not available at the moment", text: "Please try again in a few minutes."),
            notFound: .init(
                title: "There is no such page", text: "Please check the address, or go back to where you came from."),
            failed: .init(
                title: "Something went wrong",
                text:
                    """
                    The fault is on our side. Please try again. If that does not help, tell the support of your \
                    institution what stands below.
                    """
            ),
            tooMany: "Too many requests", forSupport: "For support", tooManyText: { "Please try again \($0)." }
        )
    )

    private static let phoneStrings = Phone(
        open: "Open the app",
        elsewhere: "Show this page on another screen, for example a computer’s, and scan this code with the app.",
        pushed: "Your phone has been asked. Confirm there, or scan the code.",
        waiting: "Waiting for your phone. Then this page goes on by itself.", asked: "Asked now:",
        others: "Use another phone", otherKind: "Use another kind of app", again: "Show a new code",
        restart: "Start again", setUp: "Set up a phone", blocked: "blocked",
        endings: .init(
            expired: .init(title: "The code has expired", text: "Have a new one shown, and scan that."),
            failed: .init(
                title: "There were too many wrong answers",
                text: "Please try again with a new code and the PIN of this account."),
            cancelled: .init(title: "This was cancelled", text: "Nothing has been changed. You can start again."),
            gone: .init(
                title: "This login is over",
                text: "It was completed already, took too long, or began in another browser."),
            wrongPhone: .init(
                title: "This was another person’s phone",
                text: "Please use a phone that you have set up for your own account."),
            noPhone: .init(
                title: "No phone is set up", text: "Your account has no phone yet with which you can log in."),
            refused: .init(
                title: "This login is not possible",
                text:
                    """
                    The phone was removed or its account may not log in. If you think that it should, please ask the \
                    support of your institution.
                    """
            ),
            tooMany: .init(
                title: "There are many phones already", text: "Please remove one of them in your account first."),
            blockedTitle: "This phone is blocked",
            blockedForGood: "Please use another phone, or ask the support of your institution.",
            blocked: { "There were too many wrong answers. Please try again \($0), or use another phone." }
        ),
        added: "Your phone is set up. From now on you can log in with it.",
        removed: "The phone is removed. Nobody can log in with it any more.",
        kept: "This is your last phone, and your account needs one. Please set up another one first."
    )
}
