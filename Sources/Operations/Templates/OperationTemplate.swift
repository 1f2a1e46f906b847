import Base
import Database
import Foundation
import PowerAuth

/// What an operation is made from (design/backoffice.md, "Templates").
public struct OperationTemplate: Sendable {
    static let defaultFactors: [FactorType] = [.possessionKnowledge, .possessionBiometry]

    public let name: String
    public let operationType: String
    let dataTemplate: String
    let allowedFactors: [FactorType]
    let maxFailures: Int
    /// Seconds.
    let expiration: Int
    let risk: RiskFlags
    let proximityCheck: Bool
    /// Under which phones sign offline codes, unless the operation says another.
    let offlineURI: String
    /// With parameters in their texts.
    let customProperties: JSONObject?
    let texts: [TemplateText]
    /// As it came.
    private let writtenTexts: JSONValue

    /// The body of POST and PUT. `name` is that of the path, where there is one.
    init(_ json: JSONValue, name given: String? = nil) throws(BackOfficeRefusal) {
        let members = try BackOfficeMembers(json)
        if let given {
            if let written = try members.text("name"), written != given {
                throw .request("name is \(given), as in the path")
            }
            name = given
        } else {
            name = try members.required("name", limit: 128)
        }
        operationType = try members.required("operationType", limit: 128)
        dataTemplate = try members.required("dataTemplate", limit: 1_024)
        allowedFactors = try OperationTemplate.factors(try members.strings("allowedFactors"))
        maxFailures = try members.integer("maxFailureCount", 1...100) ?? 5
        expiration = try members.integer("expiration", 1...2_592_000) ?? 300
        risk = try RiskFlags(try members.text("riskFlags") ?? "")
        proximityCheck = try members.flag("proximityCheckEnabled") ?? false
        offlineURI = try OfflineURI.checked(try members.filled("offlineUriId")) ?? OfflineAnswer.uriID
        customProperties = try CustomProperties.checked(try members.object("customProperties"))
        guard let items = try members.array("texts"), !items.isEmpty, items.count <= 64 else {
            throw .request("texts has 1 to 64 languages")
        }
        var read: [TemplateText] = []
        for item in items {
            let text = try TemplateText(item)
            if let ui = text.ui { try ScreenShape.checkReview(ui) }
            read.append(text)
        }
        guard Set(read.map { $0.language.lowercased() }).count == read.count else {
            throw .request("a language stands twice in texts")
        }
        (texts, writtenTexts) = (read, .array(items))
    }

    private static func factors(_ names: [String]?) throws(BackOfficeRefusal) -> [FactorType] {
        guard let names else { return defaultFactors }
        let admitted: [FactorType] = [.possession, .possessionKnowledge, .possessionBiometry]
        var factors: [FactorType] = []
        for name in names {
            guard let factor = FactorType(rawValue: name), admitted.contains(factor), !factors.contains(factor) else {
                throw .request("allowedFactors holds \(admitted.map(\.rawValue).joined(separator: ", ")), each once")
            }
            factors.append(factor)
        }
        guard !factors.isEmpty else { throw .request("allowedFactors is empty") }
        return factors
    }

    // MARK: Rows

    static let columns: SQL = """
        t.name as template_name, t.operation_type, t.data_template, t.allowed_factors, t.max_failures as \
        template_max_failures, t.expiration, t.risk_flags,
        t.proximity_check, t.offline_uri as template_offline_uri, t.custom_properties as template_custom_properties,
        t.texts
        """

    init(_ row: Row) throws {
        (name, operationType, dataTemplate) = (
            try row("template_name"), try row("operation_type"), try row("data_template")
        )
        let factors: [String] = try row("allowed_factors"), flags: String = try row("risk_flags"),
            written: JSONValue = try row("texts")
        allowedFactors = factors.compactMap { FactorType(rawValue: $0) }
        (maxFailures, expiration, proximityCheck) = (
            try row("template_max_failures"), try row("expiration"), try row("proximity_check")
        )
        risk = try RiskFlags(flags)
        offlineURI = try row("template_offline_uri")
        let custom: JSONValue? = try row("template_custom_properties")
        customProperties = custom?.object
        writtenTexts = written
        texts = try (written.array ?? []).map { try TemplateText($0) }
    }

    private static let known = BoundedMemory<String, OperationTemplate>(most: 1_000)

    /// What row `id` says: rows never change but for `replaced_at`, which is not in here.
    static func remembered(as id: String, _ row: Row) throws -> OperationTemplate {
        if let template = known[id] { return template }
        let template = try OperationTemplate(row)
        known[id] = template
        return template
    }

    /// What `insert` needs, in the order of its columns.
    func values(id: String, owner: String, at now: Date) -> SQL {
        """
        \(id), \(owner), \(name), \(operationType), \(dataTemplate), \(allowedFactors.map(\.rawValue)), \
        \(maxFailures), \(expiration), \(risk.text),
        \(proximityCheck), \(offlineURI), \(customProperties.map { JSONValue.object($0).text })::json,
        \(writtenTexts.text)::json, \(now)
        """
    }

