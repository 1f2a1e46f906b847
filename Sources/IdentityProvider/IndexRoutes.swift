import HTTP
import OAuth
import TokenTree
import Vocabulary

/// What the IdP tells of the federation's services: protocol discovery for people's apps, and the listing.
enum IndexRoutes {
    static func endpoints(_ idp: AuthorizationServer) -> [Endpoint] {
        let base = idp.realm.base
        // Where the listing is closed, nobody looks around but the apps of people.
        let kinds: [TokenKind] =
            idp.listing.policy == .closed ? [.personalAccessToken] : [.personalAccessToken, .accessToken]
        let discovery = DiscoveryRoutes(
            root: base, query: idp.discovery, signer: idp.signedDiscovery, origins: idp.origins
        ) {
            let holder = try await idp.check.require(kinds, $0), body = holder.token.body
            try mayLookAround(body)
            return DiscoveryRoutes.Asker(
                client: body.client ?? "", isInstance: body.kind == .personalAccessToken, account: body.account,
                key: holder.key?.jkt ?? body.jkt)
        }
        let listing = ListingRoutes(root: base, query: idp.discovery, access: idp.listing)
        return discovery.endpoints + listing.endpoints
    }

    /// Apps and machines do. What a web client got for a person tells who that is, and no more, unless they agreed to
    /// this, too.
    private static func mayLookAround(_ body: TokenBody) throws {
        guard body.kind == .accessToken, body.account != nil,
            Scope(body.scope ?? "")?.contains(DiscoveryRoutes.scope) != true
        else { return }
        throw OAuthError(
            .insufficientScope, "this token does not let you look for services",
            members: ["scope": DiscoveryRoutes.scope])
    }
}
