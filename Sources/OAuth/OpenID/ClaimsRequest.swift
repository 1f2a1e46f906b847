import Base
import Federation
import Vocabulary

/// The `claims` parameter (OpenID Connect Core, 5.5): single claims, for the ID token and for userinfo.
struct ClaimsRequest: Sendable {
    /// Names of claims that there are.
    let idToken: [String]
    let userInfo: [String]
    /// A `sub` that the answer must be about (5.5.1).
    let subject: String?
    /// `acr` asked for by value; `nil` when it is not.
    let levels: [String]?
    let requiresLevel: Bool

    static let none = ClaimsRequest()

    private init() { (idToken, userInfo, subject, levels, requiresLevel) = ([], [], nil, nil, false) }

    /// Unknown claims are ignored, as Core says; what is no claims request is refused.
    init(_ text: String?) throws(OAuthError) {
        guard let text else {
            self = .none
            return
        }
        guard text.utf8.count <= 4_096, let object = (try? JSONReader.read(Array(text.utf8)))?.object else {
            throw OAuthError(.invalidRequest, "claims is not a JSON object")
        }
        let (inToken, inUserInfo) = (
            try ClaimsRequest.members("id_token", object), try ClaimsRequest.members("userinfo", object)
        )
        (idToken, userInfo) = (
            inToken.names.filter(ClaimsRequest.isKnown), inUserInfo.names.filter(ClaimsRequest.isKnown)
        )
        subject = inToken["sub"]?["value"]?.string ?? inUserInfo["sub"]?["value"]?.string
        let acr = inToken["acr"]
        levels = acr?["values"]?.strings ?? acr?["value"]?.string.map { [$0] }
        requiresLevel = acr?["essential"] == true && levels != nil
    }

    private static func members(_ name: String, _ object: JSONObject) throws(OAuthError) -> JSONObject {
        guard let value = object[name], value != .null else { return [:] }
        guard let members = value.object, members.members.count <= 64 else {
            throw OAuthError(.invalidRequest, "claims.\(name) is not an object of at most 64 claims")
        }
        return members
    }

    private static func isKnown(_ name: String) -> Bool {
        name == "email_verified" || AttributeRelease.known.contains(name)
    }
}
