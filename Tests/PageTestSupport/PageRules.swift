import Foundation
import Pages
import Testing

/// What holds of every page, whoever has made it.
public enum PageRules {
    /// A page by itself. The token of its forms is `PageSample.text`.
    public static func all(_ page: PageSample) {
        whole(page)
        policy(page)
        token(page)
        outline(page)
        fields(page)
    }

    /// Nothing of a template is left over, and nothing that should say something is empty.
    public static func whole(_ page: PageSample) {
        let markup = Markup(page.html), name = Comment(rawValue: page.description)
        let empty = #/<(?:h1|h2|h3|p|label|button|title|dt|dd)[^>]*>\s*</(?:h1|h2|h3|p|label|button|title|dt|dd)>/#

        #expect(!page.html.contains("{{") && !page.html.contains("}}"), name)
        #expect(
            markup.all("html").map { $0.attributes["lang"] } == [page.isEnglishOnly ? "en" : page.language.rawValue],
            name)
        #expect(page.html.contains("<main>") && page.html.hasSuffix("</html>"), name)
        #expect(page.html.firstMatch(of: #/<title>.+ · Pando</title>/#) != nil, name)
        #expect(page.html.firstMatch(of: empty) == nil, name)
    }

    /// No style of its own, no script but the one it may load, nothing from elsewhere.
    public static func policy(_ page: PageSample) {
        let markup = Markup(page.html), name = Comment(rawValue: page.description)
        let scripts = page.script.map { [Markup.Tag(name: "script", attributes: ["src": $0, "defer": ""])] } ?? []

        #expect(markup.all("style", "iframe", "object", "embed", "base", "img", "font") == [], name)
        #expect(markup.all("script") == scripts, name)
        #expect(!markup.tags.contains { $0.attributes["style"] != nil || $0.hasHandler }, name)
        #expect(markup.tags.filter { $0.attributes["src"] != nil } == scripts, name)
        #expect(
            markup.all("link").allSatisfy {
                ["/", "d"].contains($0.attributes["href"]?.prefix(1) ?? "") || $0.attributes["rel"] == "ServiceAPI"
            }, name)
        #expect(markup.forms.allSatisfy { $0.tag.attributes["action"]?.hasPrefix("/") == true }, name)
    }

    /// Every form that changes something has the token; a form that only asks has none in its address.
    public static func token(_ page: PageSample) {
        let name = Comment(rawValue: page.description)
        for form in Markup(page.html).forms {
            let tokens = form.fields.filter { $0.attributes["name"] == "form_token" }

            #expect(tokens.count == (form.tag.attributes["method"] == "post" ? 1 : 0), name)
            #expect(
                tokens.allSatisfy {
                    $0.attributes["type"] == "hidden" && $0.attributes["value"] == PageSample.text
                }, name)
            #expect(form.fields.contains { $0.name == "button" }, name)
        }
    }

    /// One h1, no heading level skipped, ids once, and every reference has its id.
    public static func outline(_ page: PageSample) {
        let markup = Markup(page.html), name = Comment(rawValue: page.description)
        let levels = markup.all("h1", "h2", "h3", "h4").compactMap { Int($0.name.dropFirst()) }
        let ids = markup.tags.compactMap { $0.attributes["id"] }
        let references = markup.tags.flatMap { tag in
            ["for", "aria-describedby", "aria-labelledby"].flatMap { attribute in
                (tag.attributes[attribute] ?? "").split(separator: " ").map(String.init)
            }
        }

        #expect(levels.first == 1 && levels.filter { $0 == 1 }.count == 1, name)
        #expect(zip(levels, levels.dropFirst()).allSatisfy { $1 <= $0 + 1 }, name)
        #expect(Set(ids).count == ids.count, name)
        #expect(Set(references).isSubset(of: ids), name)
    }

    /// Every field that is seen has a label, and says what may fill it in; the cursor is in one place at most.
    public static func fields(_ page: PageSample) {
        let markup = Markup(page.html), name = Comment(rawValue: page.description)
        let seen = markup.all("input", "select", "textarea").filter {
            $0.attributes["type"] != "hidden" && $0.attributes["hidden"] == nil
        }
        let labels = markup.all("label").compactMap { $0.attributes["for"] }

        #expect(seen.compactMap { $0.attributes["id"] } == labels, name)
        #expect(seen.allSatisfy { $0.attributes["autocomplete"] != nil }, name)
        #expect(markup.tags.filter { $0.attributes["autofocus"] != nil }.count <= 1, name)
        #expect(markup.all("svg").allSatisfy { $0.attributes["aria-hidden"] == "true" }, name)
    }
}
