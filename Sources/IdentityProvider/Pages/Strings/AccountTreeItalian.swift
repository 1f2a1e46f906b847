import Pages

extension AccountTreeStrings {
    static let italian = AccountTreeStrings(
        tree: Tree(
            services: "Servizi aperti da qui", apps: "App che vi hanno accesso",
            onlyService: "Solo il servizio sa quali app vi hanno accesso.",
            phoneStays: "Gli altri telefoni, i Suoi browser e le applicazioni autorizzate continuano.",
            applicationStays: "I Suoi telefoni, i Suoi browser e le altre applicazioni continuano.",
            browserStays:
                """
                I Suoi telefoni e gli altri browser continuano, e anche ciò che le applicazioni possono fare in Sua \
                assenza.
                """,
            service: Cut(
                verb: "Termina l’accesso",
                ends: "Tutto ciò che da qui è stato aperto presso questo servizio termina, con tutte le app.",
                stays: "Il resto continua. Al prossimo uso l’accesso si apre di nuovo."),
            everywhere: Cut(
                verb: "Termina ovunque",
                ends: """
                    Tutto ciò che ha aperto presso questo servizio termina, su ogni telefono e in ogni \
                    applicazione.
                    """,
                stays: "Gli altri servizi continuano. Al prossimo uso l’accesso si apre di nuovo."),
            app: Cut(
                verb: "Termina l’accesso", ends: "Questa app perde l’accesso a questo servizio.",
                stays: "Il servizio e le altre app continuano. L’app può essere ammessa di nuovo."),
            allPhones: Cut(
                verb: "Scollega tutti i telefoni", ends: "Tutto ciò che i Suoi telefoni possono fare termina subito.",
                stays: "Browser e applicazioni continuano. Su ogni telefono può accedere di nuovo."),
            otherBrowsers: Cut(
                verb: "Termina tutte le altre", ends: "Lei viene disconnesso da ogni browser, tranne che da questo.",
                stays: "Questo browser e i Suoi telefoni continuano."),
            ended: "L’accesso è terminato.", othersEnded: "Tutte le altre sono terminate."),
        activity: Activity(
            title: "Attività recenti", lead: "Che cosa è accaduto di recente nel Suo account, dal più recente.",
            none: "Non è ancora accaduto nulla.", about: "Riguarda", when: "Quando", place: "Dalla rete",
            notMe: "Non ero io", back: "Torna al Suo account", times: { "\($0) volte" },
            kind: {
                switch $0 {
                case .login: "Accesso in un browser"
                case .loginAgain: "Nuovo accesso nello stesso browser"
                case .appLogin: "Accesso con un’app"
                case .newPhone: "Primo accesso con un nuovo telefono"
                case .refusedLogin: "Un accesso è stato rifiutato"
                case .passwordChanged: "La password è stata cambiata"
                case .refusedPassword: "Un cambio della password è stato rifiutato"
                case .consent: "Un’applicazione è stata autorizzata"
                case .phoneChanged: "Un telefono è stato descritto di nuovo"
                case .ended: "Un accesso è stato terminato"
                case .factorChanged: "Una modifica ai Suoi mezzi di accesso"
                case .passwordReset: "Una nuova password è stata impostata tramite un link"
                case .firstPassword: "La prima password è stata impostata tramite un link"
                case .cutByMail: "Un link ricevuto per e-mail ha terminato ciò che ha fatto qualcun altro"
                case .addressChanged: "L’indirizzo e-mail è stato cambiato"
                case .addressVerified: "L’indirizzo e-mail è stato confermato"
                case .codesMade: "Sono stati creati codici di recupero"
                case .codesUsed: "È stato usato un codice di recupero"
                case .codesRemoved: "I codici di recupero sono stati rimossi"
                case .branchEnded: "L’accesso a un servizio è stato terminato"
                case .consentWithdrawn: "L’autorizzazione di un’applicazione è stata revocata"
                case .exported: "I Suoi dati sono stati esportati"
                case .listEmptied: "L’elenco di chi ha saputo qualcosa è stato svuotato"
                case .refusedDeletion: "Una cancellazione dell’account è stata rifiutata"
                case .invited: "La Sua istituzione ha inviato un link per una password"
                case .refusedAtService: "La Sua istituzione Le ha chiuso un servizio"
                case .allowedAtService: "La Sua istituzione Le ha riaperto un servizio"
                case .byOperator: "La Sua istituzione ha modificato qualcosa"
                case .other: "Una modifica al Suo account"
                }
            }),
        notMe: NotMe(
            title: "Non era Lei?", happened: "È accaduto questo:",
            nobodyIn: """
                Nessuno è entrato così. Se qualcuno potesse conoscere la Sua password, La preghiamo di cambiarla.
                """,
            over: """
                Ciò che è stato aperto così è già terminato. Se qualcuno potesse conoscere la Sua password, La \
                preghiamo di cambiarla.
                """,
            password: "Cambia la password",
            passwordText: """
                Una nuova password termina ciò che la vecchia ha aperto, in ogni browser e in ogni app, tranne che qui.
                """,
            phone: "Scollega il telefono", browser: "Termina la sessione", application: "Revoca l’autorizzazione",
            thisBrowser: "È il browser in cui sta leggendo."),
        told: Told(
            title: "Chi ha saputo qualcosa di Lei",
            lead: "Le Sue app e le applicazioni che usa hanno trasmesso questo.",
            none: "Nessuno ha saputo nulla di Lei.", claims: "Ha saputo", through: "Tramite", login: "Con l’accesso",
            nothing: "Un identificativo per Lei",
            empty: Cut(
                verb: "Svuota l’elenco", ends: "Ciò che sta qui viene dimenticato e non può essere ripristinato.",
                stays: "Nessuno perde l’accesso, e ciò che è stato saputo resta noto."),
            emptied: "L’elenco è vuoto.",
            used: Used(
                title: "Servizi che ha usato",
                lead: "Le app che cercano servizi a Suo nome trovano questi per primi.",
                empty: Cut(
                    verb: "Dimentica questi servizi",
                    ends: "L’elenco dei servizi che ha usato viene dimenticato e non può essere ripristinato.",
                    stays: "Nessuno perde l’accesso. Un servizio ricompare qui appena Lei lo usa.")),
            claim: {
                switch $0 {
                case "email": "Indirizzo e-mail"
                case "name": "Nome e cognome"
                case "given_name": "Nome"
                case "family_name": "Cognome"
                case "preferred_username": "Nome utente"
                default: ClaimWords.text($0, .it)
                }
            },
            method: Told.method(
                both: "password e secondo fattore", factor: "telefono o passkey", password: "password",
                neither: "wallet"))
    )
}
