/// Spelt so that it is right in Germany, Austria and Switzerland: without words that have ß in one of them only.
extension Strings {
    static let german = Strings(
        frame: Frame(
            motto: "Eine Wurzel, viele Stämme.", problem: "Problem:", loggedInAs: "Angemeldet als",
            startPage: "Startseite", yourAccount: "Ihr Konto",
            website: "Website", policy: "Datenschutzerklärung", terms: "Nutzungsbedingungen"
        ),
        wait: Wait(
            oneMinute: "in einer Minute", oneHour: "in einer Stunde", minutes: { "in \($0) Minuten" },
            hours: { "in \($0) Stunden" }),
        scopes: Scopes(
            openid: "Eine Kennung für Sie", openidText: "damit Sie beim nächsten Mal wiedererkannt werden",
            profile: "Ihr Name", email: "Ihre E-Mail-Adresse",
            offline: "Zugriff auch in Ihrer Abwesenheit", offlineText: "bis Sie ihn in Ihrem Konto widerrufen",
            otherText: "die Berechtigung dieses Namens", none: "Nur die Tatsache, dass Sie angemeldet sind"
        ),
        login: Login(
            title: "Anmelden", to: "um zu \(.name) zu gelangen", toAccount: "um zu Ihrem Konto zu gelangen",
            again: "Die Anwendung möchte sicher sein, dass Sie es sind. Bitte melden Sie sich nochmals an.",
            username: "Benutzername", password: "Passwort", submit: "Anmelden",
            withPassword: "Mit dem Passwort anmelden", or: "oder",
            wrong:
                """
                Der Benutzername oder das Passwort ist nicht richtig. Bitte prüfen Sie beides und versuchen Sie es \
                erneut.
                """,
            busy: "Im Moment melden sich sehr viele Personen an. Bitte versuchen Sie es in einigen Sekunden erneut.",
            expired: "Diese Seite war zu lange geöffnet. Bitte melden Sie sich erneut an.",
            tooMany: { "Es gab zu viele Versuche. Bitte versuchen Sie es \($0) erneut." }
        ),
        consent: Consent(
            title: "Ihre Daten an \(.name) weitergeben?", receives: "Diese Anwendung erhält:",
            withdrawal: "Sie können dies jederzeit in Ihrem Konto widerrufen.", allow: "Erlauben", deny: "Ablehnen"
        ),
        logout: Logout(
            title: "Abmelden?", asks: "\(.name) möchte Sie abmelden.",
            text:
                """
                Damit endet Ihre Sitzung hier und in allen Anwendungen, die Sie mit ihr in diesem Browser geöffnet \
                haben.
                """,
            phones: "Die Apps auf Ihren Telefonen bleiben verbunden.", submit: "Abmelden", stay: "Angemeldet bleiben",
            done: "Sie sind abgemeldet",
            shared: "An einem gemeinsam genutzten Computer beenden Sie bitte auch den Browser.",
            back: "Zurück zu \(.name)", goOn: "Weiter", again: "Erneut anmelden"
        ),
        account: Account(
            title: "Ihr Konto",
            phones: .init(
                title: "Apps auf Telefonen",
                lead: "Die Apps auf diesen Telefonen melden Sie bei den Diensten der Föderation an.",
                effect: "Trennen beendet sofort alles, was dieses Telefon darf.",
                none:
                    """
                    Es ist kein Telefon verbunden. Wenn Sie sich mit einer App der Föderation anmelden, erscheint \
                    das Telefon hier.
                    """,
                button: "Trennen"
            ),
            applications: .init(
                title: "Anwendungen", lead: "Sie haben diesen Anwendungen erlaubt, Ihre Daten zu erhalten.",
                effect: "Ein Widerruf beendet diesen Zugriff sofort. Beim nächsten Mal werden Sie erneut gefragt.",
                none: "Sie haben noch keiner Anwendung etwas erlaubt.", button: "Widerrufen"
            ),
            sessions: .init(
                title: "Browser", lead: "Mit diesen Browsern sind Sie angemeldet.",
                effect: "Beenden meldet Sie dort ab, auch in den Anwendungen, die damit geöffnet wurden.",
                none: "Sie sind mit keinem Browser angemeldet.", button: "Beenden"
            ),
            phone: "Telefon", device: "Gerät", system: "System", app: "App", since: "Seit", lastUsed: "Zuletzt benutzt",
            receives: "Erhält", usedFor: "Benutzt für",
            thisBrowser: "dieser Browser", unknownBrowser: "Unbekannter Browser", browserOn: { "\($0) auf \($1)" },
            disconnected: "Das Telefon ist getrennt. Alles, was es durfte, ist beendet.",
            withdrawn: "Die Erlaubnis ist widerrufen. Der Zugriff ist beendet.",
            ended: "Die Sitzung ist beendet.", passwordChanged: "Ihr Passwort ist geändert."
        ),
        password: Password(
            title: "Passwort ändern", current: "Aktuelles Passwort", new: "Neues Passwort",
            again: "Neues Passwort wiederholen", submit: "Passwort ändern",
            cancel: "Abbrechen", wrong: "Das aktuelle Passwort ist nicht richtig.",
            different: "Die beiden neuen Passwörter stimmen nicht überein. Bitte geben Sie sie erneut ein.",
            long: "Dieses Passwort ist zu lang. Bitte wählen Sie ein kürzeres.",
            common: "Dieses Passwort ist zu leicht zu erraten: Viele benutzen es. Bitte wählen Sie ein anderes.",
            ofName:
                """
                Dieses Passwort ist zu leicht zu erraten: Es besteht aus Ihrem Namen oder aus unserem. Bitte wählen \
                Sie ein anderes.
                """,
            hint: { "Mindestens \($0) Zeichen. Ein ganzer Satz ist leicht zu merken und schwer zu erraten." },
            weak: { "Dieses Passwort ist zu leicht zu erraten. Bitte wählen Sie eines mit mindestens \($0) Zeichen." }
        ),
        device: Device(
            title: "Gerät verbinden", lead: "Bitte geben Sie den Code ein, den Ihr Gerät anzeigt.", code: "Code",
            hint: "Zum Beispiel BCDF-GHJK", submit: "Weiter",
            unknown:
                """
                Dieser Code ist nicht bekannt oder abgelaufen. Bitte prüfen Sie ihn, oder lassen Sie das Gerät einen \
                neuen anzeigen.
                """,
            confirm: "\(.name) auf Ihrem Gerät erlauben?",
            compare:
                "Vergleichen Sie diesen Code mit dem auf Ihrem Gerät. Fahren Sie nur fort, wenn beide übereinstimmen.",
            warning:
                """
                Hat Ihnen jemand diesen Code geschickt? Dann lehnen Sie ab: Diese Person erhielte sonst \
                Ihren Zugriff.
                """,
            allowed: "Ihr Gerät ist verbunden",
            allowedText: "Sie können diese Seite verlassen und auf Ihrem Gerät weitermachen.",
            denied: "Es wurde nichts erlaubt",
            deniedText: "Das Gerät erhält keinen Zugriff. Sie können diese Seite verlassen."
        ),
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
