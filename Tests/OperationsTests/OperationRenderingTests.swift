import Base
import Foundation
import TestSupport
import Testing

@testable import Operations

@Suite("operations.md 1.3: operations as both SDKs read them")
struct OperationRenderingTests {
    private static func attribute(
        _ kind: AttributeKind, _ values: JSONObject, language: String = "en"
    ) throws -> String? {
        let fields = Dictionary(uniqueKeysWithValues: (kind.required + kind.optional).map { ($0, $0) })
        let attribute = TemplateAttribute(id: "a", kind: kind, label: "L", parameters: fields)
        return AttributeRendering(locale: Locale(identifier: language)).json(
            attribute, try OperationParameters(checking: values))?.text
    }

    @Test(
        "attributes have type first, their members in the documented order, numbers as numbers, and no null",
        arguments: [
            (AttributeKind.keyValue, ["value": "x"], #"{"type":"KEY_VALUE","id":"a","label":"L","value":"x"}"#),
            (.note, ["note": "two\nlines"], #"{"type":"NOTE","id":"a","label":"L","note":"two\nlines"}"#),
            (.heading, [:], #"{"type":"HEADING","id":"a","label":"L"}"#),
            (.image, ["thumbnailUrl": "t"], #"{"type":"IMAGE","id":"a","label":"L","thumbnailUrl":"t"}"#),
            (
                .image, ["thumbnailUrl": "t", "originalUrl": "o"],
                #"{"type":"IMAGE","id":"a","label":"L","thumbnailUrl":"t","originalUrl":"o"}"#
            ),
            (
                .alert, ["alertType": "WARNING", "message": "m"],
                #"{"type":"ALERT","id":"a","label":"L","alertType":"WARNING","message":"m"}"#
            ),
            (
                .partyInfo, ["logoUrl": "l", "name": "n", "description": "d"],
                #"{"type":"PARTY_INFO","id":"a","label":"L","partyInfo":{"logoUrl":"l","name":"n","description":"d"}}"#
            ),
            (
                .amount, ["amount": "100.50", "currency": "CZK"],
                """
                {\"type\":\"AMOUNT\",\"id\":\"a\",\"label\":\"L\",\"amount\":100.5,\"currency\":\"CZK\",\"amountForm\
                atted\":\"100.50\",\"currencyFormatted\":\"CZK\",
                """
                    + "\"valueFormatted\":\"CZK\u{A0}100.50\"}"
            ),
            (
                .amountConversion,
                [
                    "dynamic": "true", "sourceAmount": "1.26", "sourceCurrency": "ETC", "targetAmount": "1710",
                    "targetCurrency": "USD",
                ],
                """
                {\"type\":\"AMOUNT_CONVERSION\",\"id\":\"a\",\"label\":\"L\",\"dynamic\":true,\"sourceAmount\":1.26\
                ,\"sourceCurrency\":\"ETC\",
                """
                    + """
                    \"sourceAmountFormatted\":\"1.26\",\"sourceCurrencyFormatted\":\"ETC\",\"sourceValueFormatte\
                    d\":\"ETC\u{A0}1.26\",\"targetAmount\":1710,
                    """
                        + """
                        \"targetCurrency\":\"USD\",\"targetAmountFormatted\":\"1,710.00\",\"targetCurrencyFormatte\
                        d\":\"$\",\"targetValueFormatted\":\"$1,710.00\"}
                        """
            ),
        ] as [(AttributeKind, JSONObject, String)])
    func attributes(kind: AttributeKind, values: JSONObject, text: String) throws {
        let rendered = try Self.attribute(kind, values)

        #expect(rendered == text)
    }

    @Test(
        "an attribute without one of its required values, or with an empty one, is left out",
        arguments: AttributeKind.allCases.filter { !$0.required.isEmpty })
    func leftOut(kind: AttributeKind) throws {
        let full = JSONObject(kind.required.map { ($0, JSONValue.string($0 == "alertType" ? "INFO" : "1")) })
        let whole = try Self.attribute(kind, full)
        #expect(whole != nil)
        for field in kind.required {
            var lacking = full, empty = full
            lacking[field] = Optional.none
            empty[field] = ""

            let rendered = [try Self.attribute(kind, lacking), try Self.attribute(kind, empty)]

            #expect(rendered == [nil, nil], "\(field)")
        }
    }

    @Test(
        "amounts in the language's own way, with every digit that they have, and U+00A0 where a blank must not break",
        arguments: [
            ("1710.98", "EUR", "en", "1,710.98", "€", "€1,710.98"),
            ("1710.98", "EUR", "de", "1.710,98", "€", "1.710,98\u{A0}€"),
            ("1710.98", "EUR", "fr", "1\u{A0}710,98", "€", "1\u{A0}710,98\u{A0}€"),
            ("100.5", "CZK", "cs", "100,50", "Kč", "100,50\u{A0}Kč"),
            ("1000", "JPY", "en", "1,000", "¥", "¥1,000"), ("1.5", "KWD", "en", "1.500", "KWD", "KWD\u{A0}1.500"),
            ("0.12345678", "XBT", "en", "0.12345678", "XBT", "XBT\u{A0}0.12345678"),
            ("12.345", "EUR", "en", "12.345", "€", "€12.345"),
            ("1.5", "USDC", "en", "1.5", "USDC", "1.5\u{A0}USDC"), ("-5", "USD", "en", "-5.00", "$", "-$5.00"),
            (
                "12345678901234567890.123456789012", "EUR", "en", "12,345,678,901,234,567,890.123456789012", "€",
                "€12,345,678,901,234,567,890.123456789012"
            ),
        ])
    func amounts(text: String, currency: String, language: String, amount: String, symbol: String, value: String) throws
    {
        let formatted = FormattedAmount(
            try #require(Amount(text)), currency: currency, locale: Locale(identifier: language))

        #expect(formatted.amount == amount)
        #expect(formatted.currency == symbol)
        #expect(formatted.value == value)
    }

    @Test(
        "numbers of amounts",
        arguments: [
            ("100", "100"), ("100.00", "100"), ("100.50", "100.5"), ("-0.5", "-0.5"),
            ("965165234082.23", "965165234082.23"),
        ])
    func numbers(text: String, written: String) throws {
        let amount = try #require(Amount(text))

        #expect(amount.json.text == written)
    }

    @Test(
        "languages: the best range, then English, then the first; hostile headers are passed over",
        arguments: [
            ("cs", "cs"), ("cs-CZ,cs;q=0.9,en;q=0.5", "cs"), ("en", "en"), ("de", "en"), ("de, cs;q=0.5", "cs"),
            ("", "en"), ("*", "en"), ("cs;q=0", "en"),
            ("en;q=0.5, cs;q=0.6", "cs"), ("PT-br", "pt-BR"), ("pt", "pt-BR"), ("pt-PT", "pt-BR"),
            (String(repeating: "x", count: 300), "en"), (";;,;q=x,cs", "cs"),
        ])
    func languages(header: String, chosen: String) {
        let offered = ["cs", "en", "pt-BR"]

        let index = PreferredLanguages(header).choose(from: offered)

        #expect(index.map { offered[$0] } == chosen)
    }

    @Test("without English the first; without a header the same")
    func otherLanguages() {
        #expect(PreferredLanguages("fr").choose(from: ["cs", "de"]) == 0)
        #expect(PreferredLanguages(nil).choose(from: ["cs", "en-GB"]) == 1)
        #expect(PreferredLanguages("fr").choose(from: []) == nil)
        #expect(PreferredLanguages("xx, de;q=0.5").locale.identifier == "de")
        #expect(PreferredLanguages("xx").locale.identifier == "en")
    }

    private func ui(_ flags: String, ui: JSONObject? = nil, near: Bool = false) throws -> JSONObject {
        ScreenRendering(ui, try RiskFlags(flags), isProximityChecked: near, language: "en").json(
            try OperationParameters(checking: ["who": "\"Bob\""]))
    }

    @Test(
        "risk flags: buttons, calls, a warning with heading and message; what the template says wins, member by member")
    func riskFlags() throws {
        let none = try ui(""), all = try ui("XCF"),
            own: JSONObject = [
                "flipButtons": false, "preApprovalScreen": ["type": "INFO", "heading": "H", "message": "${who}"],
            ]
        let mixed = try ui("XCF", ui: own)

        #expect(none.isEmpty)
        #expect(all["flipButtons"] == true && all["blockApprovalOnCall"] == true)
        #expect(all["preApprovalScreen"]?["type"] == "WARNING")
        #expect(
            all["preApprovalScreen"]?["heading"]?.string?.isEmpty == false
                && all["preApprovalScreen"]?["message"]?.string?.isEmpty == false)
        #expect(
            JSONValue.object(mixed).text
                == #"""
                {"flipButtons":false,"blockApprovalOnCall":true,"preApprovalScreen":{"type":"INFO","heading":"H\#
                ","message":"\"Bob\""}}
                """#
        )
    }

    @Test("QR_SCAN is said where there is a code to scan, and nowhere else")
    func scanning() throws {
        let own: JSONObject = ["preApprovalScreen": ["type": "QR_SCAN", "heading": "Scan", "message": "it"]]

        let near = try ui("F", near: true), written = try ui("", ui: own, near: true), without = try ui("F", ui: own)

        #expect(near["preApprovalScreen"]?["type"] == "QR_SCAN")
        #expect(written == own)
        #expect(without["preApprovalScreen"]?["type"] == "WARNING")
    }

    @Test("an operation byte for byte: order of members, dates without fractions, nothing that is null")
    func bytes() async throws {
        try await OperationsBank.with { bank in
            bank.time.advance(0.75)
            let phone = try await bank.phone()
            let order = try await bank.order("ada", "login"), payment = try await bank.order()

            let listed = try await phone.list(), reply = try await phone.detail(order)

            #expect(
                listed[1].text
                    == #"""
                    {"id":"\#(order.id)","name":"login","data":"A2","status":"PENDING","operationCreated":"2027\#
                    -01-15T08:00:00+0000",
                    """#
                        + #"""
                        "operationExpires":"2027-01-15T08:05:00+0000","allowedSignatureType":{"type":"2FA","variant\#
                        s":["possession_knowledge"]},
                        """#
                    + #""formData":{"title":"Login","message":"Are you logging in?","attributes":[]}}"#)
            #expect(reply.json.object?.names == ["status", "currentTimestamp", "responseObject"])
            #expect(reply.json["currentTimestamp"] == "2027-01-15T08:00:00+0000")
            let shown = listed[0]["formData"]
            #expect(listed[0]["id"]?.string == payment.id && listed[0]["name"] == "authorize_payment")
            #expect(shown?["message"] == "Pay 100.50 CZK to CZ2730300000001165254011?")
            #expect(shown?["resultTexts"] == ["success": "Paid 100.50", "failure": "Not paid", "reject": "Rejected"])
            #expect(
                shown?["attributes"]?.array?.compactMap { $0["id"]?.string } == [
                    "operation.amount", "operation.account", "operation.note", "operation.party",
                ])
            #expect(listed.allSatisfy { !$0.text.contains("null") })
        }
    }

    @Test("the phone's language, else the operation's own, else English")
    func ownLanguage() async throws {
        try await OperationsBank.with { bank in
            let phone = try await bank.phone()
            _ = try await bank.order("ada", "payment", ["language": "cs"])

            var titles: [String?] = []
            for language in ["cs-CZ", nil, "en", "fr"] {
                titles.append(try await phone.list(language: language).first?["formData"]?["title"]?.string)
            }

            #expect(titles == ["Platba", "Platba", "Payment", "Payment"])
        }
    }

    @Test("text with quotes and markup reaches the phone as it was, in valid JSON")
    func quoting() async throws {
        try await OperationsBank.with { bank in
            let phone = try await bank.phone(), note = "He said \"hi\" <b>&\\ ščř 🌳 \u{2028}${iban}"
            var details = Samples.details
            details["note"] = .string(note)
            _ = try await bank.order(parameters: details)

            let attributes = try await phone.list().first?["formData"]?["attributes"]?.array

            #expect(attributes?[2]["note"]?.string == note)
        }
    }

    @Test("reading writes nothing: no row has another version afterwards")
    func reading() async throws {
        try await OperationsBank.with { bank in
            let phone = try await bank.phone(), order = try await bank.order()
            bank.time.advance(301)

            for _ in 0..<3 { _ = try await phone.list() }
            _ = try await phone.detail(order)
            _ = try await bank.read(order)

            let version: Int = try await bank.database.value("select version from phone_operation")
            let lines = try await bank.trail(order)
            #expect(version == 1 && lines == ["operations.begin done"])
        }
    }
}
