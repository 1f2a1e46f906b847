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
    let disclosures: Disclosures
    let instances: InstanceStore
    let lifetimes: Lifetimes
    /// As they were when they were last read, which may be longer ago: the statement that issues asks whether they are
    /// unchanged, and nobody is refused by them. Active people; active services by their base, which is theirs alone.
    private let people = BoundedMemory<UUID, Account>(most: 10_000)
    private let services = BoundedMemory<String, FederationService>(most: 10_000)
    private let lastSeen = BoundedMemory<String, Date>(most: 10_000)

    public init(
        issuer: String, store: TokenStore, keys: SigningKeys, names: PairwiseNames, lifetimes: Lifetimes,
        clock: WallClock
    ) {
        (self.issuer, self.store, self.keys, self.names) = (issuer, store, keys, names)
        (self.lifetimes, usage) = (lifetimes, ServiceUsage(clock: clock))
        disclosures = Disclosures(clock: clock)
        instances = InstanceStore(clock: clock)
    }

    /// `pat` is live and was shown with proof. Everything the assertion says comes from it and from the index, nothing
    /// from the request. A web client's token has no key of its own; `key` is the one that its request showed.
    public func issue(_ pat: TokenRow, for target: String, key: ShownKey? = nil) async throws -> Granted {
        guard let account = pat.body.account else { throw IssueAssertion.inactive }
        let instance = pat.body.client
        var known = recall(target, account, instance: instance)
        // What is remembered may have changed, and the crawler may touch the service's row meanwhile.
        for _ in 0..<5 {
            let (service, person) = if let known { known } else { try await read(target, account, instance: instance) }
            let row: TokenRow
            do {
                row = try await issue(pat, for: service, of: person, key: key)
            } catch is ConditionFailed {
                try await requireAdmission(of: person.id, pat, to: service, key: key)
                known = nil
                continue
            }
            let claims = AssertionClaims.claims(of: row, issuer: issuer, names: names)
            return Granted(
                assertion: try await keys.sign(type: JWTType.serviceAssertion.rawValue, claims: claims),
                tokenEndpoint: service.tokenEndpoint, expiresIn: Int(lifetimes.assertion))
        }
        throw DatabaseError.serialization
    }

    /// `nil` where something is to be read, or the instance to be noted as seen.
    private func recall(
        _ target: String, _ account: UUID, instance: String?
    ) -> (FederationService, Account)? {
        if let instance {
            guard let seen = lastSeen[instance], !instances.isDue(lastSeen: seen) else { return nil }
        }
        guard let service = services[target], let person = people[account],
            store.remembers(IssueAssertion.ancestors(account, at: service.id))
        else { return nil }
        return (service, person)
    }

    /// What comes in with an assertion.
    private static func ancestors(_ account: UUID, at service: String) -> [Ancestor] {
        [Ancestor(.service, service), .use(account, at: service)]
    }

    /// Both are active, and the instance is noted as seen.
    private func read(
        _ target: String, _ account: UUID, instance: String?
    ) async throws -> (FederationService, Account) {
        let unknown = OAuthError(.invalidTarget, "no active service of this federation has that address")
        guard let named = ServiceIndex.active(target) else { throw unknown }
        var questions = [named, AccountStore.find(account), InstanceStore.lastSeen(instance)]
        let ancestors = services[target].map { IssueAssertion.ancestors(account, at: $0.id) } ?? []
        let areOpened = !ancestors.isEmpty && !store.remembers(ancestors)
        if areOpened { questions.append(store.opening(ancestors)) }
        let results = try await store.database.batch(questions)
        if areOpened { try store.remember(ancestors, results[3]) }
        if let instance {
            // A web client is never due.
            let seen = try InstanceStore.lastSeen(results[2]) ?? .distantFuture
            lastSeen[instance] =
                instances.isDue(lastSeen: seen) ? try await instances.seen(instance, in: store.database) : seen
        }
        guard let service = try ServiceIndex.named(target, results[0]) else { throw unknown }
        guard let person = try AccountStore.found(results[1]), person.status == .active else {
            throw IssueAssertion.inactive
        }
        if service.base == target { services[target] = service }
        people[account] = person
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
        let admission = ServiceRefusals.admits(
            person.id, client: pat.body.client, key: key?.jkt ?? pat.body.jkt, at: service.id)
        return try await store.issue(below: IssueAssertion.ancestors(person.id, at: service.id)) { generations in
            TokenDraft(
                body, inherited: pat.lineageOfFamily, added: generations, lifetime: lifetimes.assertion,
                memory: PartitionPlan.assertionMemory, reaches: service.id, isCalledFor: service.hearing.isCalled,
                condition: "\(service.isUnchanged) and \(person.isUnchanged) and \(admission)",
                beside: usage.recording(person.id, at: service.id),
                noted: disclosures.recording(body, isInstance: pat.body.kind == .personalAccessToken),
                changes: NodeID(digestOf: "usage \(person.id) \(service.id)"))
        }.row
    }

    /// Whether that was it: the person or the phone is kept out of this service.
    private func requireAdmission(
        of account: UUID, _ pat: TokenRow, to service: FederationService, key: ShownKey?
    ) async throws {
        do {
            try await store.require(
                ServiceRefusals.admits(
                    account, client: pat.body.client, key: key?.jkt ?? pat.body.jkt, at: service.id))
        } catch is ConditionFailed {
            throw OAuthError(.accessDenied, "this service is closed to you; ask the federation's operator")
        }
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
