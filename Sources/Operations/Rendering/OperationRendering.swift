import Base
import Foundation

/// An operation as the phone reads it (protocols/operations.md, 1.3): members in this order, nothing that is null,
/// dates with `+0000`.
struct OperationRendering: Sendable {
    private let asked: PreferredLanguages

    init(_ acceptLanguage: String?) { asked = PreferredLanguages(acceptLanguage) }

    /// The operation's own language where the phone names none.
    private func languages(_ operation: PhoneOperation) -> PreferredLanguages {
        asked.ranges.isEmpty ? PreferredLanguages(operation.language) : asked
    }

    func json(_ operation: PhoneOperation) -> JSONValue {
        let chosen = languages(operation), text = operation.template.text(for: chosen), values = operation.parameters
        var members: JSONObject = [
            "id": .string(operation.id), "name": .string(operation.type), "data": .string(operation.data),
            "status": .string(operation.status.rawValue),
        ]
        if let reason = operation.statusReason { members["statusReason"] = .string(reason) }
        members["operationCreated"] = .string(MobileDate.text(operation.createdAt))
        members["operationExpires"] = .string(MobileDate.text(operation.expiresAt))
        let factors = operation.allowedFactors
        members["allowedSignatureType"] = [
            "type": .string(factors == [.possession] ? "1FA" : "2FA"),
            "variants": JSONValue(strings: factors.map(\.rawValue)),
        ]
        members["formData"] = form(operation, text, locale: chosen.locale)
        let ui = ScreenRendering(
            text?.ui, operation.template.risk, isProximityChecked: operation.isProximityChecked,
            language: text?.language
        ).json(values)
        if !ui.isEmpty { members["ui"] = .object(ui) }
        for (name, value) in operation.template.customProperties ?? [:] {
            members[name] = OperationRendering.filled(value, values)
        }
        for (name, value) in operation.customProperties ?? [:] { members[name] = value }
        return .object(members)
    }

    /// Title and message alone, as offline codes and pushes have them.
    func words(_ operation: PhoneOperation) -> (title: String, message: String) {
        let text = operation.template.text(for: languages(operation))
        return (
            OperationRendering.fill(text?.title ?? "", operation.parameters),
            OperationRendering.fill(text?.message ?? "", operation.parameters)
        )
    }

    private func form(_ operation: PhoneOperation, _ text: TemplateText?, locale: Locale) -> JSONValue {
        let values = operation.parameters, rendering = AttributeRendering(locale: locale)
        var form: JSONObject = ["title": .string(OperationRendering.fill(text?.title ?? "", values))]
        form["message"] = .string(OperationRendering.fill(text?.message ?? "", values))
        if let results = text?.resultTexts { form["resultTexts"] = OperationRendering.filled(.object(results), values) }
        form["attributes"] = .array(
            (text?.attributes ?? []).compactMap { rendering.json($0, values) }
                + operation.attributes.compactMap { rendering.json($0) })
        return .object(form)
    }

    static func fill(_ template: String, _ values: OperationParameters) -> String {
        Placeholders.fill(template) { values[$0] ?? "" }
    }

    /// The same in every text of a JSON value; escaping is the encoder's business.
    static func filled(_ value: JSONValue, _ values: OperationParameters) -> JSONValue {
        switch value {
        case .string(let text): .string(fill(text, values))
        case .array(let items): .array(items.map { filled($0, values) })
        case .object(let object): .object(JSONObject(object.map { ($0.name, filled($0.value, values)) }))
        case .null, .bool, .integer, .number: value
        }
    }
}

/// `yyyy-MM-dd'T'HH:mm:ss+0000`: iOS reads no fractions, and not every Android reads `Z`.
enum MobileDate {
    static func text(_ date: Date) -> String { String(date.rfc3339.dropLast()) + "+0000" }
}

/// One attribute: `type` first, since Android reads as it goes; neither null nor array in it (protocols/operations.md,
/// "Android parser traps").
struct AttributeRendering: Sendable {
    let locale: Locale

    /// `nil` when a value that it cannot do without is missing or empty.
    func json(_ attribute: TemplateAttribute, _ values: OperationParameters) -> JSONValue? {
        if let kind = attribute.kind {
            return json(kind, attribute.id, attribute.label) { attribute.value($0, from: values) }
        }
        // One that the SDKs do not know: its own members, then what has a value, in an order that stays.
        var members = AttributeRendering.head(attribute.otherType, attribute.id, attribute.label)
        for (name, value) in attribute.members { members[name] = value }
        for (field, name) in attribute.parameters.sorted(by: { $0.key < $1.key }) {
            if let value = values.written[name] { members[field] = value }
        }
        return .object(members)
    }

    /// One that came with the operation.
    func json(_ attribute: OperationAttribute) -> JSONValue? {
        guard let kind = attribute.kind else { return attribute.json }
        return json(kind, attribute.id, attribute.label) { field in
            attribute.text(field).flatMap { $0.isEmpty ? nil : $0 }
        }
    }

    private static func head(_ type: String, _ id: String, _ label: String) -> JSONObject {
        ["type": .string(type), "id": .string(id), "label": .string(label)]
    }

    private func json(
        _ kind: AttributeKind, _ id: String, _ label: String, _ value: (String) -> String?
    ) -> JSONValue? {
        guard kind.required.allSatisfy({ value($0) != nil }) else { return Optional.none }
        var members = AttributeRendering.head(kind.rawValue, id, label)
        switch kind {
        case .heading: break
        case .keyValue, .note, .alert, .image:
            for field in kind.required + kind.optional {
                if let text = value(field) { members[field] = .string(text) }
            }
        case .partyInfo:
            var party = JSONObject()
            for field in kind.required + kind.optional {
                if let text = value(field) { party[field] = .string(text) }
            }
            members["partyInfo"] = .object(party)
        case .amount:
            guard add(value("amount"), value("currency"), prefix: "", to: &members) else { return Optional.none }
        case .amountConversion:
            members["dynamic"] = .bool(value("dynamic") == "true")
            guard add(value("sourceAmount"), value("sourceCurrency"), prefix: "source", to: &members),
                add(value("targetAmount"), value("targetCurrency"), prefix: "target", to: &members)
            else { return Optional.none }
        }
        return .object(members)
    }

    private func add(_ amount: String?, _ currency: String?, prefix: String, to members: inout JSONObject) -> Bool {
        guard let amount = amount.flatMap({ Amount($0) }), let currency else { return false }
        func name(_ field: String) -> String {
            prefix.isEmpty ? field : "\(prefix)\(field.prefix(1).uppercased())\(field.dropFirst())"
        }
        let formatted = FormattedAmount(amount, currency: currency, locale: locale)
        members[name("amount")] = amount.json
        members[name("currency")] = .string(currency)
        members[name("amountFormatted")] = .string(formatted.amount)
        members[name("currencyFormatted")] = .string(formatted.currency)
        members[name("valueFormatted")] = .string(formatted.value)
        return true
    }
}

extension Amount {
    /// A number; whole where it is whole.
    var json: JSONValue {
        if let whole = Int(text.split(separator: ".").first ?? ""), decimal == Decimal(whole) { return .integer(whole) }
        return .number(Double(text) ?? 0)
    }
}
