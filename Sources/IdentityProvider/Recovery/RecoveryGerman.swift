extension RecoveryStrings {
    static let german = RecoveryStrings(
        forgotten: "Passwort vergessen?", toLogin: "Anmelden", toAccount: "Ihr Konto",
        askAgain: "Einen neuen Link verlangen", or: "oder",
        ask: Task(
            title: "Passwort vergessen",
            lead: """
                Bitte geben Sie Ihren Benutzernamen oder Ihre E-Mail-Adresse ein. Sie erhalten einen Link, mit dem Sie \
                ein neues Passwort setzen.
                """, submit: "Link senden"),
        name: "Benutzername oder E-Mail-Adresse",
        asked: .init(
            title: "Bitte sehen Sie in Ihr Postfach",
            text:
                """
                Wenn es ein Konto dieses Namens mit einer E-Mail-Adresse gibt, ist ein Link dorthin unterwegs. Er gilt \
                15 Minuten.
                """),
        reset: Task(
            title: "Neues Passwort setzen",
            lead: "Damit enden alle Sitzungen in Browsern, und was das alte Passwort begonnen hat:",
            submit: "Passwort setzen"),
        invite: Task(
            title: "Willkommen", lead: "Bitte wählen Sie ein Passwort für Ihr Konto:", submit: "Passwort setzen"),
        set: .init(title: "Ihr Passwort ist gesetzt", text: "Jetzt können Sie sich damit anmelden."),
        over: .init(
            title: "Dieser Link gilt nicht mehr",
            text: "Er wurde schon benutzt, ist zu alt, oder nach ihm kam ein anderer."),
        email: Task(
            title: "Ihre E-Mail-Adresse",
            lead: "Wir senden einen Link dorthin. Die Adresse gilt, sobald Sie ihm gefolgt sind.",
            submit: "Link senden"),
        emailLabel: "E-Mail-Adresse", notAnAddress: "Das ist keine E-Mail-Adresse. Bitte prüfen Sie sie.",
        sent: .init(
            title: "Bitte sehen Sie in Ihr Postfach",
            text: "Ein Link ist unterwegs zu dieser Adresse. Er gilt einen Tag. Bis dahin ändert sich nichts."),
        verify: Task(
            title: "Ist das Ihre Adresse?", lead: "Nachrichten zu diesem Konto gehen dorthin.",
            submit: "Ja, das ist meine"),
        verified: .init(
            title: "Ihre Adresse ist bestätigt", text: "Nachrichten zu Ihrem Konto gehen von nun an dorthin."),
        addresses: .init(
            title: "E-Mail-Adresse",
            lead: "Hierher gehen Nachrichten zu Ihrem Konto, und Links, wenn Sie ein Passwort vergessen.",
            effect: "Mit einem Link bestätigen Sie, dass Sie dort lesen.",
            none: """
                Ihr Konto hat keine E-Mail-Adresse. Ohne sie können Sie ein vergessenes Passwort nicht neu setzen.
                """, button: "Link senden"),
        isVerified: "bestätigt", isUnverified: "nicht bestätigt", changeAddress: "Eine andere Adresse verwenden",
        cutDevice: Task(
            title: "Das Telefon trennen?",
            lead: "Das beendet alles, was das neue Telefon darf. Bitte ändern Sie danach Ihr Passwort.",
            submit: "Trennen"),
        cutBrowser: Task(title: "War jemand anderes hier?", lead: all, submit: "Alles beenden"),
        cutFactor: Task(
            title: "War jemand anderes hier?", lead: "Das entfernt die neue Art, sich anzumelden. " + all,
            submit: "Alles beenden"),
        cutRemoval: Task(
            title: "War jemand anderes hier?",
            lead: "Was entfernt wurde, kommt nicht von selbst zurück. " + all,
            submit: "Alles beenden"),
        cutPassword: Task(title: "War jemand anderes hier?", lead: all, submit: "Alles beenden"),
        cutAddress: Task(
            title: "War jemand anderes hier?", lead: "Diese Adresse gilt wieder. " + all, submit: "Alles beenden"),
        cutDeviceDone: .init(
            title: "Das Telefon ist getrennt",
            text: """
                Alles, was es durfte, ist beendet. Vielleicht kennt jemand Ihr Passwort: Bitte ändern Sie es jetzt.
                """),
        cutSuspended: .init(
            title: "Das Konto ist geschlossen",
            text: """
                Alles ist beendet. Das Konto verlangt einen zweiten Faktor und hat keinen mehr; darum kommt \
                niemand hinein. Bitte lassen Sie es von den Betreibern dieses Servers wieder öffnen.
                """),
        cutDone: .init(
            title: "Alles ist beendet",
            text:
                """
                Das alte Passwort gilt nicht mehr. Ein Link, mit dem Sie ein neues setzen, ist unterwegs zu Ihrer \
                E-Mail-Adresse.
                """),
        button: "Einen Notfallcode verwenden",
        code: Task(
            title: "Notfallcode",
            lead: """
                Haben Sie Ihr Telefon oder Ihren Schlüssel nicht zur Hand? Dann geben Sie einen der Codes ein, die Sie \
                aufbewahrt haben.
                """, submit: "Anmelden"),
        codeLabel: "Code", codeHint: "Zwölf Buchstaben und Ziffern. Jeder Code gilt einmal.",
        wrong:
            """
            Dieser Code ist nicht richtig oder wurde schon benutzt. Bitte prüfen Sie ihn, oder nehmen Sie den nächsten.
            """,
        codes: Task(
            title: "Notfallcodes",
            lead:
                """
                Mit diesen Codes melden Sie sich an, wenn Ihr Telefon oder Ihr Schlüssel verloren ist. Wir zeigen sie \
                einmal. Neue machen die alten ungültig.
                """, submit: "Zehn Codes erstellen"),
        made: .init(
            title: "Ihre Notfallcodes",
            text: """
                Bitte drucken Sie sie jetzt aus oder schreiben Sie sie auf, und bewahren Sie sie sicher auf. Niemand \
                kann sie nochmals zeigen.
                """),
        codesSection: .init(
            title: "Notfallcodes", lead: "Damit melden Sie sich an, wenn Ihr Telefon oder Ihr Schlüssel verloren ist.",
            effect: "Entfernen macht sie ungültig.", none: "Sie haben noch keine Notfallcodes.", button: "Entfernen"),
        removed: "Die Notfallcodes sind entfernt.", left: { "Verbleibende Codes: \($0)" })

    private static let all = """
        Alles endet, was mit Ihrem Konto geöffnet wurde: Browser, Telefone und Anwendungen. Das Passwort gilt nicht \
        mehr, und Sie erhalten einen Link, mit dem Sie ein neues setzen.
        """
}
