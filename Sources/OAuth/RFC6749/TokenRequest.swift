import Base
import Vocabulary

/// A request to a token endpoint: one case per grant, each with what that grant needs and nothing else.
public enum TokenRequest: Sendable {
    /// RFC 6749, 4.4. An instance registers by `assertion`; a machine names what it wants.
    case clientCredentials(assertion: String?, scope: String?, resource: String?)
    /// RFC 6749, 4.1.3; RFC 7636, 4.5.
    case authorizationCode(code: String, verifier: String?, redirectURI: String?, clientID: String?, resource: String?, scope: String?)
    /// RFC 6749, 6.
    case refreshToken(token: String, clientID: String?, scope: String?, resource: String?)
    /// RFC 8628, 3.4.
    case deviceCode(code: String)
    /// RFC 7523, 2.1.
    case jwtBearer(assertion: String)
    /// RFC 8693, 2.1.
    case tokenExchange(subjectToken: String, subjectType: String, target: String, requestedType: String?)

    public init(_ grant: GrantType, _ parameters: OAuthParameters) throws(OAuthError) {
        switch grant {
        case .clientCredentials:
            self = .clientCredentials(assertion: try parameters["client_assertion"], scope: try parameters["scope"], resource: try parameters["resource"])
        case .authorizationCode:
            self = .authorizationCode(code: try parameters.required("code"), verifier: try parameters["code_verifier"], redirectURI: try parameters["redirect_uri"],
                                      clientID: try parameters["client_id"], resource: try parameters["resource"], scope: try parameters["scope"])
        case .refreshToken:
            self = .refreshToken(token: try parameters.required("refresh_token"), clientID: try parameters["client_id"], scope: try parameters["scope"],
                                 resource: try parameters["resource"])
        case .deviceCode:
            self = .deviceCode(code: try parameters.required("device_code"))
        case .jwtBearer:
            self = .jwtBearer(assertion: try parameters.required("assertion"))
        case .tokenExchange:
            guard try parameters["actor_token"] == nil else { throw OAuthError(.invalidRequest, "actor_token is not supported") }
            let (resource, audience) = (try parameters["resource"], try parameters["audience"])
            guard let target = resource ?? audience, resource == nil || audience == nil || resource == audience else {
                throw OAuthError(.invalidRequest, "name one service, by resource or audience")
            }
            self = .tokenExchange(subjectToken: try parameters.required("subject_token"), subjectType: try parameters.required("subject_token_type"),
                                  target: target, requestedType: try parameters["requested_token_type"])
        }
    }

    public var grant: GrantType {
        switch self {
        case .clientCredentials: .clientCredentials
        case .authorizationCode: .authorizationCode
        case .refreshToken: .refreshToken
        case .deviceCode: .deviceCode
        case .jwtBearer: .jwtBearer
        case .tokenExchange: .tokenExchange
        }
    }
}
