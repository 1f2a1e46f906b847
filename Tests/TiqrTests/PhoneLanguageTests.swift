import Base
import Database
import Foundation
import HTTP
import TestSupport
import Testing

@testable import Tiqr

@Suite("protocols/tiqr.md: the language of a phone")
struct PhoneLanguageTests {
    @Test(
        "a tag is read by its primary subtag",
        arguments: [("en", "en"), ("en-NL", "en"), ("DE_ch", "de"), ("fr-Latn-CH", "fr"), ("gsw-CH", "gsw")])
    func read(_ tag: String, _ subtag: String) {
        #expect(PhoneLanguage(tag)?.subtag == subtag)
    }

    @Test(
        "what is no tag is no language",
        arguments: [
            "", "-", "-en", "_en", "e", "(null)", "english", "e n", "en\u{0}", "ёё", "\u{212A}k", "e1",
            String(repeating: "en-", count: 2_000),
        ])
    func garbage(_ tag: String) {
        #expect(PhoneLanguage(tag) == nil)
    }

    private func kept(_ phone: EnrolledPhone, _ fixture: TiqrFixture) async throws -> String? {
        try await fixture.database.query("select language from tiqr_identity where identity = \(phone.identity)")
            .first.flatMap { try $0("language") }
    }

    @Test("it is kept at enrollment, follows each right answer, and stays where an answer tells none or is wrong")
    func isKept() async throws {
        try await TiqrFixture.with { fixture in
            let phone = try await fixture.enroll()
            let enrolled = try await kept(phone, fixture)
            func answer(_ language: String, isRight: Bool = true) async throws -> String? {
                let started = try await fixture.challenge(phone)
                let response = try isRight ? phone.right(started) : phone.wrong(started)
                _ = try await fixture.send(response, phone, to: started, adding: ["language": language])
                return try await kept(phone, fixture)
            }

            let later = try await answer("de-CH"), garbage = try await answer("(null)"),
                wrong = try await answer("it", isRight: false)

            #expect(enrolled == "en" && later == "de" && garbage == "de" && wrong == "de")
        }
    }

    @Test(
        "a push speaks the language of the phone, and English where it knows no other",
        arguments: [
            ("en", "Please authenticate for Shop"), ("de", "Bitte bestätigen Sie die Anmeldung bei Shop"),
            ("fr", "Veuillez confirmer la connexion à Shop"), ("it", "La preghiamo di confermare l’accesso a Shop"),
            ("nl", "Please authenticate for Shop"), (nil, "Please authenticate for Shop"),
        ] as [(String?, String)])
    func push(_ language: String?, _ text: String) {
        #expect(PhoneTexts.ours.push(for: "Shop", in: language) == text)
    }

    @Test("words of the operator come first, in languages of their own too")
    func operators() throws {
        let texts = try PhoneTexts(json: Array(#"{"en":"Into {service}?","nl":"Inloggen bij {service}?"}"#.utf8))

        #expect(texts.push(for: "Shop", in: "nl") == "Inloggen bij Shop?")
        #expect(texts.push(for: "Shop", in: "de") == "Bitte bestätigen Sie die Anmeldung bei Shop")
        #expect(texts.push(for: "{service}", in: "sv") == "Into {service}?")
    }

    @Test(
        "a file of texts that says too little is refused at start",
        arguments: [
            "", "[]", #"{"en":1}"#, #"{"en":"Log in?"}"#, #"{"en-GB":"{service}"}"#, #"{"english":"{service}"}"#,
            #"{"en":"{service}\n"}"#,
        ])
    func refused(_ json: String) {
        #expect(throws: UnacceptableSetting.self) { try PhoneTexts(json: Array(json.utf8)) }
    }

    @Test("a refused enrollment is told in the language of the phone, since iOS shows it")
    func refusedEnrollment() async throws {
        try await TiqrFixture.with { fixture in
            let phone = EnrolledPhone(enrollment: "", identity: "", secret: [UInt8](repeating: 7, count: 32))
            var form = phone.registration
            form["language"] = "de-AT"

            let answer = try await fixture.service.register(secret: "unknown", form: form, origin: nil)

            #expect(
                answer == .refused("Diese Einrichtung ist unbekannt, schon benutzt oder abgelaufen."))
        }
    }
}
