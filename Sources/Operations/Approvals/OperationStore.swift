import Base
import Database
import Foundation
import PowerAuth
import TokenTree

/// Rows of `phone_operation`. Whoever locks a registration as well has locked that first.
struct OperationStore: Sendable {
    static let pageSize = 100

    let clock: WallClock
    let alarm: ExpiryAlarm

    /// What is inserted.
    struct New: Sendable {
        let id: String
        let owner: String
        let application: String
        let template: TemplateStore.Stored
        let userID: String?
        let draft: OperationDraft
        let parameters: OperationParameters
        let seed: Sealed?
    }

    func insert(_ new: New, by caller: OperationsCaller, in transaction: any SQLExecutor) async throws -> PhoneOperation
    {
        let now = clock.now(), template = new.template.template, draft = new.draft
        let expires = draft.expiresAt ?? now.addingTimeInterval(TimeInterval(template.expiration))
        _ = try await transaction.execute(
            """
            insert into phone_operation (id, owner, begun_by, lineage, application, template, user_id,
                registration, flag, external_id, language, data, parameters,
                additional_data, custom_properties, attributes, offline_uri, silent, seed, sealed_by,
                max_failures, created_at, expires_at)
            values (\(new.id), \(new.owner), \(caller.family), \(caller.lineage), \(new.application),
                \(new.template.id), \(new.userID), \(draft.registrationID),
                    \(draft.flag), \(draft.externalID), \(draft.language), \(template.data(new.parameters)),
                        \(JSONValue.object(new.parameters.written).text)::json,
                    \(draft.additionalData?.text)::json,
                        \(draft.customProperties.map { JSONValue.object($0).text })::json,
                        \(draft.attributes.isEmpty ? nil : JSONValue.array(draft.attributes.map(\.json)).text)::json,
                        \(draft.offlineURI ?? template.offlineURI), \(draft.silent), \(new.seed?.bytes),
                        \(new.seed?.by),
                        \(template.maxFailures), \(now), \(expires))
            """)
        guard let made = try await read("x.id = \(new.id)", in: transaction).first else {
            throw DatabaseError.serialization
        }
        alarm.note(expires)
        return made
    }

    func find(
        _ id: String, for caller: OperationsCaller, locked: Bool = false, in executor: any SQLExecutor
    ) async throws -> PhoneOperation {
        let found = try await read(
            "x.id = \(id) and (\(caller.owner)::text is null or x.owner = \(caller.owner))", locked: locked,
            in: executor)
        guard let operation = found.first else { throw BackOfficeRefusal.operationNotFound }
        return operation
    }

    /// Newest first, at most 100.
    func list(
        _ filter: OperationFilter, for caller: OperationsCaller, in executor: any SQLExecutor
    ) async throws -> [PhoneOperation] {
        // Not `owner is null or …`: a prepared statement's general plan would read the whole table for it.
        var condition: SQL = caller.owner.map { "x.owner = \($0)" } ?? "true"
        if let user = filter.userID { condition += " and x.user_id = \(user)" }
        if let external = filter.externalID { condition += " and x.external_id = \(external)" }
        if let status = filter.status { condition += " and \(reads(status))" }
        return try await read(condition, page: OperationStore.pageSize, in: executor)
    }

    /// As it reads at this moment, whatever is written yet.
    func reads(_ status: OperationStatus) -> SQL {
        let now = clock.now(), isRevoked: SQL = "(x.lineage <> '{}' and \(OperationID.isRevoked))"
        return switch status {
        case .pending: "x.status = 'PENDING' and x.expires_at > \(now) and not \(isRevoked)"
        case .expired:
            "(x.status = 'EXPIRED' or (x.status = 'PENDING' and x.expires_at <= \(now) and not \(isRevoked)))"
        case .canceled: "(x.status = 'CANCELED' or (x.status = 'PENDING' and \(isRevoked)))"
        case .approved, .rejected, .failed: "x.status = \(status.rawValue)"
        }
    }

    // MARK: The phone's side

    /// Whatever it is, to be matched by the caller; `nil` for an id that is none.
    func named(_ id: String, locked: Bool = false, in executor: any SQLExecutor) async throws -> PhoneOperation? {
        try await read("x.id = \(id)", locked: locked, in: executor).first
    }

    /// The statement that reads what is pending, of the user of the token's phone, and for this phone; the newest.
    /// Those that ended with an app's token take no place. Its rows are nobody's until the token was checked.
    func pending(ofToken id: String) -> SQL {
        """
        select \(PhoneOperation.columns) from phone_token k join phone_registration r on r.id = k.registration
            join phone_operation x on x.application = r.application and x.user_id = r.user_id
            join operation_template t on t.id = x.template
        where k.id = \(id) and \(reads(.pending)) and (x.registration is null or x.registration = r.id)
            and (x.flag is null or x.flag = any (r.flags))
        order by x.number desc limit \(OperationStore.pageSize)
        """
    }

