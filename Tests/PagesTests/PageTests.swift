import Foundation
@testable import Pages
import Testing

@Suite("Pages")
struct PageTests {
    @Test("every page is whole in every language", arguments: Samples.all)
    func whole(page: Samples.Page) {
        let markup = Markup(page.html)
        let isEnglishOnly = ["home", "service", "attributes"].contains(page.name)

        #expect(!page.html.contains("{{") && !page.html.contains("}}"))
        #expect(markup.all("html").map { $0.attributes["lang"] } == [isEnglishOnly ? "en" : page.language.rawValue])
        #expect(page.html.contains("<main>") && page.html.hasSuffix("</html>"))
        #expect(page.html.firstMatch(of: #/<title>.+ · Pando</title>/#) != nil)
        #expect(page.html.firstMatch(of: #/<(?:h1|h2|h3|p|label|button|title|dt|dd)[^>]*>\s*</(?:h1|h2|h3|p|label|button|title|dt|dd)>/#) == nil)
    }

    @Test("no page has style of its own, script but that of pages that wait or ask for a passkey, or anything from elsewhere", arguments: Samples.all)
    func policy(page: Samples.Page) {
        let markup = Markup(page.html)
        let address: String? = page.name.hasPrefix("phoneWait") ? WatchScript.address : page.name.hasPrefix("passkeyAsk") ? PasskeyScript.address : nil
        let scripts = address.map { [Markup.Tag(name: "script", attributes: ["src": $0, "defer": ""])] } ?? []

        #expect(markup.all("style", "iframe", "object", "embed", "base", "img", "font") == [])
        #expect(markup.all("script") == scripts)
        #expect(!markup.tags.contains { $0.attributes["style"] != nil || $0.attributes.keys.contains { $0.hasPrefix("on") } })
        #expect(markup.tags.filter { $0.attributes["src"] != nil } == scripts)
        #expect(markup.all("link").allSatisfy { ["/", "d"].contains($0.attributes["href"]?.prefix(1) ?? "") || $0.attributes["rel"] == "ServiceAPI" })
        #expect(markup.forms.allSatisfy { $0.tag.attributes["action"]?.hasPrefix("/") == true })
    }

    @Test("every form that changes something has the token; a form that only asks has none in its address", arguments: Samples.all)
    func token(page: Samples.Page) {
        for form in Markup(page.html).forms {
            let tokens = form.fields.filter { $0.attributes["name"] == "form_token" }

            #expect(tokens.count == (form.tag.attributes["method"] == "post" ? 1 : 0))
            #expect(tokens.allSatisfy { $0.attributes["type"] == "hidden" && $0.attributes["value"] == "Moodle" })
            #expect(form.fields.contains { $0.name == "button" })
        }
    }

    @Test("one h1, no heading level skipped, ids once, and every reference has its id", arguments: Samples.all)
    func outline(page: Samples.Page) {
        let markup = Markup(page.html)
        let levels = markup.all("h1", "h2", "h3", "h4").compactMap { Int($0.name.dropFirst()) }
        let ids = markup.tags.compactMap { $0.attributes["id"] }
        let references = markup.tags.flatMap { tag in
            ["for", "aria-describedby", "aria-labelledby"].flatMap { (tag.attributes[$0] ?? "").split(separator: " ").map(String.init) }
        }

        #expect(levels.first == 1 && levels.filter { $0 == 1 }.count == 1)
        #expect(zip(levels, levels.dropFirst()).allSatisfy { $1 <= $0 + 1 })
        #expect(Set(ids).count == ids.count)
        #expect(Set(references).isSubset(of: ids))
    }

    @Test("every field that is seen has a label, and says what may fill it in; the cursor is in one place at most", arguments: Samples.all)
    func fields(page: Samples.Page) {
        let markup = Markup(page.html)
        let seen = markup.all("input").filter { $0.attributes["type"] != "hidden" && $0.attributes["hidden"] == nil }
        let labels = markup.all("label").compactMap { $0.attributes["for"] }

        #expect(seen.compactMap { $0.attributes["id"] } == labels)
        #expect(seen.allSatisfy { $0.attributes["autocomplete"] != nil })
        #expect(markup.tags.filter { $0.attributes["autofocus"] != nil }.count <= 1)
        #expect(markup.all("svg").allSatisfy { $0.attributes["aria-hidden"] == "true" })
    }

    @Test("a template names only what its page has", arguments: [
        (Layout.pages, nil), (.passkeys, PasskeyStrings.english), (.tiqr, TiqrStrings.english),
    ] as [(Layout, (any Sendable)?)])
    func names(layout: Layout, own: (any Sendable)?) {
        let words = ["strings": Strings.english as any Sendable, "own": own ?? ()]
        for template in layout.templates.values {
            for match in template.matches(of: #/(strings|own)((?:\.[A-Za-z]+)+)/#) {
                let strings = words[String(match.1)].map { Mirror(reflecting: $0) }
                let found = match.2.split(separator: ".").reduce(strings) { mirror, name in
                    mirror?.children.first { $0.label == String(name) }.map { Mirror(reflecting: $0.value) }
                }

                #expect(found != nil, "\(match.0)")
            }
            for match in template.matches(of: #/\{\{> ([a-z]+)\}\}/#) { #expect(layout.templates[String(match.1)] != nil) }
        }
    }
}
