import Accounts

extension InstitutionStore.Refused: AdminRefusal {
    public var failure: AdminFailure {
        switch self {
        case .taken(let id): AdminFailure(.conflict, "there is an institution \(id) already")
        case .badID(let id):
            AdminFailure(.invalid, "\(id.prefix(80)): lower-case letters, digits, dots and hyphens only, at most 64")
        case .badName: AdminFailure(.invalid, "an institution's name has 1 to 200 characters")
        case .badDomain(let domain): AdminFailure(.invalid, "\(domain.prefix(80)) is no host name")
        case .unknown(let id): AdminFailure.noInstitution(id)
        case .inUse(let id, let counts):
            AdminFailure(
                .conflict,
                """
                to \(id) belong people: \(counts.people), services: \(counts.services), apps: \(counts.apps), \
                clients: \(counts.clients)
                """, hint: "--institution '' takes them away, `accounts delete` and its like end them")
        case .needed(let id):
            AdminFailure(
                .conflict, "people log in at \(id)'s own identity provider, or another thing of its own is here",
                hint: "`providers list` names it; remove it first")
        }
    }
}

extension AdminFailure {
    public static func noInstitution(_ id: String) -> AdminFailure {
        AdminFailure(.notFound, "there is no institution \(id)")
    }

    public static func noRole(_ claim: String, of account: String) -> AdminFailure {
        AdminFailure(.notFound, "\(account) is no \(claim)")
    }
}
