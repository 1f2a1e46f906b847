import Base

/// JWK sets (RFC 7517, 5): `{"keys": […]}`, or the bare array that some registration forms send.
extension JSONWebKey {
    /// For registration: keys of a kind not supported are left out (RFC 7517, 5), everything else that is wrong refuses
    /// the whole set, as does a set of which nothing is left. Throws `Unacceptable`.
    public static func set(_ jwks: JSONValue) async throws -> [JSONWebKey] {
        var keys: [JSONWebKey] = []
        var kids: Set<String> = []
        var leftOut: Unacceptable?
        for member in try members(jwks) {
            do {
                let key = try await JSONWebKey(member)
                if let kid = key.kid, !kids.insert(kid).inserted { throw Unacceptable.duplicateKid(kid) }
                keys.append(key)
            } catch Unacceptable.unsupported(let what) {
                leftOut = leftOut ?? .unsupported(what)
            }
        }
        if keys.isEmpty, let leftOut { throw leftOut }
        return keys
    }

    /// For a set that another issuer publishes: what cannot be used is left out. Of two keys with one `kid` both are
    /// candidates.
    static func usable(_ jwks: JSONValue, atMost limit: Int) async throws(Unacceptable) -> [JSONWebKey] {
        var keys: [JSONWebKey] = []
        for member in try members(jwks).prefix(limit) {
            guard let key = try? await JSONWebKey(member) else { continue }
            keys.append(key)
        }
        return keys
    }

    private static func members(_ jwks: JSONValue) throws(Unacceptable) -> [JSONValue] {
        guard let members = jwks.array ?? jwks["keys"]?.array else { throw .notAnObject }
        return members
    }
}
