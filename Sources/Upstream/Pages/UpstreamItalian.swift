import Pages

extension UpstreamStrings {
    static let italian = UpstreamStrings(
        button: "Accedere con la Sua istituzione",
        find: .init(
            title: "Trovare la Sua istituzione",
            lead: "Lei accede lì, con ciò che usa sempre. La Sua password non ci viene comunicata.",
            submit: "Cercare"
        ),
        label: "Nome o dominio della Sua istituzione",
        hint: "Per esempio «Università Esempio» o «example.org»",
        choices: "Istituzioni",
        none: "Nessuna istituzione trovata. Provi un altro nome, o acceda in un altro modo.",
        more: "Ce ne sono altre. Digiti una parte più lunga del nome.",
        other: "o un’altra istituzione",
        back: "Accedere in un altro modo", again: "Riprovare",
        problems: .init(
            title: "Non è stato effettuato l’accesso",
            declined: "La Sua istituzione non Le ha dato accesso, o Lei ha annullato lì.",
            invalid:
                """
                La risposta della Sua istituzione non si è potuta verificare, quindi l’accesso non è stato \
                effettuato. Riprovi. Se continua, lo segnali all’assistenza della Sua istituzione.
                """,
            unreachable:
                """
                L’accesso della Sua istituzione al momento non risponde. Riprovi tra un minuto, o acceda in un \
                altro modo.
                """,
            stale:
                """
                La Sua istituzione non Le ha chiesto di accedere di nuovo, come qui è necessario. Esca lì, e \
                riprovi.
                """,
            taken: "La Sua identità in questa istituzione è già collegata a un altro account.",
            foreign: "Il Suo account appartiene a un’altra istituzione e non si può collegare a questa.",
            suspended:
                """
                Questo account non può accedere. Se pensa che dovrebbe, chieda all’assistenza della Sua \
                istituzione.
                """
        ),
        unknown: .init(
            title: "Lei è nuovo qui",
            lead:
                """
                La Sua istituzione ha detto chi è Lei, e nessun account qui vi è ancora collegato. Se ne ha uno, \
                vi acceda una volta. Da allora basta la Sua istituzione.
                """,
            submit: "Accedere al mio account"
        ),
        link: .init(
            title: "Collegare la Sua istituzione",
            lead: "È Lei? Da allora accede con la Sua istituzione.",
            submit: "Sì, collegare"
        ),
        there: "Nella Sua istituzione:", here: "Il Suo account qui:", without: "Continuare senza",
        section: .init(
            title: "Istituzioni",
            lead: "Con queste istituzioni accede senza una password di questo server.",
            effect:
                """
                Chi ha effettuato l’accesso tramite un’istituzione che Lei scollega viene disconnesso negli \
                altri browser.
                """,
            none: "Nessuna istituzione è collegata.",
            button: "Scollegare"
        ),
        add: "Collegare un’istituzione",
        linked: "La Sua istituzione è collegata. D’ora in poi può accedere con essa.",
        unlinked: "L’istituzione è scollegata.",
        kept:
            """
            È l’unico modo in cui può accedere. Imposti prima una password («Password dimenticata?» nella \
            pagina di accesso).
            """,
        farewell: "Uscire anche da \(.name)"
    )
}
