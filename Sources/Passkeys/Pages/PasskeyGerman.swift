import Pages

extension PasskeyStrings {
    static let german = PasskeyStrings(
        button: "Mit einem Passkey anmelden", title: "Mit einem Passkey anmelden",
        lead: "Ihr Gerät fragt Sie nach Fingerabdruck, Gesicht oder PIN. Diese bleiben auf Ihrem Gerät.",
        submit: "Passkey benutzen",
        noScript:
            """
            Passkeys brauchen JavaScript, das in diesem Browser ausgeschaltet ist. Bitte melden Sie sich auf andere \
            Weise an.
            """,
        noScriptAlone:
            """
            Passkeys brauchen JavaScript, das in diesem Browser ausgeschaltet ist, und Ihr Konto hat hier keine andere \
            Anmeldung. Bitte schalten Sie es ein, oder benutzen Sie einen anderen Browser oder ein anderes Gerät. Geht \
            beides nicht, wenden Sie sich bitte an den Support Ihrer Institution: Er entfernt den Passkey, und Sie \
            richten ein Telefon oder einen neuen Passkey ein.
            """,
        notes: .init(
            unsupported:
                """
                Dieser Browser kann keine Passkeys benutzen. Bitte nehmen Sie einen anderen, oder melden Sie sich \
                auf andere Weise an.
                """,
            cancelled:
                """
                Es wurde kein Passkey benutzt: abgebrochen, oder es dauerte zu lange. Bitte versuchen Sie es erneut, \
                oder melden Sie sich auf andere Weise an.
                """,
            exists: "Dieses Gerät hat schon einen Passkey für Ihr Konto. Sie können diesen benutzen.",
            failed: "Das hat nicht geklappt. Bitte prüfen Sie Ihre Verbindung und versuchen Sie es erneut."
        ),
        problems: .init(
            over: "Das hat zu lange gedauert, oder es wurde schon geantwortet. Bitte versuchen Sie es erneut.",
            refused:
                """
                Dieser Passkey konnte nicht geprüft werden. Bitte versuchen Sie es erneut, oder melden Sie sich auf \
                andere Weise an.
                """,
            unknown: """
                Dieser Passkey ist hier nicht mehr bekannt. Bitte benutzen Sie einen anderen oder melden Sie sich \
                auf andere Weise an, \
                und löschen Sie ihn auf Ihrem Gerät.
                """,
            copied: """
                Von diesem Passkey gibt es vielleicht eine Kopie; er wurde deshalb abgelehnt. Bitte melden Sie sich \
                auf andere Weise an, \
                entfernen Sie ihn in Ihrem Konto und richten Sie einen neuen ein.
                """,
            another: "Dieser Passkey gehört einer anderen Person. Bitte benutzen Sie einen Ihres eigenen Kontos.",
            notAllowed:
                """
                Dieses Konto darf sich nicht anmelden. Wenn Sie meinen, dass es das dürfen sollte, wenden Sie sich \
                bitte an den Support Ihrer Institution.
                """,
            tooMany: "Es sind schon viele Passkeys. Bitte entfernen Sie zuerst einen davon in Ihrem Konto.",
            taken: "Dieser Passkey ist schon registriert oder verbunden.",
            ended: "Die Anmeldung, für die das war, ist beendet. Bitte melden Sie sich erneut an."
        ),
        aside: .init(
            noScript:
                """
                Passkeys brauchen JavaScript, das in diesem Browser ausgeschaltet ist. Bitte schalten Sie es ein, oder \
                benutzen Sie einen anderen Browser oder ein anderes Gerät.
                """,
            unsupported: "Dieser Browser kann keine Passkeys benutzen. Bitte nehmen Sie einen anderen.",
            cancelled:
                "Es wurde kein Passkey benutzt: abgebrochen, oder es dauerte zu lange. Bitte versuchen Sie es erneut.",
            refused: "Dieser Passkey konnte nicht geprüft werden. Bitte versuchen Sie es erneut.",
            unknown: "Dieser Passkey ist hier nicht bekannt. Bitte registrieren Sie ihn zuerst mit Ihrer Wallet.",
            copied:
                """
                Von diesem Passkey gibt es vielleicht eine Kopie; er wurde deshalb abgelehnt. Bitte richten Sie \
                einen neuen ein.
                """
        ),
        lost:
            """
            Haben Sie Ihren Passkey verloren? Der Support Ihrer Institution kann ihn entfernen. Danach richten Sie \
            einen neuen ein.
            """,
        none: .init(title: "Es ist kein Passkey eingerichtet", text: "Ihr Konto hat noch keinen Passkey."),
        setUp: "Passkey einrichten",
        setup: .init(
            title: "Passkey einrichten",
            lead:
                """
                Danach melden Sie sich mit Fingerabdruck, Gesicht oder der PIN Ihres Geräts an, ohne Passwort. Keine \
                falsche Seite kann ihn Ihnen entlocken.
                """,
            submit: "Einrichten"
        ),
        needed: "Dieses Konto verlangt eine Anmeldung mit einem Passkey. Bitte richten Sie Ihren jetzt ein.",
        name: "Name (freiwillig)",
        hint: "Damit Sie ihn wiedererkennen, zum Beispiel «mein Laptop»", instead: "Stattdessen ein Telefon einrichten",
        passkeyInstead: "Stattdessen einen Passkey einrichten",
        offer: .init(
            title: "Auch mit einem Passkey anmelden?",
            lead: """
                Sie melden sich mit einem Telefon an. Ein Passkey ist schneller: Sie entsperren Ihr Gerät und \
                scannen keinen Code. Keine falsche Seite kann ihn Ihnen nehmen. Haben Sie einen, können Sie das \
                Telefon weiter unten entfernen.
                """,
            submit: "Passkey einrichten"
        ),
        link: .init(
            title: "Passkey einer Wallet verbinden",
            lead:
                """
                Hat Ihre Wallet hier einen Passkey registriert, können Sie sich auch mit diesem anmelden. Bitte \
                zeigen Sie ihn einmal.
                """,
            submit: "Passkey der Wallet benutzen"
        ),
        rename: .init(title: "Passkey benennen", lead: "Keine Anwendung sieht diesen Namen.", submit: "Speichern"),
        newName: "Name",
        section: .init(
            title: "Passkeys", lead: "Mit diesen Passkeys melden Sie sich ohne Passwort an.",
            effect:
                """
                Mit einem entfernten Passkey kann sich hier niemand mehr anmelden. Bitte löschen Sie ihn auch auf \
                Ihrem Gerät.
                """,
            none: "Es ist kein Passkey eingerichtet.", button: "Entfernen"
        ),
        kept: "Aufbewahrt", oneDevice: "auf einem Gerät", synced: "in Ihrem Passwortmanager", wallet: "Wallet",
        flagged: "vielleicht kopiert",
        added: "Ihr Passkey ist eingerichtet. Sie können sich ab jetzt damit anmelden.",
        addedByName:
            """
            Ihr Passkey ist eingerichtet. Sie können sich nach Ihrem Passwort damit anmelden: Dieses Gerät bietet \
            ihn nicht von selbst an.
            """,
        linked: "Der Passkey Ihrer Wallet ist verbunden. Sie können sich ab jetzt damit anmelden.",
        renamed: "Der Passkey hat seinen neuen Namen.",
        removed: "Der Passkey ist entfernt. Niemand kann sich hier mehr damit anmelden.",
        unlink: "Trennen",
        unlinked:
            """
            Der Passkey der Wallet ist getrennt. Niemand kann sich mehr damit in Ihrem Konto anmelden; Ihrer Wallet \
            bleibt er.
            """,
        last: "Dies ist Ihr letzter Passkey, und Ihr Konto braucht einen. Bitte richten Sie zuerst einen anderen ein."
    )
}
