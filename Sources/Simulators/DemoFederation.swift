import Accounts
import Base
import Crypto
import Database
import Foundation
import Keys
import OAuth
import PandoClient
import Registration
import Server

/// The demo federation: one app with two versions, two people, a service that relies on tiqr and operations. Seeded
/// once; what a person needs to try it is kept in the state directory.
public struct DemoFederation: Sendable {
    public static let app = "ch.pando.demo"

    public let composition: Composition
    public let state: String

    public init(composition: Composition, state: String) {
        (self.composition, self.state) = (composition, state)
    }

    private var apps: AppStore { AppStore(clock: composition.clock) }
    private var clients: WebClientStore { WebClientStore(clock: composition.clock, randomness: composition.randomness) }

    /// Makes what is missing. When file and database are of different lives, new passwords and new versions of the app
    /// make them agree.
    public func ensure() async throws -> DemoCredentials {
        let credentials: DemoCredentials
        if let known = DemoCredentials(readFrom: state), try await isSeeded(with: known) {
            if let client = known.client, try await isGood(client) { return known }
            credentials = DemoCredentials(
                people: known.people, versions: known.versions, client: try await seedClient(in: composition.database))
        } else {
            credentials = try await seed()
        }
        try credentials.write(to: state)
        return credentials
    }

    private func isSeeded(with known: DemoCredentials) async throws -> Bool {
        for version in known.versions {
            guard let row = try await apps.version(version.id, in: composition.database),
                row.thumbprint == (try? SigningKey(raw: version.privateKey).thumbprint)
            else { return false }
        }
        for person in known.people
        where try await AccountStore(clock: composition.clock).find(person.username, in: composition.database) == nil {
            return false
        }
        return true
    }

    /// A client of an older server may lack a scope.
    private func isGood(_ client: DemoCredentials.Client) async throws -> Bool {
        let scopes = try await clients.find(client.id, in: composition.database)?.scope.split(separator: " ") ?? []
        return Set(scopes).isSuperset(of: DemoRelyingService.BuiltIn.scopes.split(separator: " "))
    }

    private func seed() async throws -> DemoCredentials {
        let people = ["ada", "bob"].map {
            DemoCredentials.Person(username: $0, password: composition.randomness.identifier())
        }
        let hashes = try await people.asyncMap { try await composition.hasher.hash($0.password) }
        return try await composition.database.atomically { transaction in
            let versions = try await seedApp(in: transaction)
            for (person, hash) in zip(people, hashes) { try await seed(person, hash, in: transaction) }
            return DemoCredentials(people: people, versions: versions, client: try await seedClient(in: transaction))
        }
    }

    /// A version that is there already has a key that nobody knows any more: the next two numbers are taken.
    private func seedApp(in transaction: any SQLExecutor) async throws -> [DemoCredentials.Version] {
        if try await apps.app(DemoFederation.app, in: transaction) == nil {
            _ = try await apps.create(app: DemoFederation.app, name: "Pando demo app", in: transaction)
        }
        let taken =
            try await apps.versions(of: DemoFederation.app, after: nil, limit: 1_000, in: transaction).compactMap {
                Int($0.version)
            }.max() ?? 0
        return try await [taken + 1, taken + 2].asyncMap { number in
            let key = P256.Signing.PrivateKey(), raw = [UInt8](key.rawRepresentation)
            let version = DemoCredentials.Version(name: String(number), privateKey: raw)
            let jwk = try await JSONWebKey(try JSONReader.read(try SigningKey(key).jwk.bytes()))
            _ = try await apps.add(version: version.name, to: DemoFederation.app, key: jwk, in: transaction)
            return version
        }
    }

    /// The secret of one that is there is known to nobody: each seeding makes another.
    private func seedClient(in executor: any SQLExecutor) async throws -> DemoCredentials.Client? {
        let draft = WebClientDraft(
            name: "Pando demo service", grantTypes: ["client_credentials"], scope: DemoRelyingService.BuiltIn.scopes)
        let (client, secret) = try await clients.create(draft, in: executor)
        return secret.map { DemoCredentials.Client(id: client.id, secret: $0) }
    }

    private func seed(
        _ person: DemoCredentials.Person, _ hash: PasswordHash, in transaction: any SQLExecutor
    ) async throws {
        let accounts = AccountStore(clock: composition.clock), name = person.username.capitalized
        if let known = try await accounts.find(person.username, in: transaction) {
            let change = ChangePassword(
                store: composition.store, revocation: composition.revocation, clock: composition.clock)
            _ = try await change.reset(hash, of: known.id, by: .server, in: transaction)
            return
        }
        let change = AccountChange(
            email: "\(person.username)@example.org", name: "\(name) Pando", givenName: name, familyName: "Pando")
        _ = try await accounts.create(username: person.username, password: hash, change: change, in: transaction)
    }
}

extension Sequence where Element: Sendable {
    /// One after the other.
    public func asyncMap<Result: Sendable>(_ transform: (Element) async throws -> Result) async throws -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
