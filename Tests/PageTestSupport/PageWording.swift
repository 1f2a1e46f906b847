import Foundation
import Pages
import Testing

/// What holds of the words of every page: those of strangers, and ours.
public enum PageWording {
    /// Whatever somebody else wrote, a page keeps its tags and attributes. `pages` has that text wherever it can stand.
    public static func escaping(_ text: String, _ pages: (_ text: String) -> [PageSample]) {
        let isPlain = text.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value < 0x2000 }
        for (hostile, plain) in zip(pages(text), pages("not a link")) {
            let page = Markup(hostile.html), name = Comment(rawValue: hostile.description)
            let harmful = page.tags.filter { tag in
                tag.hasHandler || tag.attributes["style"] != nil || tag.attributes["formaction"] != nil
            }

            #expect(page.rubbish == [] && harmful == [] && page.all("style", "img") == [], name)
            #expect(page.all("script").count == (hostile.script == nil ? 0 : 1), name)
            if isPlain { #expect(page.skeleton == Markup(plain.html).skeleton, name) }
        }
    }

    /// Marks that turn the direction of a line are not shown; what a form carries is left as it is.
    public static func direction(_ pages: (_ text: String) -> [PageSample]) {
        for page in pages("Uni\u{202E}gnp\u{2066}") {
            let inFields = Markup(page.html).tags.flatMap { tag in
                ["value", "action", "name", "href"].compactMap { tag.attributes[$0] }
            }

            #expect(turns(page.html) == inFields.map(turns).reduce(0, +), Comment(rawValue: page.description))
        }
    }

    private static func turns(_ text: String) -> Int {
        text.unicodeScalars.count { (0x202A...0x202E).contains($0.value) || (0x2066...0x2069).contains($0.value) }
    }

    /// German is right in Germany and Switzerland: no ß, and no word that needs one. French keeps the mark with its
    /// word.
    public static func spelling(_ pages: [PageSample]) {
        for page in pages where !page.isEnglishOnly {
            let name = Comment(rawValue: page.description)
            switch page.language {
            case .de: #expect(["ß", "ausser", "schliess"].allSatisfy { !page.html.contains($0) }, name)
            case .fr: #expect(page.html.firstMatch(of: #/[a-zé] [?!;:](?:\s|<)/#) == nil, name)
            case .en, .it: break
            }
        }
    }

    /// A template names only words that are there: `words` by the name that its page has for them.
    public static func names(_ templates: [String: String], _ words: [String: any Sendable]) {
        for template in templates.values {
            for match in template.matches(of: #/(strings|own)((?:\.[A-Za-z]+)+)/#) {
                let all = words[String(match.1)].map { Mirror(reflecting: $0) }
                let found = match.2.split(separator: ".").reduce(all) { mirror, name in
                    mirror?.children.first { $0.label == String(name) }.map { Mirror(reflecting: $0.value) }
                }

                #expect(found != nil, "\(match.0)")
            }
            for match in template.matches(of: #/\{\{> ([a-z]+)\}\}/#) { #expect(templates[String(match.1)] != nil) }
        }
    }
}
