import Base
import HTTP
import HTTPTypes
import Hummingbird
import OAuth

/// Registrations of phones. Apps register phones of their own person.
enum OperationsRegistrationRoutes {
    static func endpoints(_ operationsContext: OperationsRequestContext, path: String) -> [Endpoint] {
        let service = operationsContext.doors.powerAuth, one = path + "/registrations/{id}"
        return [
            Endpoint(
                .post, path + "/registrations", "operations: begins a registration; tells the activation code, once"
            ) { request, context in
                let caller = try await operationsContext.caller(request, context),
                    picture = try OperationsPicture(request)
                let started = try await service.startRegistration(
                    try PhoneRegistrationDraft(try await operationsContext.json(request)), by: caller)
                return operationsContext.created(
                    try picture.added(to: started.json, of: started.qrText),
                    at: "registrations/\(started.registration.id)")
            }.telling(
                .ofOperations(
                    query: [OperationsPicture.parameter], body: "NewRegistration", answer: "StartedRegistration",
                    status: 201)),
            Endpoint(.get, path + "/registrations", "operations: a user's registrations") { request, context in
                let caller = try await operationsContext.caller(request, context), query = try QueryItems(request)
                return Answer.json(
                    try await service.registrations(
                        userID: try query.one("userId"), after: try query.one("after"), for: caller
                    ).json)
            }.telling(.ofOperations(query: ["userId", "after"], answer: "Registrations")),
            Endpoint(.get, one, "operations: one registration") { request, context in
                let caller = try await operationsContext.caller(request, context)
                return Answer.json(
                    try await service.registration(try operationsContext.name(context), for: caller).json)
            }.telling(.ofOperations(answer: "Registration")),
            Endpoint(
                .post, one + "/commit", "operations: makes a registration usable once its phone has exchanged keys"
            ) { request, context in
                let caller = try await operationsContext.caller(request, context),
                    commit = try RegistrationCommit(try await operationsContext.json(request, mayBeAbsent: true))
                return status(try await service.commit(try operationsContext.name(context), commit, by: caller))
            }.telling(.ofOperations(body: "RegistrationCommit", answer: "RegistrationStatus")),
            Endpoint(.put, one, "operations: blocks, unblocks or removes a registration, or sets its flags") {
                request, context in
                let caller = try await operationsContext.caller(request, context),
                    change = try RegistrationChange(try await operationsContext.json(request))
                return status(try await service.change(try operationsContext.name(context), change, by: caller))
            }.telling(.ofOperations(body: "RegistrationChange", answer: "RegistrationStatus")),
            Endpoint(.delete, one, "operations: removes a registration; its phone is refused from then on") {
                request, context in
                let caller = try await operationsContext.caller(request, context)
                return status(try await service.change(try operationsContext.name(context), .remove, by: caller))
            }.telling(.ofOperations(answer: "RegistrationStatus")),
        ]
    }

    private static func status(_ registration: PhoneRegistration) -> Response {
        Answer.json(["status": .string(registration.state.rawValue)])
    }
}
