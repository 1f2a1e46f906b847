import Base

/// An attribute as a client names it (RFC 7644, 3.10): `name.familyName`, or with the URN of its schema in front.
struct SCIMPath: Sendable, Equatable {
    /// `nil` where none is named.
    let schema: String?
    let attribute: String
    let part: String?

    init(schema: String? = nil, _ attribute: String, _ part: String? = nil) {
        (self.schema, self.attribute, self.part) = (schema, attribute, part)
    }

    /// `nil` for what is none.
    init?(_ text: some StringProtocol) {
        var name = Substring(text), schema: String?
        if name.lowercased().hasPrefix("urn:") {
            guard let colon = name.lastIndex(of: ":") else { return nil }
            (schema, name) = (String(name[..<colon]), name[name.index(after: colon)...])
        }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), parts.allSatisfy(SCIMPath.isName) else { return nil }
        self.init(schema: schema, String(parts[0]), parts.count > 1 ? String(parts[1]) : nil)
    }

    private static func isName(_ text: Substring) -> Bool {
        guard let first = text.unicodeScalars.first, first.isASCII, first.properties.isAlphabetic || first == "$" else {
            return false
        }
        return text.unicodeScalars.dropFirst().allSatisfy {
            $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0) || $0 == "-" || $0 == "_")
        }
    }

    /// What it means of a resource.
    struct Target: Sendable {
        /// `nil` for the core schema.
        let schema: SCIMSchema?
        let attribute: SCIMAttribute
        let part: SCIMAttribute?
    }

    /// `nil` where there is no such attribute.
    func target(in type: SCIMResourceType) -> Target? {
        if let schema, schema.lowercased() != type.schema.id.lowercased() {
            guard let named = type.extensions.first(where: { $0.id.lowercased() == schema.lowercased() }),
                let attribute = named.attributes.named(attribute), part == nil
            else { return nil }
            return Target(schema: named, attribute: attribute, part: nil)
        }
        guard let attribute = (type.schema.attributes + [SCIMResourceType.externalID]).named(attribute) else {
            return nil
        }
        guard let part else { return Target(schema: nil, attribute: attribute, part: nil) }
        return attribute.part(part).map { Target(schema: nil, attribute: attribute, part: $0) }
    }
}
