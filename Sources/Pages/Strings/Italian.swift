/// Courtesy form with capitals, as public institutions write; buttons are infinitives.
extension Strings {
    static let italian = Strings(
        frame: Frame(
            motto: "Una radice, molti tronchi.", problem: "Problema:", loggedInAs: "Account in uso:",
            startPage: "Pagina iniziale", yourAccount: "Il Suo account", website: "Sito web",
            policy: "Informativa sulla privacy", terms: "Condizioni d’uso", cancel: "Annullare", support: "Assistenza",
            language: "Lingua"),
        wait: Wait(
            oneMinute: "tra un minuto", oneHour: "tra un’ora", minutes: { "tra \($0) minuti" },
            hours: { "tra \($0) ore" }),
        login: Login(
            to: "per continuare su \(.name)", toAccount: "per continuare sul Suo account",
            withPassword: "Accedere con la password", or: "oppure", withoutLevel: "Continuare senza secondo fattore"),
        account: Account(
            phone: "Telefono", device: "Dispositivo", since: "Dal", lastUsed: "Ultimo utilizzo", usedFor: "Usato per",
            unknownBrowser: "Browser sconosciuto", browserOn: { "\($0) su \($1)" }, ended: "La sessione è terminata.",
            undone: "Non si può annullare, solo configurare di nuovo."),
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
