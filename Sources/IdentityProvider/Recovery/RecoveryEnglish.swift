extension RecoveryStrings {
    static let english = RecoveryStrings(
        forgotten: "Forgotten your password?", toLogin: "Log in", toAccount: "Your account",
        askAgain: "Ask for a new link", or: "or",
        ask: Task(
            title: "Forgotten password",
            lead: "Please enter your username or your e-mail address. You will get a link to set a new password.",
            submit: "Send the link"),
        name: "Username or e-mail address",
        asked: .init(
            title: "Please look into your mailbox",
            text:
                """
                If there is an account of this name with an e-mail address, a link is on its way there. It is good \
                for 15 minutes.
                """),
        reset: Task(
            title: "Set a new password", lead: "This ends every session in browsers, and what the old password began:",
            submit: "Set the password"),
        invite: Task(title: "Welcome", lead: "Please choose a password for your account:", submit: "Set the password"),
        set: .init(title: "Your password is set", text: "Now you can log in with it."),
        over: .init(
            title: "This link is no longer valid",
            text: "It was used already, is too old, or another one came after it."),
        email: Task(
            title: "Your e-mail address",
            lead: "We will send a link there. The address becomes yours when you have followed it.",
            submit: "Send the link"),
        emailLabel: "E-mail address", notAnAddress: "This is no e-mail address. Please check it.",
        sent: .init(
            title: "Please look into your mailbox",
            text: "A link is on its way to this address. It is good for one day. Until then nothing changes."),
        verify: Task(
            title: "Is this your address?", lead: "Messages about this account will go there.",
            submit: "Yes, it is mine"),
        verified: .init(title: "Your address is confirmed", text: "Messages about your account go there from now on."),
        addresses: .init(
            title: "E-mail address", lead: "Messages about your account go here, and links when you forget a password.",
            effect: "With a link you confirm that you read there.",
            none: "Your account has no e-mail address. Without one you cannot set a forgotten password anew.",
            button: "Send a link"),
        isVerified: "confirmed", isUnverified: "not confirmed", changeAddress: "Use another address",
        cutDevice: Task(
            title: "Disconnect the phone?",
            lead: "This ends everything that the new phone may do. Please change your password afterwards.",
            submit: "Disconnect it"),
        cutBrowser: Task(title: "Was somebody else here?", lead: all, submit: "End everything"),
        cutFactor: Task(
            title: "Was somebody else here?", lead: "This removes the new way to log in. " + all,
            submit: "End everything"),
        cutRemoval: Task(
            title: "Was somebody else here?",
            lead: "The way to log in that was removed does not come back by itself. " + all,
            submit: "End everything"),
        cutPassword: Task(title: "Was somebody else here?", lead: all, submit: "End everything"),
        cutAddress: Task(
            title: "Was somebody else here?", lead: "This address becomes yours again. " + all,
            submit: "End everything"),
        cutDeviceDone: .init(
            title: "The phone is disconnected",
            text: "Everything it could do has ended. Somebody may know your password: please change it now."),
        cutSuspended: .init(
            title: "The account is closed",
            text: """
                Everything has ended. The account asks for a second factor and has none any more, so nobody gets \
                in. Please ask the people who run this server to open it again.
                """),
        cutDone: .init(
            title: "Everything has ended",
            text:
                """
                The old password is worth nothing any more. A link to set a new one is on its way to your e-mail \
                address.
                """),
        button: "Use a recovery code",
        code: Task(
            title: "Recovery code",
            lead: "Is your phone or your key not at hand? Then enter one of the codes that you have kept.",
            submit: "Log in"),
        codeLabel: "Code", codeHint: "Twelve letters and digits. Each code works once.",
        wrong: "This code is not correct, or it was used. Please check it, or take the next one.",
        codes: Task(
            title: "Recovery codes",
            lead:
                """
                With these codes you log in when your phone or your key is lost. We show them once. New ones make the \
                old ones worthless.
                """, submit: "Make ten codes"),
        made: .init(
            title: "Your recovery codes",
            text: "Please print them or write them down now, and keep them safe. Nobody can show them again."),
        codesSection: .init(
            title: "Recovery codes", lead: "With these you log in when your phone or your key is lost.",
            effect: "Removing makes them worthless.", none: "You have no recovery codes yet.", button: "Remove"),
        removed: "The recovery codes are removed.", left: { "Codes that are left: \($0)" })

    private static let all = """
        Everything that was opened with your account ends: browsers, phones and applications. The password is worth \
        nothing any more, and you get a link to set a new one.
        """
}
