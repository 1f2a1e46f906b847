import Pages

extension PasskeyStrings {
    static let french = PasskeyStrings(
        button: "Se connecter avec une clé d’accès", title: "Se connecter avec une clé d’accès",
        lead:
            """
            Votre appareil vous demande votre empreinte, votre visage ou votre code PIN. Ceux-ci ne quittent pas \
            l’appareil.
            """,
        submit: "Utiliser une clé d’accès",
        noScript:
            """
            Les clés d’accès ont besoin de JavaScript, désactivé dans ce navigateur. Veuillez vous connecter \
            autrement.
            """,
        noScriptAlone:
            """
            Les clés d’accès ont besoin de JavaScript, désactivé dans ce navigateur, et votre compte n’a pas d’autre \
            moyen de se connecter ici. Veuillez l’activer, ou utiliser un autre navigateur ou un autre appareil. Si ce \
            n’est pas possible, veuillez vous adresser à l’assistance de votre institution\u{A0}: elle retire la clé \
            d’accès, et vous configurez un téléphone ou une nouvelle clé.
            """,
        notes: .init(
            unsupported:
                """
                Ce navigateur ne sait pas utiliser les clés d’accès. Veuillez en utiliser un autre ou vous connecter \
                autrement.
                """,
            cancelled:
                """
                Aucune clé d’accès n’a été utilisée\u{A0}: annulation, ou délai dépassé. Veuillez réessayer ou vous \
                connecter autrement.
                """,
            exists: "Cet appareil a déjà une clé d’accès pour votre compte. Vous pouvez l’utiliser.",
            failed: "Cela n’a pas fonctionné. Veuillez vérifier votre connexion et réessayer."
        ),
        problems: .init(
            over: "Cela a duré trop longtemps, ou une réponse a déjà été donnée. Veuillez réessayer.",
            refused: "Cette clé d’accès n’a pas pu être vérifiée. Veuillez réessayer ou vous connecter autrement.",
            unknown: """
                Cette clé d’accès n’est plus connue ici. Veuillez en utiliser une autre ou vous connecter autrement, \
                et la supprimer de \
                votre appareil.
                """,
            copied: """
                Il existe peut-être une copie de cette clé d’accès\u{A0}: elle a été refusée. Veuillez vous \
                connecter autrement, la retirer \
                dans votre compte et en configurer une nouvelle.
                """,
            another:
                "Cette clé d’accès est celle d’une autre personne. Veuillez en utiliser une de votre propre compte.",
            notAllowed:
                """
                Ce compte n’est pas autorisé à se connecter. Si vous pensez qu’il devrait l’être, adressez-vous à \
                l’assistance de votre institution.
                """,
            tooMany: "Il y a déjà beaucoup de clés d’accès. Veuillez d’abord en retirer une dans votre compte.",
            taken: "Cette clé d’accès est déjà enregistrée ou liée.",
            ended: "La connexion dont il s’agissait est terminée. Veuillez vous connecter à nouveau."
        ),
        aside: .init(
            noScript:
                """
                Les clés d’accès ont besoin de JavaScript, désactivé dans ce navigateur. Veuillez l’activer, ou \
                utiliser un autre navigateur ou un autre appareil.
                """,
            unsupported: "Ce navigateur ne sait pas utiliser les clés d’accès. Veuillez en utiliser un autre.",
            cancelled: "Aucune clé d’accès n’a été utilisée\u{A0}: annulation, ou délai dépassé. Veuillez réessayer.",
            refused: "Cette clé d’accès n’a pas pu être vérifiée. Veuillez réessayer.",
            unknown: "Cette clé d’accès n’est pas connue ici. Veuillez d’abord l’enregistrer avec votre portefeuille.",
            copied:
                """
                Il existe peut-être une copie de cette clé d’accès\u{A0}: elle a été refusée. Veuillez en configurer \
                une nouvelle.
                """
        ),
        lost:
            """
            Avez-vous perdu votre clé d’accès\u{A0}? L’assistance de votre institution peut la retirer. Vous en \
            configurez ensuite une nouvelle.
            """,
        none: .init(title: "Aucune clé d’accès n’est configurée", text: "Votre compte n’a pas encore de clé d’accès."),
        setUp: "Configurer une clé d’accès",
        setup: .init(
            title: "Configurer une clé d’accès",
            lead: """
                Vous pourrez ensuite vous connecter avec votre empreinte, votre visage ou le code PIN de votre \
                appareil, sans mot de passe. \
                Aucune fausse page ne peut vous la soutirer.
                """,
            submit: "Configurer"
        ),
        needed: "Ce compte exige une connexion avec une clé d’accès. Veuillez configurer la vôtre maintenant.",
        name: "Nom (facultatif)",
        hint: "Pour la reconnaître, par exemple «\u{A0}mon portable\u{A0}»", instead: "Configurer plutôt un téléphone",
        passkeyInstead: "Configurer plutôt une clé d’accès",
        offer: .init(
            title: "Se connecter aussi avec une clé d’accès\u{A0}?",
            lead: """
                Vous vous connectez avec un téléphone. Une clé d’accès est plus rapide\u{A0}: vous déverrouillez \
                votre appareil, sans scanner de code. Aucune fausse page ne peut vous la prendre. Quand vous en \
                aurez une, vous pourrez retirer le téléphone plus bas.
                """,
            submit: "Configurer une clé d’accès"
        ),
        link: .init(
            title: "Lier la clé d’accès d’un portefeuille",
            lead:
                """
                Si votre portefeuille a enregistré ici une clé d’accès, vous pouvez aussi vous connecter avec elle. \
                Veuillez la présenter une fois.
                """,
            submit: "Utiliser la clé du portefeuille"
        ),
        rename: .init(
            title: "Nommer cette clé d’accès", lead: "Aucune application ne voit ce nom.", submit: "Enregistrer"),
        newName: "Nom",
        section: .init(
            title: "Clés d’accès", lead: "Avec ces clés d’accès, vous vous connectez sans mot de passe.",
            effect:
                """
                Plus personne ne peut se connecter ici avec une clé retirée. Veuillez la supprimer aussi de votre \
                appareil.
                """,
            none: "Aucune clé d’accès n’est configurée.", button: "Retirer"
        ),
        kept: "Conservée", oneDevice: "sur un seul appareil", synced: "dans votre gestionnaire de mots de passe",
        wallet: "Portefeuille", flagged: "peut-être copiée",
        added: "Votre clé d’accès est configurée. Vous pouvez désormais vous connecter avec elle.",
        addedByName:
            """
            Votre clé d’accès est configurée. Vous pouvez vous connecter avec elle après votre mot de passe\u{A0}: \
            cet appareil ne la propose pas de lui-même.
            """,
        linked: "La clé d’accès de votre portefeuille est liée. Vous pouvez désormais vous connecter avec elle.",
        renamed: "La clé d’accès a son nouveau nom.",
        removed: "La clé d’accès est retirée. Plus personne ne peut se connecter ici avec elle.",
        unlink: "Délier",
        unlinked:
            """
            La clé d’accès du portefeuille est déliée. Plus personne ne peut se connecter à votre compte avec \
            elle\u{A0}; votre portefeuille la garde.
            """,
        last:
            "C’est votre dernière clé d’accès, et votre compte en exige une. Veuillez d’abord en configurer une autre."
    )
}
