import Base
import Database
import Foundation
import TokenTree

/// Rows of `phone_application_push`.
struct PushCredentialStore: Sendable {
    let vault: SealedColumns
    let clock: WallClock
    let randomness: Randomness

    /// Of `phone_application_push c`.
    static let columns: SQL = """
        c.id as credential, c.provider as credential_provider, c.settings as credential_settings,
            c.secret as credential_secret, c.sealed_by as credential_sealed_by, c.created_at as credential_created_at,
            c.refused_at as credential_refused_at, c.refusal as credential_refusal
        """

    /// In place of those that there were. The new id is part of what they are sealed for.
    func set(
        _ credentials: PushCredentials, of application: PhoneApplication, by actor: AuditActor,
        in transaction: any SQLExecutor
    ) async throws -> KeptPushCredentials {
        let id = OperationID.fresh(randomness), now = clock.now()
        let sealed = try vault.seal(credentials.secret, .pushCredentials, of: id)
        _ = try await transaction.execute(
            """
            insert into phone_application_push (id, application, provider, settings, secret, sealed_by, created_at)
            values (\(id), \(application.id), \(credentials.provider.rawValue),
                \(JSONValue.object(credentials.settings).text)::json, \(sealed.bytes), \(sealed.by), \(now))
            on conflict (application, provider) do update set id = excluded.id, settings = excluded.settings,
                secret = excluded.secret, sealed_by = excluded.sealed_by, created_at = excluded.created_at
            """)
        try await note("set", credentials.provider, application, actor, in: transaction)
        return KeptPushCredentials(id: id, credentials: credentials, createdAt: now)
    }

    /// False where there were none.
    func remove(
        _ provider: PushProvider, of application: PhoneApplication, by actor: AuditActor,
        in transaction: any SQLExecutor
    ) async throws -> Bool {
        let isDone =
            try await transaction.execute(
                """
                delete from phone_application_push where application = \(application.id)
                    and provider = \(provider.rawValue)
                """) > 0
        if isDone { try await note("remove", provider, application, actor, in: transaction) }
        return isDone
    }

    func all(of application: PhoneApplication, in executor: any SQLExecutor) async throws -> [KeptPushCredentials] {
        try await executor.query(
            """
            select \(PushCredentialStore.columns) from phone_application_push c
            where c.application = \(application.id) order by c.provider
            """
        ).compactMap { try PushCredentialStore.opened($0, by: vault) }
    }

    /// `nil` where the row has none.
    static func opened(_ row: Row, by vault: SealedColumns) throws -> KeptPushCredentials? {
        let found: String? = try row("credential")
        guard let id = found, let provider = PushProvider(rawValue: try row("credential_provider")),
            let sealed = try Sealed(row, "credential_secret", by: "credential_sealed_by")
        else { return nil }
        let settings: JSONValue = try row("credential_settings")
        return KeptPushCredentials(
            id: id,
            credentials: PushCredentials(
                provider, settings: settings.object ?? [:], secret: try vault.open(sealed, .pushCredentials, of: id)),
            createdAt: try row("credential_created_at"), refusedAt: try row("credential_refused_at"),
            refusal: try row("credential_refusal"))
    }

    private func note(
        _ change: String, _ provider: PushProvider, _ application: PhoneApplication, _ actor: AuditActor,
        in transaction: any SQLExecutor
    ) async throws {
        try await OperationsAudit.write(
            "operations.application.push", actor, about: "application:\(application.id)",
            [
                "app_id": .string(application.appID), "provider": .string(provider.rawValue),
                "change": .string(change),
            ], at: clock.now(), in: transaction)
    }
}
