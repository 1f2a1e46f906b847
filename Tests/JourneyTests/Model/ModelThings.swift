/// What the model knows of. Things are named by their place in the model's lists; `madeBy` is the number of the
/// operation that made one.
protocol Made {
    var madeBy: Int { get }
}

enum Person: String, CaseIterable, Sendable { case ada, bob }

enum Kind: String, CaseIterable, Sendable {
    case instance = "instance token"
    case pat = "PAT"
    case service = "service token"
    case app = "app token"

    /// decisions.md, Federation 6.
    var lifetime: Int {
        switch self {
        case .instance: 365 * 86_400
        case .pat: 30 * 86_400
        case .service: 86_400
        case .app: 3_600
        }
    }

    /// Issued by the service, which learns of cuts at the IdP by events only.
    var isOfService: Bool { self == .service || self == .app }
}

extension TreeModel {
    /// A device with a key; a key may be used on by a later registration.
    struct Handset: Hashable, Sendable { let device: Int, key: Int }

    struct Instance: Made {
        let madeBy: Int, handset: Handset, node: Int, family: Int
        var version: Int, versionNode: Int
        var owner: Person?
    }

    /// All rotations of one token.
    struct Family {
        let kind: Kind, instance: Int, node: Int
        /// The family that it hangs from.
        let parent: Int?
        var person: Person?
        var app: App?
        var sequence = 0
        var rotatedAt: Int?
        /// The access token that came last.
        var newest = 0
    }

    struct App: Hashable, Sendable { let bundle: Int, scopes: Int }

    struct Access: Made { let madeBy: Int, kind: Kind, family: Int, expires: Int }

    struct Refresh: Made { let madeBy: Int, kind: Kind, family: Int, sequence: Int }

    struct Code: Made {
        let madeBy: Int, instance: Int, person: Person, node: Int, expires: Int
        var isUsed = false
        /// Its row is gone: nobody knows any more what it gave.
        var isForgotten = false
        var pat: Int?
    }

    struct Assertion: Made {
        let madeBy: Int, pat: Int, node: Int, issued: Int
        /// The service has seen it.
        var isShown = false
    }

    /// What is no token and can be revoked: its open generation is a node.
    enum Virtual: Hashable, Sendable {
        case epoch, version(Int), key(Int), person(Person), service, bundle(Int)
    }
}

/// What must come back.
struct Prediction {
    enum Issue {
        case nothing
        /// Places in the lists of access and refresh tokens.
        case pair(access: Int, refresh: Int)
        case code(Int)
        case assertion(Int)
    }

    /// As `Reply.outcome` spells it.
    let outcome: String
    var issue = Issue.nothing

    static func refused(_ outcome: String) -> Prediction { Prediction(outcome: outcome) }
    static func issued(_ issue: Issue) -> Prediction { Prediction(outcome: "200", issue: issue) }
}

/// Wrong ideas of the tree, to see that they are found out.
enum Misbelief: String, CaseIterable, Sendable {
    case revokedVersionSparesPATs = "a revocation of a version does not reach PATs"
    case reuseEndsNothing = "a refresh token may be used twice"
    case servicesKnowAtOnce = "services know of a revocation before they are told"
    case upgradeMovesNothing = "an upgraded instance stays below its old version"
    case assertionsWorkTwice = "an assertion shown twice ends nothing"
    case earlierLoginLives = "a new login leaves the earlier one"
}
