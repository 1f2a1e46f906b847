extension ConsoleStrings {
    static let italian = ConsoleStrings(
        language: .it,
        console: "Amministrazione", overview: "Panoramica", menu: "Menu", yourAccount: "Il Suo account",
        noRole: "Qui non ha alcun ruolo",
        noRoleText: "L’amministrazione è per chi ha un ruolo in questa federazione. Un amministratore può dargliene "
            + "uno.",
        filter: "Filtra", next: "Pagina successiva", first: "Prima pagina", nothing: "Qui non c’è nulla.",
        actions: "Che cosa può fare", more: "Tutti questi",
        yes: "sì", no: "no",
        show: "Mostra", preview: "Mostra che cosa farebbe", previewTitle: "Che cosa farebbe",
        again: "Qualcosa è cambiato da quando ha guardato. Ecco che cosa farebbe adesso.",
        confirm: "Sì, esegui", save: "Salva",
        cancel: "Annulla", back: "Indietro",
        reason: "Motivo", reasonHelp: "Resta nel registro di audit.", oneALine: "Uno per riga.",
        fromFile: "Il contenuto del file.", choose: "(invariato)",
        done: "Fatto.", doneAlready: "Era già così; nulla è cambiato.",
        secretOnce: "Viene mostrato una sola volta. Lo conservi adesso.", result: "Risultato",
        nothingEnds: "Nulla termina.", uncounted: "Ne terminano più di quanti si siano potuti contare rapidamente.",
        tokensEnd: { $0 == 1 ? "1 token termina." : "\($0) token terminano." },
        servicesTold: { $0 == 1 ? "1 servizio ne viene informato." : "\($0) servizi ne vengono informati." },
        browsersEnd: { $0 == 1 ? "1 browser viene disconnesso." : "\($0) browser vengono disconnessi." },
        warnings: [
            "apps versions refuse":
                """
            Ogni telefono con questa versione viene disconnesso subito, e nessuno può registrarsi \
            con essa finché non è di nuovo consentita. Bisogna installare un’altra versione e \
            accedervi di nuovo.
            """,
            "apps refuse":
                """
            Ogni telefono con questa app, in qualunque versione, viene disconnesso subito, e nessuno \
            può registrarsi con essa finché non è di nuovo consentita.
            """,
            "accounts suspend":
                """
            La persona non può accedere da nessuna parte finché non è riammessa; ciò che termina ora \
            non ritorna per questo.
            """,
            "accounts delete":
                """
            È definitivo: il nome diventa libero, e i servizi non riconosceranno più la persona.
            """,
            "services approve":
                """
            Da ora le app trovano il servizio e gli accessi lo raggiungono. Prima legga, sulla \
            pagina del servizio, il suo documento, gli avvisi e ciò che è cambiato da allora.
            """,
            "services remove":
                """
            Le app non trovano più il servizio, e tutto ciò che è stato emesso per esso termina.
            """,
            "epoch bump":
                """
            Termina tutto: ogni accesso, ogni app, ogni token di tutti.
            """,
        ],
        ago: {
            switch $0 {
            case .moment: "proprio ora"
            case .minutes(let count): count == 1 ? "1 minuto fa" : "\(count) minuti fa"
            case .hours(let count): count == 1 ? "1 ora fa" : "\(count) ore fa"
            case .days(let count): "\(count) giorni fa"
            }
        },
        ahead: {
            switch $0 {
            case .moment: "adesso"
            case .minutes(let count): count == 1 ? "tra 1 minuto" : "tra \(count) minuti"
            case .hours(let count): count == 1 ? "tra 1 ora" : "tra \(count) ore"
            case .days(let count): "tra \(count) giorni"
            }
        })
}
