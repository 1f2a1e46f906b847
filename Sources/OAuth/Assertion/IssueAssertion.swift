import Accounts
import Base
import Database
import Federation
import Foundation
import Keys
import Registration
import TokenTree
import Vocabulary

/// A service assertion: one service, one use (api.md, `POST /authorization`; draft-ietf-oauth-identity-assertion-authz-grant).
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

    public init(issuer: String, store: TokenStore, keys: SigningKeys, index: ServiceIndex, names: PairwiseNames, lifetimes: Lifetimes, clock: WallClock) {
        (self.issuer, self.store, self.keys, self.index, self.names) = (issuer, store, keys, index, names)
        (self.lifetimes, accounts, usage) = (lifetimes, AccountStore(clock: clock), ServiceUsage(clock: clock))
        instances = InstanceStore(clock: clock)
    }

    /// `pat` is live and was shown with proof. Everything the assertion says comes from it and from the index, nothing from the request.
    /// A web client's token has no key of its own; `key` is the one that its request showed.
    public func issue(_ pat: TokenRow, for target: String, key: ShownKey? = nil) async throws -> Granted {
        guard let service = try await index.active(target, in: store.database) else {
            throw OAuthError(.invalidTarget, "no active service of this federation has that address")
        }
        guard let accountID = pat.body.account, let account = try await accounts.find(accountID, in: store.database), account.status == .active else {
            throw OAuthError(.invalidToken, "the person behind this token is no longer active")
        }
        let released = AttributeRelease.claims(of: account, to: service)
        let issued = try await store.database.atomically { transaction in
            let generations = try await store.generations(of: [Ancestor(.service, service.id)], in: transaction)
            guard try await index.isActive(service.id, in: transaction) else { throw OAuthError(.invalidTarget, "no active service of this federation has that address") }
            let body = TokenBody(realm: "idp", kind: .assertion, parent: pat.family, anchor: pat.body.anchor, account: accountID, client: pat.body.client,
                                 service: service.id, jkt: key?.jkt ?? pat.body.jkt, detail: detail(pat, key: key, service: service, released: released))
            let draft = TokenDraft(body, inherited: pat.lineage, added: generations, lifetime: lifetimes.assertion, memory: PartitionPlan.assertionMemory, reaches: service.id)
            let issued = try await store.issue(draft, in: transaction)
            try await usage.record(accountID, at: service.id, in: transaction)
            if let instance = pat.body.client { try await instances.seen(instance, in: transaction) }
            return issued
        }
        return Granted(assertion: try await write(issued.row, service: service), tokenEndpoint: service.tokenEndpoint, expiresIn: Int(lifetimes.assertion))
    }

    private func detail(_ pat: TokenRow, key: ShownKey?, service: FederationService, released: JSONObject) -> JSONObject {
        var detail: JSONObject = ["claims": .object(released), "aud": .string(service.tokenEndpoint)]
        for name in ["jwk", "app", "auth_time", "acr", "amr"] { detail[name] = pat.body.detail[name] }
        if let key {
            detail["jwk"] = key.key.bare
            detail["app"] = JSONValue(pat.body.client)
        }
        if let account = pat.body.account { detail["sub"] = .string(names.subject(of: account, at: service.id)) }
        return detail
    }

    private func write(_ row: TokenRow, service: FederationService) async throws -> String {
        try await keys.sign(type: JWTType.serviceAssertion.rawValue, claims: AssertionClaims.claims(of: row, issuer: issuer, names: names))
    }
}

/// What an assertion says, made from its row: on the wire, in introspection and in `/token/validate`.
enum AssertionClaims {
    static func claims(of row: TokenRow, issuer: String, names: PairwiseNames) -> JSONObject {
        let body = row.body, service = body.service ?? ""
        var claims: JSONObject = [
            "iss": .string(issuer), "sub": body.detail["sub"] ?? .null, "aud": body.detail["aud"] ?? .null, "azp": body.detail["app"] ?? .null,
            "client_id": JSONValue(body.client), "jti": .string(row.id.description), "iat": .integer(row.issuedAt.numericDate),
            "exp": .integer(row.expiresAt.numericDate), "lineage": JSONValue(strings: row.lineage.map { names.node($0, at: service) }),
        ]
        if let jkt = body.jkt, let jwk = body.detail["jwk"] { claims["cnf"] = ["jwk": jwk, "jkt": .string(jkt)] }
        for name in ["auth_time", "acr", "amr"] { claims[name] = body.detail[name] }
        for member in body.detail["claims"]?.object?.members ?? [] where claims[member.name] == nil { claims[member.name] = member.value }
        return claims
    }
}
