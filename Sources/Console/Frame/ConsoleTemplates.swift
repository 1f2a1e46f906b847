import Pages

extension Layout {
    static let console = Layout([
        "consoleHead": ConsoleNavigation.head, "navigation": ConsoleNavigation.template, "noRole": NoRolePage.template,
    ])
}
