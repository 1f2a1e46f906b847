/// The table of commands of the server and roles of a part of the federation. Products bring theirs
/// (`ProductAdministration.rules`). docs/design/roles.md shows all of them, and a test compares.
enum AdminRules {
    static let ofServer: [AdminRule] = institutions + people + apps + services + clients + tree

    private static let institutions: [AdminRule] = [
        .institutions("institutions list"),
        .institutions("institutions show", .institution),
        .institutions("roles grant", .granted),
        .institutions("roles withdraw", .withdrawn),
        .owners("roles list", .account.whereNamed, .institution.whereNamed, .service.whereNamed),
    ]

    private static let people: [AdminRule] = [
        .institutions("accounts create", .made),
        .institutions("accounts invite", .account.whereNamed, .made.with("username")),
        .institutions("accounts import", .made),
        .institutions("accounts export", .institution),
        .institutions("accounts list"),
        .institutions("accounts show", .account),
        .institutions("accounts update", .account, withholding: ["institution"]),
        .institutions("accounts password", .account),
        .institutions("accounts suspend", .account),
        .institutions("accounts resume", .account),
        .institutions("accounts delete", .account),
        .institutions("accounts refuse", .account),
        .institutions("accounts allow", .account),
        .institutions("instances list", .account.whereNamed),
        .institutions("instances show", .instance),
        .institutions("instances revoke", .instance),
        .institutions("instances block", .instance),
        .institutions("instances unblock", .instance),
        .institutions("instances refuse", .instance),
        .institutions("instances allow", .instance),
    ]

    /// What the federation refused, an institution does not let in again.
    private static let apps: [AdminRule] = [
        .institutions("apps create", .made, withholding: ["legacy"]),
        .institutions("apps list"),
        .institutions("apps show", .app),
        .institutions("apps update", .app, withholding: ["claim", "all_claims", "institution"]),
        .institutions("apps delete", .app),
        .institutions("apps refuse", .app),
        .institutions("apps versions add", .app),
        .institutions("apps versions list", .app),
        .institutions("apps versions show", .app),
        .institutions("apps versions refuse", .app),
        .institutions("apps versions allow", .app),
    ]

    /// What a service may know of people, the federation says; so it does who comes in, and where what came in is.
    private static let services: [AdminRule] = [
        .anybody("services propose"),
        .anybody("services proposals list"),
        .anybody("services proposals show"),
        .anybody("services proposals prove"),
        .anybody("services proposals withdraw"),
        .institutions("services add", .made, withholding: ["claim", "no_claims", "allow_loopback"]),
        .owners("services list"),
        .owners("services show", .service),
        .owners(
            "services update", .service,
            withholding: ["base", "claim", "no_claims", "institution"]),
        .owners("services rotate-secret", .service),
        .institutions("services suspend", .service),
        .institutions("services remove", .service),
        .owners("services policy", .service, looksWithout: "words"),
        .owners("services refusals", .service),
        .owners("services stream", .service, looksWithout: "verb"),
        .owners("services check", .service),
        .owners("crawl run", .services),
        .owners("crawl status", .services.whereNamed),
        .owners("crawl history", .service),
        .owners("crawl show", .service),
        .owners("events status", .service.whereNamed),
        .owners("events retry", .service),
        .owners("events dead list", .service),
        .owners("events dead retry", .service),
        .owners("events dead drop", .service),
    ]

    private static let clients: [AdminRule] = [
        .institutions("clients create", .made, withholding: ["claim", "no_claims"]),
        .institutions("clients list"),
        .institutions("clients show", .client),
        .institutions("clients update", .client, withholding: ["claim", "no_claims", "institution"]),
        .institutions("clients rotate-secret", .client),
        .institutions("clients delete", .client),
    ]

    private static let tree: [AdminRule] = [
        .institutions("tokens revoke", .node),
        .institutions("tokens why", .token),
        .institutions("tree show", .node),
        .owners("audit list", .account.whereNamed),
    ]
}
