import Base

/// What the phone shows beside title and message (protocols/operations.md, 1.3), and which fields of it a template may
/// fill. Raw values are `type` on the wire.
enum AttributeKind: String, CaseIterable, Sendable {
    case amount = "AMOUNT"
    case amountConversion = "AMOUNT_CONVERSION"
    case keyValue = "KEY_VALUE"
    case note = "NOTE"
    case heading = "HEADING"
    case partyInfo = "PARTY_INFO"
    case image = "IMAGE"
    case alert = "ALERT"

    /// Without any of these the attribute is left out.
    var required: [String] {
        switch self {
        case .amount: ["amount", "currency"]
        case .amountConversion: ["sourceAmount", "sourceCurrency", "targetAmount", "targetCurrency"]
        case .keyValue: ["value"]
        case .note: ["note"]
        case .heading: []
        case .partyInfo: ["logoUrl", "name", "description"]
        case .image: ["thumbnailUrl"]
        case .alert: ["alertType", "message"]
        }
    }

    var optional: [String] {
        switch self {
        case .amountConversion: ["dynamic"]
        case .partyInfo: ["websiteUrl"]
        case .image: ["originalUrl"]
        case .alert: ["title"]
        case .amount, .keyValue, .note, .heading: []
        }
    }

    static let alertTypes: Set<String> = ["SUCCESS", "INFO", "WARNING", "ERROR"]

    /// Why a value cannot stand in a field; `nil` when it can.
    func objection(to value: String, in field: String) -> String? {
        switch (self, field) {
        case (.amount, "amount"), (.amountConversion, "sourceAmount"), (.amountConversion, "targetAmount"):
            Amount(value) == nil ? "is a decimal number such as 100.50" : nil
        case (.amountConversion, "dynamic"): ["true", "false"].contains(value) ? nil : "is true or false"
        case (.alert, "alertType"):
            AttributeKind.alertTypes.contains(value)
                ? nil : "is one of \(AttributeKind.alertTypes.sorted().joined(separator: ", "))"
        default: nil
        }
    }
}

/// One attribute of a template: which parameter fills which field.
struct TemplateAttribute: Sendable {
    let id: String
    /// `nil` for a type of the app's own, which is `otherType`.
    let kind: AttributeKind?
    let label: String
    /// Field of the attribute → name of the parameter.
    let parameters: [String: String]
    var otherType = ""
    /// What an attribute of such a type has whatever the parameters are.
    var members: JSONObject = [:]

    /// The field's value; `nil` when its parameter is missing or empty.
    func value(_ field: String, from values: OperationParameters) -> String? {
        guard let name = parameters[field], let text = values[name], !text.isEmpty else { return nil }
        return text
    }
}
