extension Strings {
    static let english = Strings(
        frame: Frame(
            motto: "One root, many trunks.", problem: "Problem:", loggedInAs: "Logged in as", startPage: "Start page",
            yourAccount: "Your account", website: "Website", policy: "Privacy policy", terms: "Terms of use",
            cancel: "Cancel", support: "Support", language: "Language"),
        wait: Wait(
            oneMinute: "in one minute", oneHour: "in one hour", minutes: { "in \($0) minutes" },
            hours: { "in \($0) hours" }),
        login: Login(
            to: "to continue to \(.name)", toAccount: "to continue to your account",
            withPassword: "Log in with your password", or: "or", withoutLevel: "Go on without a second factor"),
        account: Account(
            phone: "Phone", device: "Device", since: "Since", lastUsed: "Last used", usedFor: "Used for",
            unknownBrowser: "Unknown browser", browserOn: { "\($0) on \($1)" }, ended: "The session is ended.",
            undone: "This cannot be undone, only set up anew."),
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
