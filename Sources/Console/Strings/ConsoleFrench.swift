extension ConsoleStrings {
    static let french = ConsoleStrings(
        language: .fr,
        console: "Administration", overview: "Vue d’ensemble", menu: "Menu", yourAccount: "Votre compte",
        noRole: "Vous n’avez aucun rôle ici",
        noRoleText: "L’administration est réservée aux personnes qui ont un rôle dans cette fédération. Un "
            + "administrateur peut vous en donner un.",
        filter: "Filtrer", next: "Page suivante", first: "Première page", nothing: "Il n’y a rien ici.",
        actions: "Ce que vous pouvez faire", more: "Tout afficher",
        yes: "oui", no: "non",
        show: "Afficher", preview: "Montrer ce que cela ferait", previewTitle: "Ce que cela ferait",
        again: "Quelque chose a changé depuis que vous avez regardé. Voici ce que cela ferait maintenant.",
        confirm: "Oui, le faire", save: "Enregistrer",
        cancel: "Annuler", back: "Retour",
        reason: "Raison", reasonHelp: "Conservée dans le journal d’audit.", oneALine: "Un par ligne.",
        fromFile: "Ce qui se trouve dans le fichier.", choose: "(inchangé)",
        done: "C’est fait.", doneAlready: "C’était déjà le cas\u{A0}; rien n’a changé.",
        secretOnce: "Ceci n’est affiché qu’une fois. Conservez-le maintenant.", result: "Résultat",
        nothingEnds: "Rien ne prend fin.", uncounted: "Il en prend fin plus qu’on n’a pu en compter rapidement.",
        tokensEnd: { $0 == 1 ? "1 jeton prend fin." : "\($0) jetons prennent fin." },
        servicesTold: { $0 == 1 ? "1 service en est informé." : "\($0) services en sont informés." },
        browsersEnd: { $0 == 1 ? "1 navigateur est déconnecté." : "\($0) navigateurs sont déconnectés." },
        warnings: [
            "apps versions refuse":
                """
            Chaque téléphone avec cette version est déconnecté aussitôt, et aucun ne peut \
            s’enregistrer avec elle tant qu’elle n’est pas autorisée à nouveau. Il faut installer \
            une autre version et s’y reconnecter.
            """,
            "apps refuse":
                """
            Chaque téléphone avec cette application, quelle que soit la version, est déconnecté \
            aussitôt, et aucun ne peut s’enregistrer avec elle tant qu’elle n’est pas autorisée à \
            nouveau.
            """,
            "accounts suspend":
                """
            La personne ne peut se connecter nulle part avant d’être réadmise\u{A0}; ce qui prend \
            fin maintenant ne revient pas pour autant.
            """,
            "accounts delete":
                """
            C’est définitif\u{A0}: le nom redevient libre, et les services ne reconnaîtront plus la \
            personne.
            """,
            "services approve":
                """
            Les applications trouvent dès lors le service, et les connexions l’atteignent. Lisez \
            d’abord, sur la page du service, son document, les avertissements et ce qui a changé \
            depuis.
            """,
            "services remove":
                """
            Les applications ne trouvent plus le service, et tout ce qui a été émis pour lui prend \
            fin.
            """,
            "epoch bump":
                """
            Tout prend fin\u{A0}: chaque connexion, chaque application, chaque jeton de tout le \
            monde.
            """,
        ],
        ago: {
            switch $0 {
            case .moment: "à l’instant"
            case .minutes(let count): count == 1 ? "il y a 1 minute" : "il y a \(count) minutes"
            case .hours(let count): count == 1 ? "il y a 1 heure" : "il y a \(count) heures"
            case .days(let count): "il y a \(count) jours"
            }
        },
        ahead: {
            switch $0 {
            case .moment: "maintenant"
            case .minutes(let count): count == 1 ? "dans 1 minute" : "dans \(count) minutes"
            case .hours(let count): count == 1 ? "dans 1 heure" : "dans \(count) heures"
            case .days(let count): "dans \(count) jours"
            }
        })
}
