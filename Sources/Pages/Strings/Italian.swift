/// Courtesy form with capitals, as public institutions write; buttons are infinitives.
extension Strings {
    static let italian = Strings(
        frame: Frame(
            motto: "Una radice, molti tronchi.", problem: "Problema:", loggedInAs: "Account in uso:",
            startPage: "Pagina iniziale", yourAccount: "Il Suo account",
            website: "Sito web", policy: "Informativa sulla privacy", terms: "Condizioni d’uso"
        ),
        wait: Wait(
            oneMinute: "tra un minuto", oneHour: "tra un’ora", minutes: { "tra \($0) minuti" },
            hours: { "tra \($0) ore" }),
        scopes: Scopes(
            openid: "Un identificativo", openidText: "per riconoscerLa alla prossima visita",
            profile: "Il Suo nome", email: "Il Suo indirizzo e-mail",
            offline: "L’accesso anche in Sua assenza", offlineText: "finché non lo revoca nel Suo account",
            otherText: "l’autorizzazione con questo nome", none: "Soltanto la conferma del Suo accesso"
        ),
        login: Login(
            title: "Accesso", to: "per continuare su \(.name)", toAccount: "per continuare sul Suo account",
            again: "L’applicazione desidera accertarsi della Sua identità. La preghiamo di accedere nuovamente.",
            username: "Nome utente", password: "Password", submit: "Accedere",
            withPassword: "Accedere con la password", or: "oppure",
            wrong: "Il nome utente o la password non sono corretti. La preghiamo di verificare i dati e di riprovare.",
            busy:
                """
                In questo momento moltissime persone stanno effettuando l’accesso. La preghiamo di riprovare tra \
                qualche secondo.
                """,
            expired: "Questa pagina è rimasta aperta troppo a lungo. La preghiamo di effettuare nuovamente l’accesso.",
            tooMany: { "Sono stati effettuati troppi tentativi. La preghiamo di riprovare \($0)." }
        ),
        consent: Consent(
            title: "Trasmettere i Suoi dati a \(.name)?", receives: "Questa applicazione riceverà:",
            withdrawal: "Può revocare questa autorizzazione in qualsiasi momento nel Suo account.", allow: "Consentire",
            deny: "Rifiutare"
        ),
        logout: Logout(
            title: "Disconnettersi?", asks: "\(.name) chiede la Sua disconnessione.",
            text: "La Sua sessione terminerà qui e in tutte le applicazioni che ha aperto con essa in questo browser.",
            phones: "Le app sui Suoi telefoni restano collegate.", submit: "Disconnettersi",
            stay: "Mantenere la sessione",
            done: "La Sua sessione è terminata",
            shared: "Su un computer condiviso, La preghiamo di chiudere anche il browser.",
            back: "Tornare a \(.name)", goOn: "Continuare", again: "Accedere nuovamente"
        ),
        account: Account(
            title: "Il Suo account",
            phones: .init(
                title: "App sui telefoni",
                lead: "Le app su questi telefoni Le danno accesso ai servizi della federazione.",
                effect: "Scollegare un telefono pone fine immediatamente a tutto ciò che gli è consentito.",
                none:
                    "Nessun telefono è collegato. Quando accede con un’app della federazione, il telefono compare qui.",
                button: "Scollegare"
            ),
            applications: .init(
                title: "Applicazioni", lead: "Ha autorizzato queste applicazioni a ricevere i Suoi dati.",
                effect:
                    """
                    La revoca pone fine immediatamente a questo accesso. La prossima volta Le verrà chiesto di nuovo \
                    il consenso.
                    """,
                none: "Non ha ancora autorizzato alcuna applicazione.", button: "Revocare"
            ),
            sessions: .init(
                title: "Browser", lead: "La Sua sessione è aperta in questi browser.",
                effect: "Terminare una sessione La disconnette da quel browser e dalle applicazioni aperte con essa.",
                none: "Nessuna sessione è aperta in un browser.", button: "Terminare"
            ),
            phone: "Telefono", device: "Dispositivo", system: "Sistema", app: "App", since: "Dal",
            lastUsed: "Ultimo utilizzo", receives: "Riceve", usedFor: "Usato per",
            thisBrowser: "questo browser", unknownBrowser: "Browser sconosciuto", browserOn: { "\($0) su \($1)" },
            disconnected: "Il telefono è scollegato. Tutto ciò che gli era consentito è terminato.",
            withdrawn: "L’autorizzazione è revocata. L’accesso è terminato.",
            ended: "La sessione è terminata.", passwordChanged: "La Sua password è stata modificata."
        ),
        password: Password(
            title: "Modificare la password", current: "Password attuale", new: "Nuova password",
            again: "Ripetere la nuova password", submit: "Modificare la password",
            cancel: "Annullare", wrong: "La password attuale non è corretta.",
            different: "Le due nuove password non coincidono. La preghiamo di inserirle nuovamente.",
            long: "Questa password è troppo lunga. La preghiamo di sceglierne una più corta.",
            common:
                """
                Questa password è troppo facile da indovinare: la usano in molti. La preghiamo di \
                sceglierne un’altra.
                """,
            ofName:
                """
                Questa password è troppo facile da indovinare: è formata dal Suo nome o dal nostro. La preghiamo di \
                sceglierne un’altra.
                """,
            hint: { "Almeno \($0) caratteri. Una frase intera è facile da ricordare e difficile da indovinare." },
            weak: {
                """
                Questa password è troppo facile da indovinare. La preghiamo di sceglierne una di almeno \($0) \
                caratteri.
                """
            }
        ),
        device: Device(
            title: "Collegare un dispositivo",
            lead: "La preghiamo di inserire il codice visualizzato sul Suo dispositivo.", code: "Codice",
            hint: "Per esempio BCDF-GHJK", submit: "Continuare",
            unknown:
                """
                Questo codice è sconosciuto o scaduto. La preghiamo di verificarlo o di farne visualizzare uno nuovo \
                dal dispositivo.
                """,
            confirm: "Autorizzare \(.name) sul Suo dispositivo?",
            compare:
                "Confronti questo codice con quello visualizzato sul Suo dispositivo. Prosegua solo se coincidono.",
            warning: "Qualcuno Le ha inviato questo codice? Allora rifiuti: quella persona otterrebbe il Suo accesso.",
            allowed: "Il Suo dispositivo è collegato",
            allowedText: "Può chiudere questa pagina e continuare sul Suo dispositivo.",
            denied: "Non è stato autorizzato nulla",
            deniedText: "Il dispositivo non ottiene alcun accesso. Può chiudere questa pagina."
        ),
        phone: phoneStrings,
        problem: Problem(
            badRequest: .init(
                title: "Non è possibile rispondere a questa richiesta",
                text: """
                    L’applicazione ha chiesto qualcosa che qui non è possibile. La preghiamo di tornare \
                    all’applicazione e di \
                    ricominciare. Se non basta, comunichi alla sua assistenza quanto riportato sotto.
                    """
            ),
            expired: .init(
                title: "Il tempo è scaduto",
                text: "Questa pagina non è più valida. La preghiamo di tornare all’applicazione e di ricominciare."),
            forbidden: .init(
                title: "Operazione non consentita",
                text:
                    """
                    Il Suo account non è autorizzato. Se ritiene che dovrebbe esserlo, La preghiamo di rivolgersi \
                    all’assistenza della Sua istituzione.
                    """
            ),
            unavailable: .init(
                title: "Al momento non disponibile", text: "La preghiamo di riprovare tra qualche minuto."),
            notFound: .init(
                title: "Questa pagina non esiste",
                text: "La preghiamo di verificare l’indirizzo o di tornare alla pagina precedente."),
            failed: .init(
                title: "Si è verificato un problema",
                text:
                    """
                    L’errore è nostro. La preghiamo di riprovare. Se non basta, comunichi all’assistenza della Sua \
                    istituzione quanto riportato sotto.
                    """
            ),
            tooMany: "Troppe richieste", forSupport: "Per l’assistenza",
            tooManyText: { "La preghiamo di riprovare \($0)." }
        )
    )

