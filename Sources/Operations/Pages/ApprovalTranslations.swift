import Pages

/// Words of approving, in all languages.
extension ApprovalStrings {
    static let english = ApprovalStrings(
        button: "Approve in the app", title: "Approve in the app",
        lead:
            "Open the app: it shows this login. When it asks for a code, scan this one. It changes every half minute.",
        rejected: .init(
            title: "The login was rejected",
            text: "Somebody said no on the phone. If that was not you, remove that phone in your account."),
        reason: "Reason given:", unexpected: "I did not expect this", incorrect: "Something in it is not right",
        setup: .init(
            title: "Set up a phone that approves",
            lead: "Then the app on it shows who asks and from where, and you approve with a PIN or your fingerprint.",
            needed: "This account asks for a login with a phone. Please set yours up now.",
            steps: [
                "Get the app of your institution that approves logins.",
                "Scan the code of the next page with it, and choose a PIN.",
                "Compare eight digits on phone and screen.",
            ],
            submit: "Continue", scanTitle: "Scan this code with the app",
            scanLead: "The app keeps your account and asks you for a PIN.",
            confirmTitle: "Compare the digits", confirmText: "Your phone shows eight digits. Are they these?",
            stranger:
                "Does your phone show others, or none? Then please cancel: it was another person who scanned the code."
        ),
        typed: "Or type this code in the app:", configuration: "The app asks for its configuration",
        configurationText: "An app that is not made for this server alone scans this code, or takes this text.",
        address: "Address of the server:",
        same: "They are the same",
        section: .init(
            title: "Phones that approve",
            lead: "The app on these phones shows you who asks for a login, and you approve or reject it.",
            effect: "Nobody can approve any more with a phone that you remove.",
            none: "No phone is set up for approving.", button: "Remove"
        ),
        unconfirmed: "not confirmed", fingerprint: "Digits"
    )

    static let german = ApprovalStrings(
        button: "In der App genehmigen", title: "In der App genehmigen",
        lead:
            """
            Öffnen Sie die App: Sie zeigt diese Anmeldung. Wenn sie nach einem Code fragt, scannen Sie diesen. Er \
            wechselt jede halbe Minute.
            """,
        rejected: .init(
            title: "Die Anmeldung wurde abgelehnt",
            text:
                """
                Auf dem Telefon hat jemand Nein gesagt. Waren Sie das nicht, entfernen Sie dieses Telefon in Ihrem \
                Konto.
                """
        ),
        reason: "Angegebener Grund:", unexpected: "Das habe ich nicht erwartet", incorrect: "Etwas daran stimmt nicht",
        setup: .init(
            title: "Telefon zum Genehmigen einrichten",
            lead:
                """
                Danach zeigt die App darauf, wer von wo aus fragt, und Sie genehmigen mit einer PIN oder Ihrem \
                Fingerabdruck.
                """,
            needed: "Dieses Konto verlangt eine Anmeldung mit dem Telefon. Bitte richten Sie Ihres jetzt ein.",
            steps: [
                "Laden Sie die App Ihrer Institution, die Anmeldungen genehmigt.",
                "Scannen Sie damit den Code auf der nächsten Seite und wählen Sie eine PIN.",
                "Vergleichen Sie acht Ziffern auf Telefon und Bildschirm.",
            ],
            submit: "Weiter", scanTitle: "Diesen Code mit der App scannen",
            scanLead: "Die App bewahrt Ihr Konto auf und fragt Sie nach einer PIN.",
            confirmTitle: "Ziffern vergleichen", confirmText: "Ihr Telefon zeigt acht Ziffern. Sind es diese?",
            stranger:
                """
                Zeigt Ihr Telefon andere oder keine? Dann brechen Sie bitte ab: Eine andere Person hat den Code \
                gescannt.
                """
        ),
        typed: "Oder geben Sie diesen Code in der App ein:", configuration: "Die App fragt nach ihrer Konfiguration",
        configurationText:
            "Eine App, die nicht nur für diesen Server gemacht ist, scannt diesen Code oder nimmt diesen Text.",
        address: "Adresse des Servers:",
        same: "Sie sind gleich",
        section: .init(
            title: "Telefone, die genehmigen",
            lead:
                """
                Die App auf diesen Telefonen zeigt Ihnen, wer eine Anmeldung verlangt; Sie genehmigen sie oder \
                lehnen sie ab.
                """,
            effect: "Mit einem entfernten Telefon kann niemand mehr genehmigen.",
            none: "Zum Genehmigen ist kein Telefon eingerichtet.", button: "Entfernen"
        ),
        unconfirmed: "nicht bestätigt", fingerprint: "Ziffern"
    )

