import Pages

extension Layout {
    static let recovery = Layout([
        "ask": RecoverPage.template, "newPassword": NewPasswordPage.template, "confirm": ConfirmPage.template,
        "ended": EndingPage.template, "email": EmailPage.template, "code": RecoveryCodePage.template,
        "codes": RecoveryCodesPage.template,
    ])
}

/// `/recover`: whose password was forgotten.
struct RecoverPage: Sendable {
    let language: Language
    let title: String, lead: String, label: String, submit: String, back: String, formToken: String

    /// Posts to /recover: name.
    init(_ language: Language, formToken: String) {
        let own = language.recovery
        (self.language, self.formToken) = (language, formToken)
        (title, lead, label, submit) = (own.ask.title, own.ask.lead, own.name, own.ask.submit)
        back = own.toLogin
    }

    var html: String { Layout.recovery.render("ask", title: title, language: language, door: true, self) }

    static let template = """
        <h1>{{title}}</h1>
        <p class="lead">{{lead}}</p>
        <form method="post" action="/recover">
        <input type="hidden" name="form_token" value="{{formToken}}">
        <label for="name">{{label}}</label>
        <input id="name" name="name" autocomplete="username" autocapitalize="none" spellcheck="false" \
        maxlength="254" required autofocus>
        <div class="choice">
        <button class="button">{{submit}}</button>
        <a class="button second" href="/login">{{back}}</a>
        </div>
        </form>
        """
}

/// `/recover/password`: the new password, or the first.
struct NewPasswordPage: Sendable {
    let language: Language
    let title: String, lead: String, label: String, again: String, submit: String, hint: String, problem: String?
    let username: String, link: String, formToken: String, minimum = 12

    /// Posts to /recover/password: link, new, again.
    init(
        _ language: Language, isFirst: Bool, username: String, link: String, formToken: String,
        problem: PasswordPage.Problem? = nil
    ) {
        let own = language.recovery, task = isFirst ? own.invite : own.reset
        (self.language, self.link, self.formToken) = (language, link, formToken)
        self.username = ShownText.tidy(username) ?? ""
        (title, lead, submit) = (task.title, task.lead, task.submit)
        (label, again, hint) = (
            language.own.password.new, language.own.password.again, language.own.password.hint(minimum)
        )
        self.problem = problem?.text(language)
    }

    var html: String {
        let shown = problem == nil ? title : "\(language.strings.frame.problem) \(title)"
        return Layout.recovery.render("newPassword", title: shown, language: language, door: true, self)
    }

    static let template = """
        <h1>{{title}}</h1>
        <p class="lead">{{lead}} <bdi class="strong">{{username}}</bdi></p>
        {{#problem}}<p class="note bad" role="alert" id="problem">{{.}}</p>{{/problem}}
        <form method="post" action="/recover/password">
        <input type="hidden" name="form_token" value="{{formToken}}">
        <input type="hidden" name="link" value="{{link}}">
        <input name="username" value="{{username}}" autocomplete="username" readonly hidden>
        <label for="new">{{label}}</label>
        <p class="hint" id="hint">{{hint}}</p>
        <input id="new" name="new" type="password" autocomplete="new-password" minlength="{{minimum}}" required \
        autofocus{{#problem}} aria-invalid="true" aria-describedby="problem hint"{{/problem}}{{^problem}} \
        aria-describedby="hint"{{/problem}}>
        <label for="again">{{again}}</label>
        <input id="again" name="again" type="password" autocomplete="new-password" required{{#problem}} \
        aria-invalid="true" aria-describedby="problem"{{/problem}}>
        <button class="button">{{submit}}</button>
        </form>
        """
}

/// What a link does, before it does it: programs that look at mail follow links, and press no buttons.
struct ConfirmPage: Sendable {
    let language: Language
    let title: String, lead: String, subject: String?, account: String, submit: String, strings: SharedStrings<Strings>
    let action: String, link: String, formToken: String

    /// Posts to `action`: link.
    init(
        _ language: Language, _ task: RecoveryStrings.Task, subject: String?, account: String, action: String,
        link: String, formToken: String
    ) {
        (self.language, self.action, self.link, self.formToken) = (language, action, link, formToken)
        (title, lead, submit, strings) = (task.title, task.lead, task.submit, language.strings)
        self.subject = subject.flatMap { ShownText.tidy($0, limit: 254) }
        self.account = ShownText.tidy(account) ?? "–"
    }

    var html: String { Layout.recovery.render("confirm", title: title, language: language, door: true, self) }

    static let template = """
        <h1>{{title}}</h1>
        {{#subject}}<p class="lead"><bdi class="strong">{{.}}</bdi></p>{{/subject}}
        <p class="lead"><bdi class="strong">{{account}}</bdi></p>
        <p>{{lead}}</p>
        <form method="post" action="{{action}}">
        <input type="hidden" name="form_token" value="{{formToken}}">
        <input type="hidden" name="link" value="{{link}}">
        <div class="choice">
        <button class="button">{{submit}}</button>
        <a class="button second" href="/">{{strings.frame.cancel}}</a>
        </div>
        </form>
        """
}

/// What came of it, and where to go on.
struct EndingPage: Sendable {
    let language: Language
    let title: String, text: String, next: PageLink?

    init(_ language: Language, _ message: Strings.Message, next: PageLink? = nil) {
        (self.language, title, text, self.next) = (language, message.title, message.text, next)
    }

    var html: String { Layout.recovery.render("ended", title: title, language: language, door: true, self) }

    static let template = """
        <h1>{{title}}</h1>
        <p class="lead">{{text}}</p>
        {{#next}}<ul class="buttons"><li><a class="button" href="{{href}}">{{label}}</a></li></ul>{{/next}}
        """
}

/// `/account/email`: where messages go.
struct EmailPage: Sendable {
    let language: Language
    let title: String, lead: String, label: String, submit: String, problem: String?, strings: SharedStrings<Strings>
    let email: String, formToken: String

    /// Posts to /account/email: email.
    init(_ language: Language, email: String, formToken: String, problem: String? = nil) {
        let own = language.recovery
        (self.language, self.email, self.formToken, self.problem) = (language, email, formToken, problem)
        (title, lead, label, submit) = (own.email.title, own.email.lead, own.emailLabel, own.email.submit)
        strings = language.strings
    }

    var html: String {
        let shown = problem == nil ? title : "\(language.strings.frame.problem) \(title)"
        return Layout.recovery.render("email", title: shown, language: language, door: true, self)
    }

    static let template = """
        <h1>{{title}}</h1>
        <p class="lead">{{lead}}</p>
        {{#problem}}<p class="note bad" role="alert" id="problem">{{.}}</p>{{/problem}}
        <form method="post" action="/account/email">
        <input type="hidden" name="form_token" value="{{formToken}}">
        <label for="email">{{label}}</label>
        <input id="email" name="email" type="email" value="{{email}}" autocomplete="email" maxlength="254" \
        required autofocus{{#problem}} aria-invalid="true" aria-describedby="problem"{{/problem}}>
        <div class="choice">
        <button class="button">{{submit}}</button>
        <a class="button second" href="/account">{{strings.frame.cancel}}</a>
        </div>
        </form>
        """
}
