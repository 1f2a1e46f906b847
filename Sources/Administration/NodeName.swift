import Accounts
import Base
import Federation
import Foundation
import Registration
import TokenTree

/// NODE as cli.md spells it, found among the things of the server.
public struct NodeName: Sendable {
    public let node: Node
    /// The row, when the node is a token.
    public let token: TokenRow?

    /// `not_found` when nothing of that name exists, `usage` when the words are not a node's name.
    public init(_ text: String, _ session: AdminSession) async throws {
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { throw NodeName.unknownWords }
        if parts[0] == "token" {
            guard let id = NodeID(parts[1]), let row = try await session.store.find(id, in: session.executor) else {
                throw NodeName.missing(text)
            }
            (node, token) = (.token(row.family), row)
            return
        }
        guard let kind = Ancestor.Kind(rawValue: parts[0]), kind != .epoch, kind != .signer else {
            throw NodeName.unknownWords
        }
        guard let name = try await NodeName.resolve(kind, parts[1], session) else { throw NodeName.missing(text) }
        (node, token) = (.virtual(Ancestor(kind, name)), nil)
    }

    private static let unknownWords = AdminFailure(
        .usage,
        """
        a node is version:APP.VERSION, instance:ID, key:THUMBPRINT, account:NAME, password:NAME, client:ID, \
        session:SID, grant:ACCOUNT/CLIENT_ID, service:ID, use:NAME/SERVICE, bundle:ID, admission:SERVICE/BUNDLE or \
        token:JTI
        """
    )
    private static func missing(_ text: String) -> AdminFailure { AdminFailure(.notFound, "\(text) does not exist") }

    /// The name under which the tree knows it; `nil` when there is no such thing.
    private static func resolve(_ kind: Ancestor.Kind, _ name: String, _ session: AdminSession) async throws -> String?
    {
        let (clock, executor) = (session.clock, session.executor)
        switch kind {
        case .version: return try await AppStore(clock: clock).version(name, in: executor)?.id
        case .instance: return try await InstanceStore(clock: clock).find(name, in: executor)?.id
        case .account, .password:
            return try await AccountStore(clock: clock).find(name, in: executor)?.id.uuidString.lowercased()
        case .client:
            return try await WebClientStore(clock: clock, randomness: session.randomness).find(name, in: executor)?.id
        case .service: return try await ServiceIndex(clock: clock).find(name, in: executor)?.id
        case .use:
            // Usernames may hold slashes, and base URLs do; ids of services do not.
            for slash in [name.lastIndex(of: "/"), name.firstIndex(of: "/")].compactMap(\.self) {
                let (person, place) = (String(name[..<slash]), String(name[name.index(after: slash)...]))
                if let account = try await AccountStore(clock: clock).find(person, in: executor),
                    let service = try await ServiceIndex(clock: clock).find(place, in: executor)
                {
                    return Ancestor.use(account.id, at: service.id).name
                }
            }
            return nil
        case .key, .bundle, .admission, .epoch, .signer, .session, .grant:
            return try await TreeView(store: session.store).generations(of: Ancestor(kind, name), in: executor).isEmpty
                ? nil : name
        }
    }
}
