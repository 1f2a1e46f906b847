import Base
import Database
import TokenTree
import Vocabulary

/// A client that registered itself reads, replaces and ends its registration (RFC 7592), by its registration access
/// token.
///
/// * The token stays the same for the client's life: rotating it would lose the client that lost the answer. Only its
///   hash is stored, so the answers repeat the one that was shown.
/// * An update replaces everything; what is left out falls back to its default (2.2). What may be asked for is still
///   what the invitation allowed.
/// * Tokens issued earlier live on through an update, with what they were issued with, also when it takes redirect
///   URIs, keys, grants or scopes away: whoever wants them ended says so, by `/revoke` or by deleting. Nothing new is
///   issued beyond what is registered.
/// * A secret stays while the client is to have one. Who comes from a method without gets a new one; who goes to such a
///   method loses it.
/// * Members that the server made (`client_id_issued_at` and so on) are ignored in an update, though 2.2 forbids
///   sending them: many clients send back what they read.
extension RegisterClient {
    public func read(_ id: String, _ request: PresentedRequest) async throws -> JSONValue {
        let token = try RegisterClient.bearer(request)
        let (client, _) = try await managed(id, by: token, holding: false, in: database)
        return information(client, secret: nil, token: token)
    }

    /// `body` is read only when the token is good.
    public func update(
        _ id: String, _ request: PresentedRequest, body: () async throws -> JSONValue
    ) async throws -> JSONValue {
        let token = try RegisterClient.bearer(request)
        let (_, policy) = try await managed(id, by: token, holding: false, in: database)
        let body = try await body(), reader = MetadataReader(members: body.object ?? [:])
        guard let named = reader["client_id"]?.string, named.utf8.elementsEqual(id.utf8) else {
            throw reader.refused("client_id must be that of the client that is changed")
        }
        let shown = try reader.string("client_secret", longest: 512)
        let draft = try await draft(of: body, under: policy)
        let (client, secret) = try await database.atomically { transaction in
            let (current, _) = try await managed(id, by: token, holding: true, in: transaction)
            if let shown {
                guard let secret = current.secret, ConstantTime.equal(Digest.sha256(shown), secret) else {
                    throw reader.refused("client_secret is not that of the client")
                }
            }
            // What the operator lets it know of people, and do without, is not its own to say.
            var draft = draft
            draft.claims = current.claims
            draft.metadata.allowsNonceInstead = current.metadata.allowsNonceInstead && draft.authMethod != .none
            let changed = try await clients.replace(current, by: draft, in: transaction)
            let names = current.changes(to: changed.0)
            try await audit(
                "clients.update", id, by: actor(id, request), detail: ["changed": JSONValue(strings: names)],
                in: transaction)
            return changed
        }
        return information(client, secret: secret ?? (client.secret == nil ? nil : shown), token: token)
    }

    /// The client, and everything that was issued to it, at once.
    public func delete(_ id: String, _ request: PresentedRequest) async throws {
        let token = try RegisterClient.bearer(request), actor = actor(id, request)
        try await database.atomically { transaction in
            _ = try await managed(id, by: token, holding: true, in: transaction)
            // The row first: who is issuing holds it and then waits for the tree, so the other order could meet them
            // head on. Who does not hold it is below the node, which is open therefore.
            _ = try await clients.delete(id, in: transaction)
            try await revocation.hold(Ancestor(.client, id), in: transaction)
            try await revocation.revoke(
                .virtual(Ancestor(.client, id)), by: actor.because("the client deleted its registration"),
                in: transaction)
            try await audit("clients.delete", id, by: actor, in: transaction)
        }
    }

    /// One answer for an unknown client, another token, and a client that has none because an operator made it (RFC
    /// 7592, 2.1).
    private func managed(
        _ id: String, by token: String, holding: Bool, in executor: any SQLExecutor
    ) async throws -> (client: WebClient, policy: RegistrationPolicy) {
        let isIdentifier = (1...64).contains(id.utf8.count) && Base64URL.decode(id) != nil
        guard isIdentifier, let found = try await clients.find(id, managedBy: token, holding: holding, in: executor)
        else {
            throw OAuthError(.invalidToken, "the registration access token is not that of this client")
        }
        return found
    }

    private func actor(_ id: String, _ request: PresentedRequest) -> AuditActor {
        AuditActor(name: "client:\(id)", origin: request.origin)
    }
}