    public var json: JSONValue {
        var members: JSONObject = [
            "name": .string(name), "operationType": .string(operationType), "dataTemplate": .string(dataTemplate),
            "allowedFactors": JSONValue(strings: allowedFactors.map(\.rawValue)),
            "maxFailureCount": .integer(maxFailures), "expiration": .integer(expiration),
            "riskFlags": .string(risk.text), "proximityCheckEnabled": .bool(proximityCheck),
        ]
        if offlineURI != OfflineAnswer.uriID { members["offlineUriId"] = .string(offlineURI) }
        if let customProperties { members["customProperties"] = .object(customProperties) }
        members["texts"] = writtenTexts
        return .object(members)
    }

    /// Whether both say the same.
    func equals(_ other: OperationTemplate) -> Bool { json == other.json }

    // MARK: Using it

    /// Every language's attributes and texts must be able to show the values, whoever asks for them.
    func check(_ values: OperationParameters) throws(BackOfficeRefusal) {
        for name in Placeholders.names(in: dataTemplate) + texts.flatMap(\.needed) where values[name] == nil {
            throw .request("the template needs the parameter \(name)")
        }
        for attribute in texts.flatMap(\.attributes) {
            for (field, name) in attribute.parameters {
                guard let value = attribute.value(field, from: values),
                    let objection = attribute.kind?.objection(to: value, in: field)
                else { continue }
                throw .request("parameter \(name) \(objection)")
            }
        }
        try checkFilled(values)
    }

    /// Placeholders make few bytes into many: filled, they are bounded as those of an operation are.
    private func checkFilled(_ values: OperationParameters) throws(BackOfficeRefusal) {
        for text in texts where text.filled(values).bytes.count > TemplateText.longest {
            throw .request("the texts with these parameters are longer than \(TemplateText.longest) bytes")
        }
        guard let customProperties else { return }
        let filled = OperationRendering.filled(.object(customProperties), values)
        guard filled.bytes.count <= CustomProperties.longest else {
            throw .request("customProperties with these parameters are longer than \(CustomProperties.longest) bytes")
        }
    }

    /// Ids are the app's way to find an attribute: the operation's own are others than the template's.
    func check(_ attributes: [OperationAttribute]) throws(BackOfficeRefusal) {
        let taken = Set(texts.flatMap(\.attributes).map(\.id))
        if let twice = attributes.first(where: { taken.contains($0.id) }) {
            throw .request("the template has an attribute with the id \(twice.id)")
        }
    }

    /// Operation data: what is signed, byte for byte.
    func data(_ values: OperationParameters) -> String {
        Placeholders.fill(dataTemplate) { Placeholders.escaped(forData: values[$0] ?? "") }
    }

    /// For whoever asks; never `nil`, as a template has at least one.
    func text(for languages: PreferredLanguages) -> TemplateText? {
        languages.choose(from: texts.map(\.language)).map { texts[$0] }
    }
}

/// X: buttons change places; C: no approval during a call; F: a warning first (protocols/operations.md, 2.2).
struct RiskFlags: Sendable {
    let flipButtons: Bool
    let blockOnCall: Bool
    let fraud: Bool
    /// As written.
    let text: String

    init(_ text: String) throws(BackOfficeRefusal) {
        guard text.allSatisfy({ "XCF".contains($0) }), Set(text).count == text.count else {
            throw .request("riskFlags holds X, C and F, each once")
        }
        (flipButtons, blockOnCall, fraud, self.text) = (
            text.contains("X"), text.contains("C"), text.contains("F"), text
        )
    }
}

/// Values of an operation's parameters, as text and as they came.
struct OperationParameters: Sendable {
    let written: JSONObject
    private let texts: [String: String]

    subscript(name: String) -> String? { texts[name] }

    /// Texts without control characters other than newline, integers and booleans; `null` counts as left out.
    init(checking object: JSONObject) throws(BackOfficeRefusal) {
        guard object.names.count <= 128 else { throw .request("parameters are at most 128") }
        var kept = JSONObject()
        for (name, value) in object where value != .null {
            guard Placeholders.isName(name) else {
                throw .request("a parameter's name has 1 to 64 letters, digits, '.', '_' and '-'")
            }
            guard let text = OperationParameters.text(value) else {
                throw .request("parameter \(name) is a string, an integer or a boolean; write other numbers as strings")
            }
            guard !ControlCharacters.isIn(text, butNewline: true) else {
                throw .request("parameter \(name) has control characters")
            }
            guard text.utf8.count <= 4_096 else { throw .request("parameter \(name) is longer than 4096 bytes") }
            kept[name] = value
        }
        self.init(stored: kept)
    }

    init(stored: JSONObject) {
        written = stored
        texts = Dictionary(
            stored.compactMap { member in OperationParameters.text(member.value).map { (member.name, $0) } },
            uniquingKeysWith: { first, _ in first })
    }

    private static func text(_ value: JSONValue) -> String? {
        switch value {
        case .string(let text): text
        case .integer(let number): String(number)
        case .bool(let flag): flag ? "true" : "false"
        case .null, .number, .array, .object: nil
        }
    }
}
