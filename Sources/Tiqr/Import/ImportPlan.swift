import Base

/// How another server's phones become identities here.
public struct ImportPlan: Sendable {
    public enum Owner: Sendable, Equatable {
        /// People of this IdP: each row is the phone of an account.
        case identityProvider
        /// A relying service's.
        case client(String)

        public var name: String {
            switch self {
            case .identityProvider: "house"
            case .client(let id): "client:\(id)"
            }
        }
    }

    /// The service identifier that the phones know.
    public let identifier: String
    /// What phones call it, if it is not there yet.
    public let displayName: String
    /// The suite that the phones compute with; a wrong one makes every answer wrong.
    public let suite: String
    public let owner: Owner
    /// By userid: the account, as username or UUID, for the server; the external id for a client. Without it the userid
    /// is that.
    public let people: [String: String]?
    public let keys: StorageKeys
    /// The old server's setting, in minutes: its blocks have their beginning only. 0 where it knew none.
    public let temporaryBlock: Int
    /// Only these userids, where there are any.
    public let only: Set<String>

    public init(
        identifier: String, displayName: String, suite: String, owner: Owner, people: [String: String]? = nil,
        keys: StorageKeys = .none,
        temporaryBlock: Int = 0, only: Set<String> = []
    ) {
        (self.identifier, self.displayName, self.suite, self.owner) = (identifier, displayName, suite, owner)
        (self.people, self.keys, self.temporaryBlock, self.only) = (people, keys, temporaryBlock, only)
    }

    /// From a table with the columns `userid` and `person`.
    public static func people(_ table: ExportedTable) throws(ExportedTable.Malformed) -> [String: String] {
        try table.need("userid")
        try table.need("person")
        var people: [String: String] = [:]
        for line in table.lines {
            guard let userID = line["userid"], let person = line["person"],
                people.updateValue(person, forKey: userID) == nil
            else {
                throw ExportedTable.Malformed(
                    description: "line \(line.number) lacks userid or person, or has the userid of another")
            }
        }
        return people
    }
}
