import Base
import Database
import Federation
import Foundation
import OAuth
import Registration
import TokenTree

extension Composition {
    /// The services of this process that stand in the index of the federation.
    var builtIn: [ServiceProfile] { services.compactMap { $0.role?.profile } }
}

/// Enters the built-in services into the federation index, so that the crawler, discovery and assertions treat them
/// as any other. Those of another server's federation are entered for their policies alone: they stay `pending`, since
/// that server is who lists them.
struct BuiltInServiceIndex {
    let composition: Composition

    func ensure() async throws {
        let index = ServiceIndex(clock: composition.clock)
        for profile in composition.builtIn {
            guard let base = WebAddress(profile.base) else { continue }
            try await composition.database.atomically { transaction in
                // Two processes that start together come one after the other.
                _ = try await transaction.query(
                    "select pg_advisory_xact_lock(\(NodeID(digestOf: "house index").lockNumber))")
                if let known = try await index.find(profile.id, in: transaction) {
                    // The issuer has changed since: the entry follows, or nobody would find the service.
                    guard known.base != base.withoutQuery else { return }
                    try await index.rebase(known.id, to: base, in: transaction)
                    composition.logger.warning(
                        """
                        a built-in service has moved: this database was served under another issuer. A process that \
                        still serves that one would move it back
                        """,
                        metadata: ["service": "\(known.id)", "was": "\(known.base)", "is": "\(base.withoutQuery)"])
                    return
                }
                let clients = WebClientStore(clock: composition.clock, randomness: composition.randomness)
                let draft = WebClientDraft(name: profile.name, grantTypes: ["client_credentials"], scope: "")
                let (client, _) = try await clients.create(draft, in: transaction)
                _ = try await index.add(
                    id: profile.id, name: profile.name, base: base, client: client.id, claims: profile.claims, rsd: nil,
                    allowsLoopback: base.isLoopback, status: composition.settings.elsewhere == nil ? .active : .pending,
                    in: transaction)
                try await AuditTrail.write(
                    AuditEntry(
                        actor: AuditActor(name: "server", reason: "a built-in service"), action: "services.add",
                        node: "service:\(profile.id)"),
                    at: composition.clock.now(), in: transaction)
            }
        }
    }
}
