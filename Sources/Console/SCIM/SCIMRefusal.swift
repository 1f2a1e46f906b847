import Accounts
import Base
import OAuth
import Vocabulary

/// A refusal as SCIM spells it (RFC 7644, 3.12).
struct SCIMRefusal: Error, Sendable, Equatable {
    enum Kind: String, Sendable {
        case invalidFilter, uniqueness, mutability, invalidSyntax, invalidPath, noTarget, invalidValue
    }

    static let schema = "urn:ietf:params:scim:api:messages:2.0:Error"

    let status: Int
    let kind: Kind?
    let detail: String

    init(_ kind: Kind, _ detail: String) {
        (status, self.kind, self.detail) = (kind == .uniqueness ? 409 : 400, kind, detail)
    }

    init(status: Int, _ detail: String) { (self.status, kind, self.detail) = (status, nil, detail) }

    static let notFound = SCIMRefusal(
        status: 404, "there is nothing of that name, or nothing that concerns this client")
    static let stale = SCIMRefusal(status: 412, "it has changed since it was read: read it again")

    var json: JSONObject {
        var members: JSONObject = [
            "schemas": [.string(SCIMRefusal.schema)], "status": .string(String(status)), "detail": .string(detail),
        ]
        if let kind { members["scimType"] = .string(kind.rawValue) }
        return members
    }

    /// `nil` for what is no matter of SCIM's.
    init?(_ error: any Error) {
        switch error {
        case let refusal as SCIMRefusal: self = refusal
        case let refusal as DirectoryAccounts.Refused: self.init(refusal)
        case let refusal as DirectoryInstitutions.Refused: self.init(refusal)
        case let refusal as PersonAttribute.Refused: self.init(.invalidValue, refusal.description)
        default: return nil
        }
    }

    private init(_ refusal: DirectoryAccounts.Refused) {
        switch refusal {
        case .notFound: self = .notFound
        case .stale: self = .stale
        case .taken(let taken): self.init(taken)
        case .unacceptable(let objection):
            self.init(.invalidValue, "\(SCIMUser.attribute(of: objection.member)): \(objection.reason)")
        case .password(let refusal): self.init(.invalidValue, "password: \(SCIMRefusal.words(refusal))")
        case .busy: self.init(status: 503, "too many passwords are being set; try again in a moment")
        case .foreign(let attribute, let domain):
            self.init(status: 403, "\(attribute.rawValue): \(domain) is no domain of the institution")
        case .administrator:
            self.init(
                status: 403,
                """
                this person administers more than your institution: their user name, address and password are changed \
                by themselves or by the federation, which also lets them in again
                """)
        }
    }

    private init(_ refusal: DirectoryInstitutions.Refused) {
        switch refusal {
        case .notFound: self = .notFound
        case .stale: self = .stale
        case .noPerson(let id): self.init(.invalidValue, "members: there is no user \(id)")
        case .taken(let taken): self.init(taken)
        case .institution(.taken): self.init(.uniqueness, "another group has this externalId")
        case .institution(.inUse):
            self.init(status: 409, "people, services, apps, clients or roles belong to it: move them first")
        case .institution(.unacceptable(let objection)):
            let name = objection.member == "name" ? "displayName" : "externalId"
            self.init(.invalidValue, "\(name): \(objection.reason)")
        }
    }

    private init(_ taken: DirectoryStore.Taken) {
        switch taken {
        case .username: self.init(.uniqueness, "there is a user of this userName already")
        case .externalID: self.init(.uniqueness, "there is a user of this externalId already")
        }
    }

    private static func words(_ refusal: PasswordRule.Refusal) -> String {
        switch refusal {
        case .short(let minimum): "it has at least \(minimum) characters"
        case .long: "it is too long"
        case .common: "it is among those that are tried first"
        case .ofName: "too little of it is left without the person's names"
        }
    }
}
