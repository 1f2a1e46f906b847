/// No-break spaces stand before : ; ? ! as French typography wants; participles that would tell a gender are avoided.
extension Strings {
    static let french = Strings(
        frame: Frame(
            motto: "Une racine, de nombreux troncs.", problem: "Problème\u{A0}:", loggedInAs: "Compte utilisé\u{A0}:",
            startPage: "Page d’accueil", yourAccount: "Votre compte", website: "Site web",
            policy: "Politique de confidentialité", terms: "Conditions d’utilisation", cancel: "Annuler",
            support: "Aide", language: "Langue"),
        wait: Wait(
            oneMinute: "dans une minute", oneHour: "dans une heure", minutes: { "dans \($0)\u{A0}minutes" },
            hours: { "dans \($0)\u{A0}heures" }),
        login: Login(
            to: "pour accéder à \(.name)", toAccount: "pour accéder à votre compte",
            withPassword: "Se connecter avec le mot de passe", or: "ou", withoutLevel: "Continuer sans second facteur"),
        account: Account(
            phone: "Téléphone", device: "Appareil", since: "Depuis le", lastUsed: "Dernière utilisation",
            usedFor: "Utilisé pour", unknownBrowser: "Navigateur inconnu", browserOn: { "\($0) sous \($1)" },
            ended: "La session est terminée.", undone: "Cela ne peut pas être annulé, seulement reconfiguré."),
        phone: phoneStrings,
        problem: Problem(
            badRequest: .init(
                title: "Cette demande ne peut pas aboutir",
                text: """
                    L’application a demandé quelque chose qui n’est pas possible ici. Veuillez y retourner et \
                    recommencer. Si \
                    cela n’aide pas, communiquez à son assistance les indications ci-dessous.
                    """
            ),
            expired: .init(
                title: "Le délai est dépassé",
                text: "Cette page n’est plus valable. Veuillez retourner à l’application et recommencer."),
            forbidden: .init(
                title: "Cela n’est pas autorisé",
                text:
                    """
                    Votre compte n’en a pas le droit. Si vous pensez qu’il devrait l’avoir, veuillez vous adresser à \
                    l’assistance de votre institution.
                    """
            ),
            unavailable: .init(title: "Indisponible pour le moment", text: "Veuillez réessayer dans quelques minutes."),
            notFound: .init(
                title: "Cette page n’existe pas", text: "Veuillez vérifier l’adresse ou revenir à la page précédente."),
            failed: .init(
                title: "Un problème est survenu",
                text:
                    """
                    L’erreur vient de notre côté. Veuillez réessayer. Si cela n’aide pas, communiquez à l’assistance \
                    de votre institution les indications ci-dessous.
                    """
            ),
            tooMany: "Trop de demandes", forSupport: "Pour l’assistance", tooManyText: { "Veuillez réessayer \($0)." }
        )
    )

    private static let phoneStrings = Phone(
        open: "Ouvrir l’application",
        elsewhere:
            """
            Affichez cette page sur un autre écran, par exemple celui d’un ordinateur, et scannez ce code avec \
            l’application.
            """,
        pushed: "Une demande a été envoyée à votre téléphone. Confirmez-la, ou scannez le code.",
        waiting: "En attente de votre téléphone. Ensuite, cette page continue d’elle-même.",
        asked: "Téléphone sollicité\u{A0}:", others: "Utiliser un autre téléphone",
        otherKind: "Utiliser un autre type d’application", again: "Afficher un nouveau code", restart: "Recommencer",
        setUp: "Configurer un téléphone", blocked: "bloqué",
        endings: .init(
            expired: .init(title: "Le code a expiré", text: "Faites-en afficher un nouveau et scannez-le."),
            failed: .init(
                title: "Il y a eu trop de réponses incorrectes",
                text: "Veuillez réessayer avec un nouveau code et le code PIN de ce compte."),
            cancelled: .init(
                title: "L’opération a été annulée", text: "Rien n’a été modifié. Vous pouvez recommencer."),
            gone: .init(
                title: "Cette connexion n’a plus cours",
                text: "Elle a déjà abouti, a duré trop longtemps ou a commencé dans un autre navigateur."),
            wrongPhone: .init(
                title: "C’était le téléphone d’une autre personne",
                text: "Veuillez utiliser un téléphone configuré pour votre propre compte."),
            noPhone: .init(
                title: "Aucun téléphone n’est configuré",
                text: "Votre compte n’a pas encore de téléphone permettant de vous connecter."),
            refused: .init(
                title: "Cette connexion n’est pas possible",
                text: """
                    Le téléphone a été retiré, ou son compte n’est pas autorisé à se connecter. Si vous pensez qu’il \
                    devrait l’être, \
                    adressez-vous à l’assistance de votre institution.
                    """
            ),
            tooMany: .init(
                title: "Il y a déjà beaucoup de téléphones", text: "Veuillez d’abord en retirer un dans votre compte."),
            blockedTitle: "Ce téléphone est bloqué",
            blockedForGood:
                "Veuillez utiliser un autre téléphone ou vous adresser à l’assistance de votre institution.",
            blocked: {
                "Il y a eu trop de réponses incorrectes. Veuillez réessayer \($0) ou utiliser un autre téléphone."
            }
        ),
        added: "Votre téléphone est configuré. Vous pouvez désormais vous connecter avec lui.",
        removed: "Le téléphone est retiré. Plus personne ne peut se connecter avec lui.",
        kept: "C’est votre dernier téléphone, et votre compte en exige un. Veuillez d’abord en configurer un autre."
    )
}
