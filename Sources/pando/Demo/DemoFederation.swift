import Accounts
import Base
import Crypto
import Database
import Foundation
import Keys
import Registration
import TokenTree

/// The demo federation: one app with two versions, two people. Seeded once; what a person needs to try it is kept in the state directory.
struct DemoFederation: Sendable {
    static let app = "ch.pando.demo"

    let composition: Composition
    let state: String

    /// First credentials and version keys, for the demo app and for the one who reads the terminal.
    struct Credentials: Sendable {
        struct Person: Sendable { let username: String, password: String }
        let people: [Person]
        /// `APP.VERSION` to the private key's raw bytes.
        let versionKeys: [(version: String, privateKey: [UInt8])]
    }

    private var file: URL { URL(fileURLWithPath: state).appendingPathComponent("demo.json") }

    /// Makes what is missing; a database of another life than the file's makes both anew.
    func ensure() async throws -> Credentials {
        if let known = read(), try await isSeeded() { return known }
        let credentials = try await seed()
        try write(credentials)
        return credentials
    }

    private func isSeeded() async throws -> Bool {
        try await AppStore(clock: composition.clock).app(DemoFederation.app, in: composition.database) != nil
    }

    private func seed() async throws -> Credentials {
        let people = ["ada", "bob"].map { Credentials.Person(username: $0, password: Base64URL.encode(composition.randomness.bytes(12))) }
        let keys = ["1", "2"].map { (version: $0, privateKey: [UInt8](P256.Signing.PrivateKey().rawRepresentation)) }
        let accounts = AccountStore(clock: composition.clock), apps = AppStore(clock: composition.clock)
        let hashes = try await people.asyncMap { try await composition.hasher.hash($0.password) }
        let jwks = try await keys.asyncMap { try await JSONWebKey(DemoKey(raw: $0.privateKey).publicJWK) }
        try await composition.database.atomically { transaction in
            if try await apps.app(DemoFederation.app, in: transaction) == nil { _ = try await apps.create(app: DemoFederation.app, name: "Pando demo app", in: transaction) }
            for (key, jwk) in zip(keys, jwks) where try await apps.version("\(DemoFederation.app).\(key.version)", in: transaction) == nil {
                _ = try await apps.add(version: key.version, to: DemoFederation.app, key: jwk, in: transaction)
            }
            for (person, hash) in zip(people, hashes) {
                if let known = try await accounts.find(person.username, in: transaction) {
                    try await accounts.setPassword(known.id, hash, in: transaction)
                } else {
                    let name = person.username.capitalized
                    _ = try await accounts.create(username: person.username, password: hash,
                                                  change: AccountChange(email: "\(person.username)@example.org", name: "\(name) Pando", givenName: name, familyName: "Pando"),
                                                  isAdmin: person.username == "ada", in: transaction)
                }
            }
        }
        return Credentials(people: people, versionKeys: keys)
    }

    private func read() -> Credentials? {
        guard let data = try? Data(contentsOf: file), let json = try? JSONReader.read(data), let people = json["people"]?.array, let versions = json["versions"]?.array else { return nil }
        return Credentials(
            people: people.compactMap { person in person["username"]?.string.flatMap { name in person["password"]?.string.map { .init(username: name, password: $0) } } },
            versionKeys: versions.compactMap { entry in entry["version"]?.string.flatMap { version in entry["d"]?.string.flatMap { Base64URL.decode($0) }.map { (version, $0) } } })
    }

    private func write(_ credentials: Credentials) throws {
        let json: JSONValue = [
            "people": .array(credentials.people.map { ["username": .string($0.username), "password": .string($0.password)] }),
            "versions": .array(credentials.versionKeys.map { ["version": .string($0.version), "d": .string(Base64URL.encode($0.privateKey))] }),
        ]
        guard FileManager.default.createFile(atPath: file.path, contents: Data(json.prettyText.utf8), attributes: [.posixPermissions: 0o600]) else {
            throw Settings.Unacceptable(description: "state-directory: \(file.path) cannot be written")
        }
    }
}

extension Sequence where Element: Sendable {
    /// One after the other.
    func asyncMap<Result: Sendable>(_ transform: (Element) async throws -> Result) async throws -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
