extension MailStrings {
    static let french = MailStrings(
        account: "Compte", what: "Quoi", when: "Quand", open: "Ouvrir",
        notYou: "Était-ce vous\u{A0}? Alors vous n’avez rien à faire.", cut: "Ce n’était pas moi",
        footer: { "Ce message vient de \($0). Personne ne lit les réponses." },
        reset: Letter(
            "Choisir un nouveau mot de passe",
            "Quelqu’un a demandé un nouveau mot de passe pour votre compte. Ce lien vous permet d’en choisir un.",
            button: "Choisir un nouveau mot de passe",
            after:
                """
                Le lien est valable 15 minutes, et une seule fois. Si vous ne l’avez pas demandé, vous n’avez rien à \
                faire\u{A0}: sans le lien, rien ne change.
                """),
        invite: Letter(
            "Votre compte est prêt",
            "Un compte a été créé pour vous. Ce lien vous permet d’en choisir le mot de passe.",
            button: "Choisir le mot de passe", after: "Le lien est valable sept jours, et une seule fois."),
        verify: Letter(
            "Cette adresse est-elle la vôtre\u{A0}?",
            "Quelqu’un a indiqué cette adresse comme la sienne. Veuillez confirmer que c’est la vôtre.",
            button: "Confirmer l’adresse",
            after:
                """
                Le lien est valable un jour, et une seule fois. Si ce n’était pas vous, vous n’avez rien à faire.
                """),
        device: Letter(
            "Un nouveau téléphone est connecté", "Une app sur un téléphone a été connectée à votre compte.",
            subjectLabel: "Téléphone", after: end),
        browser: Letter(
            "Connexion dans un nouveau navigateur",
            "Quelqu’un s’est connecté à votre compte dans un navigateur où il n’avait pas encore été utilisé.",
            subjectLabel: "Navigateur", after: end),
        idle: Letter(
            "Une app sur votre téléphone sera déconnectée",
            """
            Une app sur un téléphone est connectée à votre compte et n’a pas été utilisée depuis longtemps. Elle sera \
            déconnectée au moment indiqué ci-dessous. Ouvrez l’app avant si vous voulez la garder.
            """, button: "Vos téléphones", subjectLabel: "Téléphone",
            after: "Si vous n’en avez plus besoin, vous n’avez rien à faire."),
        newFactor: Letter(
            "Une nouvelle façon de se connecter", "Désormais, on peut se connecter à votre compte avec ceci.",
            subjectLabel: "Nouveau", after: end),
        factorGone: Letter(
            "Une façon de se connecter a été supprimée", "On ne peut plus se connecter à votre compte avec ceci.",
            subjectLabel: "Supprimé", after: end),
        password: Letter(
            "Votre mot de passe a été modifié", "Le mot de passe de votre compte a été modifié.", after: end),
        address: Letter(
            "Votre adresse e-mail a été modifiée",
            "Votre compte a maintenant une autre adresse e-mail. Les messages n’arrivent plus ici.",
            subjectLabel: "Nouvelle adresse", after: end),
        phone: "Un téléphone", passkey: "Une clé d’accès", wallet: "La clé d’accès d’un portefeuille",
        codes: "Des codes de récupération", institution: "La connexion d’une institution")

    private static let end =
        "Le lien montre d’abord ce à quoi il met fin. Il est valable sept jours, et une seule fois."
}