    private static let phoneStrings = Phone(
        open: "Aprire l’app",
        elsewhere:
            """
            Mostri questa pagina su un altro schermo, per esempio quello di un computer, e scansioni questo codice \
            con l’app.
            """,
        pushed: "È stata inviata una richiesta al Suo telefono. La confermi, oppure scansioni il codice.",
        waiting: "In attesa del Suo telefono. Poi questa pagina prosegue da sola.", asked: "Telefono interpellato:",
        others: "Usare un altro telefono", otherKind: "Usare un altro tipo di app", again: "Mostrare un nuovo codice",
        restart: "Ricominciare", setUp: "Configurare un telefono", blocked: "bloccato",
        endings: .init(
            expired: .init(title: "Il codice è scaduto", text: "Ne faccia mostrare uno nuovo e lo scansioni."),
            failed: .init(
                title: "Troppe risposte errate",
                text: "La preghiamo di riprovare con un nuovo codice e con il PIN di questo account."),
            cancelled: .init(
                title: "L’operazione è stata annullata", text: "Nulla è stato modificato. Può ricominciare."),
            gone: .init(
                title: "Questo accesso non è più valido",
                text: "È già stato completato, è durato troppo a lungo o è iniziato in un altro browser."),
            wrongPhone: .init(
                title: "Era il telefono di un’altra persona",
                text: "La preghiamo di usare un telefono configurato per il Suo account."),
            noPhone: .init(
                title: "Nessun telefono è configurato",
                text: "Il Suo account non ha ancora un telefono con cui accedere."),
            refused: .init(
                title: "Questo accesso non è possibile",
                text: """
                    Il telefono è stato rimosso, oppure il suo account non è autorizzato ad accedere. Se ritiene che \
                    dovrebbe esserlo, \
                    La preghiamo di rivolgersi all’assistenza della Sua istituzione.
                    """
            ),
            tooMany: .init(
                title: "I telefoni sono già molti", text: "La preghiamo di rimuoverne prima uno nel Suo account."),
            blockedTitle: "Questo telefono è bloccato",
            blockedForGood:
                "La preghiamo di usare un altro telefono o di rivolgersi all’assistenza della Sua istituzione.",
            blocked: {
                "Le risposte errate sono state troppe. La preghiamo di riprovare \($0) o di usare un altro telefono."
            }
        ),
        added: "Il telefono è configurato. Da ora può accedere con esso.",
        removed: "Il telefono è stato rimosso. Nessuno può più accedere con esso.",
        kept:
            """
            Questo è il Suo ultimo telefono e il Suo account ne richiede uno. La preghiamo di configurarne prima un \
            altro.
            """
    )
}
