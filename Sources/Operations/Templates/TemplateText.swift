import Base

/// What one language's user reads of a template (design/backoffice.md, "Templates").
struct TemplateText: Sendable {
    /// With its parameters, without its attributes: phones read up to a hundred operations every few seconds.
    static let longest = 65_536

    let language: String
    let title: String
    let message: String
    /// `success`, `failure`, `reject`.
    let resultTexts: JSONObject?
    let ui: JSONObject?
    let attributes: [TemplateAttribute]

    /// What the phone cannot read is refused here, so that it is never sent.
    init(_ json: JSONValue) throws(BackOfficeRefusal) {
        let members = try BackOfficeMembers(json)
        language = try members.required("language", limit: 35)
        guard PreferredLanguages.isTag(language) else { throw .request("language is a tag such as en or pt-BR") }
        title = try members.required("title", limit: 256)
        message = try members.required("message", limit: 2_048, lines: true)
        resultTexts = try members.object("resultTexts")
        if let resultTexts {
            let areTexts = resultTexts.allSatisfy {
                ["success", "failure", "reject"].contains($0.name) && $0.value.string != nil
            }
            guard areTexts else { throw .request("resultTexts holds success, failure and reject, all strings") }
        }
        ui = try members.object("ui")
        if let ui { try ScreenShape.check(ui) }
        attributes = try TemplateText.attributes(try members.array("attributes") ?? [])
    }

    private static func attributes(_ items: [JSONValue]) throws(BackOfficeRefusal) -> [TemplateAttribute] {
        guard items.count <= 64 else { throw .request("a text has at most 64 attributes") }
        var attributes: [TemplateAttribute] = []
        for item in items {
            let members = try BackOfficeMembers(item)
            let id = try members.required("id", limit: 128), label = try members.text("text") ?? ""
            let type = try AttributeType.checked(try members.required("type")), kind = AttributeKind(rawValue: type),
                others = try others(item, of: id, kind)
            var parameters: [String: String] = [:]
            for (field, name) in try members.object("params") ?? [:] {
                guard kind.map({ ($0.required + $0.optional).contains(field) }) ?? isFree(field, beside: others) else {
                    throw .request("\(type) has no field \(field)")
                }
                guard let name = name.string, Placeholders.isName(name) else {
                    throw .request("params of \(id) names parameters, in letters, digits, '.', '_' and '-'")
                }
                parameters[field] = name
            }
            if let missing = kind?.required.first(where: { parameters[$0] == nil }) {
                throw .request("\(id): \(type) needs a parameter for \(missing)")
            }
            attributes.append(
                TemplateAttribute(
                    id: id, kind: kind, label: label, parameters: parameters, otherType: type, members: others))
        }
        return attributes
    }

    private static let own: Set<String> = ["id", "type", "text", "params"]

    /// What an attribute of the app's own type has beside its parameters. With the others, members that nobody reads
    /// are ignored, as everywhere.
    private static func others(
        _ item: JSONValue, of id: String, _ kind: AttributeKind?
    ) throws(BackOfficeRefusal) -> JSONObject {
        guard kind == nil else { return [:] }
        guard item["label"] == nil else { throw .request("the label of \(id) is its text") }
        return try AttributeType.scalars(item, but: own, of: id)
    }

    private static func isFree(_ field: String, beside others: JSONObject) -> Bool {
        Placeholders.isName(field) && !["id", "type", "label"].contains(field) && others[field] == nil
    }

    /// The parameters that must be there: a title or message with a hole in it says something else.
    var needed: [String] { Placeholders.names(in: title) + Placeholders.names(in: message) }

    /// All that placeholders make longer.
    func filled(_ values: OperationParameters) -> JSONValue {
        OperationRendering.filled(
            [.string(title), .string(message), .object(resultTexts ?? [:]), .object(ui ?? [:])], values)
    }
}

/// What the SDKs need of `ui` (protocols/operations.md, 1.3): Android crashes at a screen without heading and message,
/// and neither reads nulls.
enum ScreenShape {
    static func check(_ ui: JSONObject) throws(BackOfficeRefusal) {
        guard !JSONValue.object(ui).holdsNull else { throw .request("ui holds no null") }
        for flag in ["flipButtons", "blockApprovalOnCall"] {
            if let value = ui[flag], value.bool == nil { throw .request("ui.\(flag) is true or false") }
        }
        if let screen = ui["preApprovalScreen"] {
            try checkTexts(screen, "ui.preApprovalScreen")
            if let items = screen["items"], items.strings == nil {
                throw .request("ui.preApprovalScreen.items is an array of strings")
            }
        }
        if let screens = ui["preApprovalScreens"] {
            guard let list = screens.array, list.allSatisfy({ $0.object != nil }) else {
                throw .request("ui.preApprovalScreens is an array of objects")
            }
        }
        if let screen = ui["postApprovalScreen"] {
            try checkTexts(screen, "ui.postApprovalScreen")
            guard screen["payload"]?.object != nil else { throw .request("ui.postApprovalScreen.payload is an object") }
        }
    }

    /// Attributes to be reviewed are read as all others are: Android reads an array within one for ever. Of what is
    /// written, not of rows: those of before stay readable.
    static func checkReview(_ ui: JSONObject) throws(BackOfficeRefusal) {
        guard let screen = ui["postApprovalScreen"], screen["type"]?.string == "REVIEW" else { return }
        guard let attributes = screen["payload"]?["attributes"]?.array,
            attributes.allSatisfy({ isReadable($0) })
        else {
            throw .request("ui.postApprovalScreen.payload.attributes is an array of attributes, without arrays in them")
        }
    }

    /// `type` stands before `partyInfo`, whose members are strings.
    private static func isReadable(_ attribute: JSONValue) -> Bool {
        guard let members = attribute.object, members["type"]?.string != nil,
            members.names.first(where: { ["type", "partyInfo"].contains($0) }) == "type"
        else { return false }
        return members.allSatisfy { member in
            guard let party = member.value.object else { return member.value.array == nil }
            return member.name == "partyInfo" && party.allSatisfy { $0.value.string != nil }
        }
    }

    private static func checkTexts(_ screen: JSONValue, _ name: String) throws(BackOfficeRefusal) {
        for member in ["type", "heading", "message"] {
            guard let text = screen[member]?.string, !text.isEmpty else {
                throw .request("\(name).\(member) is missing or empty")
            }
        }
    }
}
