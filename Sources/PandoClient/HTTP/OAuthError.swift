/// An error of OAuth (RFC 6749, 5.2): as a server answered it, or as a service answers it.
public struct OAuthError: Error, Sendable, CustomStringConvertible {
    /// The word of `error`.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        public static let invalidRequest = Code(rawValue: "invalid_request")
        public static let invalidClient = Code(rawValue: "invalid_client")
        public static let invalidGrant = Code(rawValue: "invalid_grant")
        public static let invalidScope = Code(rawValue: "invalid_scope")
        public static let invalidTarget = Code(rawValue: "invalid_target")
        public static let invalidToken = Code(rawValue: "invalid_token")
        public static let invalidProof = Code(rawValue: "invalid_dpop_proof")
        public static let useNonce = Code(rawValue: "use_dpop_nonce")
        public static let insufficientScope = Code(rawValue: "insufficient_scope")
        public static let insufficientAuthorization = Code(rawValue: "insufficient_authorization")
        public static let authorizationPending = Code(rawValue: "authorization_pending")
        public static let slowDown = Code(rawValue: "slow_down")
        public static let accessDenied = Code(rawValue: "access_denied")
        public static let unsupportedGrantType = Code(rawValue: "unsupported_grant_type")
        public static let temporarilyUnavailable = Code(rawValue: "temporarily_unavailable")
    }

    public let status: Int
    /// `nil` where the answer named none: it came from a proxy, or from no such server.
    public let code: Code?
    /// `error_description`, written for who makes the app.
    public let detail: String?
    /// Seconds of `Retry-After`.
    public let retryAfter: Int?
    /// All members of the answer, e.g. `auth_session`.
    public let members: [String: JSON]

    public init(_ status: Int, _ code: Code?, _ detail: String? = nil, retryAfter: Int? = nil) {
        (self.status, self.code, self.detail, self.retryAfter, members) = (status, code, detail, retryAfter, [:])
    }

    /// Of an answer that is none of 2xx.
    public init(_ response: Transport.Response) {
        let json = (try? JSON(bytes: response.body))?.object ?? [:]
        (status, members) = (response.status, json)
        (code, detail) = (json["error"]?.string.map(Code.init), json["error_description"]?.string)
        retryAfter = response.header("Retry-After").flatMap { Int($0) }
    }

    public var description: String {
        [String(status), code?.rawValue, detail].compactMap(\.self).joined(separator: " ")
    }

    /// What a service answers (RFC 6749, 5.2; RFC 6750, 3; RFC 9449, 7.1).
    public var response: Transport.Response {
        var body: [String: JSON] = ["error": .string(code?.rawValue ?? "server_error")]
        if let detail { body["error_description"] = .string(detail) }
        var headers: [Transport.Header] = [("Content-Type", "application/json"), ("Cache-Control", "no-store")]
        if status == 401 {
            let word = code?.rawValue ?? "invalid_token"
            headers.append(("WWW-Authenticate", #"DPoP error="\#(word)", algs="ES256 EdDSA""#))
        }
        if let retryAfter { headers.append(("Retry-After", String(retryAfter))) }
        return Transport.Response(status: status, headers: headers, body: (try? JSON.object(body).bytes()) ?? [])
    }
}

/// An answer of 2xx that is not what it should be.
public struct UnexpectedAnswer: Error, Sendable, CustomStringConvertible {
    public let description: String
}

extension Transport.Response {
    /// The JSON of a good answer. Throws `OAuthError` for others.
    public func json() throws -> JSON {
        guard isGood else { throw OAuthError(self) }
        guard let json = try? JSON(bytes: body) else { throw UnexpectedAnswer(description: "the answer is not JSON") }
        return json
    }
}

extension JSON {
    /// A member that a good answer has.
    func text(_ member: String) throws -> String {
        guard let text = self[member]?.string else {
            throw UnexpectedAnswer(description: "the answer has no \(member)")
        }
        return text
    }
}
