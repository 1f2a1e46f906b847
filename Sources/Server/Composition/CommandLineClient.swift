import Base
import Database
import Registration
import TokenTree
import Vocabulary

/// Enters the client in whose name `pando login` asks: public, on any machine, its tokens bound to a key that is made
/// there. What a person may do with them is said by their roles.
public struct CommandLineClient: Sendable {
    public static let id = "pando-cli"

    let composition: Composition

    public init(_ composition: Composition) { self.composition = composition }

    /// What an operator has made of it since stays so.
    public func ensure() async throws {
        try await composition.database.atomically { transaction in
            // Two processes that start together come one after the other.
            _ = try await transaction.query(
                "select pg_advisory_xact_lock(\(NodeID(digestOf: "command line client").lockNumber))")
            let clients = WebClientStore(clock: composition.clock, randomness: composition.randomness)
            guard try await clients.find(CommandLineClient.id, in: transaction) == nil else { return }
            var metadata = ClientMetadata()
            metadata.isDPoPBound = true
            let draft = WebClientDraft(
                name: "Pando command line", authMethod: .none,
                grantTypes: [GrantType.deviceCode.rawValue, GrantType.refreshToken.rawValue],
                scope: "openid offline_access \(AdminScope.name) \(AdminScope.read)", metadata: metadata)
            _ = try await clients.create(draft, id: CommandLineClient.id, in: transaction)
            try await AuditTrail.write(
                AuditEntry(
                    actor: AuditActor(name: "server", reason: "for pando login"), action: "clients.create",
                    node: "client:\(CommandLineClient.id)"),
                at: composition.clock.now(), in: transaction)
        }
    }
}
