import Pages

extension PasskeyStrings {
    static let english = PasskeyStrings(
        button: "Log in with a passkey", title: "Log in with a passkey",
        lead: "Your device asks you to unlock it, by fingerprint, face or PIN. These stay on your device.",
        submit: "Use a passkey",
        noScript: "Passkeys need JavaScript, which is off in this browser. Please log in another way.",
        noScriptAlone:
            """
            Passkeys need JavaScript, which is off in this browser, and your account has no other way to log in here. \
            Please switch it on, or use another browser or device. If you can do neither, please ask the support of \
            your institution: it removes the passkey, and you set up a phone or a new passkey.
            """,
        notes: .init(
            unsupported: "This browser cannot use passkeys. Please use another one, or log in another way.",
            cancelled:
                "No passkey was used: that was cancelled, or took too long. Please try again, or log in another way.",
            exists: "This device has a passkey for your account already. You can use that one.",
            failed: "That did not work. Please check your connection and try again."
        ),
        problems: .init(
            over: "That took too long, or was answered already. Please try again.",
            refused: "This passkey could not be checked. Please try again, or log in another way.",
            unknown:
                """
                This passkey is not known here any more. Please use another one, or log in another way, and delete \
                it on your device.
                """,
            copied:
                """
                There may be a copy of this passkey, so it was refused. Please log in another way, remove it in your \
                account, and set up a new one.
                """,
            another: "This passkey is another person’s. Please use one of your own account.",
            notAllowed:
                "This account may not log in. If you think that it should, please ask the support of your institution.",
            tooMany: "There are many passkeys already. Please remove one of them in your account first.",
            taken: "This passkey is registered or linked already.",
            ended: "The login that this was for has ended. Please log in again."
        ),
        aside: .init(
            noScript:
                """
                Passkeys need JavaScript, which is off in this browser. Please switch it on, or use another browser or \
                device.
                """,
            unsupported: "This browser cannot use passkeys. Please use another one.",
            cancelled: "No passkey was used: that was cancelled, or took too long. Please try again.",
            refused: "This passkey could not be checked. Please try again.",
            unknown: "This passkey is not known here. Please register it with your wallet first.",
            copied: "There may be a copy of this passkey, so it was refused. Please set up a new one."
        ),
        lost: "Have you lost your passkey? The support of your institution can remove it. Then you set up a new one.",
        none: .init(title: "No passkey is set up", text: "Your account has no passkey yet."),
        setUp: "Set up a passkey",
        setup: .init(
            title: "Set up a passkey",
            lead:
                """
                Then you can log in with your fingerprint, your face or the PIN of your device, without a password. \
                No false page can take it from you.
                """,
            submit: "Set up"
        ),
        needed: "This account asks for a login with a passkey. Please set yours up now.", name: "Name (optional)",
        hint: "So that you recognise it, for example “my laptop”",
        instead: "Set up a phone instead", passkeyInstead: "Set up a passkey instead",
        offer: .init(
            title: "Log in with a passkey too?",
            lead: """
                You log in with a phone. A passkey is quicker: you unlock your device, and no code is scanned. \
                No false page can take it from you. Once you have one, you can remove the phone below.
                """,
            submit: "Set up a passkey"
        ),
        link: .init(
            title: "Link a wallet’s passkey",
            lead:
                "If your wallet has registered a passkey here, you can log in with that one too. Please show it once.",
            submit: "Use the wallet’s passkey"
        ),
        rename: .init(title: "Name this passkey", lead: "No application sees this name.", submit: "Save"),
        newName: "Name",
        section: .init(
            title: "Passkeys", lead: "With these passkeys you log in without a password.",
            effect:
                "Nobody can log in here any more with a passkey that you remove. Please delete it on your device too.",
            none: "No passkey is set up.", button: "Remove"
        ),
        kept: "Kept", oneDevice: "on one device", synced: "in your password manager", wallet: "Wallet",
        flagged: "perhaps copied",
        added: "Your passkey is set up. From now on you can log in with it.",
        addedByName:
            """
            Your passkey is set up. You can log in with it after your password: this device does not offer it by \
            itself.
            """,
        linked: "Your wallet’s passkey is linked. From now on you can log in with it.",
        renamed: "The passkey has its new name.",
        removed: "The passkey is removed. Nobody can log in here with it any more.",
        unlink: "Unlink",
        unlinked:
            """
            The wallet’s passkey is unlinked. Nobody can log in to your account with it any more; it goes on being \
            your wallet’s.
            """,
        last: "This is your last passkey, and your account needs one. Please set up another one first."
    )
}
