import Base
import Database
import Foundation

/// An institution's own identity provider, as this server is registered there.
struct UpstreamProvider: Sendable, Equatable {
    /// How this server shows who it is (OpenID Connect Core, 9).
    enum AuthMethod: String, Sendable, CaseIterable, SQLEncodable, SQLDecodable {
        case basic = "client_secret_basic"
        case post = "client_secret_post"
        case privateKeyJWT = "private_key_jwt"
    }

    /// By what a person is found whom nobody has linked yet.
    enum LinkRule: String, Sendable, CaseIterable, SQLEncodable, SQLDecodable {
        /// By nothing: they log in with their password once.
        case subject = "sub"
        case email, eppn
    }

    /// Names it in addresses, so a word.
    let id: String
    let issuer: String
    let institution: String
    /// As people read it.
    let name: String
    let clientID: String
    let authMethod: AuthMethod
    let sealedSecret: [UInt8]?
    let scope: String
    let linkBy: LinkRule
    let creates: Bool
    let asksUserInfo: Bool
    let claims: [String: String]
    let levels: [String: String]
    let isEnabled: Bool
    let createdAt: Date
    /// Of the institution: what is scoped to another is not believed.
    let domains: [String]

    static let columns: SQL = """
        p.id, p.issuer, p.institution, p.name, p.client_id, p.auth_method, p.sealed_secret, p.scope, p.link_by,
            p.creates, p.asks_userinfo, p.claims, p.levels, p.is_enabled, p.created_at, i.domains
        """
    static let source: SQL = "upstream_provider p join institution i on i.id = p.institution"

    init(_ row: Row) throws {
        (id, issuer, institution, name) = (
            try row("id"), try row("issuer"), try row("institution"), try row("name")
        )
        (clientID, authMethod, sealedSecret) = (
            try row("client_id"), try row("auth_method"), try row("sealed_secret")
        )
        (scope, linkBy, creates) = (try row("scope"), try row("link_by"), try row("creates"))
        (asksUserInfo, isEnabled, createdAt) = (
            try row("asks_userinfo"), try row("is_enabled"), try row("created_at")
        )
        let claims: JSONValue = try row("claims"), levels: JSONValue = try row("levels")
        (self.claims, self.levels) = (Self.texts(claims), Self.texts(levels))
        let domains: [String] = try row("domains")
        self.domains = domains.map { $0.lowercased() }
    }

    private static func texts(_ json: JSONValue) -> [String: String] {
        Dictionary(
            (json.object ?? [:]).compactMap { member in member.value.string.map { (member.name, $0) } },
            uniquingKeysWith: { first, _ in first })
    }

    /// Whether a domain is the institution's own.
    func owns(domain: some StringProtocol) -> Bool { domains.contains(domain.lowercased()) }

    /// Where the provider sends people back; it is registered there.
    func redirectURI(_ issuer: String) -> String { "\(issuer)/login/institution/\(id)/callback" }

    func json(_ root: String) -> JSONObject {
        [
            "id": .string(id), "issuer": .string(issuer), "institution": .string(institution), "name": .string(name),
            "client_id": .string(clientID), "auth_method": .string(authMethod.rawValue), "scope": .string(scope),
            "link_by": .string(linkBy.rawValue), "creates": .bool(creates), "asks_userinfo": .bool(asksUserInfo),
            "claims": JSONValue.texts(claims), "levels": JSONValue.texts(levels), "enabled": .bool(isEnabled),
            "redirect_uri": .string(redirectURI(root)),
            "backchannel_logout_uri": .string("\(root)/upstream/\(id)/backchannel-logout"),
            "created_at": .string(createdAt.rfc3339),
        ]
    }
}

extension JSONValue {
    static func texts(_ members: [String: String]) -> JSONValue {
        .object(JSONObject(members.sorted { $0.key < $1.key }.map { ($0.key, JSONValue.string($0.value)) }))
    }
}
