import Base

/// What an institution says of its people, by the names that claims have (eduPerson 202208; SCHAC 1.6.0; REFEDS,
/// "Mapping SAML attributes to OIDC claims": snake case, arrays where there may be several), and `groups`. An operator
/// writes them; whom they are told is a matter of release.
public enum PersonAttribute: String, Sendable, CaseIterable {
    case principalName = "eduperson_principal_name"
    case uniqueID = "eduperson_unique_id"
    case affiliation = "eduperson_affiliation"
    case primaryAffiliation = "eduperson_primary_affiliation"
    case scopedAffiliation = "eduperson_scoped_affiliation"
    case entitlement = "eduperson_entitlement"
    case assurance = "eduperson_assurance"
    case orcid = "eduperson_orcid"
    case homeOrganization = "schac_home_organization"
    case homeOrganizationType = "schac_home_organization_type"
    case personalUniqueCode = "schac_personal_unique_code"
    /// Each `NAME@DOMAIN` of the institution whose group it is, as groups of two institutions may have one name.
    case groups

    /// What may not be said so.
    public struct Refused: Error, Sendable, CustomStringConvertible {
        public let description: String
    }

    /// Values of one attribute, and bytes of one value: they travel in tokens.
    static let mostValues = 64, longestValue = 256

    public var hasOneValue: Bool {
        switch self {
        case .principalName, .uniqueID, .primaryAffiliation, .homeOrganization, .homeOrganizationType: true
        case .affiliation, .scopedAffiliation, .entitlement, .assurance, .orcid, .personalUniqueCode, .groups: false
        }
    }

    /// Those that it may have, where they are few.
    public var words: [String] {
        [.affiliation, .primaryAffiliation].contains(self) ? PersonAttribute.affiliations : []
    }

    /// As a claim has it.
    func claim(_ values: [String]) -> JSONValue? {
        guard let first = values.first else { return nil }
        return hasOneValue ? .string(first) : JSONValue(strings: values)
    }

    /// Throws `Refused`.
    public func check(_ values: [String]) throws {
        guard values.count <= (hasOneValue ? 1 : PersonAttribute.mostValues) else {
            throw Refused(
                description: hasOneValue
                    ? "\(rawValue) has one value" : "\(rawValue) has at most \(PersonAttribute.mostValues) values")
        }
        guard let bad = values.first(where: { !isFit($0) }) else { return }
        throw Refused(description: "\(rawValue) is \(shape), not \(bad.prefix(80))")
    }

    private func isFit(_ value: String) -> Bool {
        guard (1...PersonAttribute.longestValue).contains(value.utf8.count),
            value.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return false }
        return switch self {
        case .principalName, .uniqueID, .groups: PersonAttribute.scoped(value) != nil
        case .affiliation, .primaryAffiliation: PersonAttribute.affiliations.contains(value)
        case .scopedAffiliation:
            PersonAttribute.scoped(value).map { PersonAttribute.affiliations.contains($0) } ?? false
        case .entitlement, .assurance: value.wholeMatch(of: #/[A-Za-z][A-Za-z0-9+.\-]*:.+/#) != nil
        case .orcid: value.wholeMatch(of: #/https?://orcid\.org/(\d{4}-){3}\d{3}[\dX]/#) != nil
        case .homeOrganization: PersonAttribute.isDomain(value)
        case .homeOrganizationType, .personalUniqueCode: value.hasPrefix("urn:") && value.utf8.count > 8
        }
    }

    /// What a value looks like, in words.
    public var shape: String {
        switch self {
        case .principalName, .uniqueID, .groups: "NAME@DOMAIN"
        case .affiliation, .primaryAffiliation: "one of \(PersonAttribute.affiliations.joined(separator: ", "))"
        case .scopedAffiliation:
            "AFFILIATION@DOMAIN, with one of \(PersonAttribute.affiliations.joined(separator: ", "))"
        case .entitlement, .assurance: "a URI"
        case .orcid: "https://orcid.org/ and the number"
        case .homeOrganization: "a domain"
        case .homeOrganizationType, .personalUniqueCode: "a URN, urn:schac:…"
        }
    }

    /// eduPerson, 2.2.1.
    private static let affiliations = [
        "faculty", "student", "staff", "alum", "member", "affiliate", "employee", "library-walk-in",
    ]

    /// The domain that a value speaks for; `nil` where it speaks for none.
    public func domain(of value: String) -> String? {
        switch self {
        case .principalName, .uniqueID, .scopedAffiliation, .groups: value.split(separator: "@").last.map(String.init)
        case .homeOrganization: value
        case .affiliation, .primaryAffiliation, .entitlement, .assurance, .orcid, .homeOrganizationType,
            .personalUniqueCode:
            nil
        }
    }

    /// What stands before the domain.
    private static func scoped(_ value: String) -> String? {
        let parts = value.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, isDomain(String(parts[1])) else { return nil }
        return String(parts[0])
    }

    /// In small letters, as scopes are compared.
    static func isDomain(_ text: String) -> Bool {
        text.wholeMatch(of: #/([a-z0-9]([a-z0-9\-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9\-]{0,61}[a-z0-9])?/#) != nil
    }
}

/// What is said of one person.
public struct PersonAttributes: Sendable, Equatable {
    public private(set) var values: [PersonAttribute: [String]]

    public init() { values = [:] }

    /// As the row has it. What nobody knows any more is passed over.
    init(stored: JSONObject) {
        values = Dictionary(
            stored.compactMap { member in
                PersonAttribute(rawValue: member.name).flatMap { name in member.value.strings.map { (name, $0) } }
            }, uniquingKeysWith: { first, _ in first })
    }

    /// Each value once. Throws `PersonAttribute.Refused`.
    public mutating func add(_ value: String, to attribute: PersonAttribute) throws {
        let known = values[attribute] ?? []
        guard !known.contains(value) else { return }
        try attribute.check(known + [value])
        values[attribute] = known + [value]
    }

    public mutating func clear(_ attribute: PersonAttribute) { values[attribute] = nil }

    func claim(_ name: String) -> JSONValue? {
        guard let attribute = PersonAttribute(rawValue: name), let values = values[attribute] else { return nil }
        return attribute.claim(values)
    }

    public var json: JSONObject {
        JSONObject(
            PersonAttribute.allCases.compactMap { name in
                values[name].map { (name.rawValue, JSONValue(strings: $0)) }
            })
    }
}
