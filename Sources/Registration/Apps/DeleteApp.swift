import Database
import TokenTree

/// What is forgotten of an app, after its versions were refused and their nodes revoked: then nobody registers or acts
/// by it any more. A version of that name that comes later is another one: its node has another generation, and its row
/// is none that a process remembers.
///
/// Blocks and refusals of its phones stay: these keep out devices and keys, whichever app brings them.
extension AppStore {
    /// The app as it is now, whose status nobody changes until the transaction ends.
    public func held(app id: String, in transaction: any SQLExecutor) async throws -> App? {
        _ = try await transaction.execute("select pg_advisory_xact_lock(\(AppStore.statusNode(app: id).lockNumber))")
        return try await app(id, in: transaction)
    }

    /// How many installations were forgotten with it; `nil` where there is no such version.
    public func delete(version id: String, in transaction: any SQLExecutor) async throws -> Int? {
        let instances = try await transaction.execute("delete from app_instance where version = \(id)")
        let versions = try await transaction.execute("delete from app_version where id = \(id)")
        return versions == 1 ? instances : nil
    }

    /// Its versions have been deleted. One that was added meanwhile makes this fail, and undoes all.
    public func delete(app id: String, in transaction: any SQLExecutor) async throws -> Bool {
        try await transaction.execute("delete from app where id = \(id)") == 1
    }

    /// Installations that are there, whether they live or not.
    public func instances(ofVersion id: String, in executor: any SQLExecutor) async throws -> Int {
        try await executor.query("select count(*) as number from app_instance where version = \(id)").first.map {
            try $0("number")
        } ?? 0
    }

    /// For its operators; `nil` takes it away. `nil` where there is no such version.
    public func note(_ note: String?, on id: String, in executor: any SQLExecutor) async throws -> AppVersion? {
        try await executor.query(
            "update app_version v set note = \(note) where v.id = \(id) returning \(AppVersion.columns)"
        ).first.map { try AppVersion($0) }
    }
}

extension BlockStore {
    /// Lifts what was written for an installation that is registered no more. False when nothing was.
    public func unblock(forgotten instance: String, in transaction: any SQLExecutor) async throws -> Bool {
        try await transaction.execute(
            """
            delete from block b where b.instance = \(instance)
                and not exists (select from app_instance i where i.id = b.instance)
            """) > 0
    }
}
