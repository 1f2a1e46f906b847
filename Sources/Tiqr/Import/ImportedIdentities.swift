import Base
import Database
import Foundation

/// A user of another server, and whose identity that becomes here.
struct ImportedIdentity: Sendable {
    let user: ImportedUser
    let owner: String
    let identifier: String
    let suite: String
    let externalID: String
}

extension IdentityStore {
    /// Adds those whose name is free, and tells of each what became of it. An import counts as the last login: these
    /// phones have answered before.
    func place(
        _ identities: [ImportedIdentity], in transaction: any SQLExecutor
    ) async throws -> [(outcome: ImportReport.Outcome, reason: String?)] {
        let now = clock.now()
        let inserted = try await transaction.batch(identities.map { try insertion($0, at: now) }).map { !$0.isEmpty }
        let known = zip(identities, inserted).filter { !$0.1 }.map { $0.0.user.identity }
        let differences = try await differences(from: identities, known: known, in: transaction)
        return zip(identities, inserted).map { identity, isNew -> (outcome: ImportReport.Outcome, reason: String?) in
            guard !isNew else { return (.imported, nil) }
            let difference = differences[identity.user.identity]
            return (difference == nil ? .already : .conflict, difference)
        }
    }

    private func insertion(_ identity: ImportedIdentity, at now: Date) throws -> SQL {
        let user = identity.user, sealed = try master.seal(user.secret, row: IdentityStore.sealingRow(user.identity))
        return """
            insert into tiqr_identity (identity, owner, identifier, suite, display_name, external_id, secret,
                sealed_by, failures, blocked_until, blocked_for_good,
                                       block_step, push_type, push_address, created_at, last_login_at)
            values (\(user.identity), \(identity.owner), \(identity.identifier), \(identity.suite),
                \(user.displayName), \(identity.externalID), \(sealed), \(master.id),
                    \(user.failures), \(user.blockedUntil), \(user.isBlockedForGood), \(user.blockStep),
                        \(user.address?.type), \(user.address?.address), \(now), \(now))
            on conflict (identity) do nothing
            returning identity
            """
    }

    /// By name, in words, of those that are there and are not the same.
    private func differences(
        from identities: [ImportedIdentity], known: [String], in transaction: any SQLExecutor
    ) async throws -> [String: String] {
        guard !known.isEmpty else { return [:] }
        let wanted = Dictionary(identities.map { ($0.user.identity, $0) }, uniquingKeysWith: { first, _ in first })
        var differences: [String: String] = [:]
        for row in try await transaction.query(
            """
            select i.identity, i.owner, i.identifier, i.suite, i.external_id, i.secret, i.sealed_by
                from tiqr_identity i where i.identity = any(\(known))
            """)
        {
            let name: String = try row("identity"), owner: String = try row("owner"),
                externalID: String? = try row("external_id")
            guard let identity = wanted[name] else { continue }
            let (identifier, suite): (String, String) = (try row("identifier"), try row("suite"))
            let held = try secret(sealed: try row("secret"), by: try row("sealed_by"), of: name)
            differences[name] =
                if owner != identity.owner {
                    "an identity of this name is there, of \(owner)"
                } else if identifier != identity.identifier || suite != identity.suite {
                    "an identity of this name is there, for \(identifier) with suite \(suite)"
                } else if externalID != identity.externalID {
                    "an identity of this name is there, for another person"
                } else if held != identity.user.secret {
                    "an identity of this name is there, with another secret"
                } else {
                    nil
                }
        }
        return differences
    }
}
