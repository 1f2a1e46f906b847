import Base

/// An attribute of a schema (RFC 7643, 7): from it follow what `/Schemas` tells, how a body is read, what PATCH takes.
struct SCIMAttribute: Sendable {
    enum Kind: String, Sendable { case string, boolean, complex, reference }
    enum Mutability: String, Sendable { case readOnly, readWrite, immutable, writeOnly }

    let name: String
    let kind: Kind
    let about: String
    var isMultiValued = false
    var isRequired = false
    var isCaseExact = false
    var mutability = Mutability.readWrite
    /// `default`, `never`.
    var returned = "default"
    var uniqueness = "none"
    var canonicalValues: [String] = []
    var referenceTypes: [String] = []
    var parts: [SCIMAttribute] = []
    /// Read where clients send it, and told to nobody.
    var isHidden = false

    init(
        _ name: String, _ kind: Kind = .string, _ about: String, _ more: (inout SCIMAttribute) -> Void = { _ in }
    ) {
        (self.name, self.kind, self.about) = (name, kind, about)
        more(&self)
    }

    func part(_ name: String) -> SCIMAttribute? { parts.named(name) }

    var json: JSONValue {
        var members: JSONObject = [
            "name": .string(name), "type": .string(kind.rawValue), "multiValued": .bool(isMultiValued),
            "description": .string(about), "required": .bool(isRequired), "mutability": .string(mutability.rawValue),
            "returned": .string(returned),
        ]
        if kind == .string || kind == .reference {
            members["caseExact"] = .bool(isCaseExact)
            members["uniqueness"] = .string(uniqueness)
        }
        if !canonicalValues.isEmpty { members["canonicalValues"] = JSONValue(strings: canonicalValues) }
        if !referenceTypes.isEmpty { members["referenceTypes"] = JSONValue(strings: referenceTypes) }
        if !parts.isEmpty { members["subAttributes"] = .array(parts.filter { !$0.isHidden }.map(\.json)) }
        return .object(members)
    }

    // MARK: Reading

    /// A value as it came, by this attribute: names in their right case, what has no meaning here left out. `nil` for
    /// what stands for nothing (RFC 7643, 2.5). Throws `SCIMRefusal` of type `invalidValue`.
    func read(_ value: JSONValue) throws -> JSONValue? {
        guard isMultiValued else { return try one(value) }
        // One value for a list of one is what some send.
        let items = try (value.array ?? [value]).compactMap { try one($0) }
        return items.isEmpty ? nil : .array(items)
    }

    func one(_ value: JSONValue) throws -> JSONValue? {
        switch (kind, value) {
        case (_, .null): return nil
        case (.string, .string), (.reference, .string): return value
        case (.boolean, .bool): return value
        // Entra ID sends them as text.
        case (.boolean, .string(let text)) where ["true", "false"].contains(text.lowercased()):
            return .bool(text.lowercased() == "true")
        case (.complex, .object(let members)):
            let read = try parts.read(members, ignoring: false)
            return read.isEmpty ? nil : .object(read)
        // As `members` and `emails` are sent by some: the value alone.
        case (.complex, .string) where isMultiValued && part("value") != nil: return ["value": value]
        default: throw SCIMRefusal(.invalidValue, "\(name) is \(kind == .complex ? "an object" : "a \(kind.rawValue)")")
        }
    }
}

extension [SCIMAttribute] {
    /// Names are compared in any case (RFC 7643, 2.1).
    func named(_ name: String) -> SCIMAttribute? {
        let name = name.lowercased()
        return first { $0.name.lowercased() == name }
    }

    /// Members by their attributes. What is read-only is passed over where `ignoring` (RFC 7644, 3.3), and unknown ones
    /// always.
    func read(_ members: JSONObject, ignoring: Bool) throws -> JSONObject {
        var read = JSONObject()
        for (name, value) in members {
            guard let attribute = named(name), !ignoring || attribute.mutability != .readOnly else { continue }
            if let value = try attribute.read(value) { read[attribute.name] = value }
        }
        return read
    }
}

/// A schema (RFC 7643, 7).
struct SCIMSchema: Sendable {
    let id: String
    let name: String
    let about: String
    let attributes: [SCIMAttribute]

    func json(base: String) -> JSONObject {
        [
            "schemas": ["urn:ietf:params:scim:schemas:core:2.0:Schema"], "id": .string(id), "name": .string(name),
            "description": .string(about),
            "attributes": .array(attributes.filter { !$0.isHidden }.map(\.json)),
            "meta": ["resourceType": "Schema", "location": .string("\(base)/Schemas/\(id)")],
        ]
    }
}
