import Pages

extension AccountTreeStrings {
    static let german = AccountTreeStrings(
        tree: Tree(
            services: "Damit geöffnete Dienste", apps: "Apps mit Zugriff dort",
            onlyService: "Welche Apps dort Zugriff haben, ist nur dem Dienst bekannt.",
            phoneStays: "Andere Telefone, Ihre Browser und die erlaubten Anwendungen laufen weiter.",
            applicationStays: "Ihre Telefone, Ihre Browser und andere Anwendungen laufen weiter.",
            browserStays:
                "Ihre Telefone und andere Browser laufen weiter, auch was Anwendungen in Ihrer Abwesenheit dürfen.",
            service: Cut(
                verb: "Zugriff beenden",
                ends: "Alles, was von hier aus bei diesem Dienst geöffnet wurde, endet, auch für alle Apps.",
                stays: "Alles andere läuft weiter. Bei der nächsten Nutzung wird der Zugriff neu geöffnet."),
            everywhere: Cut(
                verb: "Überall beenden",
                ends: """
                    Alles, was Sie bei diesem Dienst geöffnet haben, endet, auf jedem Telefon und in jeder \
                    Anwendung.
                    """,
                stays: "Andere Dienste laufen weiter. Bei der nächsten Nutzung wird der Zugriff neu geöffnet."),
            app: Cut(
                verb: "Zugriff beenden", ends: "Diese App verliert den Zugriff auf diesen Dienst.",
                stays: "Der Dienst selbst und andere Apps laufen weiter. Die App kann neu zugelassen werden."),
            allPhones: Cut(
                verb: "Alle Telefone trennen", ends: "Alles, was Ihre Telefone dürfen, endet sofort.",
                stays: "Browser und Anwendungen laufen weiter. Auf jedem Telefon können Sie sich neu anmelden."),
            otherBrowsers: Cut(
                verb: "Alle anderen beenden", ends: "Sie werden in jedem Browser abgemeldet, nur in diesem nicht.",
                stays: "Dieser Browser und Ihre Telefone laufen weiter."),
            ended: "Der Zugriff ist beendet.", othersEnded: "Alle anderen sind beendet."),
        activity: Activity(
            title: "Letzte Aktivitäten", lead: "Was in Ihrem Konto zuletzt geschah, das Neueste zuerst.",
            none: "Es ist noch nichts geschehen.", about: "Betrifft", when: "Wann", place: "Aus dem Netz",
            notMe: "Das war ich nicht", back: "Zurück zu Ihrem Konto", times: { "\($0)-mal" },
            kind: {
                switch $0 {
                case .login: "Anmeldung in einem Browser"
                case .loginAgain: "Weitere Anmeldung im selben Browser"
                case .appLogin: "Anmeldung mit einer App"
                case .newPhone: "Erste Anmeldung mit einem neuen Telefon"
                case .refusedLogin: "Eine Anmeldung wurde abgelehnt"
                case .passwordChanged: "Das Passwort wurde geändert"
                case .refusedPassword: "Eine Änderung des Passworts wurde abgelehnt"
                case .consent: "Einer Anwendung wurde etwas erlaubt"
                case .phoneChanged: "Ein Telefon wurde neu beschrieben"
                case .ended: "Ein Zugriff wurde beendet"
                case .factorChanged: "Eine Änderung daran, womit Sie sich anmelden"
                case .passwordReset: "Ein neues Passwort wurde per Link gesetzt"
                case .firstPassword: "Das erste Passwort wurde per Link gesetzt"
                case .cutByMail: "Ein Link in einer Mail beendete, was jemand anderes tat"
                case .addressChanged: "Die E-Mail-Adresse wurde geändert"
                case .addressVerified: "Die E-Mail-Adresse wurde bestätigt"
                case .codesMade: "Wiederherstellungscodes wurden erstellt"
                case .codesUsed: "Ein Wiederherstellungscode wurde benutzt"
                case .codesRemoved: "Die Wiederherstellungscodes wurden entfernt"
                case .branchEnded: "Der Zugriff auf einen Dienst wurde beendet"
                case .consentWithdrawn: "Einer Anwendung wurde die Erlaubnis entzogen"
                case .exported: "Ihre Daten wurden exportiert"
                case .listEmptied: "Die Liste, wer etwas erfahren hat, wurde geleert"
                case .refusedDeletion: "Eine Löschung des Kontos wurde abgelehnt"
                case .invited: "Ihre Institution schickte einen Link für ein Passwort"
                case .refusedAtService: "Ihre Institution hat einen Dienst für Sie gesperrt"
                case .allowedAtService: "Ihre Institution hat einen Dienst für Sie wieder freigegeben"
                case .byOperator: "Ihre Institution hat etwas geändert"
                case .other: "Eine Änderung an Ihrem Konto"
                }
            }),
        notMe: NotMe(
            title: "Das waren nicht Sie?", happened: "Dies ist geschehen:",
            nobodyIn: "Niemand kam damit hinein. Falls jemand Ihr Passwort kennen könnte, ändern Sie es bitte.",
            over: """
                Was damit geöffnet wurde, ist schon beendet. Falls jemand Ihr Passwort kennen könnte, ändern Sie es \
                bitte.
                """,
            password: "Passwort ändern",
            passwordText: """
                Ein neues Passwort beendet, was das alte geöffnet hat, in jedem Browser und jeder App, nur hier \
                nicht.
                """,
            phone: "Telefon trennen", browser: "Sitzung beenden", application: "Erlaubnis widerrufen",
            thisBrowser: "Das ist der Browser, in dem Sie gerade lesen."),
        told: Told(
            title: "Wer etwas über Sie erfahren hat",
            lead: "Ihre Apps und die Anwendungen, die Sie nutzen, haben dies weitergegeben.",
            none: "Niemand hat etwas über Sie erfahren.", claims: "Erfuhr", through: "Durch",
            login: "Mit der Anmeldung",
            nothing: "Eine Kennung für Sie",
            empty: Cut(
                verb: "Liste leeren", ends: "Was hier steht, wird vergessen und lässt sich nicht zurückholen.",
                stays: "Niemand verliert dadurch den Zugriff, und was erfahren wurde, bleibt dort bekannt."),
            emptied: "Die Liste ist leer.",
            used: Used(
                title: "Dienste, die Sie genutzt haben",
                lead: "Apps, die in Ihrem Namen nach Diensten suchen, finden diese zuerst.",
                empty: Cut(
                    verb: "Diese Dienste vergessen",
                    ends: "Welche Dienste Sie genutzt haben, wird vergessen und lässt sich nicht zurückholen.",
                    stays: "Niemand verliert dadurch den Zugriff. Ein Dienst steht hier wieder, wenn Sie ihn nutzen.")),
            claim: {
                switch $0 {
                case "email": "E-Mail-Adresse"
                case "name": "Name"
                case "given_name": "Vorname"
                case "family_name": "Nachname"
                case "preferred_username": "Benutzername"
                default: ClaimWords.text($0, .de)
                }
            },
            method: Told.method(
                both: "Passwort und zweiter Faktor", factor: "Telefon oder Passkey", password: "Passwort",
                neither: "Wallet"))
    )
}
