import Base
import Database
import Foundation
import OCRA
import TokenTree

/// Rows of `tiqr_authentication`, as those see them who began them. Answers are `AnswerChallenge`'s.
struct AuthenticationStore: Sendable {
    let links: LinkKeys
    let clock: WallClock
    let randomness: Randomness

    func start(
        _ draft: AuthenticationDraft, identity: TiqrIdentity?, under identifier: ServiceIdentifier,
        by caller: TiqrCaller, number: PushedNumber? = nil,
        in transaction: any SQLExecutor
    ) async throws -> AuthenticationView {
        let now = clock.now(), id = TiqrID.fresh(randomness), owner = try caller.beginner()
        let expires = now.addingTimeInterval(TimeInterval(draft.expiresIn ?? 180))
        let length = try OCRASuite.read(identity?.suite ?? identifier.suite).question.length
        let question = Hexadecimal.encode(randomness.bytes(length / 2))
        _ = try await transaction.execute(
            """
            insert into tiqr_authentication (id, owner, begun_by, lineage, identifier, identity, external_id,
                service_provider, return_url, session_hash, question,
                number, number_state, created_at, expires_at)
            values (\(id), \(owner), \(caller.family), \(caller.lineage), \(identifier.identifier),
                \(identity?.identity), \(identity?.externalID),
                    \(draft.serviceProvider), \(draft.returnURL), \(links.hash(.session, id)), \(question),
                    \(number?.text), \(number?.state.rawValue), \(now), \(expires))
            """)
        let challenge = Challenge(
            identifier: identifier.identifier, question: question, identity: identity?.identity,
            serviceProvider: draft.serviceProvider,
            returnURL: draft.returnURL, app: identifier.app)
        return AuthenticationView(
            id: id, status: .pending, expiresAt: expires, identity: identity?.identity,
            externalID: identity?.externalID, method: nil,
            authenticatedAt: nil, version: 1, challenge: challenge, number: number)
    }

    func find(_ id: String, for caller: TiqrCaller, in executor: any SQLExecutor) async throws -> AuthenticationView {
        let rows = try await executor.query(
            """
            select \(AuthenticationStore.columns) from tiqr_authentication x
            where x.id = \(id) and (\(caller.owner)::text is null or x.owner = \(caller.owner))
            """)
        guard let row = rows.first else { throw TiqrRefusal.notFound("there is no such authentication") }
        return try view(row)
    }

    /// The identity that it names, whatever became of it.
    static func named(
        _ id: String, for caller: TiqrCaller, in executor: any SQLExecutor
    ) async throws -> (id: String, named: String?) {
        let rows = try await executor.query(
            """
            select x.id, x.identity from tiqr_authentication x where x.id = \(id)
                and (\(caller.owner)::text is null or x.owner = \(caller.owner))
            """)
        guard let row = rows.first else { throw TiqrRefusal.notFound("there is no such authentication") }
        return (try row("id"), try row("identity"))
    }

    func cancel(_ id: String, for caller: TiqrCaller, in executor: any SQLExecutor) async throws {
        let done =
            try await executor.execute(
                """
                update tiqr_authentication x set state = 'cancelled', version = x.version + 1
                where x.id = \(id) and (\(caller.owner)::text is null or x.owner = \(caller.owner))
                    and x.state = 'pending' and x.expires_at > \(clock.now())
                  and not \(TiqrID.isRevoked)
                """) > 0
        guard !done else { return }
        _ = try await find(id, for: caller, in: executor)
        throw TiqrRefusal.conflict("the authentication is no longer pending")
    }

    static let columns: SQL = """
        x.id, x.identifier, x.identity, x.external_id, x.service_provider, x.return_url, x.question, x.state,
            x.answered_by, x.method, x.authenticated_at,
        x.version, x.number, x.number_state, x.expires_at, \(TiqrID.isRevoked) as is_revoked,
        \(AppLinks.columns)
        """

    func view(_ row: Row) throws -> AuthenticationView {
        let named: String? = try row("identity"), answered: String? = try row("answered_by"),
            method: String? = try row("method")
        let expiresAt: Date = try row("expires_at")
        var status = AuthenticationStatus(rawValue: try row("state")) ?? .cancelled
        if status == .pending {
            let isRevoked: Bool = try row("is_revoked")
            status = isRevoked ? .cancelled : expiresAt <= clock.now() ? .expired : .pending
        }
        let challenge = Challenge(
            identifier: try row("identifier"), question: try row("question"), identity: named,
            serviceProvider: try row("service_provider"),
            returnURL: try row("return_url"), app: try AppLinks(row))
        return AuthenticationView(
            id: try row("id"), status: status, expiresAt: expiresAt, identity: answered ?? named,
            externalID: try row("external_id"),
            method: method.flatMap(AnswerMethod.init(rawValue:)), authenticatedAt: try row("authenticated_at"),
            version: try row("version"),
            challenge: challenge, number: try PushedNumber(row))
    }
}
