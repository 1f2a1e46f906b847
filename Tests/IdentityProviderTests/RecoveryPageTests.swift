import Base
import Foundation
import OAuth
import PageTestSupport
import Testing

@testable import IdentityProvider
@testable import Pages

/// Pages behind links in mail, of addresses and of recovery codes, and the letters that lead there.
@Suite("Pages and letters of recovery, as all pages")
struct RecoveryPageTests {
    private static let kinds = AccountRecovery.Cut.Kind.allCases

    static func pages(_ language: Language, _ text: String = PageSample.text) -> [PageSample] {
        let own = language.recovery, link = PageLink(label: own.toLogin, href: "/login")
        var pages = [
            ("recover", RecoverPage(language, formToken: text).html),
            ("invite", NewPasswordPage(language, isFirst: true, username: text, link: text, formToken: text).html),
            (
                "reset",
                NewPasswordPage(
                    language, isFirst: false, username: text, link: text, formToken: text, problem: .common
                ).html
            ),
            ("over", EndingPage(language, own.over, next: link).html), ("done", EndingPage(language, own.cutDone).html),
            (
                "verify",
                ConfirmPage(
                    language, own.verify, subject: text, account: text, action: "/recover/address", link: text,
                    formToken: text
                ).html
            ),
            ("email", EmailPage(language, email: text, formToken: text).html),
            ("emailWrong", EmailPage(language, email: text, formToken: text, problem: own.notAnAddress).html),
            ("code", RecoveryCodePage(language, reference: text, returnTo: nil, formToken: text).html),
            (
                "codeWrong",
                RecoveryCodePage(
                    language, reference: nil, returnTo: text, formToken: text,
                    others: [.init(label: text, href: "/login/tiqr")], problem: own.wrong
                ).html
            ),
            ("codes", RecoveryCodesPage(language, left: 3, formToken: text).html),
            ("codesMade", RecoveryCodesPage(language, left: 0, codes: [text], formToken: text).html),
        ]
        pages += kinds.map { kind in
            let page = ConfirmPage(
                language, own.cuts(kind), subject: nil, account: text, action: "/recover/cut", link: text,
                formToken: text)
            return ("cut-\(kind)", page.html)
        }
        return pages.map { PageSample($0.0, language, $0.1) }
    }

    @Test("what holds of every page holds in every language", arguments: Language.allCases)
    func rules(language: Language) {
        for page in Self.pages(language) { PageRules.all(page) }
    }

    @Test("words are spelled as they should be", arguments: Language.allCases)
    func spelling(language: Language) {
        PageWording.spelling(Self.pages(language))
    }

    @Test("a template names only what its page has")
    func names() {
        PageWording.names(Layout.recovery.templates, ["strings": Strings.english])
    }

    @Test("a letter says the same as text and as HTML, with whole addresses, in every language")
    func letters() {
        for language in Language.allCases {
            for kind in QueuedMail.Kind.allCases where kind != .asked {
                let mail = QueuedMail(
                    kind, to: "ada@example.org", name: "<b>ada</b>", language: language.rawValue, at: .distantPast,
                    subject: "tiqr", link: kind == .reset ? "https://id.example/recover/password?link=a&b" : nil,
                    cut: kind == .device ? "https://id.example/recover/cut?link=c" : nil)
                let letter = MailLetter(mail, language, issuer: "https://id.example")

                #expect(!letter.subject.isEmpty && letter.text.contains("<b>ada</b>"))
                #expect(!letter.html.contains("<b>ada</b>") && letter.html.contains("&lt;b&gt;ada&lt;/b&gt;"))
                #expect(letter.text.contains("link=a&b") == (kind == .reset))
                #expect(
                    letter.html.contains("href=\"https://id.example/recover/password?link=a&amp;b\"")
                        == (kind == .reset))
                #expect(!letter.html.contains("src=") && !letter.html.contains("<script"))
            }
        }
    }
}
