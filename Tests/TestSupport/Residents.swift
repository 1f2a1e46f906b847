import Accounts
import Base
import Database
import Federation
import Foundation
import Keys
import Registration
import Vocabulary

/// Who lives on a test server: an app with three versions, four people, two services and two machines.
public struct Residents: Sendable {
    public static let app = "ch.example.wallet"
    /// Everybody's.
    public static let password = "correct horse battery staple"
    /// Of a service without a process: what is pushed there is refused.
    public static let quietBase = "https://quiet.example.org"

    /// Keys of versions 1, 2 and 3.
    public let versionKeys: [String: PhoneKey]
    /// Client id and secret of `learn`, and of a machine with `client_secret_basic`.
    public let learn: (id: String, secret: String)
    public let quiet: (id: String, secret: String)
    public let machine: (id: String, secret: String)
    /// A machine with `private_key_jwt`.
    public let signer: (id: String, key: PhoneKey)

    /// Of `password`, with the least memory and one pass: a real one takes 40 ms of each login of a thousand tests. Who
    /// tries the name of nobody, or sets a password, works as hard as ever.
    private static let hash = PasswordHash(
        encoded:
            "$argon2id$v=19$m=8,t=1,p=1$dGhlIHJlc2lkZW50cycgc2FsdA$raYBBf/Tt+yrAEkYrYfpfFs6DTKeT0zPzHA2PxMpxNw")

    static func moveIn(_ parts: ServerParts) async throws -> Residents {
        let clock = parts.time.clock, apps = AppStore(clock: clock), accounts = AccountStore(clock: clock),
            index = ServiceIndex(clock: clock)
        let clients = WebClientStore(clock: clock, randomness: .system)
        let keys = Dictionary(uniqueKeysWithValues: ["1", "2", "3"].map { ($0, PhoneKey()) })
        let signerKey = PhoneKey()
        let jwks = JSONValue.object(["keys": [signerKey.jwk(kid: "signer")]])
        return try await parts.database.transaction { transaction in
            _ = try await apps.create(app: app, name: app, in: transaction)
            for (version, key) in keys.sorted(by: { $0.key < $1.key }) {
                _ = try await apps.add(
                    version: version, to: app, key: JSONWebKey(key.jwk(kid: "kid-\(version)")), in: transaction)
            }
            for (name, factor) in [
                ("ada", Account.RequiredFactor.none), ("bob", .none), ("carol", .any), ("dan", .none),
            ] {
                let change = AccountChange(email: "\(name)@example.org", name: name.capitalized, requiredFactor: factor)
                let account = try await accounts.create(username: name, password: hash, change: change, in: transaction)
                if name == "dan" { _ = try await accounts.setStatus(account.id, .suspended, in: transaction) }
            }
            func client(_ name: String) async throws -> (id: String, secret: String) {
                let (client, secret) = try await clients.create(
                    WebClientDraft(name: name, grantTypes: ["client_credentials"], scope: "read write openid"),
                    in: transaction)
                return (client.id, secret ?? "")
            }
            let learn = try await client("learn"), quiet = try await client("quiet"),
                machine = try await client("machine")
            for (id, base, owner, claims) in [
                ("learn", ServerParts.base, learn.id, ["email", "name"]), ("quiet", quietBase, quiet.id, []),
            ] {
                guard let address = WebAddress(base) else { continue }
                _ = try await index.add(
                    id: id, name: id, base: address, client: owner, claims: claims, rsd: nil, allowsLoopback: true,
                    status: .active, in: transaction)
            }
            let (signer, _) = try await clients.create(
                WebClientDraft(
                    name: "signer", authMethod: .privateKeyJWT, jwks: jwks, grantTypes: ["client_credentials"],
                    scope: "read"), in: transaction)
            return Residents(
                versionKeys: keys, learn: learn, quiet: quiet, machine: machine, signer: (signer.id, signerKey))
        }
    }
}

extension TestServer {
    /// A web client with these properties, as `pando admin clients create` makes one.
    public func webApp(
        _ name: String = "Notes", method: WebClient.AuthMethod = .basic, redirectURIs: [String] = [Browser.callback],
        scope: String = "openid profile email offline_access",
        grants: [String] = ["authorization_code", "refresh_token"], jwks: JSONValue? = nil,
        _ change: @Sendable (inout ClientMetadata) -> Void = { _ in }
    ) async throws -> WebApp {
        var metadata = ClientMetadata()
        change(&metadata)
        let draft = WebClientDraft(
            name: name, authMethod: method, jwks: jwks, redirectURIs: redirectURIs, grantTypes: grants, scope: scope,
            metadata: metadata)
        let (client, secret) = try await WebClientStore(clock: parts.time.clock, randomness: .system).create(
            draft, in: database)
        return WebApp(server: self, id: client.id, secret: secret ?? "")
    }
}
