import Base
import Database
import Foundation

/// All that a directory says of a person: what it leaves out is nobody's.
public struct DirectoryRecord: Sendable, Equatable {
    public var username: String
    public var email: String?
    public var name: String?
    public var givenName: String?
    public var familyName: String?
    /// The directory's own name of the person, of which there is one in an institution.
    public var externalID: String?
    public var isActive = true
    public var attributes = PersonAttributes()

    public init(username: String) { self.username = username }

    /// Says which member will not do, and why.
    public struct Objection: Error, Sendable, Equatable {
        /// As the database has it: `given_name`.
        public let member: String
        public let reason: String

        public init(member: String, reason: String) { (self.member, self.reason) = (member, reason) }
    }

    /// Bytes of a name or of what the directory calls the person.
    static let longest = 256

    /// What is as it was is not looked at: names of before stay good. Attributes are checked when they are added.
    public func check(beside known: DirectoryRecord? = nil) throws(Objection) {
        if !Optional(username).isSame(as: known?.username), let refusal = Username.objection(to: username) {
            throw Objection(
                member: "username",
                reason: refusal == .unstableUsername
                    ? "a username has none of the letters whose case or form is not the same everywhere"
                    : "a username has 1 to 64 characters, no blanks, and is not a UUID")
        }
        let isSameAddress = email.isSame(as: known?.email)
        if let email, !isSameAddress, !AccountStore.isAddress(email) || email.utf8.contains(0) {
            throw Objection(member: "email", reason: "that is no e-mail address")
        }
        for (member, text, before) in [
            ("name", name, known?.name), ("given_name", givenName, known?.givenName),
            ("family_name", familyName, known?.familyName), ("external_id", externalID, known?.externalID),
        ] {
            guard let text, !Optional(text).isSame(as: before) else { continue }
            guard (1...DirectoryRecord.longest).contains(text.utf8.count) else {
                throw Objection(member: member, reason: "it has 1 to \(DirectoryRecord.longest) bytes")
            }
            guard text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
                throw Objection(member: member, reason: "it has control characters")
            }
        }
    }
}

extension DirectoryRecord {
    /// Byte by byte, as the database has it: another spelling is a change.
    public static func == (one: DirectoryRecord, other: DirectoryRecord) -> Bool {
        one.username.isSame(as: other.username) && one.email.isSame(as: other.email)
            && one.name.isSame(as: other.name) && one.givenName.isSame(as: other.givenName)
            && one.familyName.isSame(as: other.familyName) && one.externalID.isSame(as: other.externalID)
            && one.isActive == other.isActive && one.attributes == other.attributes
    }
}

/// A person as a directory knows them: the account, where it belongs, and the directory's name for it.
public struct DirectoryPerson: Sendable {
    public let account: Account
    public let institution: String?
    public let externalID: String?
    /// Another one after each change of the row.
    public let version: String

    static let columns: SQL = "\(Account.columns), a.institution as directory_institution, a.external_id"

    init(_ row: Row) throws(DatabaseError) {
        (account, institution) = (try Account(row), try row("directory_institution"))
        (externalID, version) = (try row("external_id"), try row("account_version"))
    }

    public var id: UUID { account.id }
    /// Of the token tree, and of the audit trail.
    public var name: String { account.id.uuidString.lowercased() }

    public var record: DirectoryRecord {
        var record = DirectoryRecord(username: account.username)
        (record.email, record.name, record.externalID) = (account.email, account.name, externalID)
        (record.givenName, record.familyName) = (account.givenName, account.familyName)
        (record.isActive, record.attributes) = (account.status == .active, account.attributes)
        return record
    }
}

/// Whose people a directory sees and makes.
public enum DirectoryScope: Sendable, Equatable {
    case federation
    case institution(String)

    public var institution: String? {
        if case .institution(let id) = self { id } else { nil }
    }
}
