import Accounts
import Base
import Database
import Federation
import Foundation
import Registration
import TokenTree
import Vocabulary

/// What a logged-in app may ask about its person (protocols/eduid.md, 3.4 and 3.5; OpenID Connect Core, 5.3).
public struct UserProfile: Sendable {
    let host: String
    let database: Database
    let usage: ServiceUsage
    private let people: SharedReading<UUID, Account>
    /// What apps are told, where that is not all.
    private let filters: SharedReading<String, [String]>

    public init(issuer: String, database: Database, clock: WallClock) {
        (host, self.database) = (WebAddress(issuer)?.host ?? "localhost", database)
        usage = ServiceUsage(clock: clock)
        people = SharedReading("people") { try await AccountStore.find($0, in: database).map { ($0.id, $0) } }
        filters = SharedReading("filters") { try await AppStore.claims($0, in: database) }
    }

    /// Whether the app behind a token is told an attribute; asked for while the person is read.
    /// What institutions say of their people is told to no app that the operator has not named it for.
    private func filter(_ pat: TokenRow) async throws -> @Sendable (String) -> Bool {
        guard let app = pat.body.claims.app, let told = try await filters.find(app) else {
            return { AttributeRelease.ofScopes.contains($0) }
        }
        return { told.contains($0) }
    }

    /// An array of identities; the first is the core one, which has no `idp_uuid`.
    public func identities(_ pat: TokenRow) async throws -> JSONValue {
        async let filter = filter(pat)
        let account = try await account(of: pat), isTold = try await filter
        func told(_ name: String, _ value: String?) -> JSONValue { isTold(name) ? JSONValue(value) : .null }
        let extra: JSONObject = [
            "name": told("name", account.name), "given_name": told("given_name", account.givenName),
            "family_name": told("family_name", account.familyName),
        ]
        let core: JSONObject = [
            "userid": .string("\(account.id.uuidString.lowercased())@\(host)"),
            "mailaddress": told("email", account.email),
            "extra": .object(JSONObject(extra.filter { $0.value != .null }.map { ($0.name, $0.value) })),
        ]
        return [.object(core)]
    }

    public func userInfo(_ pat: TokenRow) async throws -> JSONValue {
        async let filter = filter(pat)
        let account = try await account(of: pat), isTold = try await filter
        var claims: JSONObject = ["sub": .string(account.id.uuidString.lowercased())]
        for member in account.claims(AttributeRelease.known.filter(isTold)) { claims[member.name] = member.value }
        return .object(claims)
    }

    /// Base URLs, most recent first.
    public func services(_ pat: TokenRow) async throws -> JSONValue {
        JSONValue(strings: try await usage.services(of: try await account(of: pat).id, in: database))
    }

    /// Forgets what the person used: all of it, or the service at a base URL. Throws `OAuthError` (400) for what is no
    /// URL of a service.
    public func forgetServices(_ pat: TokenRow, at base: String?) async throws {
        let address = try base.map { text in
            guard let address = WebAddress(text), address.query == nil else {
                throw OAuthError(.invalidRequest, "service must be the base URL of a service, as the list has it")
            }
            return address
        }
        try await usage.forget(try await account(of: pat).id, base: address, in: database)
    }

    func account(of pat: TokenRow) async throws -> Account {
        guard let id = pat.body.account, let account = try await people.find(id),
            account.status == .active
        else {
            throw OAuthError(.invalidToken, "the person behind this token is no longer active")
        }
        return account
    }
}
