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
/// | an app instance or a bundle | it goes on as without an origin: views of apps send `null` and schemes of their own. No page of a browser reads the answer |
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
        let named = try await names(request, parameters)
        let clients = try await origins.clients(named.filter(OriginCheck.isName), of: origin)
        guard clients.values.allSatisfy({ $0 }) else {
            throw OAuthError(
                .accessDenied, "this origin is not registered with the client: add it to its web_origins",
                cause: "origin \(origin.prefix(WebOrigin.longest)) is not one of the client's")
        }
        return !clients.isEmpty
    }

    /// PostgreSQL takes no NUL in a text.
    private static func isName(_ text: String) -> Bool {
        (1...512).contains(text.utf8.count) && !text.utf8.contains(0)
    }

    private func names(_ request: PresentedRequest, _ parameters: OAuthParameters) async throws -> Set<String> {
        var names: Set<String?> = [try parameters["client_id"]]
        switch request.credentials {
        case ("basic", let value)?: names.insert((try? BasicCredentials(value))?.id)
        case ("dpop", let value)?, ("bearer", let value)?: names.formUnion(try await holders(of: value))
        default: break
        }
        if let text = try parameters["client_assertion"] { names.insert((try? JWT(text))?.string("iss")) }
        for name in ["assertion", "subject_token"] {
            guard let text = try parameters[name] else { continue }
            names.formUnion(try await holders(of: text))
        }
        for name in ["refresh_token", "subject_token"] {
            guard let text = try parameters[name] else { continue }
            names.insert(try await lookup.refreshToken(text).flatMap { OriginCheck.holder($0.family) })
        }
        if let code = try parameters["code"].flatMap({ AuthorizationCode($0) }),
            let row = try await lookup.store.find(code.node), row.body.kind == .code
        {
            names.insert(row.body.client)
        }
        return Set(names.compactMap { $0 })
    }

    /// Whose JWT it is: a token of this realm, an assertion of the IdP for a service, or what the holder of a token
    /// made for this request.
    private func holders(of text: String) async throws -> Set<String?> {
        if let id = try await lookup.signed(text), let row = try await lookup.find(id) {
            return [OriginCheck.holder(row)]
        }
        guard let jwt = try? JWT(text) else { return [] }
        if jwt.type == JWTType.serviceAssertion.rawValue { return [jwt.string("client_id")] }
        let named = if let id = jwt.kid.flatMap({ NodeID($0) }) { try await lookup.find(id) } else { TokenRow?.none }
        return [jwt.string("iss"), named.flatMap(OriginCheck.holder)]
    }

    /// An app token is the bundle's that it was handed to.
    private static func holder(_ row: TokenRow) -> String? { row.body.bundle ?? row.body.client }
}
