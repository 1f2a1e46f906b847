import Pages

/// Words of tiqr, in all languages.
extension TiqrStrings {
    static let english = TiqrStrings(
        button: "Log in with your phone", title: "Log in with your phone",
        lead: "Scan this code with the login app on your phone, and confirm there.",
        offlineLink: "Is your phone offline?", phone: { "phone set up on \($0), ID …\($1)" },
        offline: .init(
            title: "Log in with an offline phone",
            lead: "Scan the code with the app. Without a connection it shows a one-time password: please type it here.",
            identity: "Your ID", identityHint: "As the app shows it beside the one-time password",
            password: "One-time password", submit: "Log in",
            back: "Back to the code", wrongLast: "This one-time password is not correct. One attempt is left.",
            malformed: "Please type all digits that the app shows.",
            unknown: "This ID is not known here. Please type it as the app shows it.",
            wrong: { "This one-time password is not correct. \($0) attempts are left." }
        ),
        number: .init(
            lead: """
                A message with a number has come to your phone. Please type the number here, then confirm in the app.
                """,
            confirmed: "You have confirmed. Please type the number that the message on your phone has.",
            label: "Number on your phone", submit: "Continue",
            warning: """
                Tell nobody this number. If you are not logging in just now, do not confirm in the app.
                """,
            told: "The number is right. Now please confirm in the app.",
            malformed: "Please type the two digits of the number.",
            scan: "No message? Scan a code instead"
        ),
        setup: .init(
            title: "Set up your phone", lead: "Then you can log in by scanning a code, without a password.",
            needed: "This account asks for a login with a phone. Please set yours up now.",
            steps: [
                "Get a login app for your phone, for example tiqr, from its app store.",
                "Scan the code of the next page with it, and choose a PIN.",
                "Scan a second code: your first login.",
            ],
            submit: "Continue", scanTitle: "Scan this code with the app",
            scanLead: "The app keeps your account and asks you for a PIN.",
            confirmTitle: "Confirm in the app",
            confirmText: "Choose a PIN there and keep it to yourself. It cannot be changed later.",
            stranger: "Was it not you who scanned the code? Then please cancel: it was another person."
        ),
        first: .init(
            title: "Log in for the first time",
            lead: "Scan this second code with the app, and type the PIN that you have chosen."),
        landing: .init(
            enrollment: .init(
                title: "Set up the account on your phone", lead: "The app keeps the account and asks you for a PIN.",
                warning: nil),
            authentication: .init(
                title: "Log in with your phone", lead: "Confirm the login in the app on this phone.",
                warning:
                    "Did someone send you this link? Then do not open the app: that person would be logged in as you."
            ),
            otherwise: "If the app does not open"
        ),
        section: .init(
            title: "Phones for logging in", lead: "With the login app on these phones you log in by scanning a code.",
            effect: "Nobody can log in any more with a phone that you remove.",
            none: "No phone is set up for logging in.", button: "Remove"
        ),
        new: "not used yet", id: "ID"
    )

