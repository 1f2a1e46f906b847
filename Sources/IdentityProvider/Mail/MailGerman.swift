extension MailStrings {
    static let german = MailStrings(
        account: "Konto", what: "Was", when: "Wann", open: "Öffnen",
        notYou: "Waren Sie das? Dann müssen Sie nichts tun.", cut: "Das war ich nicht",
        footer: { "Diese Nachricht kommt von \($0). Antworten darauf liest niemand." },
        reset: Letter(
            "Neues Passwort setzen",
            "Jemand hat für Ihr Konto ein neues Passwort verlangt. Mit diesem Link können Sie eines setzen.",
            button: "Neues Passwort setzen",
            after:
                """
                Der Link gilt 15 Minuten, und nur einmal. Wenn Sie ihn nicht verlangt haben, müssen Sie nichts tun: \
                Ohne den Link ändert sich nichts.
                """),
        invite: Letter(
            "Ihr Konto ist bereit", "Für Sie wurde ein Konto eingerichtet. Mit diesem Link setzen Sie sein Passwort.",
            button: "Passwort setzen", after: "Der Link gilt sieben Tage, und nur einmal."),
        verify: Letter(
            "Ist das Ihre Adresse?",
            "Jemand hat diese Adresse als die eigene angegeben. Bitte bestätigen Sie, dass es Ihre ist.",
            button: "Adresse bestätigen",
            after: "Der Link gilt einen Tag, und nur einmal. Wenn Sie es nicht waren, müssen Sie nichts tun."),
        device: Letter(
            "Ein neues Telefon ist verbunden", "Eine App auf einem Telefon wurde mit Ihrem Konto verbunden.",
            subjectLabel: "Telefon", after: end),
        browser: Letter(
            "Anmeldung in einem neuen Browser",
            "Jemand hat sich bei Ihrem Konto in einem Browser angemeldet, in dem es bisher nicht verwendet wurde.",
            subjectLabel: "Browser", after: end),
        idle: Letter(
            "Eine App auf Ihrem Telefon wird getrennt",
            """
            Eine App auf einem Telefon ist mit Ihrem Konto verbunden und wurde lange nicht benutzt. Zur Zeit, die \
            unten steht, wird sie getrennt. Öffnen Sie die App vorher, wenn Sie sie behalten möchten.
            """, button: "Ihre Telefone", subjectLabel: "Telefon",
            after: "Wenn Sie sie nicht mehr brauchen, müssen Sie nichts tun."),
        newFactor: Letter(
            "Eine neue Art, sich anzumelden", "Ab jetzt kann sich jemand damit bei Ihrem Konto anmelden.",
            subjectLabel: "Neu", after: end),
        factorGone: Letter(
            "Eine Art, sich anzumelden, wurde entfernt", "Damit kann sich niemand mehr bei Ihrem Konto anmelden.",
            subjectLabel: "Entfernt", after: end),
        password: Letter("Ihr Passwort wurde geändert", "Das Passwort Ihres Kontos wurde geändert.", after: end),
        address: Letter(
            "Ihre E-Mail-Adresse wurde geändert",
            "Ihr Konto hat jetzt eine andere E-Mail-Adresse. Hierher kommen keine Nachrichten mehr.",
            subjectLabel: "Neue Adresse", after: end),
        phone: "Ein Telefon", passkey: "Ein Passkey", wallet: "Der Passkey einer Wallet",
        codes: "Wiederherstellungscodes", institution: "Die Anmeldung bei einer Institution")

    private static let end = "Der Link zeigt zuerst, was er beendet. Er gilt sieben Tage, und nur einmal."
}
