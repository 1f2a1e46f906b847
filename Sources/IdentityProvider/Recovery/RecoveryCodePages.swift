import Pages

/// `/login/recovery`: a code from paper, in place of the second factor.
struct RecoveryCodePage: Sendable {
    let language: Language
    let title: String, lead: String, label: String, hint: String, submit: String, or: String, problem: String?
    let reference: String?, returnTo: String?, formToken: String
    let others: [LoginAlternative], hasOthers: Bool

    /// Posts to /login/recovery: code. `reference` goes back as `request`, `returnTo` as `return_to`.
    init(
        _ language: Language, reference: String?, returnTo: String?, formToken: String,
        others: [LoginAlternative] = [], problem: String? = nil
    ) {
        let own = language.recovery
        (self.language, self.reference, self.returnTo, self.formToken) = (language, reference, returnTo, formToken)
        (title, lead, submit) = (own.code.title, own.code.lead, own.code.submit)
        (label, hint, or, self.problem) = (own.codeLabel, own.codeHint, own.or, problem)
        (self.others, hasOthers) = (others, !others.isEmpty)
    }

    var html: String {
        let shown = problem == nil ? title : "\(language.strings.frame.problem) \(title)"
        return Layout.recovery.render("code", title: shown, language: language, door: true, self)
    }

    static let template = """
        <h1>{{title}}</h1>
        <p class="lead">{{lead}}</p>
        {{#problem}}<p class="note bad" role="alert" id="problem">{{.}}</p>{{/problem}}
        <form method="post" action="/login/recovery">
        <input type="hidden" name="form_token" value="{{formToken}}">
        {{#reference}}<input type="hidden" name="request" value="{{.}}">{{/reference}}
        {{#returnTo}}<input type="hidden" name="return_to" value="{{.}}">{{/returnTo}}
        <label for="code">{{label}}</label>
        <p class="hint" id="hint">{{hint}}</p>
        <input class="code" id="code" name="code" autocomplete="off" autocapitalize="characters" \
        spellcheck="false" maxlength="40" required autofocus{{#problem}} aria-invalid="true" \
        aria-describedby="problem hint"{{/problem}}{{^problem}} aria-describedby="hint"{{/problem}}>
        <button class="button">{{submit}}</button>
        </form>
        {{#hasOthers}}<p class="or"><span>{{or}}</span></p>
        <ul class="buttons">{{#others}}<li><a class="button second" href="{{href}}"><bdi>{{label}}</bdi></a></li>
        {{/others}}</ul>{{/hasOthers}}
        """
}

/// `/account/recovery`: makes new codes; shows them once.
struct RecoveryCodesPage: Sendable {
    let language: Language
    let title: String, lead: String, left: String?, submit: String, onward: String, formToken: String
    let strings: SharedStrings<Strings>
    let codes: [String], areShown: Bool

    /// Posts to /account/recovery. `codes`: those that were just made; nobody sees them again. `left`: how many there
    /// were before.
    init(_ language: Language, left: Int, codes: [String] = [], formToken: String) {
        let own = language.recovery
        (self.language, self.codes, areShown, self.formToken) = (language, codes, !codes.isEmpty, formToken)
        (title, lead) = codes.isEmpty ? (own.codes.title, own.codes.lead) : (own.made.title, own.made.text)
        self.left = codes.isEmpty && left > 0 ? own.left(left) : nil
        (submit, onward, strings) = (own.codes.submit, own.toAccount, language.strings)
    }

    var html: String { Layout.recovery.render("codes", title: title, language: language, door: true, self) }

    static let template = """
        <h1>{{title}}</h1>
        <p class="lead">{{lead}}</p>
        {{#left}}<p class="note">{{.}}</p>{{/left}}
        {{#areShown}}<ol class="codes">{{#codes}}<li><code>{{.}}</code></li>
        {{/codes}}</ol>
        <ul class="buttons"><li><a class="button" href="/account">{{onward}}</a></li></ul>{{/areShown}}
        {{^areShown}}<form method="post" action="/account/recovery">
        <input type="hidden" name="form_token" value="{{formToken}}">
        <div class="choice">
        <button class="button">{{submit}}</button>
        <a class="button second" href="/account">{{strings.frame.cancel}}</a>
        </div>
        </form>{{/areShown}}
        """
}
