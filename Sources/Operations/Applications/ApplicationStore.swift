import Base
import Database
import Foundation
import PowerAuth
import TokenTree

/// Rows of `phone_application` and its versions. An application begins with one version.
struct ApplicationStore: Sendable {
    /// Of the server: apps that act for a person use it, so that every phone of this server needs one configuration.
    static let idpAppID = "pando"
    /// A version is a release of an app: nobody has so many.
    static let mostVersions = 200

    let vault: SealedColumns
    let clock: WallClock
    let randomness: Randomness

    var keys: ApplicationKeys { ApplicationKeys(vault: vault, clock: clock) }

    /// The application, and whether it is new. One that is there stays as it is. One statement, so that none is ever
    /// without a version.
    func add(
        _ draft: ApplicationDraft, for owner: String, by actor: AuditActor, in executor: any SQLExecutor
    ) async throws -> (application: PhoneApplication, isNew: Bool) {
        let id = OperationID.fresh(randomness), pair = PowerAuthKeyPair.fresh(), now = clock.now()
        let sealed = try vault.seal(pair.privateBytes, .applicationMaster, of: id), version = try freshVersion()
        let isNew =
            try await executor.execute(
                """
                with made as (
                    insert into phone_application (id, owner, app_id, name, master_public, master_private,
                        master_sealed_by, created_at)
                    values (\(id), \(owner), \(draft.appID), \(draft.name), \(pair.public65), \(sealed.bytes),
                        \(sealed.by), \(now))
                    on conflict (owner, app_id) do nothing returning id
                )
                insert into phone_application_version (application_key, application, secret, secret_sealed_by,
                    created_at)
                select \(version.key)::text, made.id, \(version.secret.bytes)::bytea, \(version.secret.by)::text,
                    \(now)::timestamptz from made
                """) > 0
        if isNew {
            try await OperationsAudit.write(
                "operations.application", actor, about: "application:\(id)",
                ["app_id": .string(draft.appID), "owner": .string(owner)],
                at: now, in: executor)
        }
        guard let application = try await named(draft.appID, of: owner, in: executor) else {
            throw DatabaseError.serialization
        }
        return (application, isNew)
    }

    private func freshVersion() throws -> (key: String, secret: Sealed) {
        let key = Base64Text.encode(randomness.bytes(16))
        return (key, try vault.seal(SecretBytes(randomness.bytes(16)), .versionSecret, of: key))
    }

    /// One more version, for the next release of the app.
    func addVersion(
        of appID: String, by caller: OperationsCaller, in transaction: any SQLExecutor
    ) async throws -> PhoneApplication {
        let application = try await chosen(appID, for: caller, in: transaction)
        let count = try await versions(of: application, in: transaction).count
        guard count < ApplicationStore.mostVersions else {
            throw BackOfficeRefusal.request("there are too many versions")
        }
        let version = try freshVersion(), now = clock.now()
        _ = try await transaction.execute(
            """
            insert into phone_application_version (application_key, application, secret, secret_sealed_by, created_at)
            values (\(version.key), \(application.id), \(version.secret.bytes), \(version.secret.by), \(now))
            """)
        try await OperationsAudit.write(
            "operations.application.version", caller.actor, about: "application:\(application.id)",
            ["app_id": .string(application.appID), "version": .string(version.key)], at: now, in: transaction)
        return application
    }

    /// What is not supported any more speaks no longer: neither key exchange, signature nor temporary key. Tokens do
    /// not know their version, and read on.
    func setSupported(
        _ isSupported: Bool, version key: String, of appID: String, by caller: OperationsCaller,
        in transaction: any SQLExecutor
    ) async throws -> PhoneApplication {
        let application = try await chosen(appID, for: caller, in: transaction)
        let done =
            try await transaction.execute(
                """
                update phone_application_version set supported = \(isSupported) where application_key = \(key)
                    and application = \(application.id)
                """) > 0
        guard done else { throw BackOfficeRefusal.request("there is no such version") }
        try await OperationsAudit.write(
            "operations.application.version", caller.actor, about: "application:\(application.id)",
            ["app_id": .string(application.appID), "version": .string(key), "supported": .bool(isSupported)],
            at: clock.now(),
            in: transaction)
        return application
    }

    /// What its phones may speak. Registrations of a protocol that is no longer taken go on; none begins in it.
    func choose(
        _ choice: ProtocolChoice, of application: PhoneApplication, by actor: AuditActor,
        in transaction: any SQLExecutor
    ) async throws -> PhoneApplication {
        if choice.takes(.four) { try await keys.make(for: application, in: transaction) }
        _ = try await transaction.execute(
            """
            update phone_application set protocols = \(choice.protocolNames), algorithms = \(choice.algorithmNames)
            where id = \(application.id)
            """)
        try await OperationsAudit.write(
            "operations.application.protocols", actor, about: "application:\(application.id)",
            [
                "app_id": .string(application.appID), "protocols": JSONValue(strings: choice.protocolNames),
                "algorithms": JSONValue(strings: choice.algorithmNames),
            ], at: clock.now(), in: transaction)
        guard let changed = try await find(application.id, in: transaction) else { throw DatabaseError.serialization }
        return changed
    }

    // MARK: Reading

