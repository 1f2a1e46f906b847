import Accounts
import Base
import Foundation

/// What somebody else's directory says of a person, as members of an account. What is scoped to a domain counts where
/// the domain is the institution's own: nobody speaks for another.
struct PersonClaims: Sendable, Equatable {
    /// Members of an account beside `PersonAttribute`.
    enum Member: String, Sendable, CaseIterable {
        case username, email, name
        case givenName = "given_name"
        case familyName = "family_name"

        /// What it is called in OpenID Connect Core, 5.1.
        var claim: String { self == .username ? "preferred_username" : rawValue }
    }

    private(set) var username: String?
    /// Only where the provider has seen that the person reads there, and the domain is the institution's.
    private(set) var email: String?
    private(set) var texts: [Member: String] = [:]
    private(set) var attributes = PersonAttributes()

    /// Members that claims may be mapped to.
    static let members = Member.allCases.map(\.rawValue) + PersonAttribute.allCases.map(\.rawValue)

    /// `names` are claims by the member that they become, where those have other names than the usual.
    init(
        _ claims: JSONObject, names: [String: String], isVerified: Bool, owns: (Substring) -> Bool
    ) {
        func claim(_ member: String, _ usual: String) -> JSONValue? { claims[names[member] ?? usual] }
        for member in Member.allCases {
            guard let text = claim(member.rawValue, member.claim)?.string, let fit = PersonClaims.fit(text) else {
                continue
            }
            switch member {
            case .username: username = fit
            case .email:
                if isVerified, let domain = PersonClaims.scope(fit), owns(domain) { email = fit }
            case .name, .givenName, .familyName: texts[member] = fit
            }
        }
        for attribute in PersonAttribute.allCases {
            let value = claim(attribute.rawValue, attribute.rawValue)
            let values = value?.strings ?? [value?.string].compactMap(\.self)
            for text in values where PersonClaims.isOwn(text, attribute, owns) {
                // What is no such value is passed over: the rest is as good as before.
                try? attributes.add(text, to: attribute)
            }
        }
    }

    /// `eduperson_principal_name`, which is the institution's own where it is there.
    var principalName: String? { attributes.values[.principalName]?.first }

    private static func isOwn(_ text: String, _ attribute: PersonAttribute, _ owns: (Substring) -> Bool) -> Bool {
        switch attribute {
        case .principalName, .uniqueID, .scopedAffiliation, .groups: scope(text).map(owns) ?? false
        case .homeOrganization: owns(text[...])
        case .affiliation, .primaryAffiliation, .entitlement, .assurance, .orcid, .homeOrganizationType,
            .personalUniqueCode:
            true
        }
    }

    /// What stands behind the one `@`.
    private static func scope(_ text: String) -> Substring? {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && !parts[0].isEmpty ? parts[1] : nil
    }

    /// In its line, and of a bearable length.
    private static func fit(_ text: String) -> String? {
        let isLine = !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
        return isLine && (1...254).contains(text.utf8.count) ? text : nil
    }

    // MARK: What was said last

    /// As a link keeps it, so that the next login knows what of the account is this provider's.
    var told: JSONObject {
        var told = JSONObject(
            texts.sorted { $0.key.rawValue < $1.key.rawValue }.map { ($0.key.rawValue, .string($0.value)) })
        for member in attributes.json { told[member.name] = member.value }
        return told
    }

    /// What changes at an account by what is said now. A member that says something else than this provider said last
    /// is an operator's or another provider's, and stays.
    func change(of account: Account, toldBefore: JSONObject) -> AccountChange {
        var change = AccountChange()
        func text(_ member: Member, now: String?) -> String? {
            guard let new = texts[member], new != now else { return nil }
            return now == nil || now == toldBefore[member.rawValue]?.string ? new : nil
        }
        change.name = text(.name, now: account.name)
        change.givenName = text(.givenName, now: account.givenName)
        change.familyName = text(.familyName, now: account.familyName)
        var wanted = account.attributes
        for attribute in PersonAttribute.allCases {
            let now = account.attributes.values[attribute] ?? [], new = attributes.values[attribute] ?? []
            let before = toldBefore[attribute.rawValue]?.strings ?? []
            guard new != now, now.isEmpty || now == before else { continue }
            wanted.clear(attribute)
            for value in new { try? wanted.add(value, to: attribute) }
        }
        if wanted != account.attributes { change.attributes = wanted }
        return change
    }
}

extension AccountChange {
    var isNothing: Bool {
        email == nil && name == nil && givenName == nil && familyName == nil && requiredFactor == nil
            && attributes == nil
    }
}
