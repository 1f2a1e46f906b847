import Pages

extension IdentityProviderStrings {
    static let german = IdentityProviderStrings(
        scopes: Scopes(
            openid: "Eine Kennung für Sie", openidText: "damit Sie beim nächsten Mal wiedererkannt werden",
            profile: "Ihr Name", email: "Ihre E-Mail-Adresse",
            offline: "Zugriff auch in Ihrer Abwesenheit", offlineText: "bis Sie ihn in Ihrem Konto widerrufen",
            discovery: "Welche Dienste es gibt", discoveryText: "sie sucht in Ihrem Namen nach Diensten der Föderation",
            otherText: "die Berechtigung dieses Namens", none: "Nur die Tatsache, dass Sie angemeldet sind"
        ),
        login: Login(
            title: "Anmelden",
            again: "Die Anwendung möchte sicher sein, dass Sie es sind. Bitte melden Sie sich nochmals an.",
            username: "Benutzername", password: "Passwort", submit: "Anmelden",
            wrong: """
                Der Benutzername oder das Passwort ist nicht richtig. Bitte prüfen Sie beides und versuchen Sie es \
                erneut.
                """,
            busy: "Im Moment melden sich sehr viele Personen an. Bitte versuchen Sie es in einigen Sekunden erneut.",
            expired: "Diese Seite war zu lange geöffnet. Bitte melden Sie sich erneut an.",
            remembered: "Wie zuletzt in diesem Browser:",
            tooMany: { "Es gab zu viele Versuche. Bitte versuchen Sie es \($0) erneut." }),
        consent: Consent(
            title: "Ihre Daten an \(.name) weitergeben?", receives: "Diese Anwendung erhält:",
            acts: "Diese Anwendung handelt in Ihrem Namen bei:",
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
            ), system: "System", app: "App", receives: "Erhält", actsAt: "Handelt für Sie bei",
            thisBrowser: "dieser Browser",
            disconnected: "Das Telefon ist getrennt. Alles, was es durfte, ist beendet.",
            withdrawn: "Die Erlaubnis ist widerrufen. Der Zugriff ist beendet.",
            passwordChanged: "Ihr Passwort ist geändert.",
            notNow: "Nein, danke"),
        password: Password(
            title: "Passwort ändern", current: "Aktuelles Passwort", new: "Neues Passwort",
            again: "Neues Passwort wiederholen", submit: "Passwort ändern",
            wrong: "Das aktuelle Passwort ist nicht richtig.",
            different: "Die beiden neuen Passwörter stimmen nicht überein. Bitte geben Sie sie erneut ein.",
            long: "Dieses Passwort ist zu lang. Bitte wählen Sie ein kürzeres.",
            common: "Dieses Passwort ist zu leicht zu erraten: Viele benutzen es. Bitte wählen Sie ein anderes.",
            ofName: """
                Dieses Passwort ist zu leicht zu erraten: Es besteht aus Ihrem Namen oder aus unserem. Bitte wählen \
                Sie ein anderes.
                """, hint: { "Mindestens \($0) Zeichen. Ein ganzer Satz ist leicht zu merken und schwer zu erraten." },
            weak: { "Dieses Passwort ist zu leicht zu erraten. Bitte wählen Sie eines mit mindestens \($0) Zeichen." }),
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
        )
    )
}
