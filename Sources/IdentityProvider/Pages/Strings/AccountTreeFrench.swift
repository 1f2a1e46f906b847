import Pages

extension AccountTreeStrings {
    static let french = AccountTreeStrings(
        tree: Tree(
            services: "Services ouverts avec", apps: "Applications qui y ont accès",
            onlyService: "Seul le service sait quelles applications y ont accès.",
            phoneStays: "Les autres téléphones, vos navigateurs et les applications autorisées continuent.",
            applicationStays: "Vos téléphones, vos navigateurs et les autres applications continuent.",
            browserStays:
                """
                Vos téléphones et les autres navigateurs continuent, ainsi que ce que les applications peuvent faire \
                en votre absence.
                """,
            service: Cut(
                verb: "Mettre fin à l’accès",
                ends: "Tout ce qui a été ouvert d’ici auprès de ce service prend fin, avec toutes les applications.",
                stays: "Le reste continue. À la prochaine utilisation, l’accès s’ouvre de nouveau."),
            everywhere: Cut(
                verb: "Mettre fin partout",
                ends: """
                    Tout ce que vous avez ouvert auprès de ce service prend fin, sur chaque téléphone et dans \
                    chaque application.
                    """,
                stays: "Les autres services continuent. À la prochaine utilisation, l’accès s’ouvre de nouveau."),
            app: Cut(
                verb: "Mettre fin à l’accès", ends: "Cette application perd son accès à ce service.",
                stays: "Le service et les autres applications continuent. L’application peut être admise de nouveau."),
            allPhones: Cut(
                verb: "Déconnecter tous les téléphones",
                ends: "Tout ce que vos téléphones peuvent faire prend fin immédiatement.",
                stays: """
                    Vos navigateurs et applications continuent. Vous pouvez vous reconnecter sur chaque téléphone.
                    """),
            otherBrowsers: Cut(
                verb: "Fermer toutes les autres",
                ends: "Vous êtes déconnecté de tous les navigateurs, sauf de celui-ci.",
                stays: "Ce navigateur et vos téléphones continuent."),
            ended: "L’accès a pris fin.", othersEnded: "Toutes les autres ont pris fin."),
        activity: Activity(
            title: "Activité récente", lead: "Ce qui s’est passé dernièrement dans votre compte, du plus récent.",
            none: "Il ne s’est encore rien passé.", about: "Concerne", when: "Quand", place: "Depuis le réseau",
            notMe: "Ce n’était pas moi", back: "Retour à votre compte", times: { "\($0) fois" },
            kind: {
                switch $0 {
                case .login: "Connexion dans un navigateur"
                case .loginAgain: "Nouvelle connexion dans le même navigateur"
                case .appLogin: "Connexion avec une application"
                case .newPhone: "Première connexion avec un nouveau téléphone"
                case .refusedLogin: "Une connexion a été refusée"
                case .passwordChanged: "Le mot de passe a été changé"
                case .refusedPassword: "Un changement de mot de passe a été refusé"
                case .consent: "Une application a été autorisée"
                case .phoneChanged: "Un téléphone a été décrit à nouveau"
                case .ended: "Un accès a pris fin"
                case .factorChanged: "Un changement de vos moyens de connexion"
                case .passwordReset: "Un nouveau mot de passe a été défini par un lien"
                case .firstPassword: "Le premier mot de passe a été défini par un lien"
                case .cutByMail: "Un lien reçu par e-mail a mis fin à ce qu’une autre personne a fait"
                case .addressChanged: "L’adresse électronique a été changée"
                case .addressVerified: "L’adresse électronique a été confirmée"
                case .codesMade: "Des codes de récupération ont été créés"
                case .codesUsed: "Un code de récupération a été utilisé"
                case .codesRemoved: "Les codes de récupération ont été supprimés"
                case .branchEnded: "L’accès à un service a pris fin"
                case .consentWithdrawn: "L’autorisation d’une application a été retirée"
                case .exported: "Vos données ont été exportées"
                case .listEmptied: "La liste de qui a appris quelque chose a été vidée"
                case .refusedDeletion: "Une suppression du compte a été refusée"
                case .invited: "Votre institution a envoyé un lien pour un mot de passe"
                case .refusedAtService: "Votre institution vous a fermé un service"
                case .allowedAtService: "Votre institution vous a rouvert un service"
                case .byOperator: "Votre institution a changé quelque chose"
                case .other: "Un changement dans votre compte"
                }
            }),
        notMe: NotMe(
            title: "Ce n’était pas vous\u{A0}?", happened: "Voici ce qui s’est passé\u{A0}:",
            nobodyIn: """
                Personne n’est entré ainsi. S’il se peut que quelqu’un connaisse votre mot de passe, changez-le.
                """,
            over: """
                Ce qui a été ouvert ainsi a déjà pris fin. S’il se peut que quelqu’un connaisse votre \
                mot de passe, changez-le.
                """,
            password: "Changer le mot de passe",
            passwordText: """
                Un nouveau mot de passe met fin à ce que l’ancien a ouvert, dans tous les navigateurs et applications, \
                sauf ici.
                """,
            phone: "Déconnecter le téléphone", browser: "Fermer la session", application: "Retirer l’autorisation",
            thisBrowser: "C’est le navigateur dans lequel vous lisez."),
        told: Told(
            title: "Qui a appris quelque chose sur vous",
            lead: "Vos applications et celles que vous utilisez ont transmis ceci.",
            none: "Personne n’a rien appris sur vous.", claims: "A appris", through: "Par", login: "Avec la connexion",
            nothing: "Un identifiant pour vous",
            empty: Cut(
                verb: "Vider cette liste", ends: "Ce qui figure ici est oublié et ne peut pas être rétabli.",
                stays: "Personne ne perd d’accès, et ce qui a été appris reste connu là-bas."),
            emptied: "La liste est vide.",
            used: Used(
                title: "Services que vous avez utilisés",
                lead: "Les applications qui cherchent des services en votre nom trouvent ceux-ci en premier.",
                empty: Cut(
                    verb: "Oublier ces services",
                    ends: "La liste des services que vous avez utilisés est oubliée et ne peut pas être rétablie.",
                    stays: "Personne ne perd d’accès. Un service réapparaît ici dès que vous l’utilisez.")),
            claim: {
                switch $0 {
                case "email": "Adresse électronique"
                case "name": "Nom complet"
                case "given_name": "Prénom"
                case "family_name": "Nom de famille"
                case "preferred_username": "Nom d’utilisateur"
                default: ClaimWords.text($0, .fr)
                }
            },
            method: Told.method(
                both: "mot de passe et second facteur", factor: "téléphone ou clé d’accès", password: "mot de passe",
                neither: "portefeuille"))
    )
}
