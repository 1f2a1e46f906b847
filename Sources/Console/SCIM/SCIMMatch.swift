import Base

/// Whether a filter holds of a value of an attribute, for PATCH (RFC 7644, 3.5.2).
extension SCIMFilter {
    /// `attribute`: whose value it is; its parts are named without it. A value that is no object is its own `value`.
    func holds(of value: JSONValue, _ attribute: SCIMAttribute) throws -> Bool {
        switch self {
        case .and(let one, let other): return try one.holds(of: value, attribute) && other.holds(of: value, attribute)
        case .or(let one, let other): return try one.holds(of: value, attribute) || other.holds(of: value, attribute)
        case .not(let inner): return try !inner.holds(of: value, attribute)
        case .value: throw SCIMFilterParser.refused("a filter of values has none within")
        case .present(let path): return try part(path, of: value, attribute).found != nil
        case .compare(let path, let comparison, let wanted):
            let (found, isExact) = try part(path, of: value, attribute)
            return try comparison.holds(found ?? .null, wanted, isExact: isExact)
        }
    }

    private func part(
        _ path: SCIMPath, of value: JSONValue, _ attribute: SCIMAttribute
    ) throws -> (found: JSONValue?, isExact: Bool) {
        guard path.schema == nil, path.part == nil else {
            throw SCIMFilterParser.refused("within [ ] a part is named alone")
        }
        if attribute.parts.isEmpty, path.attribute.lowercased() == "value" { return (value, attribute.isCaseExact) }
        guard let part = attribute.part(path.attribute) else {
            throw SCIMFilterParser.refused("\(attribute.name) has no \(path.attribute)")
        }
        return (value[part.name], part.isCaseExact)
    }
}

extension SCIMFilter.Comparison {
    /// What is not there is equal to null alone.
    func holds(_ found: JSONValue, _ wanted: JSONValue, isExact: Bool) throws -> Bool {
        if self == .ne { return try !SCIMFilter.Comparison.eq.holds(found, wanted, isExact: isExact) }
        guard case .string(let wantedText) = wanted else {
            guard self == .eq else { throw SCIMFilterParser.refused("\(rawValue) compares texts") }
            return found == wanted
        }
        guard case .string(let foundText) = found else { return false }
        let one = isExact ? foundText : foundText.lowercased(), other = isExact ? wantedText : wantedText.lowercased()
        switch self {
        case .eq, .ne: return one == other
        case .co: return other.isEmpty || one.contains(other)
        case .sw: return one.hasPrefix(other)
        case .ew: return one.hasSuffix(other)
        case .gt: return one > other
        case .ge: return one >= other
        case .lt: return one < other
        case .le: return one <= other
        }
    }
}