    static let french = ApprovalStrings(
        button: "Approuver dans l’application", title: "Approuver dans l’application",
        lead:
            """
            Ouvrez l’application\u{A0}: elle affiche cette connexion. Si elle demande un code, scannez celui-ci. Il \
            change toutes les trente secondes.
            """,
        rejected: .init(
            title: "La connexion a été refusée",
            text: "Quelqu’un a refusé sur le téléphone. Si ce n’était pas vous, retirez ce téléphone dans votre compte."
        ),
        reason: "Motif indiqué\u{A0}:", unexpected: "Je ne m’y attendais pas",
        incorrect: "Quelque chose n’est pas exact",
        setup: .init(
            title: "Configurer un téléphone pour approuver",
            lead:
                """
                L’application indiquera ensuite qui demande et d’où, et vous approuverez avec un code PIN ou votre \
                empreinte.
                """,
            needed: "Ce compte exige une connexion avec un téléphone. Veuillez configurer le vôtre maintenant.",
            steps: [
                "Installez l’application de votre institution qui approuve les connexions.",
                "Scannez avec elle le code de la page suivante et choisissez un code PIN.",
                "Comparez huit chiffres sur le téléphone et à l’écran.",
            ],
            submit: "Continuer", scanTitle: "Scanner ce code avec l’application",
            scanLead: "L’application conserve votre compte et vous demande un code PIN.",
            confirmTitle: "Comparer les chiffres",
            confirmText: "Votre téléphone affiche huit chiffres. Est-ce que ce sont ceux-ci\u{A0}?",
            stranger:
                """
                Votre téléphone en affiche d’autres, ou aucun\u{A0}? Alors annulez\u{A0}: une autre personne a \
                scanné le code.
                """
        ),
        typed: "Ou saisissez ce code dans l’application\u{A0}:",
        configuration: "L’application demande sa configuration",
        configurationText: "Une application qui n’est pas faite pour ce seul serveur scanne ce code ou prend ce texte.",
        address: "Adresse du serveur\u{A0}:",
        same: "Ce sont les mêmes",
        section: .init(
            title: "Téléphones qui approuvent",
            lead:
                """
                L’application de ces téléphones vous montre qui demande une connexion\u{A0}; vous l’approuvez ou la \
                refusez.
                """,
            effect: "Plus personne ne peut approuver avec un téléphone retiré.",
            none: "Aucun téléphone n’est configuré pour approuver.", button: "Retirer"
        ),
        unconfirmed: "non confirmé", fingerprint: "Chiffres"
    )

    static let italian = ApprovalStrings(
        button: "Approvare nell’app", title: "Approvare nell’app",
        lead: "Apra l’app: mostra questo accesso. Se chiede un codice, scansioni questo. Cambia ogni mezzo minuto.",
        rejected: .init(
            title: "L’accesso è stato rifiutato",
            text: "Qualcuno ha rifiutato sul telefono. Se non è stato Lei, rimuova quel telefono nel Suo account."),
        reason: "Motivo indicato:", unexpected: "Non me lo aspettavo", incorrect: "Qualcosa non è corretto",
        setup: .init(
            title: "Configurare un telefono per approvare",
            lead: "In seguito l’app mostrerà chi chiede e da dove, e Lei approverà con un PIN o con la Sua impronta.",
            needed: "Questo account richiede l’accesso con un telefono. La preghiamo di configurare ora il Suo.",
            steps: [
                "Installi l’app della Sua istituzione che approva gli accessi.",
                "Scansioni con essa il codice della pagina seguente e scelga un PIN.",
                "Confronti otto cifre sul telefono e sullo schermo.",
            ],
            submit: "Continuare", scanTitle: "Scansionare questo codice con l’app",
            scanLead: "L’app conserva il Suo account e Le chiede un PIN.",
            confirmTitle: "Confrontare le cifre", confirmText: "Il Suo telefono mostra otto cifre. Sono queste?",
            stranger:
                """
                Il telefono ne mostra altre, o nessuna? Allora annulli: il codice è stato scansionato da un’altra \
                persona.
                """
        ),
        typed: "Oppure inserisca questo codice nell’app:", configuration: "L’app chiede la sua configurazione",
        configurationText:
            "Un’app che non è fatta solo per questo server scansiona questo codice o prende questo testo.",
        address: "Indirizzo del server:",
        same: "Sono uguali",
        section: .init(
            title: "Telefoni che approvano",
            lead: "L’app su questi telefoni Le mostra chi chiede un accesso; Lei lo approva o lo rifiuta.",
            effect: "Con un telefono rimosso nessuno può più approvare.",
            none: "Nessun telefono è configurato per approvare.", button: "Rimuovere"
        ),
        unconfirmed: "non confermato", fingerprint: "Cifre"
    )
}
