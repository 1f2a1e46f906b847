/// Spelt so that it is right in Germany, Austria and Switzerland: without words that have ß in one of them only.
extension Strings {
    static let german = Strings(
        frame: Frame(
            motto: "Eine Wurzel, viele Stämme.", problem: "Problem:", loggedInAs: "Angemeldet als",
            startPage: "Startseite", yourAccount: "Ihr Konto", website: "Website", policy: "Datenschutzerklärung",
            terms: "Nutzungsbedingungen", cancel: "Abbrechen", support: "Support", language: "Sprache"),
        wait: Wait(
            oneMinute: "in einer Minute", oneHour: "in einer Stunde", minutes: { "in \($0) Minuten" },
            hours: { "in \($0) Stunden" }),
        login: Login(
            to: "um zu \(.name) zu gelangen", toAccount: "um zu Ihrem Konto zu gelangen",
            withPassword: "Mit dem Passwort anmelden", or: "oder", withoutLevel: "Ohne zweiten Faktor fortfahren"),
        account: Account(
            phone: "Telefon", device: "Gerät", since: "Seit", lastUsed: "Zuletzt benutzt", usedFor: "Benutzt für",
            unknownBrowser: "Unbekannter Browser", browserOn: { "\($0) auf \($1)" }, ended: "Die Sitzung ist beendet.",
            undone: "Das lässt sich nicht rückgängig machen, nur neu einrichten."),
        phone: phoneStrings,
        problem: Problem(
            badRequest: .init(
                title: "Diese Anfrage kann nicht beantwortet werden",
                text: """
                    Die Anwendung hat um etwas gebeten, das hier nicht möglich ist. Bitte gehen Sie zu ihr zurück \
                    und beginnen \
                    Sie von vorn. Wenn das nicht hilft, melden Sie ihrem Support, was unten steht.
                    """
            ),
            expired: .init(
                title: "Das hat zu lange gedauert",
                text: "Die Seite ist nicht mehr gültig. Bitte gehen Sie zur Anwendung zurück und beginnen Sie von vorn."
            ),
            forbidden: .init(
                title: "Das ist nicht erlaubt",
                text:
                    """
                    Ihr Konto darf dies nicht. Wenn Sie meinen, dass es das dürfen sollte, wenden Sie sich bitte an \
                    den Support Ihrer Institution.
                    """
            ),
            unavailable: .init(
                title: "Im Moment nicht verfügbar", text: "Bitte versuchen Sie es in einigen Minuten erneut."),
            notFound: .init(
                title: "Diese Seite gibt es nicht",
                text: "Bitte prüfen Sie die Adresse, oder gehen Sie dorthin zurück, woher Sie kamen."),
            failed: .init(
                title: "Etwas ist schiefgegangen",
                text:
                    """
                    Der Fehler liegt bei uns. Bitte versuchen Sie es erneut. Wenn das nicht hilft, melden Sie dem \
                    Support Ihrer Institution, was unten steht.
                    """
            ),
            tooMany: "Zu viele Anfragen", forSupport: "Für den Support",
            tooManyText: { "Bitte versuchen Sie es \($0) erneut." }
        )
    )

    private static let phoneStrings = Phone(
        open: "App öffnen",
        elsewhere:
            """
            Zeigen Sie diese Seite auf einem anderen Bildschirm an, zum Beispiel auf dem eines Computers, und \
            scannen Sie diesen Code mit der App.
            """,
        pushed: "Ihr Telefon wurde gefragt. Bestätigen Sie dort, oder scannen Sie den Code.",
        waiting: "Warten auf Ihr Telefon. Danach geht es hier von selbst weiter.", asked: "Gefragt ist:",
        others: "Anderes Telefon benutzen", otherKind: "Eine andere Art von App benutzen", again: "Neuen Code anzeigen",
        restart: "Von vorn beginnen", setUp: "Telefon einrichten", blocked: "gesperrt",
        endings: .init(
            expired: .init(
                title: "Der Code ist abgelaufen", text: "Lassen Sie einen neuen anzeigen und scannen Sie diesen."),
            failed: .init(
                title: "Es gab zu viele falsche Antworten",
                text: "Bitte versuchen Sie es mit einem neuen Code und der PIN dieses Kontos erneut."),
            cancelled: .init(
                title: "Dies wurde abgebrochen", text: "Es wurde nichts geändert. Sie können von vorn beginnen."),
            gone: .init(
                title: "Diese Anmeldung ist vorbei",
                text: "Sie wurde schon abgeschlossen, dauerte zu lange oder begann in einem anderen Browser."),
            wrongPhone: .init(
                title: "Das war das Telefon einer anderen Person",
                text: "Bitte benutzen Sie ein Telefon, das für Ihr eigenes Konto eingerichtet ist."),
            noPhone: .init(
                title: "Es ist kein Telefon eingerichtet",
                text: "Ihr Konto hat noch kein Telefon, mit dem Sie sich anmelden können."),
            refused: .init(
                title: "Diese Anmeldung ist nicht möglich",
                text: """
                    Das Telefon wurde entfernt, oder sein Konto darf sich nicht anmelden. Wenn Sie meinen, dass es \
                    das dürfen sollte, \
                    wenden Sie sich bitte an den Support Ihrer Institution.
                    """
            ),
            tooMany: .init(
                title: "Es sind schon viele Telefone", text: "Bitte entfernen Sie zuerst eines davon in Ihrem Konto."),
            blockedTitle: "Dieses Telefon ist gesperrt",
            blockedForGood:
                "Bitte benutzen Sie ein anderes Telefon, oder wenden Sie sich an den Support Ihrer Institution.",
            blocked: {
                """
                Es gab zu viele falsche Antworten. Bitte versuchen Sie es \($0) erneut, oder benutzen Sie ein \
                anderes Telefon.
                """
            }
        ),
        added: "Ihr Telefon ist eingerichtet. Sie können sich ab jetzt damit anmelden.",
        removed: "Das Telefon ist entfernt. Niemand kann sich mehr damit anmelden.",
        kept: "Dies ist Ihr letztes Telefon, und Ihr Konto braucht eines. Bitte richten Sie zuerst ein anderes ein."
    )
}
