import Base
import Database
import Foundation
import TestSupport
import Testing
import TokenTree

@testable import Operations

@Suite("operations.md 1.3: members that a back office adds to an operation")
struct OperationPropertyTests {
    private static let own: JSONObject = [
        "playSound": true, "priority": 3, "rates": [1, .number(2.5), ["deep": "ü\u{2028}"]], "note": "${amount}",
    ]

    @Test("list, detail, claim and history have them behind the object's own, in order, and texts as they came")
    func reach() async throws {
        try await OperationsBank.with { bank in
            var phone = try await bank.phone(system: .android)
            let order = try await bank.order(nil, "payment", ["customProperties": .object(Self.own)])

            let claimed = try await phone.claim(order).object
            let shown = [
                claimed, try await phone.list().first, try await phone.detail(order).object,
                try await phone.history().object?.array?.first,
            ]

            for operation in shown {
                let names = try #require(operation?.object?.names)
                #expect(Array(names.suffix(4)) == ["playSound", "priority", "rates", "note"])
                #expect(names.first == "id" && operation?["note"] == "${amount}")
                #expect(operation?["rates"]?.text == JSONValue.object(Self.own)["rates"]?.text)
            }
            let read = try await bank.read(order)
            #expect(read["customProperties"]?.text == JSONValue.object(Self.own).text)
            #expect(order.json["customProperties"] == .object(Self.own))
        }
    }

    @Test("a template's come first, with its parameters filled in; of one name the operation's counts")
    func template() async throws {
        try await OperationsBank.with { bank in
            let written: JSONObject = ["sound": "chime", "who": ["name": "${note}"], "volume": 1]
            let made = try await bank.service.addTemplate(
                Samples.simple("loud", factors: ["possession"], ["customProperties": .object(written)]),
                by: PhoneFixture.bank)
            let phone = try await bank.phone()
            _ = try await bank.order(
                "ada", "loud", parameters: ["note": "a \"b\""], ["customProperties": ["volume": 9]])
            _ = try await bank.order("ada", "loud", parameters: [:])

            let listed = try await phone.list()
            let again = try await bank.service.template("loud", for: PhoneFixture.bank)

            #expect(made.json["customProperties"] == .object(written) && again.json.text == made.json.text)
            #expect(
                listed[1]["sound"] == "chime" && listed[1]["who"] == ["name": "a \"b\""] && listed[1]["volume"] == 9)
            #expect(listed[0]["who"] == ["name": ""] && listed[0]["volume"] == 1)
            #expect(Array(try #require(listed[1].object?.names).suffix(3)) == ["sound", "who", "volume"])
        }
    }

    @Test("parameters that make a template's longer than they may be are refused, and begin nothing")
    func filled() async throws {
        try await OperationsBank.with { bank in
            let many = JSONValue.array(Array(repeating: "${note}", count: 3))
            _ = try await bank.service.addTemplate(
                Samples.simple("wide", factors: ["possession"], ["customProperties": ["who": many]]),
                by: PhoneFixture.bank)
            func note(_ length: Int) -> JSONObject { ["note": .string(String(repeating: "x", count: length))] }

            let refused = await backOfficeRefusal {
                _ = try await bank.order("ada", "wide", parameters: note(4_096))
            }
            let count: Int = try await bank.database.value("select count(*) from phone_operation")
            _ = try await bank.order("ada", "wide", parameters: note(2_048))

            #expect(refused == "ERROR_REQUEST" && count == 0)
        }
    }

    static let refused: [JSONValue] = [
        ["id": "x"], ["status": "APPROVED"], ["data": "A1"], ["formData": [:]], ["ui": [:]],
        ["allowedSignatureType": [:]], ["operationExpires": 1], ["proximityCheck": [:]], ["": 1], ["a b": 1],
        ["ä": 1], ["x": .null], ["x": [1, .null]], ["x": ["y": .null]], "x", [1], 7,
        ["x": [[[[[[[[[1]]]]]]]]]],
        ["x": .string(String(repeating: "x", count: CustomProperties.longest))],
        .object(JSONObject((0...CustomProperties.most).map { ("x\($0)", JSONValue.integer($0)) })),
    ]

    @Test("the object's own names, nulls and what is too many, too long or too deep are refused", arguments: refused)
    func hostile(properties: JSONValue) async throws {
        try await OperationsBank.with { bank in
            let more: JSONObject = ["customProperties": properties]

            let refused = await backOfficeRefusal { _ = try await bank.order("ada", "login", more) }
            let template = await backOfficeRefusal {
                _ = try await bank.service.addTemplate(
                    Samples.simple("odd", factors: ["possession"], more), by: PhoneFixture.bank)
            }

            let count: Int = try await bank.database.value("select count(*) from phone_operation")
            #expect(refused == "ERROR_REQUEST" && template == "ERROR_REQUEST" && count == 0)
        }
    }

    @Test("eight levels and a name with every sign that it may have are fine; none at all is as if left out")
    func edges() async throws {
        try await OperationsBank.with { bank in
            let phone = try await bank.phone()
            _ = try await bank.order("ada", "login", ["customProperties": ["a.B_9-": [[[[[[[[1]]]]]]]]]])
            let none = try await bank.order("ada", "login", ["customProperties": [:]])

            let listed = try await phone.list()

            #expect(listed.count == 2 && listed[1]["a.B_9-"] == [[[[[[[[1]]]]]]]])
            #expect(none.json["customProperties"] == nil)
        }
    }

    @Test("callbacks tell them, and attributes, only where they are chosen")
    func callbacks() async throws {
        try await OperationsBank.with { bank in
            let service = CalledBack(), chosen: JSONValue = ["customProperties", "attributes"]
            for attributes in [JSONValue.null, chosen] {
                _ = try await bank.service.addCallback(
                    ["url": "https://bank.example/hook", "attributes": attributes], by: PhoneFixture.bank)
            }
            _ = try await bank.order(
                "ada", "login",
                ["customProperties": ["x": 1], "attributes": [["type": "GEO", "id": "g", "label": "L"]]])

            try await CallbackSender(bank.service, http: service.http, logger: .quiet).sendDue()

            let told = service.bodies.compactMap { $0["data"]?.object }.sorted { $0.names.count < $1.names.count }
            #expect(told.first?.names == ["operationId", "status", "customProperties", "attributes"])
            #expect(told.last?.names.contains("template") == true && told.last?["customProperties"] == nil)
            #expect(told.last?["attributes"] == nil)
        }
    }

    @Test("an app adds properties to what it asks, and no attributes beside the server's word on who asks")
    func apps() async throws {
        try await OperationsBank.with { bank in
            let token = try await bank.tree.child(of: try await bank.tree.instance(), .appToken, refresh: .init()).row
            let app = OperationsCaller.app(person: "ada", token: token, actor: AuditActor(name: "bundle:app"))
            func ask(_ more: JSONObject) async throws -> OperationView {
                try await bank.order(nil, "approval", parameters: ["title": "T", "message": "M"], more, by: app)
            }

            let order = try await ask(["customProperties": ["playSound": "bell"]])
            let refused = await backOfficeRefusal {
                _ = try await ask(["attributes": [["type": "KEY_VALUE", "id": "x", "label": "App", "value": "Bank"]]])
            }

            #expect(order.json["customProperties"] == ["playSound": "bell"] && refused == "ERROR_REQUEST")
        }
    }
}