    static let german = TiqrStrings(
        button: "Mit dem Telefon anmelden", title: "Mit dem Telefon anmelden",
        lead: "Scannen Sie diesen Code mit der Anmelde-App auf Ihrem Telefon und bestätigen Sie dort.",
        offlineLink: "Ist Ihr Telefon offline?", phone: { "Telefon, eingerichtet am \($0), ID …\($1)" },
        offline: .init(
            title: "Mit einem Telefon ohne Verbindung anmelden",
            lead:
                """
                Scannen Sie den Code mit der App. Ohne Verbindung zeigt sie ein Einmalpasswort an: Bitte geben Sie \
                es hier ein.
                """,
            identity: "Ihre ID", identityHint: "So, wie die App sie neben dem Einmalpasswort anzeigt",
            password: "Einmalpasswort", submit: "Anmelden",
            back: "Zurück zum Code", wrongLast: "Dieses Einmalpasswort ist nicht richtig. Es bleibt ein Versuch.",
            malformed: "Bitte geben Sie alle Ziffern ein, die die App anzeigt.",
            unknown: "Diese ID ist hier nicht bekannt. Bitte geben Sie sie so ein, wie die App sie anzeigt.",
            wrong: { "Dieses Einmalpasswort ist nicht richtig. Es bleiben \($0) Versuche." }
        ),
        number: .init(
            lead: """
                Auf Ihrem Telefon ist eine Nachricht mit einer Zahl. Bitte geben Sie die Zahl hier ein und \
                bestätigen Sie dann \
                in der App.
                """,
            confirmed: """
                Sie haben bestätigt. Bitte geben Sie die Zahl aus der Nachricht auf Ihrem Telefon ein.
                """,
            label: "Zahl auf Ihrem Telefon", submit: "Weiter",
            warning: """
                Sagen Sie diese Zahl niemandem. Melden Sie sich gerade nicht an, bestätigen Sie nichts in der App.
                """,
            told: "Die Zahl ist richtig. Bitte bestätigen Sie jetzt in der App.",
            malformed: "Bitte geben Sie die zwei Ziffern der Zahl ein.",
            scan: "Keine Nachricht? Stattdessen einen Code scannen"
        ),
        setup: .init(
            title: "Telefon einrichten", lead: "Danach melden Sie sich mit einem gescannten Code an, ohne Passwort.",
            needed: "Dieses Konto verlangt eine Anmeldung mit dem Telefon. Bitte richten Sie Ihres jetzt ein.",
            steps: [
                "Laden Sie eine Anmelde-App auf Ihr Telefon, zum Beispiel tiqr.",
                "Scannen Sie damit den Code auf der nächsten Seite und wählen Sie eine PIN.",
                "Scannen Sie einen zweiten Code: Das ist Ihre erste Anmeldung.",
            ],
            submit: "Weiter", scanTitle: "Diesen Code mit der App scannen",
            scanLead: "Die App bewahrt Ihr Konto auf und fragt Sie nach einer PIN.",
            confirmTitle: "In der App bestätigen",
            confirmText:
                "Wählen Sie dort eine PIN und behalten Sie sie für sich. Später kann sie nicht geändert werden.",
            stranger: "Haben nicht Sie den Code gescannt? Dann brechen Sie bitte ab: Es war eine andere Person."
        ),
        first: .init(
            title: "Zum ersten Mal anmelden",
            lead: "Scannen Sie diesen zweiten Code mit der App und geben Sie die gewählte PIN ein."),
        landing: .init(
            enrollment: .init(
                title: "Konto auf dem Telefon einrichten",
                lead: "Die App bewahrt das Konto auf und fragt Sie nach einer PIN.", warning: nil),
            authentication: .init(
                title: "Mit dem Telefon anmelden", lead: "Bestätigen Sie die Anmeldung in der App auf diesem Telefon.",
                warning:
                    """
                    Hat Ihnen jemand diesen Link geschickt? Dann öffnen Sie die App nicht: Diese Person wäre danach \
                    unter Ihrem Namen angemeldet.
                    """
            ),
            otherwise: "Wenn sich die App nicht öffnet"
        ),
        section: .init(
            title: "Telefone für die Anmeldung",
            lead: "Mit der Anmelde-App auf diesen Telefonen melden Sie sich an, indem Sie einen Code scannen.",
            effect: "Mit einem entfernten Telefon kann sich niemand mehr anmelden.",
            none: "Für die Anmeldung ist kein Telefon eingerichtet.", button: "Entfernen"
        ),
        new: "noch nicht benutzt", id: "ID"
    )

