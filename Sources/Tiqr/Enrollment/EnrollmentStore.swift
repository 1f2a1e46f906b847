import Base
import Database
import Foundation
import TokenTree

/// Rows of `tiqr_enrollment`. Each step is one conditional update: of all who try, one makes it.
struct EnrollmentStore: Sendable {
    let links: LinkKeys
    let identities: IdentityStore
    let clock: WallClock
    let randomness: Randomness

    func start(
        _ draft: EnrollmentDraft, under identifier: ServiceIdentifier, by caller: TiqrCaller,
        in transaction: any SQLExecutor
    ) async throws -> EnrollmentView {
        let now = clock.now(), id = TiqrID.fresh(randomness), identity = randomness.identifier(),
            owner = try caller.beginner()
        let expires = now.addingTimeInterval(TimeInterval(draft.expiresIn ?? 300))
        _ = try await transaction.execute(
            """
            insert into tiqr_enrollment (id, owner, begun_by, lineage, identifier, suite, identity, display_name,
                external_id, key_hash, secret_hash,
                                         created_at, expires_at)
            values (\(id), \(owner), \(caller.family), \(caller.lineage), \(identifier.identifier),
                \(identifier.suite), \(identity), \(draft.displayName),
                    \(draft.externalID), \(links.hash(.metadata, id)), \(links.hash(.secret, id)), \(now), \(expires))
            """)
        try await TiqrAudit.write("tiqr.enrollment", caller.actor, about: identity, at: now, in: transaction)
        return EnrollmentView(
            id: id, status: .initialized, identity: identity, expiresAt: expires, version: 1, app: identifier.app)
    }

    func find(_ id: String, for caller: TiqrCaller, in executor: any SQLExecutor) async throws -> EnrollmentView {
        let rows = try await executor.query(
            """
            select x.id, x.state, x.identity, x.expires_at, x.version, \(TiqrID.isRevoked) as is_revoked,
                \(AppLinks.columns)
                from tiqr_enrollment x
            where x.id = \(id) and (\(caller.owner)::text is null or x.owner = \(caller.owner))
            """)
        guard let row = rows.first else { throw TiqrRefusal.notFound("there is no such enrollment") }
        let expiresAt: Date = try row("expires_at")
        return EnrollmentView(
            id: try row("id"), status: status(try row("state"), expiresAt: expiresAt, isRevoked: try row("is_revoked")),
            identity: try row("identity"),
            expiresAt: expiresAt, version: try row("version"), app: try AppLinks(row))
    }

    /// Done is done, whatever ends afterwards; what is under way ends with its time or with the token that began it.
    private func status(_ state: String, expiresAt: Date, isRevoked: Bool) -> EnrollmentStatus {
        let status = EnrollmentStatus(rawValue: state) ?? .cancelled
        guard status == .initialized || status == .retrieved else { return status }
        return isRevoked ? .cancelled : expiresAt <= clock.now() ? .expired : status
    }

    /// The metadata's one reader.
    func retrieve(key: String, in executor: any SQLExecutor) async throws -> WaitingEnrollment? {
        guard let hash = LinkKeys.hash(shown: key) else { return nil }
        return try await executor.query(
            """
            update tiqr_enrollment x set state = 'retrieved', version = x.version + 1
            where x.key_hash = \(hash) and x.state = 'initialized' and x.expires_at > \(clock.now())
                and not \(TiqrID.isRevoked)
            returning \(WaitingEnrollment.columns)
            """
        ).first.map { try WaitingEnrollment($0) }
    }

    /// The app of the enrollment that this key is of, whatever became of it. Looks only.
    func app(key: String, in executor: any SQLExecutor) async throws -> AppLinks? {
        guard let hash = LinkKeys.hash(shown: key) else { return nil }
        return try await executor.query("select \(AppLinks.columns) from tiqr_enrollment x where x.key_hash = \(hash)")
            .first.map { try AppLinks($0) }
    }

    /// That which waits for this secret. Looks only.
    func waiting(secret: String, in executor: any SQLExecutor) async throws -> WaitingEnrollment? {
        guard let hash = LinkKeys.hash(shown: secret) else { return nil }
        return try await executor.query(
            """
            select \(WaitingEnrollment.columns) from tiqr_enrollment x
            where x.secret_hash = \(hash) and x.state = 'retrieved' and x.expires_at > \(clock.now())
                and not \(TiqrID.isRevoked)
            """
        ).first.map { try WaitingEnrollment($0) }
    }

    /// Consumes the enrollment secret and stores the identity in one transaction; false for whoever came second or too
    /// late.
    func finish(
        _ enrollment: WaitingEnrollment, _ registration: PhoneRegistration, origin: String?,
        in transaction: any SQLExecutor
    ) async throws -> Bool {
        let now = clock.now()
        try await TokenBoundRow.hold("tiqr_enrollment", "x.id = \(enrollment.id)", in: transaction)
        let won =
            try await transaction.execute(
                """
                update tiqr_enrollment x set state = 'finalized', version = x.version + 1
                where x.id = \(enrollment.id) and x.state = 'retrieved' and x.expires_at > \(now)
                    and not \(TiqrID.isRevoked)
                """) > 0
        guard won else { return false }
        try await identities.add(enrollment, registration, in: transaction)
        try await TiqrAudit.write(
            "tiqr.enrolled", TiqrAudit.phone(enrollment.identity, origin: origin), about: enrollment.identity,
            ["owner": .string(enrollment.owner), "identifier": .string(enrollment.identifier)], at: now, in: transaction
        )
        return true
    }

    /// Ends what has not been finalized; true when that changed something. What is over already stays as it is.
    func cancel(_ id: String, for caller: TiqrCaller, in executor: any SQLExecutor) async throws -> Bool {
        let cancelled =
            try await executor.execute(
                """
                update tiqr_enrollment x set state = 'cancelled', version = x.version + 1
                where x.id = \(id) and (\(caller.owner)::text is null or x.owner = \(caller.owner))
                    and x.state in ('initialized', 'retrieved')
                  and x.expires_at > \(clock.now())
                """) > 0
        guard !cancelled else { return true }
        let view = try await find(id, for: caller, in: executor)
        guard view.status != .finalized, view.status != .validated else {
            throw TiqrRefusal.conflict("the enrollment is finalized: remove its identity instead")
        }
        return false
    }
}

/// What metadata and registration need to know of an enrollment.
struct WaitingEnrollment: Sendable {
    let id: String, owner: String, identifier: String, suite: String, identity: String, displayName: String
    let externalID: String?

    static let columns: SQL = "x.id, x.owner, x.identifier, x.suite, x.identity, x.display_name, x.external_id"

    init(_ row: Row) throws(DatabaseError) {
        (id, owner, identifier, suite) = (try row("id"), try row("owner"), try row("identifier"), try row("suite"))
        (identity, displayName, externalID) = (try row("identity"), try row("display_name"), try row("external_id"))
    }
}
