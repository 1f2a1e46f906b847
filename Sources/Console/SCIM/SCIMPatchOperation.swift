import Base

/// What one operation does to a resource whose names are in their right case.
extension SCIMPatch.Operation {
    func apply(to resource: inout JSONObject) throws {
        switch place {
        case .schema(let schema):
            guard verb != .remove, let value else {
                resource[schema.id] = nil
                return
            }
            guard let members = value.object else { throw SCIMRefusal(.invalidValue, "\(schema.id) is an object") }
            let read = try schema.attributes.read(members, ignoring: true)
            var known = verb == .replace ? JSONObject() : resource[schema.id]?.object ?? [:]
            for (name, value) in read { known[name] = value }
            resource[schema.id] = known.isEmpty ? nil : .object(known)
        case .attribute(let target, let filter):
            try check(target)
            var container = target.schema.map { resource[$0.id]?.object ?? [:] } ?? resource
            let name = target.attribute.name
            container[name] = try changed(container[name], target, filter)
            guard let schema = target.schema else {
                resource = container
                return
            }
            resource[schema.id] = container.isEmpty ? nil : .object(container)
        }
    }

    private func check(_ target: SCIMPath.Target) throws {
        let attribute = target.attribute
        if attribute.mutability == .readOnly || target.part?.mutability == .readOnly {
            throw SCIMRefusal(.mutability, "\(attribute.name) is not to be changed")
        }
        if attribute.isRequired, verb == .remove || value == nil {
            throw SCIMRefusal(.mutability, "\(attribute.name) is required")
        }
    }

    private func changed(
        _ known: JSONValue?, _ target: SCIMPath.Target, _ filter: SCIMFilter?
    ) throws -> JSONValue? {
        let attribute = target.attribute
        guard attribute.isMultiValued else {
            guard let part = target.part else { return try one(known, attribute) }
            return try with(part, known ?? .object([:]))
        }
        let items = known?.array ?? []
        let result =
            if filter == nil, target.part == nil { try list(items, attribute) } else {
                try selected(items, target, filter)
            }
        return result.isEmpty ? nil : .array(result)
    }

    /// Of one value: parts that are not named stay.
    private func one(_ known: JSONValue?, _ attribute: SCIMAttribute) throws -> JSONValue? {
        guard verb != .remove, let value, let read = try attribute.one(value) else { return nil }
        guard var members = known?.object, let new = read.object else { return read }
        for (name, value) in new { members[name] = value }
        return .object(members)
    }

    /// One part of a value.
    private func with(_ part: SCIMAttribute, _ known: JSONValue) throws -> JSONValue? {
        var members = known.object ?? [:]
        members[part.name] = verb == .remove ? nil : try value.flatMap { try part.one($0) }
        return members.isEmpty ? nil : .object(members)
    }

    /// All values of an attribute.
    private func list(_ items: [JSONValue], _ attribute: SCIMAttribute) throws -> [JSONValue] {
        let given = try value.flatMap { try attribute.read($0) }?.array ?? []
        // Each is compared with each.
        guard items.count + given.count <= SCIMPatch.mostValues else {
            throw SCIMRefusal(.invalidValue, "\(attribute.name) has at most \(SCIMPatch.mostValues) values")
        }
        switch verb {
        case .replace: return given
        case .add: return items + given.filter { new in !items.contains { SCIMPatch.Operation.isSame($0, new) } }
        // Some name the values that go in place of a filter.
        case .remove:
            return given.isEmpty ? [] : items.filter { old in !given.contains { SCIMPatch.Operation.isSame(old, $0) } }
        }
    }

    private static func isSame(_ one: JSONValue, _ other: JSONValue) -> Bool {
        guard let value = one["value"] else { return one == other }
        return value == other["value"]
    }

    /// The values for which the filter holds, or a part of them.
    private func selected(
        _ items: [JSONValue], _ target: SCIMPath.Target, _ filter: SCIMFilter?
    ) throws -> [JSONValue] {
        let attribute = target.attribute
        let matched = try items.map { item in try filter?.holds(of: item, attribute) ?? true }
        guard matched.contains(true) else {
            // What is no filter of it is none of nothing either.
            _ = try filter?.holds(of: .object([:]), attribute)
            switch verb {
            case .remove: return items
            case .replace: throw SCIMRefusal(.noTarget, "no value of \(attribute.name) is meant by the filter")
            case .add: return items + [try made(target, filter)].compactMap { $0 }
            }
        }
        return try zip(items, matched).compactMap { item, isMeant in
            guard isMeant else { return item }
            if let part = target.part { return try with(part, item) }
            return try one(item, attribute)
        }
    }

    /// A value of which the filter holds, where it says what is to be equal.
    private func made(_ target: SCIMPath.Target, _ filter: SCIMFilter?) throws -> JSONValue? {
        var members = filter?.equalities ?? [:]
        if let part = target.part {
            members[part.name] = try value.flatMap { try part.one($0) }
        } else if let value, let read = try target.attribute.one(value) {
            guard let new = read.object else { return read }
            for (name, value) in new { members[name] = value }
        }
        return try target.attribute.one(.object(members))
    }
}

extension SCIMFilter {
    /// Parts and the values that they must have.
    fileprivate var equalities: JSONObject {
        switch self {
        case .compare(let path, .eq, let value): [path.attribute: value]
        case .and(let one, let other):
            JSONObject((one.equalities.members + other.equalities.members).map { ($0.name, $0.value) })
        default: [:]
        }
    }
}
