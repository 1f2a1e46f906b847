import Registration
import Vocabulary

/// `scope` of an authorization request, as far as the client may have it (RFC 6749, 3.3; OpenID Connect Core,
/// 3.1.2.1).
enum RequestedScope {
    /// In bytes.
    static let longest = 4_096

    /// What is asked for, without words that are unknown or not registered: the answer says what was given (RFC 6749,
    /// 5.1). All that is registered where nothing is asked for. Where nothing is left it is `invalid_scope`: who asked
    /// for something gets no more than that, and a token for nothing helps nobody.
    static func narrowed(_ asked: String?, to client: WebClient) throws(OAuthError) -> Scope {
        let registered = Scope(client.scope) ?? Scope(names: [])
        guard let asked else { return registered }
        guard asked.utf8.count <= longest, let scope = Scope(asked) else {
            throw OAuthError(.invalidScope, "scope is words with a blank between, \(longest) bytes at most")
        }
        let given = Scope(names: scope.names.filter(registered.contains))
        guard !given.isEmpty || scope.isEmpty else {
            throw OAuthError(.invalidScope, "ask for registered scopes: \(client.scope)")
        }
        return given
    }
}
