import Base

/// A successful answer of a token endpoint (RFC 6749, 5.1; RFC 8693, 2.2.1 for `issued_token_type`).
public struct TokenResponse: Sendable {
    public enum Kind: String, Sendable {
        case bearer = "Bearer"
        case dpop = "DPoP"
        /// RFC 8693, 2.2.1: what was issued is not an access token.
        case notApplicable = "N_A"
    }

    /// Does the `write` of a whole answer, and throws what that throws.
    public typealias Sending = @Sendable (_ write: () async throws -> Void) async throws -> Void

    public let accessToken: String
    public let kind: Kind
    public let expiresIn: Int
    public let refreshToken: String?
    public let scope: String?
    public let clientID: String?
    public let issuedTokenType: String?
    /// OpenID Connect Core, 3.1.3.3.
    public let idToken: String?
    /// Around the writing, where somebody has to know whether and when it left.
    public let sending: Sending?

    public init(
        accessToken: String, kind: Kind, expiresIn: Int, refreshToken: String? = nil, scope: String? = nil,
        clientID: String? = nil,
        issuedTokenType: String? = nil, idToken: String? = nil, sending: Sending? = nil
    ) {
        (self.accessToken, self.kind, self.expiresIn, self.refreshToken) = (accessToken, kind, expiresIn, refreshToken)
        (self.scope, self.clientID, self.issuedTokenType) = (scope, clientID, issuedTokenType)
        (self.idToken, self.sending) = (idToken, sending)
    }

    public func with(idToken: String? = nil, sending: Sending? = nil) -> TokenResponse {
        TokenResponse(
            accessToken: accessToken, kind: kind, expiresIn: expiresIn, refreshToken: refreshToken, scope: scope,
            clientID: clientID, issuedTokenType: issuedTokenType, idToken: idToken ?? self.idToken,
            sending: sending ?? self.sending)
    }

    public var json: JSONValue {
        var object: JSONObject = [
            "access_token": .string(accessToken), "token_type": .string(kind.rawValue),
            "expires_in": .integer(expiresIn),
        ]
        if let refreshToken { object["refresh_token"] = .string(refreshToken) }
        if let scope { object["scope"] = .string(scope) }
        if let clientID { object["client_id"] = .string(clientID) }
        if let idToken { object["id_token"] = .string(idToken) }
        if let issuedTokenType { object["issued_token_type"] = .string(issuedTokenType) }
        return .object(object)
    }
}
