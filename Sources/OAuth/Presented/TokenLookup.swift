import Base
import Database
import Foundation
import Keys
import TokenTree
import Vocabulary

/// The one place that finds a row by a text that was presented: the guard of every endpoint, introspection, revocation,
/// refresh and exchange look here. Whether the row lives, and who may show it, is theirs to say.
///
/// What another realm issued is nothing here, and so is a code, which its grant alone takes.
public final class TokenLookup: Sendable {
    let realm: Realm
    let store: TokenStore
    let keys: SigningKeys
    /// What texts were found to name whose signature is of a key of ours. Whether the key counts is asked anew each
    /// time.
    private let recognized = BoundedMemory<SIMD4<UInt64>, Recognized>(most: 50_000)

    private struct Recognized {
        let id: NodeID
        let kid: String
        let type: String
    }

    public init(realm: Realm, store: TokenStore, keys: SigningKeys) {
        (self.realm, self.store, self.keys) = (realm, store, keys)
    }

    /// Access token, assertion (both JWTs of ours), refresh token, or, when `hint` is `jti`, a bare identifier. Any
    /// other text is nothing. `known` is a row that this request has read already, which is not read again.
    func find(_ text: String, hint: String? = nil, known: TokenRow? = nil) async throws -> TokenRow? {
        if hint == "jti", let id = NodeID(text) { return try await find(id, known: known) }
        if let shown = try await refreshToken(text) { return shown.family }
        guard let id = try await signed(text) else { return nil }
        return try await find(id, known: known)
    }

    /// The identifier that an access token or assertion names, if this realm signed it.
    func signed(_ text: String) async throws -> NodeID? {
        try await identifier(text, of: [.accessToken, .serviceAssertion])
    }

    /// As `find`, for a party that was remembered: throws `ConditionFailed` where it is not what it was known to be.
    func find(_ text: String, hint: String? = nil, for party: IntrospectionCaller) async throws -> TokenRow? {
        guard let condition = party.isUnchanged else { return try await find(text, hint: hint, known: party.token) }
        guard let id = try await signed(text) else {
            try await store.require(condition)
            return try await find(text, hint: hint)
        }
        if let recalled = recall(id, for: party) { return taken(recalled.row) }
        return try await find(id, while: condition)
    }

    /// From memory, where that is certain, and the party is what it was known to be.
    func recall(_ id: NodeID, for party: IntrospectionCaller) -> Leases.Recalled? {
        guard let (name, known) = party.fact, let known else { return nil }
        return store.leases.recall(id, while: name, since: known)
    }

    func find(_ id: NodeID, while condition: SQL) async throws -> TokenRow? {
        taken(try await store.find(id, while: condition))
    }

    /// A refresh token, newest of its family or not.
    func refreshToken(_ text: String) async throws -> PresentedRefreshToken? {
        guard let shown = try await RefreshFamily(store: store).find(text), shown.family.body.realm == realm.id else {
            return nil
        }
        return shown
    }

    func accessToken(_ text: String) async throws -> TokenRow? {
        guard let id = try await identifier(text, of: [.accessToken]) else { return nil }
        return try await find(id)
    }

    /// The access token that came with an ID token of this client: it lives and dies with the same nodes.
    func idToken(_ text: String, of client: String, at now: Date) async throws -> TokenRow? {
        guard let jwt = try? JWT(text), jwt.type == JWTType.plain.rawValue, jwt.audiences == [client],
            let expires = jwt.date("exp"), expires > now
        else { return nil }
        guard let id = try await identifier(jwt) else { return nil }
        return try await find(id)
    }

    func find(_ id: NodeID, known: TokenRow? = nil) async throws -> TokenRow? {
        if let known, known.id == id { return taken(known) }
        if let recalled = store.leases.recall(id) { return taken(recalled) }
        return taken(try await store.find(id))
    }

    private func taken(_ found: TokenRow?) -> TokenRow? {
        guard let found, found.body.realm == realm.id, found.body.kind != .code else { return nil }
        return found
    }

    private func identifier(_ text: String, of types: [JWTType]) async throws -> NodeID? {
        let fingerprint = Digest.fingerprint(text)
        if let known = recognized[fingerprint], try await keys.isTrusted(known.kid) {
            return types.contains { $0.rawValue == known.type } ? known.id : nil
        }
        guard let jwt = try? JWT(text), let type = jwt.type, types.contains(where: { $0.rawValue == type }),
            let id = try await identifier(jwt)
        else { return nil }
        // What begins at a time is asked for it each time.
        if let kid = jwt.kid, jwt["nbf"] == nil { recognized[fingerprint] = Recognized(id: id, kid: kid, type: type) }
        return id
    }

    private func identifier(_ jwt: JWT) async throws -> NodeID? {
        guard jwt.string("iss") == realm.base, let id = jwt.string("jti").flatMap({ NodeID($0) }),
            try await keys.verify(jwt)
        else { return nil }
        return id
    }
}
