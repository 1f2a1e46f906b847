import Accounts
import Base
import Database
import Federation
import Foundation
import Keys
import Registration
import TokenTree
import Vocabulary

/// A service assertion: one service, one use (api.md, `POST /authorization`;
/// draft-ietf-oauth-identity-assertion-authz-grant).
public struct IssueAssertion: Sendable {
    public struct Granted: Sendable {
        public let assertion: String
        public let tokenEndpoint: String
        public let expiresIn: Int
    }

    let issuer: String
    let store: TokenStore
    let keys: SigningKeys
    let index: ServiceIndex
    let names: PairwiseNames
    let accounts: AccountStore
    let usage: ServiceUsage
    let instances: InstanceStore
    let lifetimes: Lifetimes

    public init(
        issuer: String, store: TokenStore, keys: SigningKeys, index: ServiceIndex, names: PairwiseNames,
        lifetimes: Lifetimes, clock: WallClock
    ) {
        (self.issuer, self.store, self.keys, self.index, self.names) = (issuer, store, keys, index, names)
        (self.lifetimes, accounts, usage) = (lifetimes, AccountStore(clock: clock), ServiceUsage(clock: clock))
        instances = InstanceStore(clock: clock)
    }

    /// `pat` is live and was shown with proof. Everything the assertion says comes from it and from the index, nothing
    /// from the request. A web client's token has no key of its own; `key` is the one that its request showed.
    public func issue(_ pat: TokenRow, for target: String, key: ShownKey? = nil) async throws -> Granted {
        guard let accountID = pat.body.account else { throw IssueAssertion.inactive }
        let (issued, service) = try await store.database.atomically { transaction in
            // Held active for the transaction: who suspends it waits, and then revokes what was issued here.
            guard let service = try await index.active(target, locking: true, in: transaction) else {
                throw OAuthError(.invalidTarget, "no active service of this federation has that address")
            }
            guard let account = try await accounts.find(accountID, in: transaction), account.status == .active else {
                throw IssueAssertion.inactive
            }
            let generations = try await store.generations(of: [Ancestor(.service, service.id)], in: transaction)
            let told = tokenClaims(
                pat, key: key, service: service, released: AttributeRelease.claims(of: account, to: service))
            let body = TokenBody(
                realm: "idp", kind: .assertion, parent: pat.family, anchor: pat.body.anchor, account: accountID,
                client: pat.body.client, service: service.id, jkt: key?.jkt ?? pat.body.jkt, claims: told)
            let draft = TokenDraft(
                body, inherited: pat.lineage, added: generations, lifetime: lifetimes.assertion,
                memory: PartitionPlan.assertionMemory, reaches: service.id)
            let issued = try await store.issue(draft, in: transaction)
            try await usage.record(accountID, at: service.id, in: transaction)
            if let instance = pat.body.client { try await instances.seen(instance, in: transaction) }
            return (issued, service)
        }
        let claims = AssertionClaims.claims(of: issued.row, issuer: issuer, names: names)
        return Granted(
            assertion: try await keys.sign(type: JWTType.serviceAssertion.rawValue, claims: claims),
            tokenEndpoint: service.tokenEndpoint, expiresIn: Int(lifetimes.assertion))
    }

    private static let inactive = OAuthError(.invalidToken, "the person behind this token is no longer active")

    private func tokenClaims(
        _ pat: TokenRow, key: ShownKey?, service: FederationService, released: JSONObject
    ) -> TokenClaims {
        let told = pat.body.claims
        return TokenClaims(
            subject: pat.body.account.map { names.subject(of: $0, at: service.id) }, audience: service.tokenEndpoint,
            app: key == nil ? told.app : pat.body.client, key: key?.key.bare ?? told.key, login: told.login,
            released: released)
    }
}
