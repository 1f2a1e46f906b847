import Base
import Database
import Foundation
import TestSupport
import Testing

@testable import Operations

@Suite("backoffice.md: templates of operations, and what is put into them")
struct OperationTemplateTests {
    private static func refuses(_ change: JSONObject) -> Bool {
        guard var body = Samples.payment.object else { return false }
        for (name, value) in change { body[name] = value }
        do { _ = try OperationTemplate(.object(body)) } catch { return error.code == "ERROR_REQUEST" }
        return false
    }

    @Test("a value in operation data is escaped: asterisk, backslash, newline; what it holds is not looked at again")
    func data() throws {
        let template = try OperationTemplate(Samples.payment)
        func data(_ note: String) throws -> String {
            var details = Samples.details
            details["note"] = .string(note)
            return template.data(try OperationParameters(checking: details))
        }

        let escaped = try data("a*b\\c\nd"), nested = try data("${amount}"), plain = try data("ščř 🌳 $ } ${")

        #expect(escaped == "A1*A100.50CZK*ICZ2730300000001165254011*Na\\*b\\\\c\\nd")
        #expect(nested.hasSuffix("*N${amount}"))
        #expect(plain.hasSuffix("*Nščř 🌳 $ } ${"))
    }

    @Test(
        "what begins no placeholder stands for itself",
        arguments: [
            ("$", "$"), ("${", "${"), ("${}", "${}"), ("${a b}", "${a b}"), ("$${x}", "$1"), ("${x}${x}", "11"),
            ("${y}", ""),
        ])
    func placeholders(template: String, filled: String) {
        let result = Placeholders.fill(template) { $0 == "x" ? "1" : "" }

        #expect(result == filled)
    }

    @Test("a parameter that data, title or message needs must be there; it may be empty")
    func missing() throws {
        let template = try OperationTemplate(Samples.payment)
        for name in ["amount", "currency", "iban", "note"] {
            var details = Samples.details
            details[name] = Optional.none
            let lacking = try OperationParameters(checking: details)
            #expect(throws: BackOfficeRefusal.request("the template needs the parameter \(name)")) {
                try template.check(lacking)
            }
        }
        var details = Samples.details
        details["note"] = ""
        let parameters = try OperationParameters(checking: details)

        try template.check(parameters)