    func all(for caller: OperationsCaller, in executor: any SQLExecutor) async throws -> [PhoneApplication] {
        if caller.applicationOwner == OperationsCaller.idpOwner { _ = try await ofIdentityProvider(in: executor) }
        return try await executor.query(
            """
            select \(PhoneApplication.columns) from phone_application p
            where \(caller.applicationOwner)::text is null or p.owner = \(caller.applicationOwner)
                order by p.app_id, p.owner
            """
        ).map { try PhoneApplication($0) }
    }

    /// The caller's application of that name. Without one: the only one that the caller has; for apps and the server
    /// that of the server, made when it is missing.
    func chosen(
        _ appID: String?, for caller: OperationsCaller, in executor: any SQLExecutor
    ) async throws -> PhoneApplication {
        if caller.applicationOwner == OperationsCaller.idpOwner, appID == nil || appID == ApplicationStore.idpAppID {
            return try await ofIdentityProvider(in: executor)
        }
        guard let appID else {
            let own = try await all(for: caller, in: executor)
            guard let only = own.first, own.count == 1 else {
                throw own.isEmpty
                    ? BackOfficeRefusal.applicationNotFound
                    : BackOfficeRefusal.request("there is more than one application: say which in appId")
            }
            return only
        }
        let found = try await executor.query(
            """
            select \(PhoneApplication.columns) from phone_application p
            where p.app_id = \(appID) and (\(caller.applicationOwner)::text is null
                or p.owner = \(caller.applicationOwner)) limit 2
            """)
        // Two owners may have one name: an operator must not get either by chance.
        guard let row = found.first else { throw BackOfficeRefusal.applicationNotFound }
        guard found.count == 1 else {
            throw BackOfficeRefusal.request("more than one owner has an application of that name")
        }
        return try PhoneApplication(row)
    }

    /// `pando`, which is always there.
    func ofIdentityProvider(in executor: any SQLExecutor) async throws -> PhoneApplication {
        if let found = try await named(ApplicationStore.idpAppID, of: OperationsCaller.idpOwner, in: executor) {
            return found
        }
        let draft = try ApplicationDraft(appID: ApplicationStore.idpAppID, name: "Pando")
        return try await add(draft, for: OperationsCaller.idpOwner, by: .server, in: executor).application
    }

    private func named(
        _ appID: String, of owner: String, in executor: any SQLExecutor
    ) async throws -> PhoneApplication? {
        try await executor.query(
            """
            select \(PhoneApplication.columns) from phone_application p where p.owner = \(owner)
                and p.app_id = \(appID)
            """
        ).first
            .map { try PhoneApplication($0) }
    }

    func find(_ id: String, in executor: any SQLExecutor) async throws -> PhoneApplication? {
        try await executor.query("select \(PhoneApplication.columns) from phone_application p where p.id = \(id)").first
            .map { try PhoneApplication($0) }
    }

    /// The newest first.
    func versions(of application: PhoneApplication, in executor: any SQLExecutor) async throws -> [ApplicationVersion] {
        try await executor.query(
            """
            select v.application_key, v.application, v.secret, v.secret_sealed_by, v.supported, p.protocols,
                p.algorithms
            from phone_application_version v join phone_application p on p.id = v.application
            where v.application = \(application.id) order by v.number desc
            """
        ).map { try opened($0) }
    }

    /// The version that an app names: supported, or refused with the step that says which it is.
    func usable(_ applicationKey: String, in executor: any SQLExecutor) async throws -> ApplicationVersion {
        let rows = try await executor.query(
            """
            select v.application_key, v.application, v.secret, v.secret_sealed_by, v.supported, p.protocols,
                p.algorithms
            from phone_application_version v join phone_application p on p.id = v.application
            where v.application_key = \(applicationKey)
            """)
        guard let row = rows.first else { throw PowerAuthRefusal.unknownApplicationKey }
        let version = try opened(row)
        guard version.isSupported else { throw PowerAuthRefusal.applicationUnsupported }
        return version
    }

    /// A row of `phone_application_version`, with its columns and its application's choice.
    func opened(_ row: Row) throws -> ApplicationVersion {
        let key: String = try row("application_key")
        let secret = try vault.open(
            Sealed(bytes: try row("secret"), by: try row("secret_sealed_by")), .versionSecret, of: key)
        return ApplicationVersion(
            applicationKey: key, applicationID: try row("application"), secret: secret,
            isSupported: try row("supported"),
            choice: ProtocolChoice(stored: try row("protocols"), try row("algorithms")))
    }

    /// The pair that signs for the application.
    func masterPair(of application: PhoneApplication) throws -> PowerAuthKeyPair {
        try PowerAuthKeyPair(
            privateBytes: try vault.open(application.masterPrivate, .applicationMaster, of: application.id))
    }

    /// What stands behind an activation code, by the key of `version`; without one by that of 3.3 where it is taken.
    func signature(
        of code: ActivationCode, for application: PhoneApplication, _ version: PhoneProtocol?,
        in executor: any SQLExecutor
    ) async throws -> String {
        let version = version ?? (application.choice.takes(.three) ? .three : .four)
        guard application.choice.takes(version) else {
            throw BackOfficeRefusal.request("the application does not take protocol \(version.rawValue)")
        }
        guard version == .four else { return try code.signature(by: try masterPair(of: application)) }
        return try code.signature(by: try await keys.signer(of: application.id, .p384, in: executor))
    }
}
