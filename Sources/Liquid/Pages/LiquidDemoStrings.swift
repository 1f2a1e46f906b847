import Pages

/// What the demo page says.
struct LiquidDemoStrings: Sendable {
    struct States: Sendable {
        let connecting: String, waiting: String, linked: String, open: String, offline: String
        let expired: String, over: String
    }

    let title: String, lead: String, scan: String, open: String, noScript: String
    let states: States
    let wallet: String, you: String, message: String, send: String, messages: String, again: String
}

extension Language {
    private static let liquidDemoTranslations = SharedStrings<LiquidDemoStrings>.Translations {
        switch $0 {
        case .en: .english
        case .de: .german
        case .fr: .french
        case .it: .italian
        }
    }

    var liquidDemo: SharedStrings<LiquidDemoStrings> { Self.liquidDemoTranslations[self] }
}

/// All languages.
extension LiquidDemoStrings {
    static let english = LiquidDemoStrings(
        title: "Try your wallet", lead: "This page links with your wallet, and then the two talk directly.",
        scan: "Scan this code with your wallet.", open: "Open the wallet on this device",
        noScript: "This page needs JavaScript, which is turned off in your browser.",
        states: .init(
            connecting: "Connecting …", waiting: "Waiting for your wallet …",
            linked: "Your wallet is linked. Waiting for its connection …",
            open: "Connected. Messages go from one device to the other.",
            offline: "The server cannot be reached. Trying again …",
            expired: "No wallet came in time.", over: "The session was ended, and so was the connection."),
        wallet: "Wallet", you: "You", message: "Message", send: "Send", messages: "Messages", again: "Begin again")

    static let german = LiquidDemoStrings(
        title: "Wallet ausprobieren",
        lead: "Diese Seite verbindet sich mit Ihrer Wallet, und dann sprechen die beiden direkt miteinander.",
        scan: "Scannen Sie diesen Code mit Ihrer Wallet.", open: "Wallet auf diesem Gerät öffnen",
        noScript: "Diese Seite braucht JavaScript, das in Ihrem Browser ausgeschaltet ist.",
        states: .init(
            connecting: "Verbindung wird aufgebaut …", waiting: "Warten auf Ihre Wallet …",
            linked: "Ihre Wallet ist verknüpft. Warten auf ihre Verbindung …",
            open: "Verbunden. Nachrichten gehen von einem Gerät zum anderen.",
            offline: "Der Server ist nicht erreichbar. Neuer Versuch …",
            expired: "Keine Wallet hat sich rechtzeitig gemeldet.",
            over: "Die Sitzung wurde beendet, und mit ihr die Verbindung."),
        wallet: "Wallet", you: "Sie", message: "Nachricht", send: "Senden", messages: "Nachrichten",
        again: "Neu beginnen")

    static let french = LiquidDemoStrings(
        title: "Essayer votre portefeuille",
        lead: "Cette page se lie à votre portefeuille, puis les deux communiquent directement.",
        scan: "Scannez ce code avec votre portefeuille.", open: "Ouvrir le portefeuille sur cet appareil",
        noScript: "Cette page a besoin de JavaScript, qui est désactivé dans votre navigateur.",
        states: .init(
            connecting: "Connexion en cours…", waiting: "En attente de votre portefeuille…",
            linked: "Votre portefeuille est lié. En attente de sa connexion…",
            open: "Connecté. Les messages vont d’un appareil à l’autre.",
            offline: "Le serveur est injoignable. Nouvel essai…",
            expired: "Aucun portefeuille ne s’est présenté à temps.",
            over: "La session a été terminée, et la connexion avec elle."),
        wallet: "Portefeuille", you: "Vous", message: "Message", send: "Envoyer", messages: "Messages",
        again: "Recommencer")

    static let italian = LiquidDemoStrings(
        title: "Provare il Suo wallet",
        lead: "Questa pagina si collega al Suo wallet, poi i due comunicano direttamente.",
        scan: "Scansioni questo codice con il Suo wallet.", open: "Aprire il wallet su questo dispositivo",
        noScript: "Questa pagina richiede JavaScript, che nel Suo browser è disattivato.",
        states: .init(
            connecting: "Connessione in corso…", waiting: "In attesa del Suo wallet…",
            linked: "Il Suo wallet è collegato. In attesa della sua connessione…",
            open: "Connesso. I messaggi vanno da un dispositivo all’altro.",
            offline: "Il server non è raggiungibile. Nuovo tentativo…",
            expired: "Nessun wallet si è presentato in tempo.",
            over: "La sessione è stata terminata, e con essa la connessione."),
        wallet: "Wallet", you: "Lei", message: "Messaggio", send: "Inviare", messages: "Messaggi",
        again: "Ricominciare")
}
