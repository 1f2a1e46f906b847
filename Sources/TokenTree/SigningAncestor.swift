import Base
import Database
import Synchronization

/// The key that signs what is issued now, as an ancestor of it: a key that others hold ends all that was signed under
/// it by one revocation.
///
/// Its open generation is remembered, so that issuing asks nobody for it; the statement that inserts checks that it is
/// open still.
final class SigningAncestor: Sendable {
    struct Generation: Sendable, Equatable {
        let kid: String
        let id: NodeID
    }

    private let ask: TokenStore.Signer
    private let remembered = Mutex<Generation?>(nil)

    init(_ ask: @escaping TokenStore.Signer) { self.ask = ask }

    /// `nil` where nothing signs. No round trip while one key signs and its generation is open.
    func current(_ ancestors: AncestorStore, in executor: any SQLExecutor) async throws -> Generation? {
        guard let kid = try await ask(false, executor) else { return nil }
        if let remembered = remembered.withLock({ $0 }), remembered.kid == kid { return remembered }
        return try await open(kid, ancestors, in: executor)
    }

    /// After a refusal that nothing else explains: the key has ended, or its generation was opened by a transaction
    /// that had not committed. Waits for such a one.
    func renewed(_ ancestors: AncestorStore, in executor: any SQLExecutor) async throws -> Generation? {
        guard let kid = try await ask(true, executor) else { return nil }
        return try await open(kid, ancestors, in: executor)
    }

    /// Opens first and asks after, past all memory. Who revokes a key opens its generation before revoking it
    /// (`Revocation`), so one of the two waits for the other and sees what it did: nothing hangs below a generation
    /// that was opened after the end of its key.
    private func open(
        _ kid: String, _ ancestors: AncestorStore, in executor: any SQLExecutor
    ) async throws -> Generation? {
        var kid = kid
        for _ in 0..<4 {
            guard let id = try await ancestors.generations(of: [Ancestor(.signer, kid)], in: executor).first,
                let certain = try await ask(true, executor)
            else { return nil }
            if certain == kid {
                let generation = Generation(kid: kid, id: id)
                // Until this transaction commits, and for ever if it is rolled back, it names nothing: the inserting
                // statement of others refuses it, and they renew.
                remembered.withLock { $0 = generation }
                return generation
            }
            kid = certain
        }
        throw DatabaseError.serialization
    }
}
