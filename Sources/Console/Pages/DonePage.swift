import Administration
import Base
import Pages

/// What came of a change, where there is no page that would show it: above all what is told once.
struct DonePage: Sendable {
    let words: SharedStrings<ConsoleStrings>
    let title: String, done: String, place: String?
    let secrets: [Secret], hasSecrets: Bool, areInside: Bool, ends: WhatEnds?, object: ShownObject

    /// As it is: it may be copied from here only.
    struct Secret: Sendable { let label: String, value: String }

    init(_ form: ChangeForm, _ result: JSONObject, place: String?, _ request: ConsoleRequest) async throws {
        words = request.words
        title = request.words.title(form.entry.words)
        done = result["already"]?.bool == true ? words.doneAlready : words.done
        self.place = place
        let names = ConsoleSecrets.all(in: result), words = words
        secrets = result.filter { names.contains($0.name) }.map { name, value in
            Secret(label: words.member(name), value: value.string ?? "")
        }
        hasSecrets = !secrets.isEmpty
        areInside = !hasSecrets && ConsoleSecrets.areTold(in: .object(result))
        ends = WhatEnds(result, words)
        object = ShownObject(
            result, without: names.union(WhatEnds.members), most: .max,
            try await ConsoleReading(request, of: [.object(result)]))
    }

    static let template = """
        <h1>{{title}}</h1>
        <p class="note good" role="status">{{done}}</p>
        {{#hasSecrets}}<section><h2>{{words.secretOnce}}</h2>
        <dl>{{#secrets}}<div class="secret"><dt>{{label}}</dt><dd><code>{{value}}</code></dd></div>{{/secrets}}</dl>
        </section>{{/hasSecrets}}
        {{#areInside}}<p class="note warn">{{words.secretOnce}}</p>{{/areInside}}
        {{#ends}}<ul class="lines ends">{{#sentences}}<li>{{.}}</li>
        {{/sentences}}</ul>{{/ends}}
        <section><h2>{{words.result}}</h2>
        {{#object}}{{> object}}{{/object}}
        </section>
        {{#place}}<ul class="buttons"><li><a class="button second" href="{{.}}">{{words.back}}</a></li></ul>{{/place}}
        """
}
