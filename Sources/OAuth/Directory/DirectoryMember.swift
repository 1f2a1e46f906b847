import Accounts
import Base

/// A column of a file of people, by the name that it has in JSON.
public enum DirectoryMember: Hashable, Sendable {
    case username, email, name, givenName, familyName, externalID, institution, status
    case attribute(PersonAttribute)

    public static let all: [DirectoryMember] =
        [.username, .email, .name, .givenName, .familyName, .externalID, .institution, .status]
        + PersonAttribute.allCases.map(DirectoryMember.attribute)

    public var word: String {
        switch self {
        case .username: "username"
        case .email: "email"
        case .name: "name"
        case .givenName: "given_name"
        case .familyName: "family_name"
        case .externalID: "external_id"
        case .institution: "institution"
        case .status: "status"
        case .attribute(let attribute): attribute.rawValue
        }
    }

    /// In any case, with blanks or hyphens for underscores.
    public init?(_ text: String) {
        let word = text.lowercased().replacing(" ", with: "_").replacing("-", with: "_")
        guard let known = DirectoryMember.all.first(where: { $0.word == word }) else { return nil }
        self = known
    }

    /// Several values of an attribute stand in one field, with this between.
    static let between: Character = ";"

    /// As a field has it.
    public func text(of person: DirectoryPerson) -> String {
        let account = person.account
        return switch self {
        case .username: account.username
        case .email: account.email ?? ""
        case .name: account.name ?? ""
        case .givenName: account.givenName ?? ""
        case .familyName: account.familyName ?? ""
        case .externalID: person.externalID ?? ""
        case .institution: person.institution ?? ""
        case .status: account.status.rawValue
        case .attribute(let attribute):
            (account.attributes.values[attribute] ?? []).joined(separator: String(DirectoryMember.between))
        }
    }
}

/// What a line of a file says of a person: what has no column is left as it is, what is empty is nobody's.
public struct DirectoryLine: Sendable {
    /// In the file.
    public let number: Int
    public let values: [DirectoryMember: String]

    public init(number: Int, values: [DirectoryMember: String]) { (self.number, self.values) = (number, values) }

    public var username: String { values[.username] ?? "" }
    public var externalID: String? { values[.externalID].flatMap { $0.isEmpty ? nil : $0 } }

    /// Throws `DirectoryRecord.Objection`.
    func applied(to known: DirectoryRecord) throws -> DirectoryRecord {
        var record = known
        for (member, text) in values {
            let value = text.isEmpty ? nil : text
            switch member {
            case .username: if let value { record.username = value }
            case .email: record.email = value
            case .name: record.name = value
            case .givenName: record.givenName = value
            case .familyName: record.familyName = value
            case .externalID: record.externalID = value
            case .institution: break
            case .status:
                guard let value else { break }
                guard let status = Account.Status(rawValue: value.lowercased()) else {
                    throw DirectoryRecord.Objection(member: member.word, reason: "it is active or suspended")
                }
                record.isActive = status == .active
            case .attribute(let attribute):
                record.attributes.clear(attribute)
                for item in text.split(separator: DirectoryMember.between) {
                    let item = item.drop { $0 == " " }
                    do { try record.attributes.add(String(item), to: attribute) } catch let refusal
                        as PersonAttribute.Refused
                    {
                        throw DirectoryRecord.Objection(member: member.word, reason: refusal.description)
                    }
                }
            }
        }
        return record
    }
}
