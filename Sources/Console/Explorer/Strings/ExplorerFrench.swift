extension ExplorerStrings {
    static let french = ExplorerStrings(
        treeLead: "Ce qui dépend d’un nœud vit aussi longtemps que tout ce qui est au-dessus.",
        search: "Nœud ou nom",
        searchHint:
            "Un nom d’utilisateur, une application, un service, un client, le jti d’un jeton, ou un nœud comme "
            + "version:wallet.2.1.",
        find: "Montrer", several: "Plusieurs portent ce nom", unknown: "Rien ne porte ce nom.",
        picture: "L’arbre en image", list: "L’arbre en liste", cut: "Révoquer ceci et tout ce qui en dépend …",
        audit: "Ce qui lui est arrivé", childless: "Rien n’en dépend.",
        tooMany: "Il y en a trop pour chercher d’ici. Commencez par une application, un compte ou un client.",
        nextPage: "Les suivants", firstPage: "Depuis le début", below: "Ce qui en dépend",
        more: { "\($1 ? "au moins " : "")\($0) de plus" },
        status: "État", since: "Depuis", until: "Jusqu’à", client: "Client", account: "Compte", service: "Service",
        statuses: ["live": "vit", "expired": "expiré", "revoked": "révoqué", "used": "utilisé"],
        kinds: [
            "version": "Version d’application", "instance": "Application installée", "key": "Clé d’appareil",
            "account": "Compte", "password": "Mot de passe", "session": "Navigateur", "client": "Client",
            "grant": "Permission", "service": "Service", "use": "Personne auprès d’un service",
            "bundle": "Application tierce", "admission": "Application tierce auprès d’un service",
            "instance_token": "Jeton d’instance", "pat": "Jeton personnel", "assertion": "Assertion",
            "service_token": "Jeton de service", "app_token": "Jeton d’application", "access_token": "Jeton d’accès",
            "code": "Code",
        ],
        whyTitle: "Pourquoi un jeton vit ou non",
        whyLead: "Collez le jeton ou son jti. Il est cherché, et n’est pas conservé.",
        token: "Jeton ou jti", tell: "Dire pourquoi", verdict: "Verdict", reference: "Selon la règle", node: "Nœud",
        cause: "Révoqué avec", at: "Quand", by: "Par", reason: "Raison", showTree: "Montrer dans l’arbre",
        rules: [
            "live": "Il vit : il n’a pas expiré, et rien au-dessus n’est révoqué.", "expired": "Il a expiré.",
            "revoked": "Il a été révoqué, ou quelque chose au-dessus.", "used": "Il sert une fois, et a été utilisé.",
            "epoch": "Tous les jetons ont été révoqués quand une sauvegarde a été restaurée.",
            "unknown": "Aucun jeton de cette fédération, ou mort depuis si longtemps qu’il est oublié.",
        ],
        auditLead: "Qui a fait quoi, quand, d’où et pourquoi ; le plus récent d’abord.",
        action: "Action", outcome: "Résultat", actor: "Qui l’a fait", auditUntil: "Avant", auditSince: "À partir de",
        origin: "D’où", export: "Ces lignes pour des programmes (JSON Lines)", none: "Il n’y a pas de telles lignes.",
        timeHint: "Par exemple 2026-11-21T08:00:00Z", times: { "\($0) fois" })
}
