import Base
import Database
import Foundation
import PowerAuth
import TokenTree

/// POST /v2/operations.
struct BeginOperation: Sendable {
    let decisions: Decisions
    let templates: TemplateStore
    let applications: ApplicationStore
    let registrations: RegistrationStore
    let clock: WallClock
    let randomness: Randomness

    func callAsFunction(
        _ draft: OperationDraft, by caller: OperationsCaller, in transaction: any SQLExecutor
    ) async throws -> PhoneOperation {
        let owner = try caller.beginner(), asked = try caller.user(draft.userID)
        // One could name another app, or another address, beside the server's word on who asks and from where.
        guard draft.attributes.isEmpty || caller.person == nil else {
            throw BackOfficeRefusal.request("attributes are not for apps")
        }
        guard let stored = try await template(draft.template, for: caller, in: transaction) else {
            throw BackOfficeRefusal.templateNotFound
        }
        let parameters = try OperationParameters(checking: BeginOperation.parameters(draft.parameters, for: caller))
        try stored.template.check(parameters)
        try stored.template.check(draft.attributes)
        let application = try await applications.chosen(draft.appID, for: caller, in: transaction)
        let user = try await bound(draft.registrationID, application, asked, caller, in: transaction)
        try await AppQuota(clock: clock).admit(.operation, by: caller, in: transaction)

        let id = OperationID.fresh(randomness)
        let isChecked = draft.proximityCheck ?? stored.template.proximityCheck
        let seed =
            try isChecked ? decisions.vault.seal(ProximityCode.freshSeed(randomness), .proximitySeed, of: id) : nil
        let new = OperationStore.New(
            id: id, owner: owner, application: application.id, template: stored, userID: user, draft: draft,
            parameters: parameters, seed: seed)
        let operation = try await decisions.store.insert(new, by: caller, in: transaction)
        try await decisions.note(
            "begin", operation, by: caller.actor, ["owner": .string(owner), "type": .string(operation.type)],
            in: transaction)
        try await decisions.callbacks.add("created", of: operation, in: transaction)
        try await decisions.pushes.began(operation, in: transaction)
        return operation
    }

    /// A service has its own templates; apps and the server have those of the server.
    private func template(
        _ name: String, for caller: OperationsCaller, in transaction: any SQLExecutor
    ) async throws -> TemplateStore.Stored? {
        guard caller.applicationOwner == BuiltInTemplates.owner else {
            return try await templates.find(name, of: try caller.beginner(), in: transaction)
        }
        guard caller.person == nil || BuiltInTemplates.ofApps.contains(name) else { return nil }
        return try await templates.builtIn(name, in: transaction)
    }

    /// Who asks and from where: what an app says of itself does not count.
    private static func parameters(_ written: JSONObject, for caller: OperationsCaller) -> JSONObject {
        guard caller.person != nil else { return written }
        var members = written
        members["app"] = .string(caller.software ?? caller.actor.name)
        members["address"] = caller.actor.origin.map { JSONValue.string($0) }
        return members
    }

    /// The user: as asked, or that of the one registration that may decide it.
    private func bound(
        _ name: String?, _ application: PhoneApplication, _ asked: String?, _ caller: OperationsCaller,
        in executor: any SQLExecutor
    ) async throws -> String? {
        guard let name else { return asked }
        guard let registration = try await registrations.find(name, in: executor),
            registration.applicationID == application.id,
            caller.person == nil || registration.userID == caller.person
        else { throw BackOfficeRefusal.registrationNotFound }
        guard asked?.isSame(as: registration.userID) ?? true else {
            throw BackOfficeRefusal.registrationNotAllowed("the registration is another user's")
        }
        guard registration.state != .removed else {
            throw BackOfficeRefusal.registrationNotAllowed("the registration is removed")
        }
        return registration.userID
    }
}
