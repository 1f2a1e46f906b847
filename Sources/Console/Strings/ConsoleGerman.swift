extension ConsoleStrings {
    static let german = ConsoleStrings(
        language: .de,
        console: "Verwaltung", overview: "Übersicht", menu: "Menü", yourAccount: "Ihr Konto",
        noRole: "Sie haben hier keine Rolle",
        noRoleText: "Die Verwaltung ist für Personen mit einer Rolle in dieser Föderation. Wer sie verwaltet, kann "
            + "Ihnen eine geben.",
        filter: "Filtern", next: "Nächste Seite", first: "Erste Seite", nothing: "Hier ist nichts.",
        actions: "Was Sie tun können", more: "Alle davon",
        yes: "ja", no: "nein",
        show: "Anzeigen", preview: "Zeigen, was das bewirken würde", previewTitle: "Was das bewirken würde",
        again: "Seit Sie nachgesehen haben, hat sich etwas geändert. Das würde es jetzt bewirken.",
        confirm: "Ja, ausführen", save: "Speichern",
        cancel: "Abbrechen", back: "Zurück",
        reason: "Grund", reasonHelp: "Bleibt im Protokoll.", oneALine: "Je Zeile eines.",
        fromFile: "Was in der Datei steht.", choose: "(wie bisher)",
        done: "Erledigt.", doneAlready: "Es war schon so; nichts hat sich geändert.",
        secretOnce: "Das wird einmal gezeigt. Bewahren Sie es jetzt auf.", result: "Ergebnis",
        nothingEnds: "Nichts endet dadurch.", uncounted: "Es endet mehr, als sich rasch zählen liess.",
        tokensEnd: { $0 == 1 ? "1 Token endet." : "\($0) Token enden." },
        servicesTold: { $0 == 1 ? "1 Dienst erfährt davon." : "\($0) Dienste erfahren davon." },
        browsersEnd: { $0 == 1 ? "1 Browser wird abgemeldet." : "\($0) Browser werden abgemeldet." },
        warnings: [
            "apps versions refuse":
                """
            Jedes Telefon mit dieser Version ist sofort abgemeldet, und keines kann sich damit \
            wieder registrieren, bis sie wieder erlaubt wird. Die Leute müssen eine andere Version \
            installieren und sich dort neu anmelden.
            """,
            "apps refuse":
                """
            Jedes Telefon mit dieser App, in welcher Version auch immer, ist sofort abgemeldet, und \
            keines kann sich damit wieder registrieren, bis sie wieder erlaubt wird.
            """,
            "accounts suspend":
                """
            Die Person kann sich nirgends anmelden, bis sie wieder zugelassen wird; was jetzt endet, \
            kommt dadurch nicht zurück.
            """,
            "accounts delete":
                """
            Das ist endgültig: Der Name wird frei, und Dienste erkennen die Person nicht wieder.
            """,
            "services approve":
                """
            Apps finden den Dienst von nun an, und Anmeldungen erreichen ihn. Lesen Sie vorher auf \
            der Seite des Dienstes seine Beschreibung, die Warnungen und die Änderungen seither.
            """,
            "services remove":
                """
            Apps finden den Dienst nicht mehr, und alles, was für ihn ausgestellt wurde, endet.
            """,
            "epoch bump":
                """
            Alles endet: jede Anmeldung, jede App, jedes Token von allen.
            """,
        ],
        ago: {
            switch $0 {
            case .moment: "gerade eben"
            case .minutes(let count): count == 1 ? "vor 1 Minute" : "vor \(count) Minuten"
            case .hours(let count): count == 1 ? "vor 1 Stunde" : "vor \(count) Stunden"
            case .days(let count): "vor \(count) Tagen"
            }
        },
        ahead: {
            switch $0 {
            case .moment: "jetzt"
            case .minutes(let count): count == 1 ? "in 1 Minute" : "in \(count) Minuten"
            case .hours(let count): count == 1 ? "in 1 Stunde" : "in \(count) Stunden"
            case .days(let count): "in \(count) Tagen"
            }
        })
}
