import Pages

/// `/login/tiqr/wait` while the number of a push is to be told, or was told and the phone has not answered yet. It does
/// not change by itself while somebody types.
struct PhoneNumberPage: Sendable {
    enum Step: Sendable, Equatable { case first(isMalformed: Bool), last, confirm }

    let language: Language, strings: SharedStrings<Strings>, own: SharedStrings<TiqrStrings>
    let client: ClientShown?, attempt: String, formToken: String, events: String?
    let asks: Bool, isConfirmed: Bool, problem: String?, scan: PageLink?, doors: OtherDoors?

    /// Posts to /login/tiqr/number: attempt, number. `scan` leads to a code in place of the push.
    init(
        _ language: Language, _ step: Step, attempt: String, formToken: String, events: String, client: ClientShown?,
        scan: PageLink?, alternatives: [LoginAlternative] = []
    ) {
        (self.language, strings, own) = (language, language.strings, language.tiqr)
        (self.client, self.attempt, self.formToken, self.scan) = (client, attempt, formToken, scan)
        (asks, isConfirmed) = (step != .confirm, step == .last)
        self.events = step == .confirm ? Pages.ShownText.ownLink(events) : nil
        problem = step == .first(isMalformed: true) ? own.number.malformed : nil
        doors = OtherDoors(password: nil, alternatives)
    }

    var html: String {
        let title = problem == nil ? own.title : strings.frame.problem + " " + own.title
        return Layout.tiqr.render(
            "phoneNumber", title: [title, client?.name].compactMap(\.self).joined(separator: " · "), language: language,
            door: true, watches: !asks, self)
    }

    static let template = """
        <h1>{{own.title}}</h1>
        {{#client}}<p class="lead">{{strings.login.to.before}}<bdi \
        class="strong">{{name}}</bdi>{{strings.login.to.after}}</p>
        {{> host}}{{/client}}{{^client}}<p class="lead">{{strings.login.toAccount}}</p>{{/client}}
        {{#problem}}<p class="note bad" role="alert" id="problem">{{.}}</p>{{/problem}}
        {{#asks}}<p>{{#isConfirmed}}{{own.number.confirmed}}{{/isConfirmed}}{{^isConfirmed}}{{own.number.lead}}\
        {{/isConfirmed}}</p>
        <form method="post" action="/login/tiqr/number">
        <input type="hidden" name="form_token" value="{{formToken}}">
        <input type="hidden" name="attempt" value="{{attempt}}">
        <label for="number">{{own.number.label}}</label>
        <input class="code" id="number" name="number" autocomplete="off" inputmode="numeric" maxlength="8" required \
        autofocus{{#problem}} aria-invalid="true" aria-describedby="problem"{{/problem}}>
        <button class="button">{{own.number.submit}}</button>
        </form>
        <p class="note warn">{{own.number.warning}}</p>{{/asks}}
        {{^asks}}<p class="lead"{{#.events}} data-events="{{.}}"{{/.events}} role="status">{{own.number.told}}</p>\
        {{/asks}}
        {{#scan}}<ul class="plain"><li><a href="{{href}}">{{label}}</a></li></ul>{{/scan}}
        {{#doors}}<p class="or"><span>{{strings.login.or}}</span></p>
        <ul class="buttons">{{> doors}}</ul>{{/doors}}
        """
}
