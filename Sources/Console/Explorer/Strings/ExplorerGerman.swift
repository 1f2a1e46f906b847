extension ExplorerStrings {
    static let german = ExplorerStrings(
        treeLead: "Was unter einem Knoten hängt, lebt so lange wie alles, was darüber steht.",
        search: "Knoten oder Name",
        searchHint:
            "Ein Benutzername, eine App, ein Dienst, ein Client, die jti eines Tokens oder ein Knoten wie "
            + "version:wallet.2.1.",
        find: "Zeigen", several: "Mehrere heissen so", unknown: "Nichts heisst so.",
        picture: "Der Baum als Bild", list: "Der Baum als Liste", cut: "Dies und alles darunter beenden …",
        audit: "Was damit geschah", childless: "Darunter hängt nichts.",
        tooMany: "Von hier aus ist es zu viel. Beginnen Sie mit einer App, einem Konto oder einem Client.",
        nextPage: "Die nächsten", firstPage: "Von vorn", below: "Was darunter hängt",
        more: { "\($1 ? "mindestens " : "")\($0) weitere" },
        status: "Zustand", since: "Seit", until: "Bis", client: "Client", account: "Konto", service: "Dienst",
        statuses: ["live": "lebt", "expired": "abgelaufen", "revoked": "beendet", "used": "verwendet"],
        kinds: [
            "version": "App-Version", "instance": "Installierte App", "key": "Geräteschlüssel", "account": "Konto",
            "password": "Passwort", "session": "Browser", "client": "Client", "grant": "Erlaubnis",
            "service": "Dienst", "use": "Person bei einem Dienst", "bundle": "App Dritter",
            "admission": "App Dritter bei einem Dienst", "instance_token": "Instanz-Token",
            "pat": "Persönliches Token", "assertion": "Assertion", "service_token": "Dienst-Token",
            "app_token": "App-Token", "access_token": "Zugriffs-Token", "code": "Code",
        ],
        whyTitle: "Warum ein Token lebt oder nicht",
        whyLead: "Fügen Sie das Token ein oder seine jti. Es wird nachgesehen und nicht aufbewahrt.",
        token: "Token oder jti", tell: "Warum?", verdict: "Urteil", reference: "Nach der Regel", node: "Knoten",
        cause: "Beendet mit", at: "Wann", by: "Von", reason: "Grund", showTree: "Im Baum zeigen",
        rules: [
            "live": "Es lebt: Es ist nicht abgelaufen, und nichts darüber ist beendet.",
            "expired": "Es ist abgelaufen.",
            "revoked": "Es wurde beendet, oder etwas darüber.", "used": "Es gilt einmal und wurde verwendet.",
            "epoch": "Alle Token wurden beendet, als eine Sicherung eingespielt wurde.",
            "unknown": "Kein Token dieser Föderation, oder schon so lange tot, dass es vergessen ist.",
        ],
        auditLead: "Wer was getan hat, wann, von wo und warum; das Neuste zuerst.",
        action: "Handlung", outcome: "Ergebnis", actor: "Wer es tat", auditUntil: "Vor", auditSince: "Ab",
        origin: "Von wo", export: "Diese Zeilen für Programme (JSON Lines)", none: "Solche Zeilen gibt es nicht.",
        timeHint: "Zum Beispiel 2026-11-21T08:00:00Z", times: { "\($0)-mal" })
}
