import Base
import Database
import Foundation
import Logging
import OAuth
import PowerAuth
import TokenTree

/// The door to operations: back office of templates, operations, offline codes, inbox and callbacks here, the phone's
/// side in `MobileToken`. Back-office calls throw `BackOfficeRefusal`, the phone's `OperationsRefusal`; a database that
/// does not answer throws `DatabaseError`, so that it is 503 and never a refusal.
///
/// Beside it a process runs `changes.run(on:)`, `CallbackSender.run()`, `PhonePushSender.run()` where there is a way to
/// the phones, `runExpiry(logger:)`, and `tidy()` now and then. `registrationEvents` is to be given to the door
/// of PowerAuth. Secrets of this part are sealed anew with the others there.
public final class OperationsService: Sendable {
    public let settings: OperationsSettings
    public let changes = ChangeBoard(channel: "pando_operations")
    let database: Database
    let clock: WallClock
    let vault: SealedColumns
    let parts: PowerAuthServices
    let alarm: ExpiryAlarm
    let store: OperationStore
    let templateStore: TemplateStore
    let inboxStore: InboxStore
    let callbackStore: CallbackStore
    let outbox: CallbackOutbox
    let decisions: Decisions
    let phones: DecideByPhone
    let offline: OfflineService
    let begin: BeginOperation

    public init(
        database: Database, master: MasterKey, settings: OperationsSettings, oneTime: OneTimeStore, clock: WallClock,
        randomness: Randomness,
        logger: Logger, metrics: OAuthMetrics = .shared
    ) {
        (self.settings, self.database, self.clock) = (settings, database, clock)
        outbox = CallbackOutbox(clock: clock, randomness: randomness)
        parts = PowerAuthServices(
            database: database, master: master, oneTime: oneTime, events: outbox.registrations, clock: clock,
            randomness: randomness, logger: logger)
        vault = parts.vault
        alarm = ExpiryAlarm(clock: clock)
        store = OperationStore(clock: clock, alarm: alarm)
        templateStore = TemplateStore(clock: clock, randomness: randomness)
        inboxStore = InboxStore(clock: clock, randomness: randomness)
        callbackStore = CallbackStore(vault: vault, clock: clock, randomness: randomness)
        decisions = Decisions(
            store: store, vault: vault, callbacks: outbox,
            pushes: PhonePushOutbox(ways: settings.pushes, clock: clock), clock: clock)
        phones = DecideByPhone(
            database: database, signatures: parts.signatures, decisions: decisions, changes: changes, metrics: metrics)
        offline = OfflineService(database: database, decisions: decisions, parts: parts, changes: changes)
        begin = BeginOperation(
            decisions: decisions, templates: templateStore, applications: parts.applications,
            registrations: parts.registrations, clock: clock,
            randomness: randomness)
    }

    /// Tells callbacks, and pages of the server that wait for one of its phones.
    public var registrationEvents: RegistrationEvents {
        let outbox = self.outbox, changes = self.changes
        return RegistrationEvents { event, transaction in
            try await outbox.registrations.tell(event, transaction)
            if event.registration.owner == OperationsCaller.idpOwner {
                try await changes.announce(event.registration.id, within: transaction)
            }
        }
    }

    // MARK: Templates

    public func addTemplate(_ json: JSONValue, by caller: OperationsCaller) async throws -> OperationTemplate {
        try caller.notAnApp()
        let template = try OperationTemplate(json), owner = try caller.beginner()
        return try await database.atomically { transaction in
            let stored = try await templateStore.add(template, for: owner, in: transaction)
            try await note("template.add", template.name, caller, in: transaction)
            return stored.template
        }
    }

    public func replaceTemplate(
        _ name: String, _ json: JSONValue, by caller: OperationsCaller
    ) async throws -> OperationTemplate {
        try caller.notAnApp()
        let template = try OperationTemplate(json, name: name), owner = try caller.beginner()
        return try await database.atomically { transaction in
            let stored = try await templateStore.replace(template, for: owner, in: transaction)
            try await note("template.replace", name, caller, in: transaction)
            return stored.template
        }
    }

