extension MailStrings {
    static let italian = MailStrings(
        account: "Account", what: "Che cosa", when: "Quando", open: "Aprire",
        notYou: "È stato Lei? Allora non deve fare nulla.", cut: "Non sono stato io",
        footer: { "Questo messaggio viene da \($0). Nessuno legge le risposte." },
        reset: Letter(
            "Scegliere una nuova password",
            "Qualcuno ha chiesto una nuova password per il Suo account. Con questo link può sceglierne una.",
            button: "Scegliere una nuova password",
            after:
                """
                Il link vale 15 minuti, e una volta sola. Se non l’ha chiesto Lei, non deve fare nulla: senza il link \
                non cambia nulla.
                """),
        invite: Letter(
            "Il Suo account è pronto", "È stato creato un account per Lei. Con questo link ne sceglie la password.",
            button: "Scegliere la password", after: "Il link vale sette giorni, e una volta sola."),
        verify: Letter(
            "Questo indirizzo è Suo?", "Qualcuno ha indicato questo indirizzo come proprio. Confermi che è Suo.",
            button: "Confermare l’indirizzo",
            after: "Il link vale un giorno, e una volta sola. Se non è stato Lei, non deve fare nulla."),
        device: Letter(
            "Un nuovo telefono è collegato", "Un’app su un telefono è stata collegata al Suo account.",
            subjectLabel: "Telefono", after: end),
        browser: Letter(
            "Accesso da un nuovo browser",
            "Qualcuno ha effettuato l’accesso al Suo account da un browser da cui non era ancora stato usato.",
            subjectLabel: "Browser", after: end),
        idle: Letter(
            "Un’app sul Suo telefono verrà scollegata",
            """
            Un’app su un telefono è collegata al Suo account e non viene usata da molto tempo. Al momento indicato qui \
            sotto verrà scollegata. Apra l’app prima se vuole tenerla.
            """, button: "I Suoi telefoni", subjectLabel: "Telefono",
            after: "Se non Le serve più, non deve fare nulla."),
        newFactor: Letter(
            "Un nuovo modo di accedere", "D’ora in poi si può accedere al Suo account con questo.",
            subjectLabel: "Nuovo", after: end),
        factorGone: Letter(
            "Un modo di accedere è stato rimosso", "Con questo non si può più accedere al Suo account.",
            subjectLabel: "Rimosso", after: end),
        password: Letter(
            "La Sua password è stata cambiata", "La password del Suo account è stata cambiata.", after: end),
        address: Letter(
            "Il Suo indirizzo e-mail è stato cambiato",
            "Il Suo account ha ora un altro indirizzo e-mail. Qui non arrivano più messaggi.",
            subjectLabel: "Nuovo indirizzo", after: end),
        phone: "Un telefono", passkey: "Una passkey", wallet: "La passkey di un wallet",
        codes: "Codici di recupero", institution: "L’accesso di un’istituzione")

    private static let end = "Il link mostra prima che cosa termina. Vale sette giorni, e una volta sola."
}
