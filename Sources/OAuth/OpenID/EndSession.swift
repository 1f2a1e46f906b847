import Accounts
import Base
import Database
import Foundation
import Keys
import Registration
import TokenTree
import Vocabulary

/// Logout (OpenID Connect RP-Initiated Logout 1.0): by the person, or by a client that can show an ID token of the
/// session.
public struct EndSession: Sendable {
    /// What a client asks for, checked. An unknown client or address is no error here: the person is logged out all the
    /// same, and sent nowhere.
    public struct Question: Sendable {
        public let client: WebClient?
        /// Where to go afterwards, with `state`; only an address that the client registered for this.
        public let returnTo: String?
        /// The ID token shown belongs to the session at the browser: nobody else could ask.
        public let isProven: Bool
        /// As they came, for the form that asks the person.
        public let parameters: [(name: String, value: String)]
    }

    static let names = ["id_token_hint", "post_logout_redirect_uri", "state", "client_id", "ui_locales"]

    let issuer: String
    let database: Database
    let clients: WebClientStore
    let keys: SigningKeys
    let revocation: Revocation

    /// The parameters of a logout request as a query; others are left out.
    public static func query(_ parameters: OAuthParameters) throws -> String {
        FormCodec.write(try names.compactMap { name in try parameters[name].map { (name, $0) } })
    }

    public func question(_ parameters: OAuthParameters, _ context: BrowserSessionContext) async throws -> Question {
        let hint = try await hint(try parameters["id_token_hint"])
        let named = try parameters["client_id"]
        let id = hint?.audience ?? named
        let isMismatch = named != nil && hint != nil && named != hint?.audience
        let client: WebClient? = if let id, !isMismatch { try await clients.find(id, in: database) } else { nil }
        let state = try parameters["state"]
        let target = try parameters["post_logout_redirect_uri"].flatMap { uri in
            client?.accepts(postLogoutRedirectURI: uri) == true ? uri : nil
        }
        let returnTo = target.map { target in
            state.map { target + (target.contains("?") ? "&" : "?") + FormCodec.write([("state", $0)]) } ?? target
        }
        let given = try EndSession.names.compactMap { name in try parameters[name].map { (name: name, value: $0) } }
        let isProven = client != nil && hint?.session != nil && hint?.session == context.session?.id
        return Question(client: client, returnTo: returnTo, isProven: isProven, parameters: given)
    }

    /// One revocation: tokens that hang below the session die with it, and every client that logged in through it is
    /// told.
    public func end(_ context: BrowserSessionContext) async throws {
        guard let session = context.session else { return }
        try await revocation.revoke(.virtual(Ancestor(.session, session.id)), by: context.actor().because("logged out"))
    }

    /// An ID token of ours; that it has expired does not matter (RP-Initiated Logout, 4).
    private func hint(_ text: String?) async throws -> (audience: String, session: String?)? {
        guard let text, let jwt = try? JWT(text), jwt.type == JWTType.plain.rawValue, jwt.string("iss") == issuer,
            let audience = jwt.audiences.first,
            try await keys.verify(jwt)
        else { return nil }
        return (audience, jwt.string("sid"))
    }
}
