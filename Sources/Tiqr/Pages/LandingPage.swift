import Pages

/// `/tiqrenroll/` and `/tiqrauth/`: where a universal link leads when no app has caught it (protocols/tiqr.md, 1.4). It
/// only shows; opening it uses nothing up.
struct LandingPage: Sendable {
    enum Purpose: Sendable { case enrollment, authentication }

    let language: Language, strings: SharedStrings<Strings>, own: SharedStrings<TiqrStrings>
    let purpose: TiqrStrings.Landing.Purpose, warning: String?, link: String?, scan: CodeShown?

    /// `link` has the app's own scheme. Browsers on Android break an enrollment link of that kind, so there the code
    /// alone is shown, to be scanned from another screen; iOS mends it.
    init(_ language: Language, _ purpose: Purpose, link: String, isAndroid: Bool = false) {
        (self.language, strings, own) = (language, language.strings, language.tiqr)
        let shown =
            switch purpose {
            case .enrollment: own.landing.enrollment
            case .authentication: own.landing.authentication
            }
        (self.purpose, warning) = (shown, shown.warning)
        let link = Pages.ShownText.appLink(link), isBroken = isAndroid && purpose == .enrollment
        self.link = isBroken ? nil : link
        scan = link.flatMap { CodeShown($0) }
    }

    var html: String { Layout.tiqr.render("landing", title: purpose.title, language: language, door: true, self) }

    static let template = """
        <h1>{{purpose.title}}</h1>
        <p class="lead">{{purpose.lead}}</p>
        {{#warning}}<p class="note warn">{{.}}</p>{{/warning}}
        {{#link}}<ul class="buttons"><li><a class="button" href="{{.}}">{{strings.phone.open}}</a></li></ul>{{/link}}
        {{#scan}}<h2>{{own.landing.otherwise}}</h2>
        <p>{{strings.phone.elsewhere}}</p>
        {{> code}}{{/scan}}
        """
}

extension Layout {
    static let tiqr = Layout([
        "landing": LandingPage.template, "phoneOffline": PhoneOfflinePage.template,
        "phoneNumber": PhoneNumberPage.template,
    ])
}
