import Pages

extension UpstreamStrings {
    static let french = UpstreamStrings(
        button: "Se connecter avec votre institution",
        find: .init(
            title: "Trouver votre institution",
            lead:
                """
                Vous vous y connectez avec ce que vous y utilisez toujours. Votre mot de passe ne nous est pas \
                communiqué.
                """,
            submit: "Rechercher"
        ),
        label: "Nom ou domaine de votre institution",
        hint: "Par exemple «\u{A0}Université Exemple\u{A0}» ou «\u{A0}example.org\u{A0}»",
        choices: "Institutions",
        none:
            """
            Aucune institution trouvée. Veuillez essayer un autre nom, ou vous connecter autrement.
            """,
        more: "Il y en a d’autres. Veuillez saisir davantage du nom.",
        other: "ou une autre institution",
        back: "Se connecter autrement", again: "Réessayer",
        problems: .init(
            title: "Vous n’êtes pas connecté",
            declined: "Votre institution ne vous a pas connecté, ou vous y avez annulé.",
            invalid:
                """
                La réponse de votre institution n’a pas pu être vérifiée, vous n’êtes donc pas connecté. \
                Veuillez réessayer. Si cela persiste, signalez-le au support de votre institution.
                """,
            unreachable:
                """
                La connexion de votre institution ne répond pas pour le moment. Veuillez réessayer dans une \
                minute, ou vous connecter autrement.
                """,
            stale:
                """
                Votre institution ne vous a pas demandé de vous reconnecter, ce qui est nécessaire ici. Veuillez \
                vous y déconnecter, puis réessayer.
                """,
            taken: "Votre identité dans cette institution est déjà liée à un autre compte.",
            foreign: "Votre compte appartient à une autre institution et ne peut pas être lié à celle-ci.",
            suspended:
                """
                Ce compte ne peut pas se connecter. Si vous pensez qu’il le devrait, veuillez demander au \
                support de votre institution.
                """
        ),
        unknown: .init(
            title: "Vous êtes nouveau ici",
            lead:
                """
                Votre institution a dit qui vous êtes, et aucun compte n’y est encore lié ici. Si vous en avez \
                un, connectez-vous-y une fois. Ensuite, votre institution suffit.
                """,
            submit: "Me connecter à mon compte"
        ),
        link: .init(
            title: "Lier votre institution",
            lead: "Est-ce bien vous\u{A0}? Ensuite, vous vous connectez avec votre institution.",
            submit: "Oui, lier"
        ),
        there: "Dans votre institution\u{A0}:", here: "Votre compte ici\u{A0}:", without: "Continuer sans",
        section: .init(
            title: "Institutions",
            lead: "Avec ces institutions, vous vous connectez sans mot de passe de ce serveur.",
            effect:
                """
                Qui est connecté par une institution que vous déliez est déconnecté dans les autres navigateurs.
                """,
            none: "Aucune institution n’est liée.",
            button: "Délier"
        ),
        add: "Lier une institution",
        linked: "Votre institution est liée. Vous pouvez désormais vous connecter avec elle.",
        unlinked: "L’institution est déliée.",
        kept:
            """
            C’est votre seul moyen de vous connecter. Veuillez d’abord définir un mot de passe («\u{A0}Mot de \
            passe oublié\u{A0}?\u{A0}» sur la page de connexion).
            """,
        farewell: "Se déconnecter aussi de \(.name)"
    )
}