    public func removeTemplate(_ name: String, by caller: OperationsCaller) async throws {
        try caller.notAnApp()
        let owner = try caller.beginner()
        try await database.atomically { transaction in
            try await templateStore.remove(name, of: owner, in: transaction)
            try await note("template.remove", name, caller, in: transaction)
        }
    }

    public func template(_ name: String, for caller: OperationsCaller) async throws -> OperationTemplate {
        try caller.notAnApp()
        guard let stored = try await templateStore.find(name, of: try caller.beginner(), in: database) else {
            throw BackOfficeRefusal.templateNotFound
        }
        return stored.template
    }

    public func templates(for caller: OperationsCaller) async throws -> [OperationTemplate] {
        try caller.notAnApp()
        return try await templateStore.all(of: try caller.beginner(), in: database)
    }

    private func note(
        _ action: String, _ name: String, _ caller: OperationsCaller, in executor: any SQLExecutor
    ) async throws {
        try await OperationsAudit.write(
            "operations.\(action)", caller.actor, about: "template:\(name)", at: clock.now(), in: executor)
    }

    // MARK: Operations

    public func beginOperation(_ json: JSONValue, by caller: OperationsCaller) async throws -> OperationView {
        let draft = try OperationDraft(json, at: clock.now())
        let operation = try await database.atomically { transaction in
            try await begin(draft, by: caller, in: transaction)
        }
        await decisions.wake(in: database)
        return try view(operation)
    }

    public func operation(_ id: String, for caller: OperationsCaller) async throws -> OperationView {
        try view(try await store.find(id, for: caller, in: database))
    }

    /// Held until its `etag` is another than `etag` (without one: than at arrival), at most `seconds`. Gives the state
    /// at the end.
    public func operation(
        _ id: String, for caller: OperationsCaller, unlike etag: String?, within seconds: Int
    ) async throws -> OperationView {
        let found = try await changes.wait(for: id, unlike: etag, within: seconds, clock: clock) {
            try await store.find(id, for: caller, in: database)
        }
        return try view(found)
    }

    /// Newest first, at most 100. An app sees its own.
    public func operations(_ filter: OperationFilter, for caller: OperationsCaller) async throws -> [OperationView] {
        try await store.list(filter, for: caller, in: database).map { try view($0) }
    }

    public func cancelOperation(
        _ id: String, reason: String?, by caller: OperationsCaller
    ) async throws -> OperationView {
        let canceled = try await database.atomically { transaction in
            try await cancel(id, reason: reason, by: caller, in: transaction)
        }
        await changes.announce(id, in: database)
        await decisions.wake(in: database)
        return try view(canceled)
    }

    func cancel(
        _ id: String, reason: String?, by caller: OperationsCaller, in transaction: any SQLExecutor
    ) async throws -> PhoneOperation {
        if let reason, reason.unicodeScalars.count > 32 || ControlCharacters.isIn(reason, butNewline: false) {
            throw BackOfficeRefusal.request("statusReason has at most 32 characters, and no control characters")
        }
        let operation = try await store.find(id, for: caller, locked: true, in: transaction)
        guard operation.status == .pending else {
            throw BackOfficeRefusal.operationStateChange("the operation is \(operation.status.rawValue)")
        }
        let end = OperationStore.End(statusReason: reason?.isEmpty == true ? nil : reason)
        let canceled = try await store.finish(operation, as: .canceled, end, in: transaction)
        try await decisions.ended(canceled, "cancel", by: caller.actor, in: transaction)
        return canceled
    }

