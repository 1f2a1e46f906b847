import Administration
import Base
import Pages

/// A change: the form that asks for what it needs, then what it would do, with a button that does it.
struct ChangePage: Sendable {
    /// What is to be seen.
    enum Stage: Sendable {
        case form(AdminFailure?)
        /// `isAgain`: it would do something else than what was looked at.
        case preview(JSONObject, isAgain: Bool)
    }

    struct Kept: Sendable { let name: String, value: String }

    let words: SharedStrings<ConsoleStrings>, strings: SharedStrings<Strings>
    let title: String, path: String, back: String, formToken: String, about: String, warning: String?
    let facts: [ShownCell], hasFacts: Bool, fields: [FormField], kept: [Kept], hidden: [FormField]
    let reason: String, was: String
    let problem: String?
    let isForm: Bool, isPreview: Bool, isAgain: Bool, previews: Bool, destroys: Bool
    let ends: WhatEnds?, preview: ShownObject?, seen: String

    init(_ form: ChangeForm, _ stage: Stage, _ request: ConsoleRequest) async throws {
        let entry = form.entry
        (words, strings) = (request.words, request.language.strings)
        (path, back, formToken) = (
            CatalogPages.path(entry.words), form.back(in: request.context.catalog), request.formToken
        )
        title = request.words.title(entry.words)
        about = entry.abstract
        warning = request.words.warning(entry.words)
        let named = form.named
        let reading = try await ConsoleReading(
            request, of: [.object(JSONObject(named.map { ($0.0, JSONValue.string($0.1)) }))])
        facts = named.map { ShownCell($0.0, .string($0.1), reading) }
        hasFacts = !named.isEmpty
        let isNamed = Set(named.map(\.0))
        let own = entry.arguments.filter {
            !$0.isShared && !form.withheld.contains($0.name) && entry.isAsked($0, named: isNamed)
        }
        fields = own.filter { !isNamed.contains($0.name) }.map {
            FormField($0, text: form.text($0.name), request.words)
        }
        hidden = own.filter { isNamed.contains($0.name) }.map {
            FormField($0, text: form.text($0.name), request.words)
        }
        (reason, was) = (form.reason ?? "", form.was)
        destroys = form.destroys(in: request.context.catalog)
        previews = destroys || !entry.arguments.contains(where: \.isSecret)
        switch stage {
        case .form(let failure):
            (isForm, isPreview, isAgain) = (true, false, false)
            problem = failure.map { ShownText.tidy($0.text, limit: 400) ?? "?" }
            (ends, preview, seen, kept) = (nil, nil, "", [])
        case .preview(let result, let again):
            (isForm, isPreview, isAgain) = (false, true, again)
            problem = nil
            ends = WhatEnds(result, request.words)
            seen = WhatEnds.Seen(result).text
            let reading = try await ConsoleReading(request, of: [.object(result)])
            preview = ShownObject(result, without: ConsoleSecrets.all(in: result).union(WhatEnds.members), reading)
            // A password, or a secret of a file, is never written into a page: what takes one has no preview unless it
            // destroys, and then it is typed again.
            kept = form.texts.filter { !entry.isSecret($0.0) }.map { Kept(name: $0.0, value: $0.1) }
        }
    }

    /// For the browser's tab, and first thing that is read out.
    var pageTitle: String { problem == nil ? title : "\(strings.frame.problem) \(title)" }

    static let template = """
        <h1>{{title}}</h1>
        {{#problem}}<p class="note bad" role="alert" id="problem"><bdi lang="en">{{.}}</bdi></p>{{/problem}}
        {{#isAgain}}<p class="note warn" role="alert">{{words.again}}</p>{{/isAgain}}
        <p class="lead" lang="en">{{about}}</p>
        {{#warning}}<p>{{.}}</p>{{/warning}}
        {{#hasFacts}}<dl class="facts">{{#facts}}<div><dt>{{label}}</dt><dd>{{> cell}}</dd></div>
        {{/facts}}</dl>{{/hasFacts}}
        {{#isForm}}<form method="post" action="{{path}}">
        <input type="hidden" name="form_token" value="{{formToken}}">
        <input type="hidden" name="console_was" value="{{was}}">
        {{#hidden}}<input type="hidden" name="{{name}}" value="{{value}}">
        {{/hidden}}{{#fields}}{{> field}}
        {{/fields}}<label for="f-reason">{{words.reason}}</label>
        <p class="hint" id="f-reason-help">{{words.reasonHelp}}</p>
        <input id="f-reason" name="reason" value="{{reason}}" autocomplete="off" aria-describedby="f-reason-help">
        <div class="choice">
        {{#destroys}}<button class="button" name="console_step" value="preview">{{words.preview}}</button>{{/destroys}}\
        {{^destroys}}<button class="button" name="console_step" value="save">{{words.save}}</button>\
        {{#previews}}<button class="button second" name="console_step" value="preview">{{words.preview}}</button>\
        {{/previews}}{{/destroys}}
        <a class="button second" href="{{back}}">{{words.cancel}}</a>
        </div>
        </form>{{/isForm}}
        {{#isPreview}}<section><h2>{{words.previewTitle}}</h2>
        {{#ends}}<ul class="lines ends">{{#sentences}}<li>{{.}}</li>
        {{/sentences}}</ul>
        {{#hasServices}}<ul class="tags">{{#services}}<li><code>{{.}}</code></li>{{/services}}</ul>\
        {{/hasServices}}{{/ends}}
        {{#preview}}{{> object}}{{/preview}}
        </section>
        <form method="post" action="{{path}}">
        <input type="hidden" name="form_token" value="{{formToken}}">
        {{#kept}}<input type="hidden" name="{{name}}" value="{{value}}">
        {{/kept}}<input type="hidden" name="reason" value="{{reason}}">
        <input type="hidden" name="console_seen" value="{{seen}}">
        <input type="hidden" name="console_was" value="{{was}}">
        <div class="choice">
        <button class="button{{#destroys}} danger{{/destroys}}" name="console_step" \
        value="confirm">{{words.confirm}}</button>
        <a class="button second" href="{{back}}">{{words.cancel}}</a>
        </div>
        </form>{{/isPreview}}
        """
}
