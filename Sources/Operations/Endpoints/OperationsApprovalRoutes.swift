import Base
import HTTP
import HTTPTypes
import Hummingbird
import OAuth
import PowerAuth

/// Operations: begun by a relying service or an app, decided on a phone. `GET` of one may be waited for, or listened
/// to.
enum OperationsApprovalRoutes {
    static func endpoints(_ operationsContext: OperationsRequestContext, path: String) -> [Endpoint] {
        let service = operationsContext.doors.operations, one = path + "/operations/{id}"
        return [
            Endpoint(.post, path + "/operations", "operations: begins an operation") { request, context in
                let caller = try await operationsContext.caller(request, context)
                let operation = try await service.beginOperation(try await operationsContext.json(request), by: caller)
                return operationsContext.created(operation.json, at: "operations/\(operation.id)")
            }.telling(.ofOperations(body: "NewOperation", answer: "Operation", status: 201)),
            Endpoint(.get, path + "/operations", "operations: the newest hundred, by user, external id and status") {
                request, context in
                let caller = try await operationsContext.caller(request, context), query = try QueryItems(request)
                let filter = try OperationFilter(
                    userID: try query.one("userId"), externalID: try query.one("externalId"),
                    status: try query.one("status"))
                return Answer.json(["operations": .array(try await service.operations(filter, for: caller).map(\.json))]
                )
            }.telling(.ofOperations(query: ["userId", "externalId", "status"], answer: "Operations")),
            Endpoint(
                .get, one,
                "operations: how an operation stands; waits with Prefer, tells events to whoever accepts them"
            ) { request, context in
                let caller = try await operationsContext.caller(request, context),
                    id = try operationsContext.name(context)
                let now = try await service.operation(id, for: caller)
                if OperationsEventStream.isWanted(request) {
                    // A relying service is known, and waits for many people.
                    return try OperationsEventStream.respond(request, from: caller.isApp ? context.peer : nil) {
                        tag, seconds in
                        try await service.operation(id, for: caller, unlike: tag, within: seconds)
                    }
                }
                return try await WatchedAnswer.respond(request, now: now) { tag, seconds in
                    try await service.operation(id, for: caller, unlike: tag, within: seconds)
                }
            }.telling(
                .ofOperations(
                    headers: ["Prefer", "If-None-Match"], answer: "Operation", others: [.unchanged],
                    otherTypes: ["text/event-stream": "EventStream"])),
            Endpoint(.delete, one, "operations: cancels an operation") { request, context in
                let caller = try await operationsContext.caller(request, context),
                    reason = try QueryItems(request).one("statusReason")
                return Answer.json(
                    try await service.cancelOperation(try operationsContext.name(context), reason: reason, by: caller)
                        .json)
            }.telling(.ofOperations(query: ["statusReason"], answer: "Operation")),
        ] + codes(operationsContext, one)
    }

    /// What a screen shows to a phone.
    private static func codes(_ operationsContext: OperationsRequestContext, _ one: String) -> [Endpoint] {
        let service = operationsContext.doors.operations
        return [
            Endpoint(.get, one + "/proximity", "operations: the proximity code of the moment, as digits, link and JWT")
            { request, context in
                let caller = try await operationsContext.caller(request, context),
                    picture = try OperationsPicture(request), query = try QueryItems(request)
                let code = try await service.proximity(
                    try operationsContext.name(context), scheme: try query.one("scheme"), for: caller)
                return Answer.json(try picture.added(to: code, of: code["deeplink"]?.string ?? ""))
            }.telling(.ofOperations(query: ["scheme", OperationsPicture.parameter], answer: "ProximityCode")),
            Endpoint(.get, one + "/offline/qr", "operations: the text of a QR code for a phone without network") {
                request, context in
                let caller = try await operationsContext.caller(request, context),
                    picture = try OperationsPicture(request), query = try QueryItems(request)
                let code = try await service.offlineCode(
                    try operationsContext.name(context), registration: try query.one("registrationId"),
                    signer: try query.one("signer"), for: caller)
                return Answer.json(try picture.added(to: code, of: code["operationQrCodeData"]?.string ?? ""))
            }.telling(
                .ofOperations(query: ["registrationId", "signer", OperationsPicture.parameter], answer: "OfflineCode")),
            Endpoint(.post, one + "/offline/otp", "operations: the code that such a phone shows; a right one approves")
            { request, context in
                let caller = try await operationsContext.caller(request, context)
                return Answer.json(
                    try await service.checkOffline(
                        try operationsContext.name(context), try await operationsContext.json(request), by: caller))
            }.telling(.ofOperations(body: "OfflineAnswer", answer: "OfflineVerdict")),
        ]
    }
}

extension OperationView: WatchedState {}