        #expect(template.data(parameters).hasSuffix("*N"))
    }

    @Test(
        "control characters are refused, but newline",
        arguments: ["\u{0}", "\u{7}", "\t", "\r", "\u{7F}", "\u{85}", "\u{9F}"])
    func controlCharacters(character: String) {
        #expect(throws: BackOfficeRefusal.self) {
            try OperationParameters(checking: ["note": .string("a\(character)b")])
        }
        #expect(throws: Never.self) { try OperationParameters(checking: ["note": "a\nb"]) }
    }

    @Test("values are strings, integers and booleans; null is left out; arrays, objects and fractions are refused")
    func values() throws {
        let read = try OperationParameters(checking: ["text": "x", "number": 7, "flag": true, "nothing": .null])

        #expect([read["text"], read["number"], read["flag"], read["nothing"]] == ["x", "7", "true", nil])
        #expect(read.written == ["text": "x", "number": 7, "flag": true])
        for value: JSONValue in [["x"], ["a": 1], .number(1.5)] {
            #expect(throws: BackOfficeRefusal.self) { try OperationParameters(checking: ["value": value]) }
        }
    }

    @Test(
        "numbers in amounts are decimal, whatever the language; other values are checked as their fields want",
        arguments: [
            ("100.50", true), ("-1", true), ("0", true), ("100,50", false), ("1e3", false), ("", true), ("abc", false),
            (".5", false), ("1.", false),
            ("123456789012345678901", false),
        ])
    func amounts(text: String, isFine: Bool) throws {
        let template = try OperationTemplate(Samples.payment)
        var details = Samples.details
        details["amount"] = .string(text)
        let parameters = try OperationParameters(checking: details)

        let refused = (try? template.check(parameters)) == nil

        #expect(refused != isFine)
    }

    @Test("templates that phones could not read are refused")
    func refused() {
        let text: JSONObject = ["language": "en", "title": "T", "message": "M"]
        func with(_ more: JSONObject) -> JSONObject {
            var words = text
            for (name, value) in more { words[name] = value }
            return ["texts": .array([.object(words)])]
        }
        func attribute(_ members: JSONObject) -> JSONObject { with(["attributes": .array([.object(members)])]) }
        let changes: [JSONObject] = [
            ["name": ""], ["name": 7], ["operationType": ""], ["dataTemplate": 7], ["dataTemplate": "A1\nB"],
            ["texts": []], ["texts": .null], ["maxFailureCount": 0],
            ["maxFailureCount": 101], ["expiration": 0], ["expiration": "300"], ["riskFlags": "Z"], ["riskFlags": "XX"],
            ["proximityCheckEnabled": "yes"],
            ["allowedFactors": []], ["allowedFactors": ["telepathy"]], ["allowedFactors": ["knowledge"]],
            ["allowedFactors": ["possession", "possession"]],
            ["texts": .array([.object(text), .object(text)])], with(["language": "english language"]),
            with(["title": ""]), with(["resultTexts": ["other": "x"]]),
            with(["resultTexts": ["success": .null]]),
            with(["ui": ["preApprovalScreen": ["type": "INFO", "heading": "x"]]]),
            with(["ui": ["preApprovalScreen": ["type": "INFO", "heading": "x", "message": "y", "items": [1]]]]),
            with(["ui": ["flipButtons": "yes"]]),
            with(["ui": ["other": [["deep": .null]]]]),
            with(["ui": ["postApprovalScreen": ["type": "REVIEW", "heading": "x", "message": "y"]]]),
            attribute(["id": "a", "type": "key_value", "text": "x", "params": ["value": "a"]]),
            attribute(["id": "a", "type": "AMOUNT", "text": "x", "params": ["amount": "a"]]),
            attribute(["id": "a", "type": "NOTE", "text": "x", "params": ["note": "a", "value": "b"]]),
            attribute(["type": "NOTE", "params": ["note": "a"]]),
            attribute(["id": "a", "type": "NOTE", "params": ["note": "not a name"]]),
        ]

        for change in changes { #expect(Self.refuses(change), "\(JSONValue.object(change).text)") }
        #expect(!Self.refuses(with(["ui": ["other": [["deep": 1]]]])))
    }

    @Test("made once, changed, removed; what is under way keeps what it was begun with")
    func store() async throws {
        try await OperationsBank.with { bank in
            let service = bank.service, order = try await bank.order("ada", "login"), phone = try await bank.phone()
            let taken = await backOfficeRefusal {
                _ = try await service.addTemplate(Samples.login, by: PhoneFixture.bank)
            }

            let changed = try await service.replaceTemplate(
                "login", Samples.simple("login", factors: ["possession"], text: ["title": "Other"]),
                by: PhoneFixture.bank)
            let read = try await service.template("login", for: PhoneFixture.bank), shown = try await phone.list().first
            try await service.removeTemplate("login", by: PhoneFixture.bank)
            let gone = await backOfficeRefusal { _ = try await service.template("login", for: PhoneFixture.bank) }
            let unknown = await backOfficeRefusal { _ = try await bank.order("ada", "login") }
            let again = await backOfficeRefusal { _ = try await service.removeTemplate("login", by: PhoneFixture.bank) }

            #expect(taken == "ERROR_REQUEST")
            #expect(changed.json == read.json && read.json["allowedFactors"] == ["possession"])
            #expect(shown?["formData"]?["title"] == "Login")
            #expect(shown?["allowedSignatureType"]?["type"] == "2FA")
            #expect([gone, unknown, again] == Array(repeating: "ERROR_TEMPLATE_NOT_FOUND", count: 3))
            let kept = try await bank.status(order)
            #expect(kept == "PENDING")
        }
    }

    @Test("a template comes back as it was written, members in order")
    func roundTrip() async throws {
        try await OperationsBank.with { bank in
            let read = try await bank.service.template("payment", for: PhoneFixture.bank)

            #expect(read.json["texts"]?.text == Samples.payment["texts"]?.text)
            #expect(
                read.json["expiration"] == 300 && read.json["riskFlags"] == ""
                    && read.json["proximityCheckEnabled"] == false)
        }
    }

    @Test("ten clients put one template at once: one of them is there")
    func replacing() async throws {
        try await OperationsBank.with { bank in
            let codes = try await crowd(10) { number in
                await backOfficeRefusal {
                    let template = Samples.simple(
                        "login", factors: ["possession"], ["expiration": .integer(number + 1)])
                    _ = try await bank.service.replaceTemplate("login", template, by: PhoneFixture.bank)
                }
            }

            #expect(codes.contains(nil))
            let count: Int = try await bank.database.value(
                "select count(*) from operation_template where name = 'login' and replaced_at is null")
            #expect(count == 1)
        }
    }

    @Test("what one client made does not exist for another, and an app has nothing to do with templates or callbacks")
    func belonging() async throws {
        try await OperationsBank.with { bank in
            let service = bank.service, stranger = PhoneFixture.stranger, order = try await bank.order()
            let codes = [
                await backOfficeRefusal { _ = try await service.template("login", for: stranger) },
                await backOfficeRefusal { try await service.removeTemplate("login", by: stranger) },
                await backOfficeRefusal { _ = try await service.operation(order.id, for: stranger) },
                await backOfficeRefusal { _ = try await service.cancelOperation(order.id, reason: nil, by: stranger) },
                await backOfficeRefusal { _ = try await service.proximity(order.id, scheme: "x", for: stranger) },
                await backOfficeRefusal {
                    _ = try await service.offlineCode(order.id, registration: "x", for: stranger)
                },
            ]
            let list = try await service.operations(
                try OperationFilter(userID: nil, externalID: nil, status: nil), for: stranger)
            let operators = try await service.operation(order.id, for: PhoneFixture.operators)

            #expect(
                codes == ["ERROR_TEMPLATE_NOT_FOUND", "ERROR_TEMPLATE_NOT_FOUND"]
                    + Array(repeating: "ERROR_OPERATION_NOT_FOUND", count: 4))
            #expect(list.isEmpty && operators.id == order.id)
        }
    }
}
