import Base
import Foundation
import PandoClient
import Server

/// First credentials, version keys and a client, for the demos and for the one who reads the terminal: `demo.json` in
/// the state directory.
public struct DemoCredentials: Sendable {
    public struct Person: Sendable {
        public let username: String, password: String

        public init(username: String, password: String) { (self.username, self.password) = (username, password) }
    }

    /// A version of the demo app, and the private key that is in its every binary.
    public struct Version: Sendable {
        public let name: String, privateKey: [UInt8]
        public var id: String { "\(DemoFederation.app).\(name)" }

        public func appVersion() throws -> AppVersion {
            AppVersion(app: DemoFederation.app, version: name, key: try SigningKey(raw: privateKey))
        }
    }

    /// The service that `pando demo tiqr` and `pando demo operations` act for.
    public struct Client: Sendable {
        public let id: String, secret: String

        public init(id: String, secret: String) { (self.id, self.secret) = (id, secret) }
    }

    public let people: [Person]
    public let versions: [Version]
    /// `nil` in a file of an older server.
    public let client: Client?

    public static func file(in state: String) -> URL { URL(fileURLWithPath: state).appendingPathComponent("demo.json") }

    public init(people: [Person], versions: [Version], client: Client?) {
        (self.people, self.versions, self.client) = (people, versions, client)
    }

    /// `nil` when there is no such file, or it is not ours.
    public init?(readFrom state: String) {
        guard let data = try? Data(contentsOf: DemoCredentials.file(in: state)), let json = try? JSONReader.read(data),
            let people = json["people"]?.array, let versions = json["versions"]?.array
        else { return nil }
        self.people = people.compactMap { person in
            person["username"]?.string.flatMap { name in
                person["password"]?.string.map { Person(username: name, password: $0) }
            }
        }
        self.versions = versions.compactMap { entry in
            entry["version"]?.string.flatMap { name in
                entry["d"]?.string.flatMap { Base64URL.decode($0) }.map { Version(name: name, privateKey: $0) }
            }
        }
        client = json["client"]?["id"]?.string.flatMap { id in
            json["client"]?["secret"]?.string.map { Client(id: id, secret: $0) }
        }
        guard !self.people.isEmpty, !self.versions.isEmpty else { return nil }
    }

    /// For its owner's eyes only.
    public func write(to state: String) throws {
        var json: JSONObject = [
            "people": .array(people.map { ["username": .string($0.username), "password": .string($0.password)] }),
            "versions": .array(
                versions.map { ["version": .string($0.name), "d": .string(Base64URL.encode($0.privateKey))] }),
        ]
        if let client { json["client"] = ["id": .string(client.id), "secret": .string(client.secret)] }
        let file = DemoCredentials.file(in: state), text = JSONValue.object(json).prettyText + "\n"
        guard
            FileManager.default.createFile(
                atPath: file.path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
        else {
            throw Settings.Unacceptable(description: "state-directory: \(file.path) cannot be written")
        }
    }
}
