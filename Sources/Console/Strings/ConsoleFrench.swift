extension ConsoleStrings {
    static let french = ConsoleStrings(
        language: .fr,
        console: "Administration", overview: "Vue d’ensemble", menu: "Menu", yourAccount: "Votre compte",
        noRole: "Vous n’avez aucun rôle ici",
        noRoleText: "L’administration est réservée aux personnes qui ont un rôle dans cette fédération. Un "
            + "administrateur peut vous en donner un.",
        filter: "Filtrer", next: "Page suivante", first: "Première page", nothing: "Il n’y a rien ici.",
        actions: "Ce que vous pouvez faire", more: "Tous ceux-ci",
        yes: "oui", no: "non",
        show: "Afficher", preview: "Montrer ce que cela ferait", previewTitle: "Ce que cela ferait",
        again: "Quelque chose a changé depuis que vous avez regardé. Voici ce que cela ferait maintenant.",
        confirm: "Oui, le faire", save: "Enregistrer",
        cancel: "Annuler", back: "Retour",
        reason: "Raison", reasonHelp: "Conservée dans le journal d’audit.", oneALine: "Un par ligne.",
        fromFile: "Ce qui se trouve dans le fichier.", choose: "(inchangé)",
        done: "C’est fait.", doneAlready: "C’était déjà le cas\u{A0}; rien n’a changé.",
        secretOnce: "Ceci n’est affiché qu’une fois. Conservez-le maintenant.", result: "Résultat",
        nothingEnds: "Rien ne prend fin.", uncounted: "Il en prend fin plus qu’on n’a pu compter rapidement.",
        tokensEnd: { $0 == 1 ? "1 jeton prend fin." : "\($0) jetons prennent fin." },
        servicesTold: { $0 == 1 ? "1 service en est informé." : "\($0) services en sont informés." },
        browsersEnd: { $0 == 1 ? "1 navigateur est déconnecté." : "\($0) navigateurs sont déconnectés." },
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
