/// No-break spaces stand before : ; ? ! as French typography wants; participles that would tell a gender are avoided.
extension Strings {
    static let french = Strings(
        frame: Frame(
            motto: "Une racine, de nombreux troncs.", problem: "Problème\u{A0}:", loggedInAs: "Compte utilisé\u{A0}:",
            startPage: "Page d’accueil", yourAccount: "Votre compte",
            website: "Site web", policy: "Politique de confidentialité", terms: "Conditions d’utilisation"
        ),
        wait: Wait(
            oneMinute: "dans une minute", oneHour: "dans une heure", minutes: { "dans \($0)\u{A0}minutes" },
            hours: { "dans \($0)\u{A0}heures" }),
        scopes: Scopes(
            openid: "Un identifiant", openidText: "pour vous reconnaître à votre prochaine visite",
            profile: "Votre nom", email: "Votre adresse e-mail",
            offline: "Un accès en votre absence", offlineText: "jusqu’à ce que vous le retiriez dans votre compte",
            otherText: "l’autorisation portant ce nom", none: "Uniquement la confirmation de votre connexion"
        ),
        login: Login(
            title: "Connexion", to: "pour accéder à \(.name)", toAccount: "pour accéder à votre compte",
            again: "L’application souhaite s’assurer de votre identité. Veuillez vous connecter à nouveau.",
            username: "Nom d’utilisateur", password: "Mot de passe", submit: "Se connecter",
            withPassword: "Se connecter avec le mot de passe", or: "ou",
            wrong:
                "Le nom d’utilisateur ou le mot de passe est incorrect. Veuillez vérifier votre saisie et réessayer.",
            busy:
                """
                Un très grand nombre de personnes se connectent en ce moment. Veuillez réessayer dans quelques \
                secondes.
                """,
            expired: "Cette page est restée ouverte trop longtemps. Veuillez vous connecter à nouveau.",
            tooMany: { "Il y a eu trop de tentatives. Veuillez réessayer \($0)." }
        ),
        consent: Consent(
            title: "Transmettre vos données à \(.name)\u{A0}?", receives: "Cette application recevra\u{A0}:",
            withdrawal: "Vous pouvez retirer cette autorisation à tout moment dans votre compte.", allow: "Autoriser",
            deny: "Refuser"
        ),
        logout: Logout(
            title: "Se déconnecter\u{A0}?", asks: "\(.name) demande votre déconnexion.",
            text:
                """
                Votre session prendra fin ici et dans toutes les applications que vous avez ouvertes avec elle dans \
                ce navigateur.
                """,
            phones: "Les applications de vos téléphones restent connectées.", submit: "Se déconnecter",
            stay: "Conserver la session",
            done: "Votre session est terminée",
            shared: "Sur un ordinateur partagé, veuillez également fermer le navigateur.",
            back: "Retour à \(.name)", goOn: "Continuer", again: "Se reconnecter"
        ),
        account: Account(
            title: "Votre compte",
            phones: .init(
                title: "Applications sur les téléphones",
                lead: "Les applications de ces téléphones vous connectent aux services de la fédération.",
                effect: "La déconnexion met fin immédiatement à tout ce que ce téléphone est autorisé à faire.",
                none:
                    """
                    Aucun téléphone n’est connecté. Lorsque vous vous connectez avec une application mobile de la \
                    fédération, le téléphone apparaît ici.
                    """,
                button: "Déconnecter"
            ),
            applications: .init(
                title: "Applications", lead: "Vous avez autorisé ces applications à recevoir vos données.",
                effect:
                    """
                    Le retrait met fin immédiatement à cet accès. La prochaine fois, votre accord vous sera de \
                    nouveau demandé.
                    """,
                none: "Vous n’avez encore rien autorisé à aucune application.", button: "Retirer"
            ),
            sessions: .init(
                title: "Navigateurs", lead: "Votre session est ouverte dans ces navigateurs.",
                effect: "Terminer une session vous déconnecte de ce navigateur et des applications ouvertes avec elle.",
                none: "Aucune session n’est ouverte dans un navigateur.", button: "Terminer"
            ),
            phone: "Téléphone", device: "Appareil", system: "Système", app: "Application", since: "Depuis le",
            lastUsed: "Dernière utilisation", receives: "Reçoit",
            usedFor: "Utilisé pour", thisBrowser: "ce navigateur", unknownBrowser: "Navigateur inconnu",
            browserOn: { "\($0) sous \($1)" },
            disconnected: "Le téléphone est déconnecté. Tout ce qu’il pouvait faire a pris fin.",
            withdrawn: "L’autorisation est retirée. L’accès a pris fin.",
            ended: "La session est terminée.", passwordChanged: "Votre mot de passe a été modifié."
        ),
        password: Password(
            title: "Modifier le mot de passe", current: "Mot de passe actuel", new: "Nouveau mot de passe",
            again: "Répéter le nouveau mot de passe",
            submit: "Modifier le mot de passe", cancel: "Annuler", wrong: "Le mot de passe actuel est incorrect.",
            different: "Les deux nouveaux mots de passe ne sont pas identiques. Veuillez les saisir à nouveau.",
            long: "Ce mot de passe est trop long. Veuillez en choisir un plus court.",
            common:
                "Ce mot de passe est trop facile à deviner\u{A0}: beaucoup l’utilisent. Veuillez en choisir un autre.",
            ofName:
                """
                Ce mot de passe est trop facile à deviner\u{A0}: il est formé de votre nom ou du nôtre. Veuillez en \
                choisir un autre.
                """,
            hint: { "Au moins \($0)\u{A0}caractères. Une phrase entière est facile à retenir et difficile à deviner." },
            weak: {
                "Ce mot de passe est trop facile à deviner. Veuillez en choisir un d’au moins \($0)\u{A0}caractères."
            }
        ),
        device: Device(
            title: "Connecter un appareil", lead: "Veuillez saisir le code affiché par votre appareil.", code: "Code",
            hint: "Par exemple BCDF-GHJK", submit: "Continuer",
            unknown:
                """
                Ce code est inconnu ou a expiré. Veuillez le vérifier ou demander à l’appareil d’en afficher un \
                nouveau.
                """,
            confirm: "Autoriser \(.name) sur votre appareil\u{A0}?",
            compare: "Comparez ce code avec celui qu’affiche votre appareil. Ne continuez que s’ils sont identiques.",
            warning:
                "Quelqu’un vous a envoyé ce code\u{A0}? Alors refusez\u{A0}: cette personne obtiendrait votre accès.",
            allowed: "Votre appareil est connecté",
            allowedText: "Vous pouvez fermer cette page et continuer sur votre appareil.",
            denied: "Rien n’a été autorisé",
            deniedText: "L’appareil n’obtient aucun accès. Vous pouvez fermer cette page."
        ),
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
