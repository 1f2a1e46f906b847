import Pages

extension Layout {
    static let console = Layout([
        "consoleHead": ConsoleNavigation.head, "navigation": ConsoleNavigation.template, "noRole": NoRolePage.template,
        "start": StartPage.template, "cell": ShownCell.template, "table": ShownTable.template,
        "object": ShownObject.template, "field": FormField.template, "list": ListPage.template,
        "thing": ThingPage.template, "change": ChangePage.template, "done": DonePage.template,
    ])
}
