import Base
import Database
import TokenTree

/// What an owner chooses for an app besides its versions: what it is pushed to with, and how long wrong PINs block a
/// phone (design/backoffice.md, "Applications").
struct ApplicationSettings: Sendable {
    /// Steps of blocks, and minutes of one: a month.
    static let mostBlocks = 20, longestBlock = 43_200

    let parts: PowerAuthServices
    private var credentials: PushCredentialStore {
        PushCredentialStore(vault: parts.vault, clock: parts.clock, randomness: parts.randomness)
    }

    // MARK: Pushes

    static func provider(_ name: String) throws(BackOfficeRefusal) -> PushProvider {
        guard let provider = PushProvider(rawValue: name) else { throw .request("the provider is apns, fcm or hms") }
        return provider
    }

    func pushes(
        of appID: String, for caller: OperationsCaller, in executor: any SQLExecutor
    ) async throws -> [KeptPushCredentials] {
        let application = try await parts.applications.chosen(appID, for: caller, in: executor)
        return try await credentials.all(of: application, in: executor)
    }

    /// `made` was checked.
    func set(
        _ made: PushCredentials, of appID: String, by caller: OperationsCaller, in transaction: any SQLExecutor
    ) async throws -> KeptPushCredentials {
        let application = try await parts.applications.chosen(appID, for: caller, in: transaction)
        return try await credentials.set(made, of: application, by: caller.actor, in: transaction)
    }

    /// False where there were none.
    func remove(
        _ provider: PushProvider, of appID: String, by caller: OperationsCaller, in transaction: any SQLExecutor
    ) async throws -> Bool {
        let application = try await parts.applications.chosen(appID, for: caller, in: transaction)
        return try await credentials.remove(provider, of: application, by: caller.actor, in: transaction)
    }

    // MARK: Blocks

    /// Minutes of the first block by wrong PINs, of the second and so on; behind the last, and where there are none,
    /// one is for good. Blocks that have begun stay as they are.
    func setBlocks(
        _ minutes: [Int], of appID: String, by caller: OperationsCaller, in transaction: any SQLExecutor
    ) async throws -> PhoneApplication {
        guard minutes.count <= ApplicationSettings.mostBlocks,
            minutes.allSatisfy({ (1...ApplicationSettings.longestBlock).contains($0) })
        else {
            throw BackOfficeRefusal.request(
                """
                blockMinutes are up to \(ApplicationSettings.mostBlocks) integers from 1 to \
                \(ApplicationSettings.longestBlock)
                """)
        }
        let application = try await parts.applications.chosen(appID, for: caller, in: transaction)
        _ = try await transaction.execute(
            "update phone_application set block_minutes = \(minutes)::bigint[] where id = \(application.id)")
        try await OperationsAudit.write(
            "operations.application.blocks", caller.actor, about: "application:\(application.id)",
            ["app_id": .string(application.appID), "minutes": .array(minutes.map { .integer($0) })],
            at: parts.clock.now(), in: transaction)
        return try await parts.applications.chosen(appID, for: caller, in: transaction)
    }
}

extension PowerAuthService {
    private var chosen: ApplicationSettings { ApplicationSettings(parts: parts) }

    /// GET /v2/applications/{id}/push.
    public func pushes(of appID: String, for caller: OperationsCaller) async throws -> JSONValue {
        try caller.notAnApp()
        return ["push": .array(try await chosen.pushes(of: appID, for: caller, in: parts.database).map(\.json))]
    }

    /// PUT /v2/applications/{id}/push/{provider}.
    public func setPush(
        _ provider: String, _ json: JSONValue, of appID: String, by caller: OperationsCaller
    ) async throws -> JSONValue {
        try caller.notAnApp()
        let made = try await PushCredentials(try ApplicationSettings.provider(provider), json).checked()
        return try await parts.database.atomically { transaction in
            try await chosen.set(made, of: appID, by: caller, in: transaction)
        }.json
    }

    /// DELETE of it.
    public func removePush(_ provider: String, of appID: String, by caller: OperationsCaller) async throws {
        try caller.notAnApp()
        let provider = try ApplicationSettings.provider(provider)
        let isDone = try await parts.database.atomically { transaction in
            try await chosen.remove(provider, of: appID, by: caller, in: transaction)
        }
        guard isDone else { throw BackOfficeRefusal.request("there are no credentials for \(provider.rawValue)") }
    }

    /// PUT /v2/applications/{id}/blocks.
    public func setBlocks(
        _ json: JSONValue, of appID: String, by caller: OperationsCaller
    ) async throws -> ApplicationView {
        try caller.notAnApp()
        guard let items = try BackOfficeMembers(json).array("blockMinutes") else {
            throw BackOfficeRefusal.request("blockMinutes is missing")
        }
        let minutes = items.compactMap(\.integer)
        guard minutes.count == items.count else {
            throw BackOfficeRefusal.request("blockMinutes is an array of integers")
        }
        return try await parts.database.atomically { transaction in
            try await view(
                try await chosen.setBlocks(minutes, of: appID, by: caller, in: transaction), in: transaction)
        }
    }
}

extension OperationsOperator {
    private var chosen: ApplicationSettings { ApplicationSettings(parts: powerAuth.parts) }

    /// `client`: whose application it is, where it is not the only one of that name.
    private func owner(_ client: String?) -> OperationsCaller {
        client.map { OperationsCaller.machine(client: $0, below: [], actor: caller.actor) } ?? caller
    }

    func applications(in executor: any SQLExecutor) async throws -> [PhoneApplication] {
        try await powerAuth.parts.applications.all(for: caller, in: executor)
    }

    func application(
        _ appID: String, of client: String?, in executor: any SQLExecutor
    ) async throws -> PhoneApplication {
        try await powerAuth.parts.applications.chosen(appID, for: owner(client), in: executor)
    }

    func pushes(
        of appID: String, _ client: String?, in executor: any SQLExecutor
    ) async throws -> [KeptPushCredentials] {
        try await chosen.pushes(of: appID, for: owner(client), in: executor)
    }

    func setPush(
        _ provider: PushProvider, _ json: JSONValue, of appID: String, _ client: String?,
        in transaction: any SQLExecutor
    ) async throws -> KeptPushCredentials {
        let made = try await PushCredentials(provider, json).checked()
        return try await chosen.set(made, of: appID, by: owner(client), in: transaction)
    }

    func removePush(
        _ provider: PushProvider, of appID: String, _ client: String?, in transaction: any SQLExecutor
    ) async throws -> Bool {
        try await chosen.remove(provider, of: appID, by: owner(client), in: transaction)
    }

    func setBlocks(
        _ minutes: [Int], of appID: String, _ client: String?, in transaction: any SQLExecutor
    ) async throws -> PhoneApplication {
        try await chosen.setBlocks(minutes, of: appID, by: owner(client), in: transaction)
    }
}
