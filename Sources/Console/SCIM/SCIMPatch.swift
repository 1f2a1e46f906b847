import Base

/// Changes to parts of a resource, one after the other (RFC 7644, 3.5.2).
struct SCIMPatch: Sendable {
    enum Verb: String, Sendable { case add, remove, replace }

    struct Operation: Sendable {
        let verb: Verb
        let place: SCIMPlace
        /// `nil` where none came, or null.
        let value: JSONValue?
    }

    static let schema = "urn:ietf:params:scim:api:messages:2.0:PatchOp"
    private static let mostOperations = 200
    /// Of an attribute of a person, before and with what comes; members of groups are no matter of it.
    static let mostValues = 500

    let operations: [Operation]

    init(_ body: JSONValue, of type: SCIMResourceType) throws {
        let schemas = body.member("schemas")?.strings ?? []
        guard schemas.contains(where: { $0.lowercased() == SCIMPatch.schema.lowercased() }) else {
            throw SCIMRefusal(.invalidSyntax, "schemas names \(SCIMPatch.schema)")
        }
        guard let items = body.member("Operations")?.array, (1...SCIMPatch.mostOperations).contains(items.count) else {
            throw SCIMRefusal(.invalidSyntax, "Operations is an array of 1 to \(SCIMPatch.mostOperations)")
        }
        operations = try items.flatMap { try SCIMPatch.read($0, of: type) }
    }

    /// One without a path is one of each member of its value.
    private static func read(_ item: JSONValue, of type: SCIMResourceType) throws -> [Operation] {
        guard let word = item.member("op")?.string, let verb = Verb(rawValue: word.lowercased()) else {
            throw SCIMRefusal(.invalidSyntax, "op is add, remove or replace")
        }
        let given = item.member("value"), value = given == .null ? JSONValue?.none : given
        if let path = item.member("path"), path != .null {
            guard let text = path.string else { throw SCIMRefusal(.invalidPath, "path is a text") }
            guard verb != .add || value != nil else { throw SCIMRefusal(.invalidValue, "add needs a value") }
            return [Operation(verb: verb, place: try SCIMPlace(text, of: type), value: value)]
        }
        guard verb != .remove else { throw SCIMRefusal(.noTarget, "remove needs a path") }
        guard let members = value?.object else {
            throw SCIMRefusal(.invalidValue, "without a path the value is an object of attributes")
        }
        return try members.compactMap { name, value in
            if ["schemas", "id", "meta"].contains(name.lowercased()) { return nil }
            // What is no attribute here is passed over, as in a body that makes one.
            guard let place = try SCIMPlace.known(name, of: type) else { return nil }
            if case .attribute(let target, _) = place, target.attribute.mutability == .readOnly { return nil }
            return Operation(verb: verb, place: place, value: value == .null ? nil : value)
        }
    }

    /// The resource as it becomes. Throws `SCIMRefusal`.
    func applied(to resource: JSONObject) throws -> JSONObject {
        try operations.reduce(into: resource) { resource, operation in try operation.apply(to: &resource) }
    }
}

/// Where an operation does something.
enum SCIMPlace: Sendable {
    /// All of an extension.
    case schema(SCIMSchema)
    /// Of an attribute with many values those for which the filter holds.
    case attribute(SCIMPath.Target, SCIMFilter?)

    /// Throws `invalidPath` for what is none.
    init(_ text: String, of type: SCIMResourceType) throws {
        guard let place = try SCIMPlace.known(text, of: type) else {
            throw SCIMRefusal(.invalidPath, "\(text.prefix(120)) is no attribute of a \(type.name)")
        }
        self = place
    }

    /// `nil` for what is no attribute.
    static func known(_ text: String, of type: SCIMResourceType) throws -> SCIMPlace? {
        if let schema = type.extensions.first(where: { $0.id.lowercased() == text.lowercased() }) {
            return .schema(schema)
        }
        guard let open = text.firstIndex(of: "[") else {
            return SCIMPath(text)?.target(in: type).map { .attribute($0, nil) }
        }
        guard let close = text.lastIndex(of: "]"), open < close else {
            throw SCIMRefusal(.invalidPath, "a ] is missing in the path")
        }
        let rest = text[text.index(after: close)...],
            filter = try SCIMFilter(String(text[text.index(after: open)..<close]))
        guard rest.isEmpty || rest.hasPrefix("."), let path = SCIMPath(text[..<open] + rest) else {
            throw SCIMRefusal(.invalidPath, "behind ] stands the name of a part")
        }
        guard let target = path.target(in: type) else { return nil }
        guard target.attribute.isMultiValued else {
            throw SCIMRefusal(.invalidPath, "\(target.attribute.name) has one value: no filter finds another")
        }
        return .attribute(target, filter)
    }
}

extension JSONValue {
    /// By its name in any case (RFC 7643, 2.1).
    func member(_ name: String) -> JSONValue? {
        if let value = self[name] { return value }
        let name = name.lowercased()
        return object?.first { $0.name.lowercased() == name }?.value
    }
}
