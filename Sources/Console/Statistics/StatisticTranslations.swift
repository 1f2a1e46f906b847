extension StatisticStrings {
    static let english = StatisticStrings(
        title: "At a glance", lead: "What was counted every five minutes, in UTC.", ranges: "Time that is shown",
        table: "As a table", time: "From", estimate: "estimated where there are many", other: "others",
        none: "Nothing has been counted yet: a running server does it every five minutes.", own: "What you administer",
        setback: "The database went back to an earlier state, so tokens that were revoked may live again.",
        range: ["day": "24 hours", "week": "7 days", "months": "60 days", "year": "400 days"],
        metrics: [
            "tokens.live": "Tokens that live", "tokens.refreshable": "Tokens that are renewed",
            "tokens.issued": "Tokens issued", "revocations": "Ended by people and rules", "logins": "Logins",
            "refusals": "Refusals by reason", "documents": "Documents of services",
            "events.behind": "Services that wait for events", "events.waiting": "Events that wait",
            "events.dead": "Events given up", "events.lag": "Age of the oldest event that waits",
        ],
        units: [
            "tokens": "tokens", "revocations": "nodes", "logins": "logins", "refusals": "refusals",
            "services": "services", "events": "events", "seconds": "seconds",
        ],
        labels: [
            "instance_token": "instance tokens", "pat": "personal tokens", "assertion": "assertions",
            "service_token": "service tokens", "app_token": "app tokens", "access_token": "access tokens",
            "code": "codes", "pwd/done": "password, done", "pwd/refused": "password, refused", "other": "others",
            "documents:ok": "in order", "documents:degraded": "in part", "documents:stale": "out of date",
            "documents:failed": "failed", "documents:gone": "gone", "documents:pending": "not read yet",
            "documents:suspended": "suspended",
        ],
        counts: ["accounts": "People", "apps": "Apps", "clients": "Clients", "services": "Services"])

    static let german = StatisticStrings(
        title: "Auf einen Blick", lead: "Was alle fünf Minuten gezählt wurde, in UTC.",
        ranges: "Gezeigte Zeit", table: "Als Tabelle", time: "Ab", estimate: "geschätzt, wo es viele sind",
        other: "andere", none: "Noch ist nichts gezählt: Ein laufender Server tut das alle fünf Minuten.",
        own: "Was Sie verwalten",
        setback: "Die Datenbank ging auf einen früheren Stand zurück: Widerrufene Token können wieder leben.",
        range: ["day": "24 Stunden", "week": "7 Tage", "months": "60 Tage", "year": "400 Tage"],
        metrics: [
            "tokens.live": "Lebende Token", "tokens.refreshable": "Token, die erneuert werden",
            "tokens.issued": "Ausgestellte Token", "revocations": "Von Menschen und Regeln beendet",
            "logins": "Anmeldungen", "refusals": "Ablehnungen nach Grund", "documents": "Dokumente der Dienste",
            "events.behind": "Dienste, die auf Ereignisse warten", "events.waiting": "Wartende Ereignisse",
            "events.dead": "Aufgegebene Ereignisse", "events.lag": "Alter des ältesten wartenden Ereignisses",
        ],
        units: [
            "tokens": "Token", "revocations": "Knoten", "logins": "Anmeldungen", "refusals": "Ablehnungen",
            "services": "Dienste", "events": "Ereignisse", "seconds": "Sekunden",
        ],
        labels: [
            "instance_token": "Instanz-Token", "pat": "Persönliche Token", "assertion": "Assertions",
            "service_token": "Dienst-Token", "app_token": "App-Token", "access_token": "Zugriffs-Token",
            "code": "Codes", "pwd/done": "Passwort, gelungen", "pwd/refused": "Passwort, abgelehnt",
            "other": "andere", "documents:ok": "in Ordnung", "documents:degraded": "teilweise",
            "documents:stale": "veraltet", "documents:failed": "misslungen", "documents:gone": "verschwunden",
            "documents:pending": "noch nicht gelesen", "documents:suspended": "ausgesetzt",
        ],
        counts: ["accounts": "Personen", "apps": "Apps", "clients": "Clients", "services": "Dienste"])

    static let french = StatisticStrings(
        title: "En un coup d’œil", lead: "Ce qui a été compté toutes les cinq minutes, en UTC.",
        ranges: "Période montrée", table: "En tableau", time: "À partir de",
        estimate: "estimés quand ils sont nombreux", other: "autres",
        none: "Rien n’est compté pour l’instant\u{A0}: un serveur en marche le fait toutes les cinq minutes.",
        own: "Ce que vous administrez",
        setback: "La base de données est revenue à un état antérieur\u{A0}: des jetons révoqués peuvent revivre.",
        range: ["day": "24 heures", "week": "7 jours", "months": "60 jours", "year": "400 jours"],
        metrics: [
            "tokens.live": "Jetons qui vivent", "tokens.refreshable": "Jetons renouvelés",
            "tokens.issued": "Jetons émis", "revocations": "Révoqués par des personnes et des règles",
            "logins": "Connexions", "refusals": "Refus par raison", "documents": "Documents des services",
            "events.behind": "Services qui attendent des événements", "events.waiting": "Événements en attente",
            "events.dead": "Événements abandonnés", "events.lag": "Âge du plus ancien événement en attente",
        ],
        units: [
            "tokens": "jetons", "revocations": "nœuds", "logins": "connexions", "refusals": "refus",
            "services": "services", "events": "événements", "seconds": "secondes",
        ],
        labels: [
            "instance_token": "jetons d’instance", "pat": "jetons personnels", "assertion": "assertions",
            "service_token": "jetons de service", "app_token": "jetons d’application",
            "access_token": "jetons d’accès", "code": "codes", "pwd/done": "mot de passe, réussies",
            "pwd/refused": "mot de passe, refusées", "other": "autres", "documents:ok": "en ordre",
            "documents:degraded": "en partie", "documents:stale": "périmés", "documents:failed": "échoués",
            "documents:gone": "disparus", "documents:pending": "pas encore lus", "documents:suspended": "suspendus",
        ],
        counts: ["accounts": "Personnes", "apps": "Applications", "clients": "Clients", "services": "Services"])

    static let italian = StatisticStrings(
        title: "A colpo d’occhio", lead: "Ciò che è stato contato ogni cinque minuti, in UTC.",
        ranges: "Periodo mostrato", table: "Come tabella", time: "Dal", estimate: "stimati dove sono molti",
        other: "altri", none: "Non è ancora stato contato niente: un server in funzione lo fa ogni cinque minuti.",
        own: "Che cosa amministra",
        setback: "Il database è tornato a uno stato precedente: i token revocati possono essere di nuovo validi.",
        range: ["day": "24 ore", "week": "7 giorni", "months": "60 giorni", "year": "400 giorni"],
        metrics: [
            "tokens.live": "Token che vivono", "tokens.refreshable": "Token che vengono rinnovati",
            "tokens.issued": "Token emessi", "revocations": "Terminati da persone e regole", "logins": "Accessi",
            "refusals": "Rifiuti per motivo", "documents": "Documenti dei servizi",
            "events.behind": "Servizi che aspettano eventi", "events.waiting": "Eventi in attesa",
            "events.dead": "Eventi abbandonati", "events.lag": "Età dell’evento più vecchio in attesa",
        ],
        units: [
            "tokens": "token", "revocations": "nodi", "logins": "accessi", "refusals": "rifiuti",
            "services": "servizi", "events": "eventi", "seconds": "secondi",
        ],
        labels: [
            "instance_token": "token d’istanza", "pat": "token personali", "assertion": "asserzioni",
            "service_token": "token di servizio", "app_token": "token d’app", "access_token": "token d’accesso",
            "code": "codici", "pwd/done": "password, riusciti", "pwd/refused": "password, rifiutati",
            "other": "altri", "documents:ok": "in ordine", "documents:degraded": "in parte",
            "documents:stale": "non aggiornati", "documents:failed": "falliti", "documents:gone": "spariti",
            "documents:pending": "non ancora letti", "documents:suspended": "sospesi",
        ],
        counts: ["accounts": "Persone", "apps": "App", "clients": "Client", "services": "Servizi"])
}
