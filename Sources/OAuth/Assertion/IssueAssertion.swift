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
    let names: PairwiseNames
    let usage: ServiceUsage
    let instances: InstanceStore
    let lifetimes: Lifetimes

    public init(
        issuer: String, store: TokenStore, keys: SigningKeys, names: PairwiseNames, lifetimes: Lifetimes,
        clock: WallClock
    ) {
        (self.issuer, self.store, self.keys, self.names) = (issuer, store, keys, names)
        (self.lifetimes, usage) = (lifetimes, ServiceUsage(clock: clock))
        instances = InstanceStore(clock: clock)
    }

    /// `pat` is live and was shown with proof. Everything the assertion says comes from it and from the index, nothing
    /// from the request. A web client's token has no key of its own; `key` is the one that its request showed.
    public func issue(_ pat: TokenRow, for target: String, key: ShownKey? = nil) async throws -> Granted {
        guard let account = pat.body.account else { throw IssueAssertion.inactive }
        // The crawler may touch the service's row meanwhile.
        for _ in 0..<4 {
            let (service, person) = try await read(target, account, instance: pat.body.client)
            let row: TokenRow
            do { row = try await issue(pat, for: service, of: person, key: key) } catch is ConditionFailed { continue }
            let claims = AssertionClaims.claims(of: row, issuer: issuer, names: names)
            return Granted(
                assertion: try await keys.sign(type: JWTType.serviceAssertion.rawValue, claims: claims),
                tokenEndpoint: service.tokenEndpoint, expiresIn: Int(lifetimes.assertion))
        }
        throw DatabaseError.serialization
    }

    /// Both are active, and the instance is noted as seen.
    private func read(
        _ target: String, _ account: UUID, instance: String?
    ) async throws -> (FederationService, Account) {
        let unknown = OAuthError(.invalidTarget, "no active service of this federation has that address")
        guard let named = ServiceIndex.active(target) else { throw unknown }
        let results = try await store.database.batch([named, AccountStore.find(account), instances.isDue(instance)])
        if let instance, !results[2].isEmpty { try await instances.seen(instance, in: store.database) }
        guard let service = try ServiceIndex.named(target, results[0]) else { throw unknown }
        guard let person = try AccountStore.found(results[1]), person.status == .active else {
            throw IssueAssertion.inactive
        }
        return (service, person)
    }

    /// Who suspends either revokes afterwards what was issued here: one of the two sees the other.
    private func issue(
        _ pat: TokenRow, for service: FederationService, of person: Account, key: ShownKey?
    ) async throws -> TokenRow {
        let told = tokenClaims(
            pat, key: key, service: service, released: AttributeRelease.claims(of: person, to: service))
        let body = TokenBody(
            realm: "idp", kind: .assertion, parent: pat.family, anchor: pat.body.anchor, account: person.id,
            client: pat.body.client, service: service.id, jkt: key?.jkt ?? pat.body.jkt, claims: told)
        return try await store.issue(below: [Ancestor(.service, service.id)]) { generations in
            TokenDraft(
                body, inherited: pat.lineage, added: generations, lifetime: lifetimes.assertion,
                memory: PartitionPlan.assertionMemory, reaches: service.id,
                condition: "\(service.isUnchanged) and \(AccountStore.isActive(person.id))",
                beside: usage.recording(person.id, at: service.id))
        }.row
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
