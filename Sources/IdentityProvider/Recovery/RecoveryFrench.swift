extension RecoveryStrings {
    static let french = RecoveryStrings(
        forgotten: "Mot de passe oublié\u{A0}?", toLogin: "Se connecter", toAccount: "Votre compte",
        askAgain: "Demander un nouveau lien", or: "ou",
        ask: Task(
            title: "Mot de passe oublié",
            lead: """
                Veuillez saisir votre nom d’utilisateur ou votre adresse e-mail. Vous recevrez un lien pour choisir un \
                nouveau mot de passe.
                """, submit: "Envoyer le lien"),
        name: "Nom d’utilisateur ou adresse e-mail",
        asked: .init(
            title: "Veuillez consulter votre messagerie",
            text:
                """
                S’il existe un compte de ce nom avec une adresse e-mail, un lien est en route. Il est valable \
                15 minutes.
                """),
        reset: Task(
            title: "Choisir un nouveau mot de passe",
            lead: "Cela met fin à toutes les sessions de navigateur, et à ce que l’ancien mot de passe a ouvert\u{A0}:",
            submit: "Enregistrer le mot de passe"),
        invite: Task(
            title: "Bienvenue", lead: "Veuillez choisir un mot de passe pour votre compte\u{A0}:",
            submit: "Enregistrer le mot de passe"),
        set: .init(
            title: "Votre mot de passe est enregistré", text: "Vous pouvez maintenant vous connecter avec lui."),
        over: .init(
            title: "Ce lien n’est plus valable",
            text: "Il a déjà été utilisé, il est trop ancien, ou un autre l’a remplacé."),
        email: Task(
            title: "Votre adresse e-mail",
            lead: "Nous y envoyons un lien. L’adresse devient la vôtre dès que vous l’avez suivi.",
            submit: "Envoyer le lien"),
        emailLabel: "Adresse e-mail", notAnAddress: "Ce n’est pas une adresse e-mail. Veuillez la vérifier.",
        sent: .init(
            title: "Veuillez consulter votre messagerie",
            text: "Un lien est en route vers cette adresse. Il est valable un jour. D’ici là, rien ne change."),
        verify: Task(
            title: "Cette adresse est-elle la vôtre\u{A0}?",
            lead: "Les messages au sujet de ce compte y seront envoyés.",
            submit: "Oui, c’est la mienne"),
        verified: .init(
            title: "Votre adresse est confirmée",
            text: "Les messages au sujet de votre compte y sont envoyés désormais."),
        addresses: .init(
            title: "Adresse e-mail",
            lead: "Ici arrivent les messages au sujet de votre compte, et les liens si vous oubliez un mot de passe.",
            effect: "Avec un lien, vous confirmez que vous y lisez.",
            none: """
                Votre compte n’a pas d’adresse e-mail. Sans elle, vous ne pouvez pas remplacer un mot de passe oublié.
                """, button: "Envoyer un lien"),
        isVerified: "confirmée", isUnverified: "non confirmée", changeAddress: "Utiliser une autre adresse",
        cutDevice: Task(
            title: "Déconnecter le téléphone\u{A0}?",
            lead: """
                Cela met fin à tout ce que le nouveau téléphone peut faire. Veuillez ensuite modifier votre mot de \
                passe.
                """, submit: "Déconnecter"),
        cutBrowser: Task(title: "Quelqu’un d’autre était-il ici\u{A0}?", lead: all, submit: "Mettre fin à tout"),
        cutFactor: Task(
            title: "Quelqu’un d’autre était-il ici\u{A0}?",
            lead: "Cela supprime la nouvelle façon de se connecter. " + all, submit: "Mettre fin à tout"),
        cutRemoval: Task(
            title: "Quelqu’un d’autre était-il ici\u{A0}?",
            lead: "Ce qui a été supprimé ne revient pas de lui-même. " + all,
            submit: "Mettre fin à tout"),
        cutPassword: Task(title: "Quelqu’un d’autre était-il ici\u{A0}?", lead: all, submit: "Mettre fin à tout"),
        cutAddress: Task(
            title: "Quelqu’un d’autre était-il ici\u{A0}?", lead: "Cette adresse redevient la vôtre. " + all,
            submit: "Mettre fin à tout"),
        cutDeviceDone: .init(
            title: "Le téléphone est déconnecté",
            text: """
                Tout ce qu’il pouvait faire a pris fin. Quelqu’un connaît peut-être votre mot de passe\u{A0}: veuillez \
                le modifier maintenant.
                """),
        cutSuspended: .init(
            title: "Le compte est fermé",
            text: """
                Tout a pris fin. Le compte exige un second facteur et n’en a plus\u{A0}: personne ne peut donc y \
                entrer. Veuillez demander aux responsables de ce serveur de le rouvrir.
                """),
        cutDone: .init(
            title: "Tout a pris fin",
            text:
                """
                L’ancien mot de passe ne vaut plus rien. Un lien pour en choisir un nouveau est en route vers votre \
                adresse e-mail.
                """),
        button: "Utiliser un code de secours",
        code: Task(
            title: "Code de secours",
            lead: """
                Vous n’avez pas votre téléphone ou votre clé sous la main\u{A0}? Saisissez alors un des codes que vous \
                avez gardés.
                """, submit: "Se connecter"),
        codeLabel: "Code", codeHint: "Douze lettres et chiffres. Chaque code sert une fois.",
        wrong: "Ce code n’est pas correct, ou il a été utilisé. Veuillez le vérifier, ou prendre le suivant.",
        codes: Task(
            title: "Codes de secours",
            lead:
                """
                Avec ces codes, vous vous connectez quand votre téléphone ou votre clé est perdu. Nous les montrons \
                une fois. De nouveaux codes remplacent les anciens.
                """, submit: "Créer dix codes"),
        made: .init(
            title: "Vos codes de secours",
            text: """
                Veuillez les imprimer ou les noter maintenant, et les garder en lieu sûr. Personne ne peut les montrer \
                une seconde fois.
                """),
        codesSection: .init(
            title: "Codes de secours",
            lead: "Avec eux, vous vous connectez quand votre téléphone ou votre clé est perdu.",
            effect: "Supprimer les rend sans valeur.", none: "Vous n’avez pas encore de codes de secours.",
            button: "Supprimer"),
        removed: "Les codes de secours sont supprimés.", left: { "Codes restants\u{A0}: \($0)" })

    private static let all = """
        Tout ce qui a été ouvert avec votre compte prend fin\u{A0}: navigateurs, téléphones et applications. Le mot de \
        passe ne vaut plus rien, et vous recevez un lien pour en choisir un nouveau.
        """
}
