import Base
import Database
import Foundation
import TokenTree
import Vocabulary

/// A client that is no app instance: a web application, a machine, or a federation service at the IdP (RFC 7591, 2).
public struct WebClient: Sendable {
    public enum AuthMethod: String, Sendable, CaseIterable, SQLEncodable, SQLDecodable {
        case basic = "client_secret_basic"
        case post = "client_secret_post"
        case privateKeyJWT = "private_key_jwt"
        /// RFC 8705, 2.1: a certificate by an authority, of a registered name.
        case tls = "tls_client_auth"
        /// RFC 8705, 2.2: a certificate of a registered key.
        case selfSignedTLS = "self_signed_tls_client_auth"
        /// A public client: PKCE and its name, nothing else.
        case none

        var hasSecret: Bool { self == .basic || self == .post }
    }

    public let id: String
    public let name: String
    public let authMethod: AuthMethod
    /// SHA-256 of the secret.
    let secret: [UInt8]?
    /// SHA-256 of the secret before, and until when it is taken beside that of now.
    let oldSecret: (hash: [UInt8], until: Date)?
    public let jwks: JSONValue?
    public let jwksURI: String?
    public let redirectURIs: [String]
    public let grantTypes: [String]
    public let scope: String
    public let metadata: ClientMetadata
    /// What the operator lets it know of a person (OpenID Connect Core, 5.1 names); `nil`: whatever its scopes name.
    public let claims: [String]?
    public let createdAt: Date
    /// To which it belongs, if to any.
    public let institution: String?
    /// What the operator says otherwise than the server: seconds.
    public let lifetimes: ClientLifetimes
    /// Keys before those of now, and until when they are taken beside them.
    let oldKeys: (jwks: JSONValue, until: Date)?
    /// Another with each change of the row.
    let version: String

    static let columns: SQL = """
        id, name, auth_method, secret, jwks, jwks_uri, redirect_uris, grant_types, scope, metadata, claims, created_at,
            institution, old_secret, old_secret_until, access_token_lifetime, refresh_lifetime, old_jwks,
            old_jwks_until,
            xmin::text as version
        """

    /// What was known of changes when it, and what else is known of who asks, was last seen to be so still; `nil` for
    /// nothing.
    public var asOf: Leases.Known?

    /// Holds while the row is the one that was read.
    public var isUnchanged: SQL {
        "exists (select from client c where c.id = \(id) and c.xmin::text = \(version))"
    }

    init(_ row: Row) throws(DatabaseError) {
        (id, name, authMethod, secret) = (try row("id"), try row("name"), try row("auth_method"), try row("secret"))
        (jwks, jwksURI, redirectURIs) = (try row("jwks"), try row("jwks_uri"), try row("redirect_uris"))
        (grantTypes, scope, createdAt) = (try row("grant_types"), try row("scope"), try row("created_at"))
        let stored: JSONValue = try row("metadata")
        (metadata, claims) = (ClientMetadata(stored: stored.object ?? [:]), try row("claims"))
        (version, institution) = (try row("version"), try row("institution"))
        let old: [UInt8]? = try row("old_secret"), until: Date? = try row("old_secret_until")
        oldSecret = if let old, let until { (old, until) } else { nil }
        lifetimes = ClientLifetimes(accessToken: try row("access_token_lifetime"), refresh: try row("refresh_lifetime"))
        let oldKeys: JSONValue? = try row("old_jwks"), keysUntil: Date? = try row("old_jwks_until")
        self.oldKeys = if let oldKeys, let keysUntil { (oldKeys, keysUntil) } else { nil }
    }

    /// The keys before those of now, as long as they are taken, too.
    func oldJWKS(at now: Date) -> JSONValue? {
        // Not `nil` behind a question mark, which would be JSON's null.
        guard let oldKeys, oldKeys.until > now else { return Optional.none }
        return oldKeys.jwks
    }

    /// Until when; `nil` where they are not.
    public func oldKeysUntil(at now: Date) -> Date? { oldKeys.flatMap { $0.until > now ? $0.until : nil } }

    /// Until when the secret before is taken, too; `nil` where it is not.
    public func oldSecretUntil(at now: Date) -> Date? {
        guard let oldSecret, oldSecret.until > now else { return nil }
        return oldSecret.until
    }

    public func hasChanged(since earlier: WebClient) -> Bool { version != earlier.version }

    /// Whether it may have this grant and, with `scope`, all of these.
    public func offers(_ grant: GrantType, scope: Scope? = nil) -> Bool {
        guard grantTypes.contains(grant.rawValue) else { return false }
        return scope?.isSubset(of: Scope(self.scope)?.names ?? []) ?? true
    }

    /// Whether it is one that the client registered (RFC 9700, 2.1).
    public func accepts(redirectURI presented: String) -> Bool { matches(presented, redirectURIs) }

    /// The same for where a browser goes after logout (OpenID Connect RP-Initiated Logout, 3).
    public func accepts(postLogoutRedirectURI presented: String) -> Bool {
        matches(presented, metadata.postLogoutRedirectURIs)
    }

    /// Checked again as if it were registered now: a rule that came later holds for old rows, too.
    private func matches(_ presented: String, _ registered: [String]) -> Bool {
        registered.contains {
            (try? RedirectURI(registering: $0, applicationType: metadata.applicationType))?.matches(presented) == true
        }
    }

    /// Whether a `nonce` may stand in for PKCE (RFC 9700, 2.1.1): the operator said so, and whoever redeems its codes
    /// authenticates.
    public var admitsNonceInstead: Bool { metadata.allowsNonceInstead && authMethod != .none }

    /// Names of the members that differ, for the audit trail: no values, which are the client's to choose.
    public func changes(to other: WebClient) -> [String] {
        let (old, new) = (json, other.json)
        let told = claims == other.claims ? [] : ["claims"]
        let lives = lifetimes.changes(to: other.lifetimes)
        return (Set(old.names + new.names).filter { old[$0] != new[$0] } + told + lives).sorted()
    }

    /// Client information (RFC 7591, 3.2.1). The secret itself is told once, by the caller that made it.
    public var json: JSONObject {
        var object: JSONObject = [
            "client_id": .string(id), "client_name": .string(name),
            "client_id_issued_at": .integer(createdAt.numericDate),
            "redirect_uris": JSONValue(strings: redirectURIs), "grant_types": JSONValue(strings: grantTypes),
            "response_types": grantTypes.contains(GrantType.authorizationCode.rawValue) ? ["code"] : [],
            "scope": .string(scope),
            "token_endpoint_auth_method": .string(authMethod.rawValue),
        ]
        if secret != nil { object["client_secret_expires_at"] = 0 }
        if let jwks { object["jwks"] = jwks }
        if let jwksURI { object["jwks_uri"] = .string(jwksURI) }
        for (name, value) in metadata.json where name != "sector" { object[name] = value }
        return object
    }
}
