import Base

/// The back office's calls about callbacks; apps have none, they wait or listen to events.
extension OperationsService {
    public func addCallback(_ json: JSONValue, by caller: OperationsCaller) async throws -> CallbackView {
        try caller.notAnApp()
        let draft = try CallbackDraft(json, allowsLoopback: settings.allowsLoopbackCallbacks)
        return try await database.atomically { transaction in
            try await callbackStore.add(draft, by: caller, in: transaction)
        }
    }

    public func callbacks(for caller: OperationsCaller) async throws -> [CallbackView] {
        try caller.notAnApp()
        return try await callbackStore.all(for: caller, in: database)
    }

    public func callback(_ id: String, for caller: OperationsCaller) async throws -> CallbackView {
        try caller.notAnApp()
        return try await callbackStore.find(id, for: caller, in: database)
    }

    public func removeCallback(_ id: String, by caller: OperationsCaller) async throws {
        try caller.notAnApp()
        try await database.atomically { transaction in try await callbackStore.remove(id, by: caller, in: transaction) }
    }

    /// What was told and what is still to be, the newest first.
    public func deliveries(of id: String, for caller: OperationsCaller) async throws -> [DeliveryView] {
        try caller.notAnApp()
        return try await callbackStore.deliveries(of: id, for: caller, in: database)
    }

    /// Sends one event again, whatever became of it, or all that were given up; how many.
    public func redeliver(_ id: String, event: String?, by caller: OperationsCaller) async throws -> Int {
        try caller.notAnApp()
        let count = try await database.atomically { transaction in
            try await callbackStore.redeliver(id, event: event, by: caller, in: transaction)
        }
        await outbox.wake(in: database)
        return count
    }
}
