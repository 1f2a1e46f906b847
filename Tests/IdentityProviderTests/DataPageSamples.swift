import Accounts
import Base
import Foundation
import OAuth
import Testing

@testable import IdentityProvider
@testable import Pages

extension PageSamples {
    /// Pages of what is held on people, and of the end of an account.
    static func data(_ language: Language, _ text: String) -> [(String, String)] {
        let person = PersonShown(name: text, username: text + "1", email: text + "2")
        let row: JSONValue = ["name": .string(text), "flag": true, "none": .null, "list": [.string(text), 1]]
        let export = OwnData.Export(
            at: Date(timeIntervalSince1970: 1_793_000_000),
            parts: [
                .init(member: "account", rows: [row], isCut: false), .init(member: "logins", rows: [], isCut: false),
                .init(member: "activity", rows: Array(repeating: row, count: 300), isCut: true),
            ])
        let problems: [DeletionPage.Problem?] = [nil, .wrong, .tooMany(seconds: 100)]
        let questions = problems.enumerated().map { number, problem in
            let page = DeletionPage(language, person: person, username: text, formToken: text, problem: problem)
            return ("deletion\(number)", page.html)
        }
        return questions + [
            ("data", DataPage(language, person: person, host: text, deletes: true).html),
            ("dataOfOperator", DataPage(language, person: person, host: text, deletes: false).html),
            ("export", ExportPage(language, export) { $0 }.html),
            ("deleted", DeletedPage(language, services: 2, things: 1).html),
            ("deletedQuietly", DeletedPage(language, services: 0, things: 0).html),
        ]
    }
}

@Suite("What is held on people, in words")
struct DataWordsTests {
    @Test("each kind of thing that the IdP holds has a heading in every language", arguments: Language.allCases)
    func headings(language: Language) {
        let parts = language.data.parts

        #expect(Set(parts.keys) == Set(AccountHolding.ofPeople.map(\.member)))
        #expect(!parts.values.contains(""))
    }

    @Test("a page shows two hundred of a kind, and says how many more there are")
    func bounded() {
        let rows = [JSONValue](repeating: ["at": "now"], count: 203)
        let export = OwnData.Export(
            at: Date(timeIntervalSince1970: 0), parts: [.init(member: "activity", rows: rows, isCut: false)])
        let html = ExportPage(.en, export) { $0 }.html

        #expect(html.components(separatedBy: "<dt>at</dt>").count == 201 && html.contains("3 older entries"))
    }
}
