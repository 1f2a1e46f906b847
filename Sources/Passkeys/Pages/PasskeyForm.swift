import Pages

/// The form that asks the browser for a passkey (`PasskeyScript`). Without script it is sent without an answer, and the
/// page that follows says what to do.
struct PasskeyForm: Sendable {
    enum Kind: String, Sendable {
        /// With passkeys among what the browser fills in for the username.
        case login
        case get, create
    }

    let own: SharedStrings<PasskeyStrings>, kind: String, action: String, options: String, submit: String
    let formToken: String, reference: String?, returnTo: String?
    let isOwn: Bool, asksAttempt: Bool, asksName: Bool, isSecond: Bool, noScript: String

    /// Posts to `action`: answer, and `attempt` for a login; `reference` goes back as hidden field `request`,
    /// `returnTo` as `return_to`. Its question comes from `options`; `submit` is what its button says. `isOwn`: it asks
    /// for a passkey of the person who is logged in. `isOnly`: they have no other way, and are not told to take one.
    init(
        _ language: Language, _ kind: Kind, action: String, options: String, submit: String, formToken: String,
        reference: String? = nil, returnTo: String? = nil, isOwn: Bool = false, isOnly: Bool = false
    ) {
        (own, self.kind, self.action, self.submit) = (language.passkey, kind.rawValue, action, submit)
        (self.options, self.formToken) = (ShownText.ownLink(options) ?? "/", formToken)
        (self.reference, self.returnTo, self.isOwn) = (reference, returnTo, isOwn)
        (asksAttempt, asksName, isSecond) = (action == PasskeyForm.loginPath, kind == .create, kind == .login)
        noScript = !asksAttempt ? own.aside.noScript : isOnly ? own.noScriptAlone : own.noScript
    }

    /// Of the login page and of `/login/passkey`.
    static func login(
        _ language: Language, _ kind: Kind, formToken: String, reference: String?, returnTo: String?,
        isOwn: Bool = false, isOnly: Bool = false
    ) -> PasskeyForm {
        PasskeyForm(
            language, kind, action: loginPath, options: loginPath + "/options",
            submit: kind == .login ? language.passkey.button : language.passkey.submit, formToken: formToken,
            reference: reference, returnTo: returnTo, isOwn: isOwn, isOnly: isOnly)
    }

    private static let loginPath = "/login/passkey"

    /// Where nobody logs in there is no other way to log in to be told of.
    static let template = """
        <form method="post" action="{{action}}" data-passkey="{{kind}}" data-options="{{options}}">
        <input type="hidden" name="form_token" value="{{formToken}}">
        {{#.reference}}<input type="hidden" name="request" value="{{.}}">{{/.reference}}{{#.returnTo}}<input \
        type="hidden" name="return_to" value="{{.}}">{{/.returnTo}}\
        {{#isOwn}}<input type="hidden" name="own" value="1">{{/isOwn}}{{#asksAttempt}}<input type="hidden" \
        name="attempt" value="">{{/asksAttempt}}
        <input type="hidden" name="answer" value="">
        {{#asksName}}<label for="name">{{own.name}}</label>
        <p class="hint" id="hint">{{own.hint}}</p>
        <input id="name" name="name" maxlength="100" autocomplete="off" aria-describedby="hint">
        {{/asksName}}<button class="button{{#isSecond}} second{{/isSecond}}">{{submit}}</button>
        <div role="alert">
        <p class="note bad" data-note="unsupported" hidden>{{#asksAttempt}}{{own.notes.unsupported}}{{/asksAttempt}}\
        {{^asksAttempt}}{{own.aside.unsupported}}{{/asksAttempt}}</p>
        <p class="note bad" data-note="cancelled" hidden>{{#asksAttempt}}{{own.notes.cancelled}}{{/asksAttempt}}\
        {{^asksAttempt}}{{own.aside.cancelled}}{{/asksAttempt}}</p>
        <p class="note bad" data-note="exists" hidden>{{own.notes.exists}}</p>
        <p class="note bad" data-note="failed" hidden>{{own.notes.failed}}</p>
        </div>
        <noscript><p class="note warn">{{noScript}}</p></noscript>
        </form>
        """
}

extension PagePart {
    /// For the page with the password: the form, beside what the browser fills in there.
    static func passkeys(
        _ language: Language, formToken: String, reference: String?, returnTo: String?
    ) -> PagePart {
        let form = PasskeyForm.login(language, .login, formToken: formToken, reference: reference, returnTo: returnTo)
        return Layout.passkeys.part("passkey", script: PasskeyScript.address, form)
    }
}

/// What a server has against a passkey. Says what to do next.
enum PasskeyProblem: Sendable, CaseIterable {
    case over, refused, unknown, copied, another, notAllowed, tooMany, taken
    /// What it was to raise is over.
    case ended

    /// `isSetup`: where one is set up or linked, and nobody logs in.
    func text(_ strings: SharedStrings<PasskeyStrings>, isSetup: Bool = false) -> String {
        let problems = strings.problems, aside = strings.aside
        return switch self {
        case .over: problems.over
        case .refused: isSetup ? aside.refused : problems.refused
        case .unknown: isSetup ? aside.unknown : problems.unknown
        case .copied: isSetup ? aside.copied : problems.copied
        case .another: problems.another
        case .ended: problems.ended
        case .notAllowed: problems.notAllowed
        case .tooMany: problems.tooMany
        case .taken: problems.taken
        }
    }
}