    static let french = TiqrStrings(
        button: "Se connecter avec le téléphone", title: "Se connecter avec le téléphone",
        lead: "Scannez ce code avec l’application de connexion de votre téléphone, puis confirmez.",
        offlineLink: "Votre téléphone est hors ligne\u{A0}?",
        phone: { "téléphone configuré le \($0), identifiant …\($1)" },
        offline: .init(
            title: "Se connecter avec un téléphone hors ligne",
            lead:
                """
                Scannez le code avec l’application. Sans réseau, elle affiche un mot de passe à usage unique\u{A0}: \
                veuillez le saisir ici.
                """,
            identity: "Votre identifiant",
            identityHint: "Tel que l’application l’affiche à côté du mot de passe à usage unique",
            password: "Mot de passe à usage unique", submit: "Se connecter", back: "Retour au code",
            wrongLast: "Ce mot de passe à usage unique est incorrect. Il reste une tentative.",
            malformed: "Veuillez saisir tous les chiffres affichés par l’application.",
            unknown: "Cet identifiant est inconnu ici. Veuillez le saisir tel que l’application l’affiche.",
            wrong: { "Ce mot de passe à usage unique est incorrect. Il reste \($0)\u{A0}tentatives." }
        ),
        number: .init(
            lead: """
                Un message contenant un nombre est arrivé sur votre téléphone. Veuillez saisir ce nombre ici, puis \
                confirmer \
                dans l’application.
                """,
            confirmed: """
                Vous avez confirmé. Veuillez saisir le nombre du message reçu sur votre téléphone.
                """,
            label: "Nombre sur votre téléphone", submit: "Continuer",
            warning: """
                Ne communiquez ce nombre à personne. Si vous n’êtes pas en train de vous connecter, ne \
                confirmez rien dans \
                l’application.
                """,
            told: "Le nombre est correct. Veuillez maintenant confirmer dans l’application.",
            malformed: "Veuillez saisir les deux chiffres du nombre.",
            scan: "Aucun message\u{A0}? Scanner plutôt un code"
        ),
        setup: .init(
            title: "Configurer votre téléphone",
            lead: "Vous pourrez ensuite vous connecter en scannant un code, sans mot de passe.",
            needed: "Ce compte exige une connexion avec un téléphone. Veuillez configurer le vôtre maintenant.",
            steps: [
                "Installez une application de connexion sur votre téléphone, par exemple tiqr.",
                "Scannez avec elle le code de la page suivante et choisissez un code PIN.",
                "Scannez un second code\u{A0}: c’est votre première connexion.",
            ],
            submit: "Continuer", scanTitle: "Scanner ce code avec l’application",
            scanLead: "L’application conserve votre compte et vous demande un code PIN.",
            confirmTitle: "Confirmer dans l’application",
            confirmText: "Choisissez-y un code PIN et ne le communiquez à personne. Il ne pourra plus être modifié.",
            stranger:
                "Ce n’est pas vous qui avez scanné le code\u{A0}? Alors annulez\u{A0}: c’était une autre personne."
        ),
        first: .init(
            title: "Se connecter pour la première fois",
            lead: "Scannez ce second code avec l’application et saisissez le code PIN choisi."),
        landing: .init(
            enrollment: .init(
                title: "Configurer le compte sur le téléphone",
                lead: "L’application conserve le compte et vous demande un code PIN.", warning: nil),
            authentication: .init(
                title: "Se connecter avec le téléphone",
                lead: "Confirmez la connexion dans l’application sur ce téléphone.",
                warning:
                    """
                    Quelqu’un vous a envoyé ce lien\u{A0}? Alors n’ouvrez pas l’application\u{A0}: cette personne \
                    serait connectée en votre nom.
                    """
            ),
            otherwise: "Si l’application ne s’ouvre pas"
        ),
        section: .init(
            title: "Téléphones pour la connexion",
            lead: "Avec l’application de connexion de ces téléphones, vous vous connectez en scannant un code.",
            effect: "Plus personne ne peut se connecter avec un téléphone retiré.",
            none: "Aucun téléphone n’est configuré pour la connexion.", button: "Retirer"
        ),
        new: "pas encore utilisé", id: "Identifiant"
    )

