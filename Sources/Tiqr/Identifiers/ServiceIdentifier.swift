import Base
import Database
import Foundation

/// POST /identifiers, and `tiqr identifiers add`, as the caller asks. What is `nil` is as the settings say.
public struct IdentifierDraft: Sendable {
    public let identifier: String
    public let displayName: String
    public let suite: String
    var traits = IdentifierTraits()
    var logo: IdentifierLogo?

    public init(identifier: String, displayName: String, suite: String) {
        (self.identifier, self.displayName, self.suite) = (identifier, displayName, suite)
    }
}

/// What may change while phones know an identifier: how its app is opened, and where people read on.
struct IdentifierTraits: Sendable, Equatable {
    var infoURL: String?
    var enrollScheme: String?
    var authScheme: String?
    /// See `AppLinks`.
    var linkBase: String?
    /// What people call the app, where they may choose it at the account page.
    var app: String?

    var links: AppLinks { AppLinks(enrollScheme: enrollScheme, authScheme: authScheme, base: linkBase) }

    func check() throws(TiqrRefusal) {
        try links.check()
        if let app { try ShownText.check(app, "app", limit: 40) }
        if let infoURL {
            guard infoURL.hasPrefix("https://") || infoURL.hasPrefix("http://"), WebAddress(infoURL) != nil else {
                throw .invalidRequest("info_url is an http or https URL")
            }
        }
    }
}

/// A service identifier: what the phone knows this server by, the suite that it computes with, and its app.
public struct ServiceIdentifier: Sendable, Equatable {
    public let identifier: String
    public let displayName: String
    public let suite: String
    /// Taken where an enrollment or a login names none.
    public let isDefault: Bool
    /// A phone may know it, so its name and logo stay.
    public let isUsed: Bool
    /// Its phones go on, and no more enroll.
    public let isRetired: Bool
    /// Its own, if it has one.
    let logoURL: String?
    let traits: IdentifierTraits

    var app: AppLinks { traits.links }
    var infoURL: String? { traits.infoURL }

    public var json: JSONValue {
        var members: JSONObject = [
            "identifier": .string(identifier), "display_name": .string(displayName), "suite": .string(suite),
            "default": .bool(isDefault), "used": .bool(isUsed), "retired": .bool(isRetired),
        ]
        let more = [
            ("logo_url", logoURL), ("info_url", infoURL), ("enroll_scheme", traits.enrollScheme),
            ("auth_scheme", traits.authScheme), ("link_base", traits.linkBase), ("app", traits.app),
        ]
        for (name, value) in more { if let value { members[name] = .string(value) } }
        return .object(members)
    }

    init(_ row: Row, settings: TiqrSettings) throws(DatabaseError) {
        (identifier, displayName, suite) = (try row("identifier"), try row("display_name"), try row("suite"))
        (isDefault, isUsed, isRetired) = (try row("is_default"), try row("is_used"), try row("is_retired"))
        let hasLogo: Bool = try row("has_logo")
        logoURL = hasLogo ? settings.logoURL(of: identifier) : nil
        traits = IdentifierTraits(
            infoURL: try row("info_url"), enrollScheme: try row("enroll_scheme"), authScheme: try row("auth_scheme"),
            linkBase: try row("link_base"), app: try row("app"))
    }
}
