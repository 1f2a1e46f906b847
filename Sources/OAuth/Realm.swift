import Base
import Foundation
import Keys
import Registration
import TokenTree
import Vocabulary

/// Who issues: the IdP, or one service. The same code is both.
public struct Realm: Sendable {
    /// `idp`, or the service's id.
    public let id: String
    /// ISS, or the service's BASE: `iss` and default `aud` of what it issues.
    public let base: String
    public let tokenEndpoint: String

    public init(id: String, base: String) {
        (self.id, self.base, tokenEndpoint) = (id, base, base + "/token")
    }

    public var isIdentityProvider: Bool { id == "idp" }
}

/// Configured lives, in seconds (decisions.md, Federation 6).
public struct Lifetimes: Sendable {
    public var instanceToken: TimeInterval = 365 * 86_400
    public var personalAccessToken: TimeInterval = 30 * 86_400
    public var assertion: TimeInterval = 300
    public var serviceToken: TimeInterval = 86_400
    public var appToken: TimeInterval = 3_600
    public var accessToken: TimeInterval = 3_600
    public var code: TimeInterval = 60
    /// Seconds without use after which a web client's refresh token ends.
    public var webIdle: TimeInterval = 30 * 86_400

    public init() {}

    public func of(_ kind: TokenKind) -> TimeInterval {
        switch kind {
        case .instanceToken: instanceToken
        case .personalAccessToken: personalAccessToken
        case .assertion: assertion
        case .serviceToken: serviceToken
        case .appToken: appToken
        case .accessToken: accessToken
        case .code: code
        }
    }
}

/// Turns a row of the tree into the JWT that stands for it (RFC 9068; RFC 7800 for `cnf`).
public struct AccessTokenWriter: Sendable {
    let realm: Realm
    let keys: SigningKeys

    public init(realm: Realm, keys: SigningKeys) { (self.realm, self.keys) = (realm, keys) }

    public func write(_ row: TokenRow) async throws -> String {
        let body = row.body
        var claims: JSONObject = [
            "iss": .string(realm.base), "aud": .string(body.detail["aud"]?.string ?? realm.base),
            "sub": .string(body.detail["sub"]?.string ?? body.account?.uuidString.lowercased() ?? body.client ?? row.id.description),
            "client_id": JSONValue(body.bundle ?? body.client), "jti": .string(row.id.description),
            "iat": .integer(row.issuedAt.numericDate), "exp": .integer(row.expiresAt.numericDate),
        ]
        if let scope = body.scope, !scope.isEmpty { claims["scope"] = .string(scope) }
        // RFC 9068, 2.2.1; what a step-up looks at (RFC 9470, 6.1).
        for name in ["auth_time", "acr", "amr"] { claims[name] = body.detail[name] }
        var confirmation: JSONObject = [:]
        if let jkt = body.jkt, let jwk = body.detail["jwk"] { confirmation = ["jwk": jwk, "jkt": .string(jkt)] }
        confirmation[CertificateBinding.member] = body.detail[CertificateBinding.member]
        if !confirmation.isEmpty { claims["cnf"] = .object(confirmation) }
        return try await keys.sign(type: JWTType.accessToken.rawValue, claims: claims)
    }

    /// RFC 6749, 5.1. `clientID` is told where the answer makes a client.
    public func respond(_ issued: IssuedToken, clientID: String? = nil) async throws -> TokenResponse {
        let row = issued.row
        return TokenResponse(accessToken: try await write(row), kind: row.body.jkt == nil ? .bearer : .dpop,
                             expiresIn: issued.expiresIn, refreshToken: issued.refreshToken,
                             scope: row.body.scope, clientID: clientID)
    }
}