    /// The proximity code of the moment in every form; `scheme` is that of the app's links.
    public func proximity(_ id: String, scheme: String?, for caller: OperationsCaller) async throws -> JSONValue {
        let operation = try await store.find(id, for: caller, in: database), now = clock.now()
        guard let seed = try decisions.secret(of: operation) else {
            throw BackOfficeRefusal.operationStateChange("the operation has no proximity check")
        }
        guard operation.status == .pending else {
            throw BackOfficeRefusal.operationStateChange("the operation is \(operation.status.rawValue)")
        }
        let code = ProximityCode.code(seed, at: now)
        guard let deeplink = ProximityCode.deeplink(scheme: scheme ?? "", operationID: id, code: code) else {
            throw BackOfficeRefusal.request(
                "scheme is the scheme of the app's links: letters, digits, '+', '-' and '.'")
        }
        return [
            "otp": .string(code), "deeplink": .string(deeplink),
            "jwt": .string(ProximityCode.jwt(operationID: id, code: code)),
            "timestampExpires": .integer(min(ProximityCode.expires(at: now), operation.expiresAt).milliseconds),
        ]
    }

    private func view(_ operation: PhoneOperation) throws -> OperationView {
        let seed = try operation.status == .pending ? decisions.secret(of: operation) : nil
        return OperationView(operation: operation, proximityOTP: seed.map { ProximityCode.code($0, at: clock.now()) })
    }

    // MARK: Offline codes

    public func offlineCode(
        _ id: String, registration: String?, signer: String? = nil, for caller: OperationsCaller
    ) async throws -> JSONValue {
        try await offline.code(
            id, try OfflineCodeRequest(registration: registration, signer: signer), for: caller)
    }

    public func checkOffline(_ id: String, _ json: JSONValue, by caller: OperationsCaller) async throws -> JSONValue {
        try await offline.check(id, try OfflineAnswerDraft(json), by: caller)
    }

    // MARK: Inbox

    public func addMessage(_ json: JSONValue, by caller: OperationsCaller) async throws -> InboxMessage {
        let draft = try InboxDraft(json)
        guard let user = try caller.user(draft.userID) else { throw BackOfficeRefusal.request("userId is missing") }
        let message = try await database.atomically { transaction in
            let application = try await parts.applications.chosen(draft.appID, for: caller, in: transaction)
            try await AppQuota(clock: clock).admit(.message(application: application.id), by: caller, in: transaction)
            let message = try await inboxStore.add(draft, to: user, of: application.id, by: caller, in: transaction)
            if !draft.silent { try await decisions.pushes.inbox(message, of: application.id, in: transaction) }
            return message
        }
        await decisions.wake(in: database)
        return message
    }

    // MARK: Operating

    /// Writes what has expired whenever something does, until cancelled.
    public func runExpiry(logger: Logger) async {
        while !Task.isCancelled {
            var next: Date? = clock.now()
            do {
                // Ends of blocks come first: what waits for one is a person.
                while try await liftBlocks() >= BlockEnds.page, !Task.isCancelled {}
                let block = try await BlockEnds.next(in: database)
                next = try await store.nextExpiry(in: database)
                defer { next = [next, block].compactMap { $0 }.min() }
                if let end = next, end <= clock.now() {
                    // What somebody has locked at this moment stays.
                    while try await expire() >= ExpireOperations.page, !Task.isCancelled {}
                }
            } catch {
                logger.warning("operations expire later: the database does not answer", metadata: ["error": "\(error)"])
            }
            await alarm.wait(until: next)
        }
    }

    /// Writes what has expired, at most 100; how many.
    public func expire() async throws -> Int {
        try await ExpireOperations(database: database, decisions: decisions, changes: changes)()
    }

    /// Writes the ends of blocks that are over, at most 100; how many.
    @discardableResult
    public func liftBlocks() async throws -> Int {
        let ended = BlockEnds(registrations: parts.registrations, events: registrationEvents, clock: clock)
        return try await ended(in: database)
    }

    /// Deletes what has been over for long.
    public func tidy() async throws { try await TidyOperations(clock: clock)(in: database) }
}
