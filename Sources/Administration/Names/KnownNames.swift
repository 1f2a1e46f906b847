import Base
import Database

/// What things are called that people name on a command line: for completion, and to ask what somebody meant.
public struct KnownNames: Sendable {
    public enum Kind: String, Sendable, CaseIterable {
        case account, app, version, instance, service, client, institution
        case signingKey = "signing key"
    }

    /// Of one question; a federation may have a hundred thousand people.
    static let most = 50, compared = 5_000

    private let executor: any SQLExecutor

    public init(in executor: any SQLExecutor) { self.executor = executor }

    /// Those that begin so, in the order of the alphabet.
    public func beginning(with prefix: String, _ kind: Kind) async throws -> [String] {
        try await executor.query(
            """
            select known.name from (\(KnownNames.all(kind))) known
            where starts_with(lower(known.name), lower(\(prefix))) order by known.name limit \(KnownNames.most)
            """
        ).map { try $0("name") }
    }

    /// The one that is most like `name`; `nil` where none is near.
    public func meant(by name: String, _ kind: Kind) async throws -> String? {
        guard (2...200).contains(name.count) else { return nil }
        let reach = max(2, name.count / 3)
        let found: [String] = try await executor.query(
            """
            select known.name from (\(KnownNames.all(kind))) known
            where length(known.name) between \(name.count - reach) and \(name.count + reach)
            order by left(lower(known.name), 1) = left(lower(\(name)), 1) desc, known.name
            limit \(KnownNames.compared)
            """
        ).map { try $0("name") }
        return NearestName.meant(by: name, among: found)
    }

    private static func all(_ kind: Kind) -> SQL {
        switch kind {
        case .account: "select username as name from account"
        case .app: "select id as name from app"
        case .version: "select id as name from app_version"
        case .instance: "select id as name from app_instance"
        case .service: "select id as name from service where status <> 'removed'"
        case .client: "select id as name from client"
        case .institution: "select id as name from institution"
        case .signingKey: "select kid as name from signing_key"
        }
    }
}

/// What was named and does not exist.
public struct MissingName: Sendable, Equatable {
    public let kind: KnownNames.Kind
    public let name: String

    public init(kind: KnownNames.Kind, name: String) { (self.kind, self.name) = (kind, name) }
}
