extension RecoveryStrings {
    static let italian = RecoveryStrings(
        forgotten: "Password dimenticata?", toLogin: "Accedere", toAccount: "Il Suo account",
        askAgain: "Chiedere un nuovo link", or: "oppure",
        ask: Task(
            title: "Password dimenticata",
            lead: """
                Inserisca il Suo nome utente o il Suo indirizzo e-mail. Riceverà un link per scegliere una nuova \
                password.
                """, submit: "Inviare il link"),
        name: "Nome utente o indirizzo e-mail",
        asked: .init(
            title: "Guardi nella Sua casella di posta",
            text: "Se esiste un account con questo nome e un indirizzo e-mail, un link è in arrivo. Vale 15 minuti."),
        reset: Task(
            title: "Scegliere una nuova password",
            lead: "Così terminano tutte le sessioni nei browser, e ciò che la vecchia password ha aperto:",
            submit: "Salvare la password"),
        invite: Task(
            title: "Benvenuti", lead: "Scelga una password per il Suo account:", submit: "Salvare la password"),
        set: .init(title: "La Sua password è salvata", text: "Ora può accedere con essa."),
        over: .init(
            title: "Questo link non è più valido", text: "È già stato usato, è troppo vecchio, o ne è seguito un altro."
        ),
        email: Task(
            title: "Il Suo indirizzo e-mail",
            lead: "Inviamo lì un link. L’indirizzo diventa Suo quando lo ha seguito.", submit: "Inviare il link"),
        emailLabel: "Indirizzo e-mail", notAnAddress: "Questo non è un indirizzo e-mail. Lo controlli.",
        sent: .init(
            title: "Guardi nella Sua casella di posta",
            text: "Un link è in arrivo a questo indirizzo. Vale un giorno. Fino ad allora non cambia nulla."),
        verify: Task(
            title: "Questo indirizzo è Suo?", lead: "I messaggi su questo account arriveranno lì.",
            submit: "Sì, è mio"),
        verified: .init(
            title: "Il Suo indirizzo è confermato", text: "I messaggi sul Suo account arrivano lì d’ora in poi."),
        addresses: .init(
            title: "Indirizzo e-mail",
            lead: "Qui arrivano i messaggi sul Suo account, e i link quando dimentica una password.",
            effect: "Con un link conferma che legge lì.",
            none: """
                Il Suo account non ha un indirizzo e-mail. Senza di esso non può sostituire una password dimenticata.
                """, button: "Inviare un link"),
        isVerified: "confermato", isUnverified: "non confermato", changeAddress: "Usare un altro indirizzo",
        cutDevice: Task(
            title: "Scollegare il telefono?",
            lead: "Così termina tutto ciò che il nuovo telefono può fare. Dopo cambi la Sua password.",
            submit: "Scollegare"),
        cutBrowser: Task(title: "C’era qualcun altro?", lead: all, submit: "Terminare tutto"),
        cutFactor: Task(
            title: "C’era qualcun altro?", lead: "Così viene rimosso il nuovo modo di accedere. " + all,
            submit: "Terminare tutto"),
        cutRemoval: Task(
            title: "C’era qualcun altro?",
            lead: "Ciò che è stato rimosso non torna da solo. " + all,
            submit: "Terminare tutto"),
        cutPassword: Task(title: "C’era qualcun altro?", lead: all, submit: "Terminare tutto"),
        cutAddress: Task(
            title: "C’era qualcun altro?", lead: "Questo indirizzo torna a essere Suo. " + all,
            submit: "Terminare tutto"),
        cutDeviceDone: .init(
            title: "Il telefono è scollegato",
            text: "Tutto ciò che poteva fare è terminato. Forse qualcuno conosce la Sua password: la cambi ora."),
        cutSuspended: .init(
            title: "L’account è chiuso",
            text: """
                Tutto è terminato. L’account richiede un secondo fattore e non ne ha più: perciò nessuno può \
                entrare. Chieda a chi gestisce questo server di riaprirlo.
                """),
        cutDone: .init(
            title: "Tutto è terminato",
            text:
                """
                La vecchia password non vale più. Un link per sceglierne una nuova è in arrivo al Suo indirizzo e-mail.
                """),
        button: "Usare un codice di recupero",
        code: Task(
            title: "Codice di recupero",
            lead: "Non ha a portata di mano il telefono o la chiave? Inserisca uno dei codici che ha conservato.",
            submit: "Accedere"),
        codeLabel: "Codice", codeHint: "Dodici lettere e cifre. Ogni codice vale una volta.",
        wrong: "Questo codice non è corretto, o è già stato usato. Lo controlli, o prenda il prossimo.",
        codes: Task(
            title: "Codici di recupero",
            lead:
                """
                Con questi codici accede quando il telefono o la chiave sono persi. Li mostriamo una volta. Quelli \
                nuovi sostituiscono i vecchi.
                """, submit: "Creare dieci codici"),
        made: .init(
            title: "I Suoi codici di recupero",
            text: "Li stampi o li annoti ora, e li conservi al sicuro. Nessuno può mostrarli di nuovo."),
        codesSection: .init(
            title: "Codici di recupero", lead: "Con questi accede quando il telefono o la chiave sono persi.",
            effect: "Rimuovere li rende senza valore.", none: "Non ha ancora codici di recupero.", button: "Rimuovere"),
        removed: "I codici di recupero sono rimossi.", left: { "Codici rimasti: \($0)" })

    private static let all = """
        Termina tutto ciò che è stato aperto con il Suo account: browser, telefoni e applicazioni. La password non \
        vale più, e riceve un link per sceglierne una nuova.
        """
}
