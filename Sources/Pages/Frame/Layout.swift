import Base
import Mustache

private struct Frame: Sendable {
    let language: String, title: String, content: String, rsd: String?, script: String?, isWatching: Bool, isDoor: Bool, motto: String
    let style = "/assets/pando.css?v=\(Stylesheet.version)", icon = Mark.icon
}

/// The frame of every page: title, content, footer.
struct Layout {
    private static let library: MustacheLibrary = {
        MustacheContentTypes.register(PageText(), named: PageText.name)
        var library = MustacheLibrary()
        for (name, template) in templates {
            guard let template = try? MustacheTemplate(string: "{{% CONTENT_TYPE: \(PageText.name)}}" + template) else { continue }
            library.register(template, named: name)
        }
        return library
    }()

    /// Pages, and the parts that several pages have (`{{> name}}`).
    static let templates = [
        "layout": layout, "mark": Mark.template, "host": ClientShown.hostTemplate, "links": ClientShown.linksTemplate,
        "person": PersonShown.template, "scopes": ScopesShown.template, "decision": DecisionShown.template,
        "code": CodeShown.template, "phones": OtherPhones.template, "doors": OtherDoors.template, "passkey": PasskeyForm.template,
        "home": HomePage.template, "service": ServicePage.template, "attributes": AttributesPage.template,
        "login": LoginPage.template, "consent": ConsentPage.template, "logout": LogoutPage.template, "loggedOut": LoggedOutPage.template,
        "account": AccountPage.template, "password": PasswordPage.template, "device": DevicePage.template, "landing": LandingPage.template,
        "phoneWait": PhoneWaitPage.template, "phoneOffline": PhoneOfflinePage.template, "phoneSetup": PhoneSetupPage.template, "phoneEnding": PhoneEndingPage.template,
        "passkeyLogin": PasskeyPage.template, "passkeySetup": PasskeySetupPage.template, "passkeyName": PasskeyNamePage.template,
        "problem": ProblemPage.template,
    ]

    private static let layout = """
        <!doctype html>
        <html lang="{{language}}">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>{{title}} · Pando</title>
        <link rel="stylesheet" href="{{style}}">
        <link rel="icon" type="image/svg+xml" href="{{icon}}">
        {{#rsd}}<link rel="ServiceAPI" type="application/x-rsd+json" title="RSD" href="{{.}}">{{/rsd}}
        {{#script}}<script src="{{.}}" defer></script>{{/script}}{{#isWatching}}
        <noscript><meta http-equiv="refresh" content="3"></noscript>{{/isWatching}}
        </head>
        <body{{#isDoor}} class="door"{{/isDoor}}>
        <header>{{#isDoor}}<p class="brand">{{> mark}}Pando</p>{{/isDoor}}{{^isDoor}}<a class="brand" href="/">{{> mark}}Pando</a>{{/isDoor}}</header>
        <main>
        {{{content}}}
        </main>
        <footer><p>{{motto}}</p></footer>
        </body>
        </html>
        """

    /// `content` is a view model rendered by the template of that name; it is the only HTML that goes in unescaped.
    /// A door is a page with one thing to do, beside the grove; others are wide and lead home. A page that `watches` is loaded again when something changed
    /// (`WatchScript`), so nothing may be typed on it. One with `passkeys` asks the browser for one (`PasskeyScript`).
    static func render(_ name: String, title: String, language: Language = .en, rsd: String? = nil, door: Bool = false, watches: Bool = false,
                       passkeys: Bool = false, _ model: some Sendable) -> String {
        let content = library.render(model, withTemplate: name) ?? ""
        let script: String? = watches ? WatchScript.address : passkeys ? PasskeyScript.address : nil
        let frame = Frame(language: language.rawValue, title: title, content: content, rsd: rsd, script: script, isWatching: watches, isDoor: door,
                          motto: language.strings.frame.motto)
        return library.render(frame, withTemplate: "layout") ?? ""
    }
}
