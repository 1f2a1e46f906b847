import Pages

extension UpstreamStrings {
    static let german = UpstreamStrings(
        button: "Mit Ihrer Institution anmelden",
        find: .init(
            title: "Ihre Institution finden",
            lead:
                """
                Sie melden sich dort an, womit Sie sich dort immer anmelden. Ihr Passwort erfahren wir nicht.
                """,
            submit: "Suchen"
        ),
        label: "Name oder Domain Ihrer Institution",
        hint: "Zum Beispiel «Universität Beispiel» oder «example.org»",
        choices: "Institutionen",
        none:
            """
            Keine Institution gefunden. Bitte versuchen Sie einen anderen Namen, oder melden Sie sich anders \
            an.
            """,
        more: "Es gibt weitere. Bitte geben Sie mehr vom Namen ein.",
        other: "oder eine andere Institution",
        back: "Anders anmelden", again: "Erneut versuchen",
        problems: .init(
            title: "Sie sind nicht angemeldet",
            declined: "Ihre Institution hat Sie nicht angemeldet, oder Sie haben dort abgebrochen.",
            invalid:
                """
                Die Antwort Ihrer Institution konnte nicht geprüft werden, darum wurden Sie nicht angemeldet. Bitte \
                versuchen Sie es erneut. Hält es an, melden Sie es dem Support Ihrer Institution.
                """,
            unreachable:
                """
                Die Anmeldung Ihrer Institution antwortet zurzeit nicht. Bitte versuchen Sie es in einer Minute \
                erneut, oder melden Sie sich anders an.
                """,
            stale:
                """
                Ihre Institution hat Sie nicht erneut anmelden lassen, was hier nötig ist. Bitte melden Sie sich \
                dort ab, und versuchen Sie es erneut.
                """,
            taken: "Wer Sie bei dieser Institution sind, ist schon mit einem anderen Konto verknüpft.",
            foreign:
                """
                Ihr Konto gehört zu einer anderen Institution und lässt sich nicht mit dieser verknüpfen.
                """,
            suspended:
                """
                Dieses Konto darf sich nicht anmelden. Wenn es das sollte, fragen Sie bitte den Support Ihrer \
                Institution.
                """
        ),
        unknown: .init(
            title: "Sie sind neu hier",
            lead:
                """
                Ihre Institution hat gesagt, wer Sie sind, und damit ist hier noch kein Konto verknüpft. Wenn \
                Sie eines haben, melden Sie sich einmal damit an. Danach genügt Ihre Institution.
                """,
            submit: "Mit meinem Konto anmelden"
        ),
        link: .init(
            title: "Institution verknüpfen",
            lead: "Sind Sie das? Danach melden Sie sich mit Ihrer Institution an.",
            submit: "Ja, verknüpfen"
        ),
        there: "Bei Ihrer Institution:", here: "Ihr Konto hier:", without: "Ohne weiter",
        section: .init(
            title: "Institutionen",
            lead: "Mit diesen Institutionen melden Sie sich ohne Passwort dieses Servers an.",
            effect:
                """
                Wer über eine Institution angemeldet ist, die Sie trennen, wird in anderen Browsern abgemeldet.
                """,
            none: "Keine Institution ist verknüpft.",
            button: "Trennen"
        ),
        add: "Institution verknüpfen",
        linked: "Ihre Institution ist verknüpft. Ab jetzt können Sie sich mit ihr anmelden.",
        unlinked: "Die Institution ist getrennt.",
        kept:
            """
            Nur so können Sie sich anmelden. Bitte setzen Sie zuerst ein Passwort («Passwort vergessen?» auf \
            der Anmeldeseite).
            """,
        farewell: "Auch bei \(.name) abmelden"
    )
}
