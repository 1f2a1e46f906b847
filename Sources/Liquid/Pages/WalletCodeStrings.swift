import Pages

/// What is said of logging in by a code that a wallet scans.
struct WalletCodeStrings: Sendable {
    let button: String, title: String, lead: String
    /// Whose wallet it was that answered.
    let question: String, address: String, device: String, warning: String, confirm: String, decline: String
    let unknown: Strings.Message, another: Strings.Message, unlinked: Strings.Message
    let declined: Strings.Message, refused: Strings.Message
    let linkOne: String
}

extension Language {
    private static let walletCodeTranslations = SharedStrings<WalletCodeStrings>.Translations {
        switch $0 {
        case .en: .english
        case .de: .german
        case .fr: .french
        case .it: .italian
        }
    }

    var walletCode: SharedStrings<WalletCodeStrings> { Self.walletCodeTranslations[self] }
}

/// All languages.
extension WalletCodeStrings {
    static let english = WalletCodeStrings(
        button: "Scan a code with your wallet", title: "Log in with your wallet",
        lead: "Scan this code with a wallet that is linked with your account.",
        question: "Is this your wallet?", address: "Address", device: "Device",
        warning:
            "Go on only if you have just scanned the code yourself. Another wallet would log you in as somebody else.",
        confirm: "Yes, log in", decline: "No",
        unknown: .init(
            title: "This wallet is not linked",
            text: "No account is linked with it. Log in another way and link it in your account, or use another wallet."
        ),
        another: .init(
            title: "This was another person’s wallet",
            text: "Please use a wallet that is linked with your own account."),
        unlinked: .init(
            title: "No wallet is linked", text: "Your account has no wallet yet with which you can log in."),
        declined: .init(
            title: "Nobody was logged in",
            text: "The code is dead. Have a new one shown, and let nobody else scan it."),
        refused: .init(
            title: "This login is not possible",
            text:
                """
                The wallet was unlinked or its session has ended, or its account may not log in. If you think that it \
                should, please ask the support of your institution.
                """
        ),
        linkOne: "Link a wallet")

    static let german = WalletCodeStrings(
        button: "Code mit der Wallet scannen", title: "Mit Ihrer Wallet anmelden",
        lead: "Scannen Sie diesen Code mit einer Wallet, die mit Ihrem Konto verbunden ist.",
        question: "Ist das Ihre Wallet?", address: "Adresse", device: "Gerät",
        warning:
            """
            Fahren Sie nur fort, wenn Sie den Code eben selbst gescannt haben. Eine andere Wallet würde Sie als jemand \
            anderen anmelden.
            """,
        confirm: "Ja, anmelden", decline: "Nein",
        unknown: .init(
            title: "Diese Wallet ist nicht verbunden",
            text:
                """
                Kein Konto ist mit ihr verbunden. Melden Sie sich anders an und verbinden Sie sie in Ihrem Konto, oder \
                nehmen Sie eine andere Wallet.
                """
        ),
        another: .init(
            title: "Das war die Wallet einer anderen Person",
            text: "Bitte nehmen Sie eine Wallet, die mit Ihrem eigenen Konto verbunden ist."),
        unlinked: .init(
            title: "Keine Wallet ist verbunden",
            text: "Ihr Konto hat noch keine Wallet, mit der Sie sich anmelden können."),
        declined: .init(
            title: "Niemand wurde angemeldet",
            text: "Der Code gilt nicht mehr. Lassen Sie einen neuen anzeigen, und scannen nur Sie ihn."),
        refused: .init(
            title: "Diese Anmeldung ist nicht möglich",
            text:
                """
                Die Wallet wurde getrennt oder ihre Sitzung beendet, oder ihr Konto darf sich nicht anmelden. Wenn es \
                das dürfen sollte, wenden Sie sich bitte an den Support Ihrer Institution.
                """
        ),
        linkOne: "Wallet verbinden")

    static let french = WalletCodeStrings(
        button: "Scanner un code avec votre portefeuille", title: "Se connecter avec votre portefeuille",
        lead: "Scannez ce code avec un portefeuille lié à votre compte.",
        question: "Est-ce votre portefeuille\u{A0}?", address: "Adresse", device: "Appareil",
        warning:
            """
            Continuez seulement si vous venez de scanner le code vous-même. Un autre portefeuille vous connecterait au \
            compte de quelqu’un d’autre.
            """,
        confirm: "Oui, se connecter", decline: "Non",
        unknown: .init(
            title: "Ce portefeuille n’est pas lié",
            text:
                """
                Aucun compte n’y est lié. Connectez-vous autrement et liez-le dans votre compte, ou utilisez un autre \
                portefeuille.
                """
        ),
        another: .init(
            title: "C’était le portefeuille d’une autre personne",
            text: "Veuillez utiliser un portefeuille lié à votre propre compte."),
        unlinked: .init(
            title: "Aucun portefeuille n’est lié",
            text: "Votre compte n’a pas encore de portefeuille avec lequel vous connecter."),
        declined: .init(
            title: "Personne n’a été connecté",
            text:
                "Le code n’est plus valable. Faites-en afficher un nouveau, et ne laissez personne d’autre le scanner."
        ),
        refused: .init(
            title: "Cette connexion n’est pas possible",
            text:
                """
                Le portefeuille a été délié ou sa session a pris fin, ou son compte n’est pas autorisé à se connecter. \
                S’il devrait l’être, adressez-vous au support de votre institution.
                """
        ),
        linkOne: "Lier un portefeuille")

    static let italian = WalletCodeStrings(
        button: "Scansionare un codice con il Suo wallet", title: "Accedere con il Suo wallet",
        lead: "Scansioni questo codice con un wallet collegato al Suo account.",
        question: "È il Suo wallet?", address: "Indirizzo", device: "Dispositivo",
        warning:
            """
            Continui solo se ha appena scansionato Lei stesso il codice. Con un altro wallet accederebbe come un’altra \
            persona.
            """,
        confirm: "Sì, accedere", decline: "No",
        unknown: .init(
            title: "Questo wallet non è collegato",
            text:
                """
                Nessun account è collegato a questo wallet. Acceda in un altro modo e lo colleghi nel Suo account, \
                oppure usi un altro wallet.
                """
        ),
        another: .init(
            title: "Era il wallet di un’altra persona", text: "Usi un wallet collegato al Suo account."),
        unlinked: .init(
            title: "Nessun wallet è collegato",
            text: "Il Suo account non ha ancora un wallet con cui accedere."),
        declined: .init(
            title: "Nessuno è stato connesso",
            text: "Il codice non è più valido. Ne faccia mostrare uno nuovo, e non lo lasci scansionare ad altri."),
        refused: .init(
            title: "Questo accesso non è possibile",
            text:
                """
                Il wallet è stato scollegato o la sua sessione è terminata, oppure il suo account non può accedere. Se \
                dovrebbe poterlo fare, si rivolga al supporto della Sua istituzione.
                """
        ),
        linkOne: "Collegare un wallet")
}
