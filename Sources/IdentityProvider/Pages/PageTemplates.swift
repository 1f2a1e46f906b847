import Pages

extension Layout {
    static let identityProvider = Layout([
        "home": HomePage.template, "about": AboutPage.template, "login": LoginPage.template,
        "withoutLevel": WithoutLevelPage.template, "consent": ConsentPage.template,
        "logout": LogoutPage.template, "loggedOut": LoggedOutPage.template, "account": AccountPage.template,
        "password": PasswordPage.template, "device": DevicePage.template, "decision": DecisionShown.template,
        "scopes": ScopesShown.template, "services": ServicesShown.template,
        "accountTree": AccountTreeSection.template,
        "ending": AccountTreeSection.ending, "facts": AccountTreeSection.facts, "activity": ActivityPage.template,
        "activityLine": ActivityPage.line, "notMe": NotMePage.template, "told": ToldPage.template,
        "data": DataPage.template, "export": ExportPage.template, "deletion": DeletionPage.template,
        "deleted": DeletedPage.template,
    ])
}
