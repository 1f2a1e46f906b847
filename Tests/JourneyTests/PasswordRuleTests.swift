import Accounts
import Foundation
import TestSupport
import Testing

@Suite("NIST SP 800-63B, 3.1.1.2: what a new password must be", .server)
struct PasswordRuleTests {
    private static let refused: [(String, [String], PasswordRule.Refusal)] = [
        ("eleven char", [], .short(minimum: 12)),
        (String(repeating: "é", count: 513), [], .long),
        ("password1234", [], .common),
        ("PassWord1234", [], .common),
        ("ｐａｓｓｗｏｒｄ１２３４", [], .common),
        ("qwertyuiopas", [], .common),
        ("ſupernatural", [], .common),
        ("ada-ada-ada-2026", ["ada"], .ofName),
        ("GraceHopper1906", ["grace.hopper"], .ofName),
        ("reppohecarG26!", ["grace", "Grace Hopper"], .ofName),
        ("Straße-12-STRASSE", ["strasse"], .ofName),
        ("g.hopper.1906", ["grace", "g.hopper@example.org"], .ofName),
        ("pando-pando-7", ["ada"], .ofName),
    ]

    @Test(
        "refused: short, long, common in any case and width, made of the person's names or the service's",
        arguments: refused)
    func refusals(password: String, names: [String], refusal: PasswordRule.Refusal) {
        #expect(throws: refusal) { try ServerParts.passwordRule.check(password, names: names) }
    }

    @Test(
        "taken: sentences, also with a name in them, and what only looks like a name",
        arguments: [
            ("correct horse battery staple", ["ada"]), ("another long one", ["ada"]),
            ("my sister Ada likes pandas", ["ada"]),
            ("adamantium-hull-4", ["ada"]), ("a long enough password", ["bo", "bo@example.org"]),
            ("grüße aus 3 dörfern", []),
        ])
    func taken(password: String, names: [String]) throws {
        try ServerParts.passwordRule.check(password, names: names)
    }

    @Test("the list has ten thousand and more that are long enough, folded and in order")
    func list() throws {
        let file = ServerParts.commonPasswordsFile
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)

        #expect(lines.count >= 10_000)
        #expect(try CommonPasswords(file: file).count == lines.count)
        #expect(lines.allSatisfy { $0.count >= PasswordRule.minimum && PasswordRule.folded($0) == $0 })
    }

    @Test(
        "a list that is not there, is empty or out of order is refused, and so is every password with it",
        arguments: [
            nil, "", "bbbbbbbbbbbb\naaaaaaaaaaaa\n", "aaaaaaaaaaaa",
        ] as [String?])
    func badLists(text: String?) throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "passwords-\(UUID().uuidString)")
        if let text { try Data(text.utf8).write(to: file) }
        defer { try? FileManager.default.removeItem(at: file) }
        let rule = PasswordRule(serviceNames: []) { try CommonPasswords(file: file) }

        #expect(throws: CommonPasswords.Unreadable.self) { try rule.prepare() }
        #expect(throws: CommonPasswords.Unreadable.self) { try rule.check("correct horse battery staple", names: []) }
    }

    @Test(
        "the page refuses with its words, and the old password stays",
        arguments: [
            ("short", "at least 12 characters"), ("Password1234", "many people use it"),
            ("bob.Bob.bob-26", "made of your name"),
        ])
    func page(password: String, words: String) async throws {
        let server = try TestServer.ofSuite, browser = Browser(server), app = try await server.webApp()
        _ = try await app.logIn(browser, as: "bob")
        let form = try await server.formToken(browser, at: "/account/password")

        let typed = [("form_token", form), ("current", Residents.password), ("new", password), ("again", password)]
        let reply = try await browser.open(.post, "/account/password", form: typed)

        #expect(reply.status == 200 && reply.body.contains("role=\"alert\"") && reply.body.contains(words))
        #expect(try await Browser(server).signIn(AuthorizationDraft(app.id), as: "bob").answer["code"] != nil)
    }

    @Test("a password from before the rule goes on working")
    func older() async throws {
        try await TestServer.with { server in
            let app = try await server.webApp(), hash = try await server.parts.hasher.hash("password1234")
            _ = try await server.database.execute(
                "update account set password = \(hash.encoded) where username = 'ada'")

            #expect(
                try await Browser(server).signIn(AuthorizationDraft(app.id), password: "password1234").answer["code"]
                    != nil)
        }
    }
}
