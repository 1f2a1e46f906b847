import Base
import Foundation
import OAuth
import Pages

/// What a mail says, as text and as HTML. Both say the same, and both show the whole address behind each link, so that
/// people see where it leads. Nothing in the HTML is fetched from anywhere.
struct MailLetter: Sendable {
    let subject: String
    private let language: Language
    private let paragraphs: [Paragraph]

    private enum Paragraph: Sendable {
        case words(String)
        case facts([(label: String, value: String)])
        case link(label: String, address: String)
        /// A link that asks for nothing.
        case contact(label: String, address: String)
    }

    /// What stands above and, as a way to get help, below; of Pando itself, neither.
    private let brand: String?
    private let colour: String

    init(_ mail: QueuedMail, _ language: Language, issuer: String, brand: Brand = .pando) {
        let brandName = brand === Brand.pando ? nil : ShownText.tidy(brand.name)
        (self.brand, colour) = (brandName, brand.colours?.button ?? "#1d5c3f")
        let own = language.mail, letter = own.letter(mail.kind)
        (subject, self.language) = (letter.subject, language)
        let name = ShownText.tidy(mail.name, limit: 80) ?? ""
        var paragraphs: [Paragraph] = [.words(letter.text)]
        var facts = [(label: own.account, value: name)]
        if let subject = mail.subject {
            let shown: String? =
                switch mail.kind {
                case .browser: language.browser(subject)
                case _ where mail.kind.isOfFactor: own.factor(subject)
                default: ShownText.tidy(subject, limit: 120)
                }
            if let shown { facts.append((label: letter.subjectLabel ?? own.what, value: shown)) }
        }
        if mail.cut != nil || mail.kind == .idle { facts.append((label: own.when, value: MailLetter.time(mail.at))) }
        paragraphs.append(.facts(facts))
        if let link = mail.link {
            paragraphs += [.link(label: letter.button ?? own.open, address: link), .words(letter.after)]
        }
        if let cut = mail.cut {
            paragraphs += [.words(own.notYou), .link(label: own.cut, address: cut), .words(letter.after)]
        }
        paragraphs.append(.words(own.footer(brandName.map { "\($0) (\(issuer))" } ?? issuer)))
        if let support = brand.support {
            paragraphs.append(.contact(label: language.strings.frame.support, address: support))
        }
        self.paragraphs = paragraphs
    }

    var text: String {
        paragraphs.map { paragraph in
            switch paragraph {
            case .words(let words): words
            case .facts(let facts): facts.map { "\($0.label): \($0.value)" }.joined(separator: "\n")
            case .link(let label, let address): "\(label):\n\(address)"
            case .contact(let label, let address): "\(label): \(address)"
            }
        }.joined(separator: "\n\n") + "\n"
    }

    /// Programs for mail read no style sheet, so what little there is stands beside each element.
    var html: String {
        let body = paragraphs.map { paragraph in
            switch paragraph {
            case .words(let words): return "<p>\(MailLetter.escaped(words))</p>"
            case .facts(let facts):
                let lines = facts.map { "\(MailLetter.escaped($0.label)): <b>\(MailLetter.escaped($0.value))</b>" }
                return "<p>\(lines.joined(separator: "<br>"))</p>"
            case .link(let label, let address):
                let href = MailLetter.escaped(address)
                return """
                    <p><a href="\(href)" style="display:inline-block;padding:10px 18px;border-radius:6px;\
                    background:\(colour);color:#ffffff;text-decoration:none">\(MailLetter.escaped(label))</a><br>
                    <small>\(href)</small></p>
                    """
            case .contact(let label, let address):
                let href = MailLetter.escaped(address)
                return "<p>\(MailLetter.escaped(label)): <a href=\"\(href)\">\(href)</a></p>"
            }
        }.joined(separator: "\n")
        let above = brand.map { "<p><b>\(MailLetter.escaped($0))</b></p>\n" } ?? ""
        return """
            <!doctype html>
            <html lang="\(language.rawValue)">
            <head><meta charset="utf-8"><title>\(MailLetter.escaped(subject))</title></head>
            <body style="font-family:sans-serif;line-height:1.5;max-width:36em">
            \(above)\(body)
            </body>
            </html>

            """
    }

    /// By scalars: a quotation mark with an accent on it is one all the same.
    static func escaped(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
            case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
            case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
            case "\"": escaped.append(contentsOf: "&quot;".unicodeScalars)
            case "'": escaped.append(contentsOf: "&#39;".unicodeScalars)
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }

    /// `2026-11-26 12:48 UTC`: nobody here knows where the reader is, and this is one moment everywhere.
    private static func time(_ date: Date) -> String {
        let text = date.rfc3339
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5)) UTC"
    }
}
