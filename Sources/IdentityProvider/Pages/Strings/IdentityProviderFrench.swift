import Pages

extension IdentityProviderStrings {
    static let french = IdentityProviderStrings(
        scopes: Scopes(
            openid: "Un identifiant", openidText: "pour vous reconnaître à votre prochaine visite",
            profile: "Votre nom", email: "Votre adresse e-mail",
            offline: "Un accès en votre absence", offlineText: "jusqu’à ce que vous le retiriez dans votre compte",
            discovery: "La liste des services",
            discoveryText: "elle cherche en votre nom des services de la fédération",
            otherText: "l’autorisation portant ce nom", none: "Uniquement la confirmation de votre connexion"
        ),
        login: Login(
            title: "Connexion",
            again: "L’application souhaite s’assurer de votre identité. Veuillez vous connecter à nouveau.",
            username: "Nom d’utilisateur", password: "Mot de passe", submit: "Se connecter",
            wrong:
                "Le nom d’utilisateur ou le mot de passe est incorrect. Veuillez vérifier votre saisie et réessayer.",
            busy: """
                Un très grand nombre de personnes se connectent en ce moment. Veuillez réessayer dans quelques \
                secondes.
                """, expired: "Cette page est restée ouverte trop longtemps. Veuillez vous connecter à nouveau.",
            remembered: "Comme la dernière fois dans ce navigateur\u{A0}:",
            tooMany: { "Il y a eu trop de tentatives. Veuillez réessayer \($0)." }),
        consent: Consent(
            title: "Transmettre vos données à \(.name)\u{A0}?", receives: "Cette application recevra\u{A0}:",
            acts: "Cette application agira en votre nom auprès de\u{A0}:",
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
            ), system: "Système", app: "Application", receives: "Reçoit", actsAt: "Agit en votre nom auprès de",
            thisBrowser: "ce navigateur",
            disconnected: "Le téléphone est déconnecté. Tout ce qu’il pouvait faire a pris fin.",
            withdrawn: "L’autorisation est retirée. L’accès a pris fin.",
            passwordChanged: "Votre mot de passe a été modifié.",
            notNow: "Non, merci"),
        password: Password(
            title: "Modifier le mot de passe", current: "Mot de passe actuel", new: "Nouveau mot de passe",
            again: "Répéter le nouveau mot de passe", submit: "Modifier le mot de passe",
            wrong: "Le mot de passe actuel est incorrect.",
            different: "Les deux nouveaux mots de passe ne sont pas identiques. Veuillez les saisir à nouveau.",
            long: "Ce mot de passe est trop long. Veuillez en choisir un plus court.",
            common:
                "Ce mot de passe est trop facile à deviner\u{A0}: beaucoup l’utilisent. Veuillez en choisir un autre.",
            ofName: """
                Ce mot de passe est trop facile à deviner\u{A0}: il est formé de votre nom ou du nôtre. Veuillez en \
                choisir un autre.
                """,
            hint: { "Au moins \($0)\u{A0}caractères. Une phrase entière est facile à retenir et difficile à deviner." },
            weak: {
                "Ce mot de passe est trop facile à deviner. Veuillez en choisir un d’au moins \($0)\u{A0}caractères."
            }),
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
        )
    )
}
