import Accounts
import Base
import Database
import Foundation
import Keys
import Registration
import TokenTree
import Vocabulary

/// `/userinfo` (OpenID Connect Core, 5.3): plain, or signed where the client registered that.
public struct UserInfo: Sendable {
    public enum Answer: Sendable {
        case plain(JSONValue)
        case signed(String)
    }

    let issuer: String
    let database: Database
    let clients: WebClientStore
    let consents: ConsentStore
    let profile: UserProfile
    let keys: SigningKeys
    let clock: WallClock

    public func answer(_ holder: AuthenticatedToken) async throws -> Answer {
        let token = holder.token
        guard token.body.kind == .accessToken else { return .plain(try await profile.userInfo(token)) }
        guard let id = token.body.client, let account = token.body.account,
            let client = try await clients.find(id, in: database), let scope = Scope(token.body.scope ?? ""),
            scope.contains("openid")
        else {
            throw OAuthError(
                .insufficientScope, "this needs a person's token with scope openid", members: ["scope": "openid"])
        }
        async let agreed = consents.claims(account, id, in: database)
        let person = try await profile.account(of: token)
        let released = ClaimsRelease(client: client, agreed: try await agreed)
        var claims: JSONObject = ["sub": JSONValue(token.body.claims.subject)]
        for member in released.claims(of: person, released.names(scope, token.body.claims.userInfoNames)) {
            claims[member.name] = member.value
        }
        guard let wanted = client.metadata.userinfoAlgorithm, let algorithm = SigningAlgorithm(rawValue: wanted) else {
            return .plain(.object(claims))
        }
        claims["iss"] = .string(issuer)
        claims["aud"] = .string(client.id)
        claims["iat"] = .integer(clock.now().numericDate)
        return .signed(try await keys.sign(type: "JWT", claims: claims, algorithm: algorithm))
    }
}
