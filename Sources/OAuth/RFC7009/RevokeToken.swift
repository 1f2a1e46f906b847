import Base
import Database
import Foundation
import Keys
import Registration
import TokenTree
import Vocabulary

/// Revocation (RFC 7009), cascading: whoever holds a token or one above it may end it, and all below; so may the client
/// that it was issued to, a public one by its name and the token itself.
public final class RevokeToken: Sendable {
    let lookup: TokenLookup
    let revocation: Revocation

    public init(_ lookup: TokenLookup, revocation: Revocation) { (self.lookup, self.revocation) = (lookup, revocation) }

    /// Silent whether or not there was something to end (RFC 7009, 2.2): nobody learns which tokens exist. Throws
    /// `ConditionFailed` where the party is not what it was known to be; then nothing was ended.
    public func revoke(
        _ text: String, hint: String?, by party: IntrospectionCaller, _ request: PresentedRequest
    ) async throws {
        guard let row = try await lookup.find(text, hint: hint, for: party),
            RevokeToken.mayEnd(row, party, byIdentifier: NodeID(text) != nil)
        else { return }
        try await revocation.revoke(
            RevokeToken.node(of: row), by: party.actor(request).because("revoked by its holder"))
    }

    /// An instance token stands for its instance; every other for its node.
    static func node(of row: TokenRow) -> Node {
        if row.body.kind == .instanceToken, let instance = row.body.client {
            return .virtual(Ancestor(.instance, instance))
        }
        return .token(row.family)
    }

    /// Services may name an assertion of theirs by `jti`; all others must show the token itself.
    private static func mayEnd(_ row: TokenRow, _ party: IntrospectionCaller, byIdentifier: Bool) -> Bool {
        switch party {
        case .service(let service, _) where row.body.kind == .assertion: row.body.service == service.id
        case .holder(let holder): !byIdentifier && row.lineage.contains(holder.token.family)
        case .client(let client), .service(_, let client):
            !byIdentifier && row.body.kind == .accessToken && row.body.client == client.id
        }
    }
}
