import Base
import Database
import Foundation
import PowerAuth

/// The Mobile Token API under `/api` (protocols/operations.md, 1.2): the body of each answer with 200; refusals are
/// thrown as `OperationsRefusal`. Reading wants a token, acting a signature.
extension OperationsService {
    /// `operation/list`: cheap, for every phone asks every few seconds. What waits is read together with the token, and
    /// told when that was right.
    public func list(_ request: PhoneRequest) async throws -> JSONValue {
        guard let header = try? TokenHeader(parsing: request.token, versions: TokenCheck.versions),
            case (.right, let rows) = try await parts.tokens.check(
                header, asking: store.pending(ofToken: header.tokenID), origin: request.origin, in: database)
        else {
            throw OperationsRefusal.authenticationFailed
        }
        let rendering = OperationRendering(request.language), now = clock.now()
        return timed(.array(try rows.map { rendering.json(try PhoneOperation($0, at: now)) }))
    }

    /// `operation/detail`: also what nobody has claimed yet, by its id.
    public func detail(_ request: PhoneRequest) async throws -> JSONValue {
        let phone = try await holder(of: request), id = try PhoneBody(request.body).required("id", limit: 64)
        switch decisions.match(try await store.named(id, in: database), phone) {
        case .refused(let refusal, _): throw refusal
        case .found(let operation): return timed(OperationRendering(request.language).json(operation))
        }
    }

    /// `operation/detail/claim`. Of two users who claim at once one has it, and the other hears that there is nothing.
    public func claim(_ request: PhoneRequest) async throws -> JSONValue {
        let phone = try await holder(of: request), id = try PhoneBody(request.body).required("id", limit: 64)
        let actor = OperationsAudit.phone(phone.id, origin: request.origin)
        let (match, isNew) = try await database.atomically { transaction -> (Decisions.Match, Bool) in
            let match = decisions.match(try await store.named(id, locked: true, in: transaction), phone)
            switch match {
            case .refused(_, let step):
                // A token is all that it takes: one line a minute.
                if try await parts.trail.admits("claim", step.rawValue, of: phone, in: transaction) {
                    try await decisions.refuse("claim", id, step, by: actor, in: transaction)
                }
                return (match, false)
            case .found(let operation) where operation.userID != nil:
                return (match, false)
            case .found:
                guard try await store.claim(id, for: phone, in: transaction),
                    let claimed = try await store.named(id, in: transaction)
                else {
                    throw DatabaseError.serialization
                }
                try await decisions.note("claim", claimed, by: actor, [:], in: transaction)
                try await decisions.callbacks.add("claimed", of: claimed, in: transaction)
                return (.found(claimed), true)
            }
        }
        if isNew {
            await changes.announce(id, in: database)
            await decisions.wake(in: database)
        }
        switch match {
        case .refused(let refusal, _): throw refusal
        case .found(let operation): return timed(OperationRendering(request.language).json(operation))
        }
    }

    /// `operation/history`, signed with two factors: every status, newest first, no `currentTimestamp`.
    public func history(_ request: PhoneRequest) async throws -> JSONValue {
        let rendering = OperationRendering(request.language)
        return OperationsService.ok(.array(try await phones.history(request).map { rendering.json($0) }))
    }

    /// `operation/authorize`.
    public func authorize(_ request: PhoneRequest) async throws -> JSONValue {
        try await phones.approve(request)
        return OperationsService.done
    }

    /// `operation/cancel`: the phone rejects.
    public func reject(_ request: PhoneRequest) async throws -> JSONValue {
        try await phones.reject(request)
        return OperationsService.done
    }

    /// `push/device/register`, with and without `/token`.
    public func registerPush(_ request: PhoneRequest) async throws -> JSONValue {
        let phone = try await holder(of: request)
        try await PushAddress(request.body).store(
            for: phone, language: request.language, at: clock.now(), in: database)
        return OperationsService.done
    }

    // MARK: Inbox

    /// `inbox/count`.
    public func countMessages(_ request: PhoneRequest) async throws -> JSONValue {
        let phone = try await holder(of: request)
        return OperationsService.ok(["countUnread": .integer(try await inboxStore.unread(phone, in: database))])
    }

    /// `inbox/message/list`.
    public func messages(_ request: PhoneRequest) async throws -> JSONValue {
        let phone = try await holder(of: request), page = try InboxPage(request.body)
        return OperationsService.ok(
            .array(try await inboxStore.page(phone, page, in: database).map { $0.phoneJSON(withBody: false) }))
    }

    /// `inbox/message/detail`.
    public func message(_ request: PhoneRequest) async throws -> JSONValue {
        let phone = try await holder(of: request), id = try PhoneBody(request.body).required("id", limit: 64)
        return OperationsService.ok(try await inboxStore.find(id, phone, in: database).phoneJSON(withBody: true))
    }

    /// `inbox/message/read`.
    public func readMessage(_ request: PhoneRequest) async throws -> JSONValue {
        let phone = try await holder(of: request), id = try PhoneBody(request.body).required("id", limit: 64)
        try await inboxStore.read(id, phone, in: database)
        return OperationsService.done
    }

    /// `inbox/message/read-all`.
    public func readAllMessages(_ request: PhoneRequest) async throws -> JSONValue {
        let phone = try await holder(of: request)
        try await inboxStore.readAll(phone, in: database)
        return OperationsService.done
    }

    // MARK: Envelopes

    /// Whose token it is. What refused it stands in the audit trail.
    private func holder(of request: PhoneRequest) async throws -> PhoneRegistration {
        guard let header = try? TokenHeader(parsing: request.token, versions: TokenCheck.versions),
            case .right(let registration, _) = try await parts.tokens.check(
                header, origin: request.origin, in: database)
        else {
            throw OperationsRefusal.authenticationFailed
        }
        return registration
    }

    private static let done: JSONValue = ["status": "OK"]

    private static func ok(_ object: JSONValue) -> JSONValue { ["status": "OK", "responseObject": object] }

    private func timed(_ object: JSONValue) -> JSONValue {
        ["status": "OK", "currentTimestamp": .string(MobileDate.text(clock.now())), "responseObject": object]
    }
}
