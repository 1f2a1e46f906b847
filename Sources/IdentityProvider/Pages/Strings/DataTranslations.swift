extension DataStrings {
    static let english = DataStrings(
        title: "Your data", exportTitle: "All that is held on you",
        exportText: "You can read here what this server holds on you, or download it.",
        left: "Passwords, keys and other secrets are not in it.", read: "Read it here",
        download: "Download for programs (JSON)", exportedAt: "As it was at",
        fields: "The names of the fields are those of the file for programs.", nothing: "Nothing.",
        more: { "\($0) older entries are in the file for programs." },
        deleteTitle: "Delete your account", deleteText: "You can delete your account yourself. It cannot be undone.",
        deleteEnds: """
            Everything that acts for you ends at once: your apps on phones, your applications, your browsers. The \
            services that you used are told.
            """,
        deleteStays: """
            What services know of you stays with them: please ask them. This server keeps notes on what happened, \
            under a number instead of your name.
            """,
        deleteForGood: "A deleted account cannot be brought back.",
        exportFirst: "Have your data first", deleteSubmit: "Delete for good",
        operatorDeletes: { "Accounts are deleted by the operator of \($0). Please ask there." },
        deleted: "Your account is deleted", deletedText: "Everything that acted for you has ended.",
        noneTold: "There was no service that had to be told.",
        told: { $0 == 1 ? "1 service is being told." : "\($0) services are being told." },
        removed: { $0 == 1 ? "1 phone or passkey is removed." : "\($0) phones and passkeys are removed." },
        parts: [
            "account": "You", "logins": "Logins", "browser_sessions": "Browsers",
            "session_applications": "Applications that you opened in browsers",
            "logins_under_way": "Logins under way", "devices": "Devices without a browser",
            "instances": "Apps on phones", "tokens": "Tokens that live",
            "refreshable_tokens": "Tokens that are renewed",
            "applications": "What you allowed applications", "services": "Services that you used",
            "disclosures": "Who was told something about you",
            "language": "The language of your mail", "links": "Links that wait for you",
            "service_proposals": "Services that you proposed",
            "roles": "What you administer",
            "recovery_codes": "Codes for when a phone is lost",
            "letters": "Letters that wait to be sent", "kept_out": "Services that you are kept out of",
            "activity": "What happened", "refusals": "What is being refused now",
        ])

    static let german = DataStrings(
        title: "Ihre Daten", exportTitle: "Alles, was über Sie gespeichert ist",
        exportText: "Hier können Sie lesen, was dieser Server über Sie speichert, oder es herunterladen.",
        left: "Passwörter, Schlüssel und andere Geheimnisse sind nicht dabei.", read: "Hier lesen",
        download: "Für Programme herunterladen (JSON)", exportedAt: "Stand:",
        fields: "Die Namen der Felder sind die der Datei für Programme.", nothing: "Nichts.",
        more: { "\($0) ältere Einträge stehen in der Datei für Programme." },
        deleteTitle: "Konto löschen",
        deleteText: "Sie können Ihr Konto selbst löschen. Das lässt sich nicht rückgängig machen.",
        deleteEnds: """
            Alles, was für Sie handelt, endet sofort: Ihre Apps auf Telefonen, Ihre Anwendungen, Ihre Browser. Die \
            Dienste, die Sie benutzt haben, erfahren es.
            """,
        deleteStays: """
            Was Dienste über Sie wissen, bleibt bei ihnen: Bitte fragen Sie dort. Dieser Server behält Notizen über \
            das Geschehene, unter einer Nummer statt Ihres Namens.
            """,
        deleteForGood: "Ein gelöschtes Konto kommt nicht wieder.",
        exportFirst: "Zuerst Ihre Daten holen", deleteSubmit: "Endgültig löschen",
        operatorDeletes: { "Konten löscht der Betreiber von \($0). Bitte fragen Sie dort." },
        deleted: "Ihr Konto ist gelöscht", deletedText: "Alles, was für Sie gehandelt hat, ist beendet.",
        noneTold: "Kein Dienst musste es erfahren.",
        told: { $0 == 1 ? "1 Dienst erfährt es." : "\($0) Dienste erfahren es." },
        removed: {
            $0 == 1 ? "1 Telefon oder Passkey ist entfernt." : "\($0) Telefone und Passkeys sind entfernt."
        },
        parts: [
            "account": "Sie", "logins": "Anmeldungen", "browser_sessions": "Browser",
            "session_applications": "Anwendungen, die Sie in Browsern geöffnet haben",
            "logins_under_way": "Laufende Anmeldungen", "devices": "Geräte ohne Browser",
            "instances": "Apps auf Telefonen", "tokens": "Gültige Token",
            "refreshable_tokens": "Token, die erneuert werden",
            "applications": "Was Sie Anwendungen erlaubt haben", "services": "Dienste, die Sie benutzt haben",
            "disclosures": "Wer etwas über Sie erfahren hat",
            "language": "Die Sprache Ihrer Post", "links": "Links, die auf Sie warten",
            "service_proposals": "Dienste, die Sie vorgeschlagen haben",
            "roles": "Was Sie verwalten",
            "recovery_codes": "Codes für den Fall, dass ein Telefon fehlt",
            "letters": "Briefe, die noch nicht versandt sind", "kept_out": "Dienste, von denen Sie ausgeschlossen sind",
            "activity": "Was geschehen ist", "refusals": "Was gerade abgelehnt wird",
        ])

    static let french = DataStrings(
        title: "Vos données", exportTitle: "Tout ce qui est enregistré sur vous",
        exportText: "Vous pouvez lire ici ce que ce serveur enregistre sur vous, ou le télécharger.",
        left: "Les mots de passe, les clés et les autres secrets n’y figurent pas.", read: "Lire ici",
        download: "Télécharger pour des programmes (JSON)", exportedAt: "État au",
        fields: "Les noms des champs sont ceux du fichier pour les programmes.", nothing: "Rien.",
        more: { "\($0) entrées plus anciennes se trouvent dans le fichier pour les programmes." },
        deleteTitle: "Supprimer votre compte",
        deleteText: "Vous pouvez supprimer votre compte vous-même. Cela ne peut pas être annulé.",
        deleteEnds: """
            Tout ce qui agit pour vous prend fin aussitôt\u{A0}: vos applications sur téléphone, vos applications \
            web, vos navigateurs. Les services que vous avez utilisés en sont informés.
            """,
        deleteStays: """
            Ce que les services savent de vous reste chez eux\u{A0}: veuillez le leur demander. Ce serveur garde des \
            notes sur ce qui s’est passé, sous un numéro au lieu de votre nom.
            """,
        deleteForGood: "Un compte supprimé ne revient pas.",
        exportFirst: "Obtenir d’abord vos données", deleteSubmit: "Supprimer définitivement",
        operatorDeletes: {
            "Les comptes sont supprimés par l’exploitant de \($0). Veuillez vous adresser à lui."
        },
        deleted: "Votre compte est supprimé", deletedText: "Tout ce qui agissait pour vous a pris fin.",
        noneTold: "Aucun service ne devait en être informé.",
        told: { $0 == 1 ? "1 service en est informé." : "\($0) services en sont informés." },
        removed: {
            $0 == 1 ? "1 téléphone ou passkey est retiré." : "\($0) téléphones et passkeys sont retirés."
        },
        parts: [
            "account": "Vous", "logins": "Connexions", "browser_sessions": "Navigateurs",
            "session_applications": "Applications que vous avez ouvertes dans des navigateurs",
            "logins_under_way": "Connexions en cours", "devices": "Appareils sans navigateur",
            "instances": "Applications sur téléphone", "tokens": "Jetons valables",
            "refreshable_tokens": "Jetons qui se renouvellent",
            "applications": "Ce que vous avez autorisé à des applications",
            "services": "Services que vous avez utilisés", "activity": "Ce qui s’est passé",
            "disclosures": "Qui a appris quelque chose sur vous",
            "language": "La langue de votre courrier", "links": "Les liens qui vous attendent",
            "service_proposals": "Les services que vous avez proposés",
            "roles": "Ce que vous administrez",
            "recovery_codes": "Les codes pour un téléphone perdu",
            "letters": "Les lettres à envoyer", "kept_out": "Les services qui vous sont fermés",
            "refusals": "Ce qui est refusé en ce moment",
        ])

    static let italian = DataStrings(
        title: "I Suoi dati", exportTitle: "Tutto ciò che è registrato su di Lei",
        exportText: "Qui può leggere ciò che questo server registra su di Lei, o scaricarlo.",
        left: "Password, chiavi e altri segreti non ne fanno parte.", read: "Leggere qui",
        download: "Scaricare per programmi (JSON)", exportedAt: "Stato al",
        fields: "I nomi dei campi sono quelli del file per i programmi.", nothing: "Niente.",
        more: { "\($0) voci più vecchie sono nel file per i programmi." },
        deleteTitle: "Eliminare l’account",
        deleteText: "Può eliminare il Suo account da sé. Non si può annullare.",
        deleteEnds: """
            Tutto ciò che agisce per Lei finisce subito: le Sue app sui telefoni, le Sue applicazioni, i Suoi \
            browser. I servizi che ha usato ne sono informati.
            """,
        deleteStays: """
            Ciò che i servizi sanno di lei resta presso di loro: si rivolga a loro. Questo server conserva note su \
            ciò che è accaduto, sotto un numero al posto del Suo nome.
            """,
        deleteForGood: "Un account eliminato non torna.",
        exportFirst: "Ottenere prima i Suoi dati", deleteSubmit: "Eliminare per sempre",
        operatorDeletes: { "Gli account sono eliminati dal gestore di \($0). Si rivolga a lui." },
        deleted: "Il Suo account è eliminato", deletedText: "Tutto ciò che agiva per Lei è finito.",
        noneTold: "Nessun servizio doveva esserne informato.",
        told: { $0 == 1 ? "1 servizio ne è informato." : "\($0) servizi ne sono informati." },
        removed: { $0 == 1 ? "1 telefono o passkey è rimosso." : "\($0) telefoni e passkey sono rimossi." },
        parts: [
            "account": "Lei", "logins": "Accessi", "browser_sessions": "Browser",
            "session_applications": "Applicazioni che ha aperto nei browser",
            "logins_under_way": "Accessi in corso", "devices": "Dispositivi senza browser",
            "instances": "App sui telefoni", "tokens": "Token validi",
            "refreshable_tokens": "Token che si rinnovano",
            "applications": "Ciò che ha permesso ad applicazioni", "services": "Servizi che ha usato",
            "disclosures": "Chi ha saputo qualcosa di Lei",
            "language": "La lingua della Sua posta", "links": "I collegamenti che La attendono",
            "service_proposals": "I servizi che lei ha proposto",
            "roles": "Ciò che lei amministra",
            "recovery_codes": "I codici per un telefono smarrito",
            "letters": "Le lettere da spedire", "kept_out": "I servizi che Le sono chiusi",
            "activity": "Ciò che è accaduto", "refusals": "Ciò che viene rifiutato ora",
        ])
}
