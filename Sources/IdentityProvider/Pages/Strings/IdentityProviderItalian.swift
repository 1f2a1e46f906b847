import Pages

extension IdentityProviderStrings {
    static let italian = IdentityProviderStrings(
        scopes: Scopes(
            openid: "Un identificativo", openidText: "per riconoscerLa alla prossima visita",
            profile: "Il Suo nome", email: "Il Suo indirizzo e-mail",
            offline: "L’accesso anche in Sua assenza", offlineText: "finché non lo revoca nel Suo account",
            discovery: "L’elenco dei servizi", discoveryText: "cerca a Suo nome i servizi della federazione",
            otherText: "l’autorizzazione con questo nome", none: "Soltanto la conferma del Suo accesso"
        ),
        login: Login(
            title: "Accesso",
            again: "L’applicazione desidera accertarsi della Sua identità. La preghiamo di accedere nuovamente.",
            username: "Nome utente", password: "Password", submit: "Accedere",
            wrong: "Il nome utente o la password non sono corretti. La preghiamo di verificare i dati e di riprovare.",
            busy: """
                In questo momento moltissime persone stanno effettuando l’accesso. La preghiamo di riprovare tra \
                qualche secondo.
                """,
            expired: "Questa pagina è rimasta aperta troppo a lungo. La preghiamo di effettuare nuovamente l’accesso.",
            remembered: "Come l’ultima volta in questo browser:",
            tooMany: { "Sono stati effettuati troppi tentativi. La preghiamo di riprovare \($0)." }),
        consent: Consent(
            title: "Trasmettere i Suoi dati a \(.name)?", receives: "Questa applicazione riceverà:",
            acts: "Questa applicazione agirà a Suo nome presso:",
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
            ), system: "Sistema", app: "App", receives: "Riceve", actsAt: "Agisce a Suo nome presso",
            thisBrowser: "questo browser",
            disconnected: "Il telefono è scollegato. Tutto ciò che gli era consentito è terminato.",
            withdrawn: "L’autorizzazione è revocata. L’accesso è terminato.",
            passwordChanged: "La Sua password è stata modificata.",
            notNow: "No, grazie"),
        password: Password(
            title: "Modificare la password", current: "Password attuale", new: "Nuova password",
            again: "Ripetere la nuova password", submit: "Modificare la password",
            wrong: "La password attuale non è corretta.",
            different: "Le due nuove password non coincidono. La preghiamo di inserirle nuovamente.",
            long: "Questa password è troppo lunga. La preghiamo di sceglierne una più corta.",
            common: """
                Questa password è troppo facile da indovinare: la usano in molti. La preghiamo di \
                sceglierne un’altra.
                """,
            ofName: """
                Questa password è troppo facile da indovinare: è formata dal Suo nome o dal nostro. La preghiamo di \
                sceglierne un’altra.
                """,
            hint: { "Almeno \($0) caratteri. Una frase intera è facile da ricordare e difficile da indovinare." },
            weak: {
                """
                Questa password è troppo facile da indovinare. La preghiamo di sceglierne una di almeno \($0) \
                caratteri.
                """
            }),
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
        )
    )
}
