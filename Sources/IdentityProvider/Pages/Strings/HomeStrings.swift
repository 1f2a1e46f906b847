import Pages

/// What the home page says where its operator has said nothing.
struct HomeStrings: Sendable {
    let title: String, lead: String, logIn: String, account: String, services: String, about: String

    static let english = HomeStrings(
        title: "One account for everything",
        lead: """
            With your account you log in to the services of your institution. Here you see which apps and devices are \
            connected with it, and disconnect them.
            """,
        logIn: "Log in", account: "Your account", services: "Services", about: "For makers of apps and services")

    static let german = HomeStrings(
        title: "Ein Konto für alles",
        lead: """
            Mit Ihrem Konto melden Sie sich bei den Diensten Ihrer Institution an. Hier sehen Sie, welche Apps und \
            Geräte damit verbunden sind, und können sie trennen.
            """,
        logIn: "Anmelden", account: "Ihr Konto", services: "Dienste",
        about: "Für alle, die Apps und Dienste entwickeln (englisch)")

    static let french = HomeStrings(
        title: "Un seul compte pour tout",
        lead: """
            Avec votre compte, vous accédez aux services de votre institution. Vous voyez ici quelles applications et \
            quels appareils y sont connectés, et vous pouvez les déconnecter.
            """,
        logIn: "Se connecter", account: "Votre compte", services: "Services",
        about: "Pour développer des applications et des services (en anglais)")

    static let italian = HomeStrings(
        title: "Un solo account per tutto",
        lead: """
            Con il Suo account accede ai servizi della Sua istituzione. Qui vede quali app e quali dispositivi vi sono \
            collegati, e può scollegarli.
            """,
        logIn: "Accedere", account: "Il Suo account", services: "Servizi",
        about: "Per chi sviluppa app e servizi (in inglese)")
}

extension Language {
    var home: HomeStrings {
        switch self {
        case .en: .english
        case .de: .german
        case .fr: .french
        case .it: .italian
        }
    }
}
