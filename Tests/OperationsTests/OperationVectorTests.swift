import Base
import Foundation
import ProtocolTestSupport
import TestSupport
import Testing

@testable import Operations

@Suite(
    "Mobile Token vectors: what phones send and decode",
    .enabled(if: PowerAuthVectors.arePresent, PowerAuthVectors.whyNot))
struct OperationVectorTests {
    private static func samples() throws -> [(test: String, json: JSONValue)] {
        try PowerAuthVectors.rows("operation-json-samples", count: 18).map {
            (try $0.text("test"), try $0.part("json").json)
        }
    }

    private static func request(_ test: String) throws -> [UInt8] {
        try #require(try samples().first { $0.test == test }).json.bytes
    }

    @Test("requests as the SDK writes them are read")
    func requests() throws {
        let push = try PushAddress(try Self.request("testTokenRequest"))
        let approval = try AuthorizeBody(try Self.request("testOperationAuthorizationRequest"))
        let rejection = try RejectBody(try Self.request("testOperationRejectionRequest"))

        // Hexadecimal addresses of APNs are kept in small letters, so that one is not two.
        #expect(
            push.platform == "apns" && push.token == "5fbc85d026945c48a17fe1327c68c77f7793febfe23ff5850224bee4215c5525")
        #expect(
            approval.id == "95e51995-fa60-4018-bd87-43a58f098570" && approval.data == "RANDOMDATA"
                && approval.otp == nil)
        #expect(rejection.reason == "COMPLETELLY_CUSTOM_REJECT_REASON")
    }

    /// Operations anywhere in a sample.
    private static func operations() throws -> [JSONValue] {
        try samples().flatMap { sample -> [JSONValue] in
            if sample.json["formData"] != nil { return [sample.json] }
            return sample.json["responseObject"]?.array ?? []
        }
    }

    /// 100 and 100.00 are one number.
    private static func number(_ value: JSONValue?) -> Double? {
        switch value {
        case .integer(let whole): Double(whole)
        case .number(let fraction): fraction
        default: nil
        }
    }

    @Test(
        """
        every attribute that the SDK's samples hold is rendered with the same members in the same order, and the \
        same values but formatted ones
        """
    )
    func attributes() throws {
        var count = 0
        for attribute in try Self.operations().flatMap({ $0["formData"]?["attributes"]?.array ?? [] }) {
            let source = attribute["partyInfo"]?.object ?? attribute.object ?? [:]
            guard let kind = AttributeKind(rawValue: attribute["type"]?.string ?? ""),
                kind.required.allSatisfy({ source[$0] != nil })
            else { continue }
            count += 1
            let fields = (kind.required + kind.optional).filter { source[$0] != nil }
            let values = JSONObject(
                fields.map { field in (field, JSONValue.string(source[field]?.string ?? source[field]?.text ?? "")) })
            let template = TemplateAttribute(
                id: attribute["id"]?.string ?? "", kind: kind, label: attribute["label"]?.string ?? "",
                parameters: Dictionary(uniqueKeysWithValues: fields.map { ($0, $0) }))

            let rendered = AttributeRendering(locale: Locale(identifier: "en")).json(
                template, try OperationParameters(checking: values))

            let names = try #require(rendered?.object?.names), wanted = try #require(attribute.object?.names)
            #expect(names.filter { wanted.contains($0) } == wanted, "\(attribute.text)")
            for name in wanted where !name.hasSuffix("Formatted") {
                if let number = Self.number(attribute[name]) {
                    #expect(Self.number(rendered?[name]) == number, "\(attribute.text)")
                } else {
                    #expect(rendered?[name] == attribute[name], "\(attribute.text)")
                }
            }
        }
        #expect(count > 20)
    }

    @Test("every screen of the samples may stand in a template, and reaches the phone as it is")
    func screens() throws {
        var screens = try Self.operations().compactMap { $0["ui"]?.object }
        screens.append([
            "postApprovalScreen": try #require(try Self.samples().first { $0.test == "genericPostApproval" }).json
        ])
        #expect(screens.count > 4)
        for ui in screens {
            try ScreenShape.check(ui)

            let rendered = ScreenRendering(ui, try RiskFlags(""), isProximityChecked: true, language: "en").json(
                OperationParameters(stored: [:]))

            // Ours adds the scan where the template says nothing.
            for (name, value) in ui { #expect(rendered[name]?.text == value.text) }
        }
    }

    @Test("members of an operation stand in the order of the samples; the errors are the SDK's")
    func order() throws {
        let ours = [
            "id", "name", "data", "status", "statusReason", "operationCreated", "operationExpires",
            "allowedSignatureType", "formData", "ui",
        ]
        for operation in try Self.operations() {
            let names = try #require(operation.object?.names)
            #expect(Set(names).isSubset(of: ours))
        }
        let error = try #require(try Self.samples().first { $0.test == "testErrorResponse" }).json
        #expect(OperationsRefusal.expired.json.object?.names == error.object?.names)
        #expect(
            OperationsRefusal.expired.json["responseObject"]?.object?.names == error["responseObject"]?.object?.names)
    }

    @Test("pushes have the members that the SDK's parser wants, and no others")
    func pushes() async throws {
        var valid: [String: Set<String>] = [:]
        for row in try PowerAuthVectors.rows("push-payload", count: 9) {
            guard try row.flag("valid") else { continue }
            let payload = try row.part("payload")
            valid[try payload.text("messageType")] = Set(payload.json.object?.names ?? []).subtracting(["aps"])
        }
        try await OperationsBank.with(pushes: true) { bank in
            let phone = try await bank.phone()
            _ = try await phone.call("/api/push/device/register", ["platform": "android", "token": "x"])
            let order = try await bank.order()
            try await bank.cancel(order)
            _ = try await bank.service.addMessage(
                ["userId": "ada", "subject": "s", "summary": "s", "body": "b"], by: PhoneFixture.bank)

            let stored = try await bank.database.query("select payload from phone_push").map {
                try $0("payload") as JSONValue
            }

            #expect(stored.count == 3 && valid.count == 3)
            for push in stored {
                let payload = try #require(push["payload"]?.object), type = try #require(payload["messageType"]?.string)
                #expect(Set(payload.names) == valid[type], "\(type)")
                #expect((push["title"] == nil) == (push["body"] == nil))
            }
        }
    }
}
