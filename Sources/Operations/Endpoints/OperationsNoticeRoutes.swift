import Base
import HTTP
import HTTPTypes
import Hummingbird
import OAuth

/// Callbacks, by which a relying service hears of changes, and messages for the inboxes of phones.
enum OperationsNoticeRoutes {
    static func endpoints(_ operationsContext: OperationsRequestContext, path: String) -> [Endpoint] {
        let service = operationsContext.doors.operations, one = path + "/callbacks/{id}"
        return [
            Endpoint(.post, path + "/callbacks", "operations: where a service hears of changes; tells the secret, once")
            { request, context in
                let caller = try await operationsContext.caller(request, context, machinesOnly: true)
                let callback = try await service.addCallback(try await operationsContext.json(request), by: caller)
                return operationsContext.created(callback.json, at: "callbacks/\(callback.id)")
            }.telling(.ofOperations(body: "NewCallback", answer: "Callback", status: 201)),
            Endpoint(.get, path + "/callbacks", "operations: the caller's callbacks") { request, context in
                let caller = try await operationsContext.caller(request, context, machinesOnly: true)
                return Answer.json(["callbacks": .array(try await service.callbacks(for: caller).map(\.json))])
            }.telling(.ofOperations(answer: "Callbacks")),
            Endpoint(.get, one, "operations: one callback, without its secret") { request, context in
                let caller = try await operationsContext.caller(request, context, machinesOnly: true)
                return Answer.json(try await service.callback(try operationsContext.name(context), for: caller).json)
            }.telling(.ofOperations(answer: "Callback")),
            Endpoint(.delete, one, "operations: removes a callback, with what it was still to be told") {
                request, context in
                let caller = try await operationsContext.caller(request, context, machinesOnly: true)
                try await service.removeCallback(try operationsContext.name(context), by: caller)
                return Answer.empty(.noContent)
            }.telling(.ofOperations(status: 204)),
            Endpoint(
                .get, one + "/events",
                "operations: the newest hundred events of a callback, and how their delivery stands"
            ) { request, context in
                let caller = try await operationsContext.caller(request, context, machinesOnly: true)
                return Answer.json([
                    "events": .array(
                        try await service.deliveries(of: try operationsContext.name(context), for: caller).map(\.json))
                ])
            }.telling(.ofOperations(answer: "Deliveries")),
            Endpoint(.post, one + "/redeliver", "operations: sends again: one event, or all that were given up") {
                request, context in
                let caller = try await operationsContext.caller(request, context, machinesOnly: true),
                    members = try await JSONMembers(request, mayBeAbsent: true)
                let count = try await service.redeliver(
                    try operationsContext.name(context), event: try members.text("event"), by: caller)
                return Answer.json(["events": .integer(count)])
            }.telling(.ofOperations(body: "Redelivery", answer: "Redelivered", isBodyNeeded: false)),
            Endpoint(.post, path + "/inbox/messages", "operations: a message for a user's phones") { request, context in
                let caller = try await operationsContext.caller(request, context)
                return Answer.json(
                    try await service.addMessage(try await operationsContext.json(request), by: caller).json,
                    status: .created)
            }.telling(.ofOperations(body: "NewMessage", answer: "Message", status: 201)),
        ]
    }
}