    /// Of every status.
    func history(for registration: PhoneRegistration, in executor: any SQLExecutor) async throws -> [PhoneOperation] {
        try await read(
            """
            x.application = \(registration.applicationID) and x.user_id = \(registration.userID)
            and (x.registration is null or x.registration = \(registration.id)) and (x.flag is null or x.flag = any \
            (\(registration.flags)))
            """, page: OperationStore.pageSize, in: executor)
    }

    // MARK: Changes, of a row that is locked by this transaction

    /// What ends an operation, beside its status.
    struct End: Sendable {
        var statusReason: String? = nil
        var rejectReason: String? = nil
        var mobileTokenData: JSONValue? = Optional.none
        var proximity: ProximityReport? = nil
        var registration: PhoneRegistration? = nil
        var factor: FactorType? = nil
    }

    func finish(
        _ operation: PhoneOperation, as status: OperationStatus, _ end: End = End(), in transaction: any SQLExecutor
    ) async throws -> PhoneOperation {
        try await change(operation, OperationStore.finishing(as: status, end, at: clock.now()), in: transaction)
    }

    /// The `set` list that ends row `x`, but for `version`.
    static func finishing(as status: OperationStatus, _ end: End, at now: Date) -> SQL {
        """
        status = \(status.rawValue), status_reason = \(end.statusReason), reject_reason = \(end.rejectReason),
            mobile_token_data = \(end.mobileTokenData?.text)::json,
            proximity_report = \(end.proximity?.json.text)::json,
        user_id = coalesce(x.user_id, \(end.registration?.userID)), finished_by = \(end.registration?.id),
            factor = \(end.factor?.rawValue),
        finished_at = \(now)
        """
    }

    /// One failure more; the last one ends it.
    func fail(_ operation: PhoneOperation, in transaction: any SQLExecutor) async throws -> PhoneOperation {
        try await change(
            operation,
            """
            failures = x.failures + 1, status = case when x.failures + 1 >= x.max_failures then 'FAILED' else \
            x.status end,
            finished_at = case when x.failures + 1 >= x.max_failures then \(clock.now())::timestamptz end
            """, in: transaction)
    }

    private func change(
        _ operation: PhoneOperation, _ assignments: SQL, in transaction: any SQLExecutor
    ) async throws -> PhoneOperation {
        let done = try await transaction.execute(
            """
            update phone_operation x set \(assignments), version = x.version + 1 where x.id = \(operation.id)
                and x.status = 'PENDING'
            """)
        guard done > 0, let changed = try await named(operation.id, in: transaction) else {
            throw DatabaseError.serialization
        }
        return changed
    }

    /// One statement, so that of two phones one has it: the operation if it is the user's now, by this or before.
    func claim(_ id: String, for registration: PhoneRegistration, in executor: any SQLExecutor) async throws -> Bool {
        try await executor.execute(
            """
            update phone_operation x set user_id = \(registration.userID), version = x.version + 1
            where x.id = \(id) and x.user_id is null and x.status = 'PENDING' and x.expires_at > \(clock.now())
            """) > 0
    }

    /// At most `limit` operations whose time is over, each locked; those that somebody else holds are left to the next
    /// time.
    /// When the next one expires, or did.
    func nextExpiry(in executor: any SQLExecutor) async throws -> Date? {
        try await executor.query("select min(expires_at) as next from phone_operation where status = 'PENDING'")
            .first.flatMap { try $0("next") }
    }

    func lockOverdue(_ limit: Int, in transaction: any SQLExecutor) async throws -> [PhoneOperation] {
        let now = clock.now()
        return try await transaction.query(
            """
            select \(PhoneOperation.columns) from \(PhoneOperation.source) where x.status = 'PENDING'
                and x.expires_at <= \(now)
            order by x.expires_at limit \(limit) for no key update of x skip locked
            """
        ).map { try PhoneOperation($0, at: now) }
    }

    // MARK: Reading

    private func read(
        _ condition: SQL, locked: Bool = false, page: Int? = nil, in executor: any SQLExecutor
    ) async throws -> [PhoneOperation] {
        let now = clock.now()
        let order: SQL = page.map { "order by x.number desc limit \($0)" } ?? ""
        let lock: SQL = locked ? "for no key update of x" : ""
        return try await executor.query(
            "select \(PhoneOperation.columns) from \(PhoneOperation.source) where \(condition) \(order) \(lock)"
        )
        .map { try PhoneOperation($0, at: now) }
    }
}
