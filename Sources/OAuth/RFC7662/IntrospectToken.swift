import Base
import Federation
import Foundation
import Keys
import TokenTree
import Vocabulary

/// Introspection (RFC 7662), its signed form (RFC 9701), and eduID's `/token/validate`. What is not the asker's looks
/// like what does not exist.
public final class IntrospectToken: Sendable {
    let lookup: TokenLookup
    let names: PairwiseNames
    let clock: WallClock

    public init(_ lookup: TokenLookup, names: PairwiseNames, clock: WallClock) {
        (self.lookup, self.names, self.clock) = (lookup, names, clock)
    }

    /// Throws `ConditionFailed` where the party is not what it was known to be.
    public func answer(_ text: String, for party: IntrospectionCaller) async throws -> JSONValue {
        guard let condition = party.isUnchanged, let id = try await lookup.signed(text) else {
            return answer(try await lookup.find(text, for: party), for: party)
        }
        if let answer = recalled(id, for: party) { return answer }
        if try await lookup.store.readAhead(id), let answer = recalled(id, for: party) { return answer }
        return answer(try await lookup.find(id, while: condition), for: party)
    }

    private func recalled(_ id: NodeID, for party: IntrospectionCaller) -> JSONValue? {
        guard let recalled = lookup.recall(id, for: party) else { return nil }
        let answer = answer(recalled.row, for: party)
        return lookup.store.leases.stands(recalled) ? answer : nil
    }

    private func answer(_ row: TokenRow?, for party: IntrospectionCaller) -> JSONValue {
        guard let row, row.isLive(at: clock.now()), row.usedAt == nil, row.body.realm == lookup.realm.id,
            IntrospectToken.concerns(row, party)
        else { return ["active": false] }
        return .object(describe(row))
    }

    /// RFC 9701, 5: no `sub`, no `exp` at the top, so that it cannot pass for an access token.
    public func signedAnswer(_ text: String, for party: IntrospectionCaller) async throws -> String {
        let answer = try await answer(text, for: party)
        return try await lookup.keys.sign(
            type: JWTType.introspection.rawValue,
            claims: [
                "iss": .string(lookup.realm.base), "aud": .string(party.clientID),
                "iat": .integer(clock.now().numericDate), "token_introspection": answer,
            ])
    }

    /// `{sub, azp, iat, email}` of an assertion that was issued to this service and lives (api.md); 404 otherwise.
    public func validate(jti: String, for party: IntrospectionCaller) async throws -> JSONValue {
        guard case .service(let service, _) = party else {
            throw OAuthError(.forbidden, "only a service may validate an assertion")
        }
        // The assertion itself lives for minutes; what came of it, and so its node, until it is revoked.
        guard let row = try await lookup.find(jti, hint: "jti"), row.body.kind == .assertion,
            row.body.service == service.id, !row.isRevoked
        else {
            throw OAuthError(.notFound, "no live assertion of that jti was issued to this service")
        }
        var answer: JSONObject = [
            "sub": JSONValue(row.body.claims.subject), "azp": JSONValue(row.body.claims.app),
            "iat": .integer(row.issuedAt.numericDate),
        ]
        answer["email"] = row.body.claims.released["email"]
        return .object(answer)
    }

    private static func concerns(_ row: TokenRow, _ party: IntrospectionCaller) -> Bool {
        switch party {
        case .holder(let holder):
            row.body.client != nil && row.body.client == holder.token.body.client
                && row.body.bundle == holder.token.body.bundle
        case .client(let client): row.body.kind == .accessToken && row.body.client == client.id
        // A protected resource asks about tokens that were made for it (RFC 7662, 4; RFC 8707), whoever got them.
        case .service(let service, let client):
            row.body.kind == .assertion
                ? row.body.service == service.id
                : row.body.kind == .accessToken
                    && (row.body.client == client.id || row.body.claims.audience == service.base)
        }
    }

    private func describe(_ row: TokenRow) -> JSONObject {
        let body = row.body
        if body.kind == .assertion {
            var claims = AssertionClaims.claims(of: row, issuer: lookup.realm.base, names: names)
            claims["active"] = true
            return claims
        }
        // RFC 9470, 6.2, for what tells of the login.
        var answer = body.claims.login.json
        answer["active"] = true
        answer["iss"] = .string(lookup.realm.base)
        answer["sub"] = .string(body.subject ?? "")
        answer["aud"] = .string(body.claims.audience ?? lookup.realm.base)
        answer["client_id"] = JSONValue(body.bundle ?? body.client)
        answer["jti"] = .string(row.id.description)
        answer["iat"] = .integer(row.issuedAt.numericDate)
        if row.expiresAt < Date.distantFuture { answer["exp"] = .integer(row.expiresAt.numericDate) }
        answer["token_type"] = .string(body.jkt == nil ? "Bearer" : "DPoP")
        if let scope = body.scope, !scope.isEmpty { answer["scope"] = .string(scope) }
        answer["cnf"] = body.confirmation(withKey: false)
        return answer
    }
}
