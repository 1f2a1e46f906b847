extension MailStrings {
    static let english = MailStrings(
        account: "Account", what: "What", when: "When", open: "Open",
        notYou: "Was that you? Then there is nothing to do.",
        cut: "That was not me", footer: { "This message was sent by \($0). Nobody reads answers to it." },
        reset: Letter(
            "Set a new password",
            "Somebody asked for a new password for your account. With this link you can set one.",
            button: "Set a new password",
            after:
                """
                The link is good for 15 minutes, and once. If you did not ask for it, there is nothing to do: without \
                the link nothing changes.
                """),
        invite: Letter(
            "Your account is ready", "An account has been made for you. With this link you set its password.",
            button: "Set the password", after: "The link is good for seven days, and once."),
        verify: Letter(
            "Is this your address?", "Somebody has named this address as theirs. Please confirm that it is yours.",
            button: "Confirm the address",
            after: "The link is good for one day, and once. If it was not you, there is nothing to do."),
        device: Letter(
            "A new phone is connected", "An app on a phone has been connected with your account.",
            subjectLabel: "Phone", after: end),
        browser: Letter(
            "A login in a new browser",
            "Somebody has logged in to your account in a browser from which it was not used before.",
            subjectLabel: "Browser", after: end),
        idle: Letter(
            "An app on your phone will be disconnected",
            """
            An app on a phone is connected with your account, and has not been used for a long time. At the time below \
            it is disconnected. Open the app before if you want to keep it.
            """, button: "Your phones", subjectLabel: "Phone",
            after: "If you do not need it any more, there is nothing to do."),
        newFactor: Letter(
            "A new way to log in", "From now on somebody can log in to your account with this.",
            subjectLabel: "New", after: end),
        factorGone: Letter(
            "A way to log in was removed", "Nobody can log in to your account with this any more.",
            subjectLabel: "Removed", after: end),
        password: Letter(
            "Your password has been changed", "The password of your account has been changed.", after: end),
        address: Letter(
            "Your e-mail address has been changed",
            "Your account has another e-mail address now. Messages no longer come here.",
            subjectLabel: "New address", after: end),
        phone: "A phone", passkey: "A passkey", wallet: "A wallet’s passkey",
        codes: "Recovery codes", institution: "The login of an institution")

    private static let end = "The link shows first what it ends. It is good for seven days, and once."
}