    static let italian = TiqrStrings(
        button: "Accedere con il telefono", title: "Accedere con il telefono",
        lead: "Scansioni questo codice con l’app di accesso del Suo telefono e confermi.",
        offlineLink: "Il telefono è offline?", phone: { "telefono configurato il \($0), ID …\($1)" },
        offline: .init(
            title: "Accedere con un telefono offline",
            lead:
                """
                Scansioni il codice con l’app. Senza rete, l’app mostra una password monouso: La preghiamo di \
                inserirla qui.
                """,
            identity: "Il Suo ID", identityHint: "Come lo mostra l’app accanto alla password monouso",
            password: "Password monouso", submit: "Accedere",
            back: "Tornare al codice", wrongLast: "Questa password monouso non è corretta. Resta un tentativo.",
            malformed: "La preghiamo di inserire tutte le cifre mostrate dall’app.",
            unknown: "Questo ID qui è sconosciuto. La preghiamo di inserirlo come lo mostra l’app.",
            wrong: { "Questa password monouso non è corretta. Restano \($0) tentativi." }
        ),
        number: .init(
            lead: """
                Sul Suo telefono è arrivato un messaggio con un numero. La preghiamo di inserire qui il \
                numero e di confermare \
                poi nell’app.
                """,
            confirmed: """
                Ha confermato. La preghiamo di inserire il numero del messaggio arrivato sul Suo telefono.
                """,
            label: "Numero sul Suo telefono", submit: "Continuare",
            warning: """
                Non comunichi questo numero a nessuno. Se non sta effettuando l’accesso, non confermi nulla nell’app.
                """,
            told: "Il numero è corretto. Ora La preghiamo di confermare nell’app.",
            malformed: "La preghiamo di inserire le due cifre del numero.",
            scan: "Nessun messaggio? Scansionare invece un codice"
        ),
        setup: .init(
            title: "Configurare il telefono", lead: "In seguito potrà accedere scansionando un codice, senza password.",
            needed: "Questo account richiede l’accesso con un telefono. La preghiamo di configurare ora il Suo.",
            steps: [
                "Installi un’app di accesso sul telefono, per esempio tiqr.",
                "Scansioni con essa il codice della pagina seguente e scelga un PIN.",
                "Scansioni un secondo codice: è il Suo primo accesso.",
            ],
            submit: "Continuare", scanTitle: "Scansionare questo codice con l’app",
            scanLead: "L’app conserva il Suo account e Le chiede un PIN.",
            confirmTitle: "Confermare nell’app",
            confirmText: "Scelga un PIN nell’app e non lo comunichi a nessuno. In seguito non potrà essere modificato.",
            stranger: "Non è stato scansionato da Lei? Allora annulli: è stata un’altra persona."
        ),
        first: .init(
            title: "Accedere per la prima volta",
            lead: "Scansioni questo secondo codice con l’app e inserisca il PIN che ha scelto."),
        landing: .init(
            enrollment: .init(
                title: "Configurare l’account sul telefono", lead: "L’app conserva l’account e Le chiede un PIN.",
                warning: nil),
            authentication: .init(
                title: "Accedere con il telefono", lead: "Confermi l’accesso nell’app su questo telefono.",
                warning:
                    "Qualcuno Le ha inviato questo link? Allora non apra l’app: quella persona accederebbe a Suo nome."
            ),
            otherwise: "Se l’app non si apre"
        ),
        section: .init(
            title: "Telefoni per l’accesso",
            lead: "Con l’app di accesso di questi telefoni può accedere scansionando un codice.",
            effect: "Con un telefono rimosso nessuno può più accedere.",
            none: "Nessun telefono è configurato per l’accesso.", button: "Rimuovere"
        ),
        new: "non ancora usato", id: "ID"
    )
}
