import Pages

extension PasskeyStrings {
    static let italian = PasskeyStrings(
        button: "Accedere con una passkey", title: "Accedere con una passkey",
        lead: "Il dispositivo Le chiede l’impronta, il volto o il PIN. Questi restano sul dispositivo.",
        submit: "Usare una passkey",
        noScript:
            """
            Le passkey richiedono JavaScript, che è disattivato in questo browser. La preghiamo di accedere in un \
            altro modo.
            """,
        noScriptAlone:
            """
            Le passkey richiedono JavaScript, che è disattivato in questo browser, e il Suo account non ha altri modi \
            per accedere qui. La preghiamo di attivarlo, o di usare un altro browser o un altro dispositivo. Se non è \
            possibile, La preghiamo di rivolgersi all’assistenza della Sua istituzione: rimuove la passkey, e Lei \
            configura un telefono o una nuova passkey.
            """,
        notes: .init(
            unsupported:
                """
                Questo browser non può usare le passkey. La preghiamo di usarne un altro o di accedere in un altro \
                modo.
                """,
            cancelled:
                """
                Nessuna passkey è stata usata: annullata, oppure tempo scaduto. La preghiamo di riprovare o di \
                accedere in un altro modo.
                """,
            exists: "Questo dispositivo ha già una passkey per il Suo account. Può usare quella.",
            failed: "Non ha funzionato. La preghiamo di verificare la connessione e di riprovare."
        ),
        problems: .init(
            over: "È passato troppo tempo, oppure la risposta è già stata data. La preghiamo di riprovare.",
            refused:
                """
                Non è stato possibile verificare questa passkey. La preghiamo di riprovare o di accedere in un altro \
                modo.
                """,
            unknown:
                """
                Questa passkey qui non è più conosciuta. Ne usi un’altra o acceda in un altro modo, e la elimini dal \
                dispositivo.
                """,
            copied: """
                Di questa passkey esiste forse una copia: è stata quindi rifiutata. La preghiamo di accedere in un \
                altro modo, di rimuoverla \
                nel Suo account e di configurarne una nuova.
                """,
            another: "Questa passkey è di un’altra persona. La preghiamo di usarne una del Suo account.",
            notAllowed:
                """
                Questo account non è autorizzato ad accedere. Se ritiene che dovrebbe esserlo, La preghiamo di \
                rivolgersi all’assistenza della Sua istituzione.
                """,
            tooMany: "Le passkey sono già molte. La preghiamo di rimuoverne prima una nel Suo account.",
            taken: "Questa passkey è già registrata o collegata.",
            ended: "L’accesso per cui serviva è terminato. La preghiamo di accedere di nuovo."
        ),
        aside: .init(
            noScript:
                """
                Le passkey richiedono JavaScript, che è disattivato in questo browser. La preghiamo di attivarlo, o di \
                usare un altro browser o un altro dispositivo.
                """,
            unsupported: "Questo browser non può usare le passkey. La preghiamo di usarne un altro.",
            cancelled: "Nessuna passkey è stata usata: annullata, oppure tempo scaduto. La preghiamo di riprovare.",
            refused: "Non è stato possibile verificare questa passkey. La preghiamo di riprovare.",
            unknown: "Questa passkey qui non è conosciuta. La preghiamo di registrarla prima con il Suo wallet.",
            copied:
                """
                Di questa passkey esiste forse una copia: è stata quindi rifiutata. La preghiamo di configurarne una \
                nuova.
                """
        ),
        lost: "Ha perso la Sua passkey? L’assistenza della Sua istituzione può rimuoverla. Poi ne configura una nuova.",
        none: .init(title: "Nessuna passkey è configurata", text: "Il Suo account non ha ancora una passkey."),
        setUp: "Configurare una passkey",
        setup: .init(
            title: "Configurare una passkey",
            lead:
                """
                In seguito potrà accedere con l’impronta, il volto o il PIN del dispositivo, senza password. Nessuna \
                pagina falsa può sottrargliela.
                """,
            submit: "Configurare"
        ),
        needed: "Questo account richiede l’accesso con una passkey. La preghiamo di configurare ora la Sua.",
        name: "Nome (facoltativo)",
        hint: "Per riconoscerla, per esempio «il mio portatile»", instead: "Configurare invece un telefono",
        passkeyInstead: "Configurare invece una passkey",
        offer: .init(
            title: "Accedere anche con una passkey?",
            lead: """
                Lei accede con un telefono. Una passkey è più rapida: sblocca il Suo dispositivo, senza \
                scansionare codici. Nessuna pagina falsa può sottrargliela. Quando ne avrà una, potrà rimuovere \
                il telefono qui sotto.
                """,
            submit: "Configurare una passkey"
        ),
        link: .init(
            title: "Collegare la passkey di un wallet",
            lead:
                """
                Se il Suo wallet ha registrato qui una passkey, può accedere anche con quella. La preghiamo di \
                mostrarla una volta.
                """,
            submit: "Usare la passkey del wallet"
        ),
        rename: .init(
            title: "Dare un nome alla passkey", lead: "Nessuna applicazione vede questo nome.", submit: "Salvare"),
        newName: "Nome",
        section: .init(
            title: "Passkey", lead: "Con queste passkey accede senza password.",
            effect:
                """
                Con una passkey rimossa nessuno può più accedere qui. La preghiamo di eliminarla anche dal \
                dispositivo.
                """,
            none: "Nessuna passkey è configurata.",
            button: "Rimuovere"
        ),
        kept: "Conservata", oneDevice: "su un solo dispositivo", synced: "nel Suo gestore di password",
        wallet: "Wallet", flagged: "forse copiata",
        added: "La passkey è configurata. Da ora può accedere con essa.",
        addedByName:
            """
            La passkey è configurata. Può accedere con essa dopo la password: questo dispositivo non \
            la propone da sé.
            """,
        linked: "La passkey del Suo wallet è collegata. Da ora può accedere con essa.",
        renamed: "La passkey ha il nuovo nome.",
        removed: "La passkey è stata rimossa. Nessuno può più accedere qui con essa.",
        unlink: "Scollegare",
        unlinked:
            """
            La passkey del wallet è scollegata. Nessuno può più accedere al Suo account con essa; \
            resta al Suo wallet.
            """,
        last:
            """
            Questa è la Sua ultima passkey e il Suo account ne richiede una. La preghiamo di configurarne prima \
            un’altra.
            """
    )
}
