extension ExplorerStrings {
    static let italian = ExplorerStrings(
        treeLead: "Ciò che dipende da un nodo vive finché vive tutto ciò che gli sta sopra.",
        search: "Nodo o nome",
        searchHint:
            "Un nome utente, un’app, un servizio, un client, il jti di un token, o un nodo come version:wallet.2.1.",
        find: "Mostra", several: "Più cose hanno questo nome", unknown: "Niente ha questo nome.",
        picture: "L’albero come immagine", list: "L’albero come elenco",
        cut: "Termina questo e tutto ciò che ne dipende …",
        audit: "Che cosa gli è successo", childless: "Niente ne dipende.",
        tooMany: "Da qui c’è troppo da cercare. Inizi da un’app, un account o un client.",
        nextPage: "I prossimi", firstPage: "Dall’inizio", below: "Che cosa ne dipende",
        more: { "\($1 ? "almeno altri " : "altri ")\($0)" },
        status: "Stato", since: "Dal", until: "Fino al", client: "Client", account: "Account", service: "Servizio",
        statuses: ["live": "vive", "expired": "scaduto", "revoked": "terminato", "used": "usato"],
        kinds: [
            "version": "Versione dell’app", "instance": "App installata", "key": "Chiave del dispositivo",
            "account": "Account", "password": "Password", "session": "Browser", "client": "Client",
            "grant": "Permesso", "service": "Servizio", "use": "Persona presso un servizio", "bundle": "App di terzi",
            "admission": "App di terzi presso un servizio", "instance_token": "Token d’istanza",
            "pat": "Token personale", "assertion": "Asserzione", "service_token": "Token di servizio",
            "app_token": "Token d’app", "access_token": "Token d’accesso", "code": "Codice",
        ],
        whyTitle: "Perché un token vive o no",
        whyLead: "Incolli il token o il suo jti. Viene cercato, e non conservato.",
        token: "Token o jti", tell: "Dimmi perché", verdict: "Verdetto", reference: "Secondo la regola", node: "Nodo",
        cause: "Terminato con", at: "Quando", by: "Da", reason: "Motivo", showTree: "Mostra nell’albero",
        rules: [
            "live": "Vive: non è scaduto, e niente sopra di esso è terminato.", "expired": "È scaduto.",
            "revoked": "È stato terminato, o qualcosa sopra di esso.", "used": "Vale una volta, ed è stato usato.",
            "epoch": "Tutti i token sono stati terminati quando è stato ripristinato un backup.",
            "unknown": "Nessun token di questa federazione, o morto da così tanto che è dimenticato.",
        ],
        auditLead: "Chi ha fatto che cosa, quando, da dove e perché; prima il più recente.",
        action: "Azione", outcome: "Esito", actor: "Chi l’ha fatto", auditUntil: "Prima del", auditSince: "Dal",
        origin: "Da dove", export: "Queste righe per programmi (JSON Lines)", none: "Non ci sono righe simili.",
        timeHint: "Per esempio 2026-11-21T08:00:00Z", times: { "\($0) volte" })
}
