import Base
import Keys
import Registration
import TokenTree
import Vocabulary

/// Whether a page of another origin, which a browser names as the sender of a request (RFC 6454, 7), may send it.
///
/// | the request is of | then |
/// |---|---|
/// | web clients that all registered the origin | its page reads the answer |
/// | a web client that did not | 403 `access_denied`, before a code, token, assertion or proof is used up |
/// | an app instance or a bundle | it goes on as without an origin: views of apps send `null` and schemes of their own. No page of a browser reads the answer, whatever client is named beside it |
/// | nobody who is known | the endpoint refuses it |
///
/// A request is of every client that it names, and of those whose token, code or assertion it brings. What it claims
/// is not verified here: who claims another client's name gets as far as that name, and is refused by the endpoint.
public final class OriginCheck: Sendable {
    public let origins: RegisteredOrigins
    let lookup: TokenLookup

    /// `lookup` is of the realm whose endpoints are asked.
    init(_ lookup: TokenLookup, origins: RegisteredOrigins) { (self.lookup, self.origins) = (lookup, origins) }

    /// Whether the page may read the answer. Throws `OAuthError` where the request is a client's that did not register
    /// the origin.
    public func admits(
        _ origin: String, _ request: PresentedRequest, _ parameters: OAuthParameters
    ) async throws -> Bool {
        let parties = try await parties(request, parameters)
        let clients = try await origins.clients(
            parties.named.union(parties.holders).filter(OriginCheck.isName), of: origin)
        guard clients.values.allSatisfy({ $0 }) else {
            throw OAuthError(
                .accessDenied, "this origin is not registered with the client: add it to its web_origins",
                cause: "origin \(OAuthError.logged(origin)) is not one of the client's")
        }
        // What an app's token stands behind is the app's, whatever client is named beside it.
        return !clients.isEmpty && parties.holders.allSatisfy { clients[$0] != nil }
    }

    /// Whom a request is of.
    private struct Parties {
        /// As it says.
        var named: Set<String> = []
        /// Whose token, code or assertion it brings.
        var holders: Set<String> = []

        mutating func name(_ name: String?) { if let name { named.insert(name) } }
        mutating func hold(_ row: TokenRow?) {
            // An app token is the bundle's that it was handed to.
            if let holder = row?.body.bundle ?? row?.body.client { holders.insert(holder) }
        }
    }

    /// PostgreSQL takes no NUL in a text.
    private static func isName(_ text: String) -> Bool {
        (1...512).contains(text.utf8.count) && !text.utf8.contains(0)
    }

    private func parties(_ request: PresentedRequest, _ parameters: OAuthParameters) async throws -> Parties {
        var parties = Parties()
        parties.name(try parameters["client_id"])
        switch request.credentials {
        case ("basic", let value)?: parties.name((try? BasicCredentials(value))?.id)
        case ("dpop", let value)?, ("bearer", let value)?: try await add(value, to: &parties)
        default: break
        }
        if let text = try parameters["client_assertion"] { parties.name((try? JWT(text))?.string("iss")) }
        for name in ["assertion", "subject_token"] {
            if let text = try parameters[name] { try await add(text, to: &parties) }
        }
        for name in ["refresh_token", "subject_token"] {
            if let text = try parameters[name] { parties.hold(try await lookup.refreshToken(text)?.family) }
        }
        if let code = try parameters["code"].flatMap({ AuthorizationCode($0) }),
            let row = try await lookup.store.find(code.node), row.body.kind == .code
        {
            parties.hold(row)
        }
        return parties
    }

    /// Whose JWT it is: a token of this realm, an assertion of the IdP for a service, or what the holder of a token
    /// made for this request.
    private func add(_ text: String, to parties: inout Parties) async throws {
        if let id = try await lookup.signed(text), let row = try await lookup.find(id) { return parties.hold(row) }
        guard let jwt = try? JWT(text) else { return }
        if jwt.type == JWTType.serviceAssertion.rawValue {
            if let client = jwt.string("client_id") { parties.holders.insert(client) }
            return
        }
        parties.name(jwt.string("iss"))
        if let id = jwt.kid.flatMap({ NodeID($0) }) { parties.hold(try await lookup.find(id)) }
    }
}
