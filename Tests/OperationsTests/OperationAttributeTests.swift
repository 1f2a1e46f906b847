import Base
import Database
import Foundation
import TestSupport
import Testing

@testable import Operations

@Suite("operations.md 1.3: attributes that come with an operation, and those of types that the SDKs do not know")
struct OperationAttributeTests {
    private func attributes(_ operation: JSONValue?) -> [JSONValue] {
        operation?["formData"]?["attributes"]?.array ?? []
    }

    @Test("a template's attribute of another type has its members and parameters as they are, and type first")
    func ofTemplates() async throws {
        try await OperationsBank.with { bank in
            let written: JSONValue = [
                "zoom": 3, "id": "where", "exact": true, "ratio": .number(0.5), "style": "${note}", "type": "GEO",
                "text": "Where", "params": ["place": "note", "count": "number", "absent": "missing", "sure": "flag"],
            ]
            let template = Samples.simple("map", factors: ["possession"], text: ["attributes": [written]])
            let made = try await bank.service.addTemplate(template, by: PhoneFixture.bank)
            let phone = try await bank.phone()
            _ = try await bank.order("ada", "map", parameters: ["note": "Bern", "number": 7, "flag": false])

            let shown = attributes(try await phone.list().first)

            #expect(
                shown.map(\.text) == [
                    #"{"type":"GEO","id":"where","label":"Where","zoom":3,"exact":true,"ratio":0.5,"style":"${note}","#
                        + #""count":7,"place":"Bern","sure":false}"#
                ])
            #expect(made.json["texts"]?.text == template["texts"]?.text)
        }
    }

    @Test(
        "attributes of an operation stand behind the template's: the SDKs' as these read them, others as they came"
    )
    func ofOperations() async throws {
        try await OperationsBank.with { bank in
            let phone = try await bank.phone()
            let order = try await bank.order(
                "ada", "payment",
                [
                    "attributes": [
                        ["label": "Where", "zoom": 3, "id": "where", "type": "GEO"],
                        ["id": "fee", "type": "AMOUNT", "label": "Fee", "currency": "USD", "amount": "1.5"],
                        ["id": "more", "type": "HEADING"],
                        [
                            "id": "shop", "type": "PARTY_INFO", "label": "S", "logoUrl": "l", "name": "n",
                            "description": "d",
                        ],
                        ["id": "free", "type": "custom.Type-1", "label": "x", "text": "two\nlines", "off": false],
                    ]
                ])

            let shown = attributes(try await phone.list(language: "en").first)
            let read = try await bank.read(order)["attributes"]?.array ?? []

            #expect(
                shown.count == 9 && shown.prefix(4).map { $0["type"] } == ["AMOUNT", "KEY_VALUE", "NOTE", "PARTY_INFO"])
            #expect(
                shown.dropFirst(4).map(\.text) == [
                    #"{"type":"GEO","id":"where","label":"Where","zoom":3}"#,
                    #"{"type":"AMOUNT","id":"fee","label":"Fee","amount":1.5,"currency":"USD","#
                        + #""amountFormatted":"1.50","currencyFormatted":"$","valueFormatted":"$1.50"}"#,
                    #"{"type":"HEADING","id":"more","label":""}"#,
                    #"{"type":"PARTY_INFO","id":"shop","label":"S","#
                        + #""partyInfo":{"logoUrl":"l","name":"n","description":"d"}}"#,
                    #"{"type":"custom.Type-1","id":"free","label":"x","text":"two\nlines","off":false}"#,
                ])
            #expect(read.map { $0["id"] } == ["where", "fee", "more", "shop", "free"])
        }
    }

    static let refused: [JSONValue] = [
        "x", ["x"], [[:]], [["id": "a"]], [["type": "GEO"]], [["id": "", "type": "GEO"]], [["id": "a", "type": ""]],
        [["id": "a", "type": "G E O"]], [["id": "a", "type": "note", "note": "x"]],
        [["id": "a", "type": "Key-Value", "value": "x"]],
        [["id": "a", "type": "GEO", "x": [1]]], [["id": "a", "type": "GEO", "x": ["y": 1]]],
        [["id": "a", "type": "GEO", "x": .null]], [["id": "a", "type": "GEO", "a b": 1]],
        [["id": "a", "type": "GEO", "x": "\u{7}"]], [["id": "a", "type": "GEO", "label": 7]],
        [["id": "a", "type": "GEO", "x": .string(String(repeating: "x", count: AttributeType.longestText + 1))]],
        [["id": "a", "type": "NOTE"]], [["id": "a", "type": "NOTE", "note": ""]],
        [["id": "a", "type": "NOTE", "note": "x", "other": "y"]],
        [["id": "a", "type": "AMOUNT", "amount": .number(1.5), "currency": "CZK"]],
        [["id": "a", "type": "AMOUNT", "amount": "1,5", "currency": "CZK"]],
        [["id": "a", "type": "ALERT", "alertType": "HURRY", "message": "x"]],
        [["id": "a", "type": "PARTY_INFO", "partyInfo": ["name": "n"]]],
        [["id": "a", "type": "GEO"], ["id": "a", "type": "GEO"]], [["id": "operation.amount", "type": "GEO"]],
        .array((0...OperationAttribute.most).map { ["id": .string("a\($0)"), "type": "GEO"] }),
        .array(
            (0..<5).map {
                ["id": .string("a\($0)"), "type": "GEO", "x": .string(String(repeating: "x", count: 4_000))]
            }),
        [.object(JSONObject([("id", "a"), ("type", "GEO")] + (0...32).map { ("x\($0)", JSONValue.integer($0)) }))],
    ]

    @Test(
        "arrays and nulls within one, what the SDKs cannot read, and what is too much are refused", arguments: refused)
    func hostile(attributes: JSONValue) async throws {
        try await OperationsBank.with { bank in
            let refused = await backOfficeRefusal {
                _ = try await bank.order("ada", "payment", ["attributes": attributes])
            }

            let count: Int = try await bank.database.value("select count(*) from phone_operation")
            #expect(refused == "ERROR_REQUEST" && count == 0)
        }
    }

    @Test(
        "a template's attribute of another type holds scalars only, each name once",
        arguments: [
            ["x": [1]], ["x": ["y": 1]], ["x": .null], ["a b": 1], ["x": "\u{7}"], ["label": "L"],
            ["x": 1, "params": ["x": "note"]], ["params": ["id": "note"]], ["params": ["label": "note"]],
            ["params": ["a b": "note"]], ["params": ["x": 7]], ["params": ["x": "a b"]],
        ] as [JSONObject])
    func hostileTemplates(more: JSONObject) {
        var attribute: JSONObject = ["id": "a", "type": "GEO", "text": "x"]
        for (name, value) in more { attribute[name] = value }
        let template = Samples.simple(
            "odd", factors: ["possession"], text: ["attributes": .array([.object(attribute)])])

        let error = #expect(throws: BackOfficeRefusal.self) { try OperationTemplate(template) }

        #expect(error?.code == "ERROR_REQUEST")
    }
}
