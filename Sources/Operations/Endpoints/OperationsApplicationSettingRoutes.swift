import Base
import HTTP
import HTTPTypes
import Hummingbird
import OAuth

/// What an owner chooses for an application: what it is pushed to with, and how long wrong PINs block its phones. For
/// relying services alone. Keys go in, and never come out.
enum OperationsApplicationSettingRoutes {
    static func endpoints(_ operationsContext: OperationsRequestContext, path: String) -> [Endpoint] {
        let service = operationsContext.doors.powerAuth, one = path + "/applications/{id}"
        return [
            Endpoint(.get, one + "/push", "operations: what an application is pushed to with, but for the keys") {
                request, context in
                let caller = try await operationsContext.caller(request, context, machinesOnly: true)
                return Answer.json(try await service.pushes(of: try operationsContext.name(context), for: caller))
            }.telling(.ofOperations(answer: "PushCredentialsList")),
            Endpoint(
                .put, one + "/push/{provider}",
                "operations: credentials of an application at apns, fcm or hms, in place of those that were there"
            ) { request, context in
                let caller = try await operationsContext.caller(request, context, machinesOnly: true)
                return Answer.json(
                    try await service.setPush(
                        try operationsContext.name(context, "provider"), try await operationsContext.json(request),
                        of: try operationsContext.name(context), by: caller))
            }.telling(.ofOperations(body: "NewPushCredentials", answer: "PushCredentials")),
            Endpoint(.delete, one + "/push/{provider}", "operations: forgets credentials of an application") {
                request, context in
                let caller = try await operationsContext.caller(request, context, machinesOnly: true)
                try await service.removePush(
                    try operationsContext.name(context, "provider"), of: try operationsContext.name(context),
                    by: caller)
                return Answer.empty(.noContent)
            }.telling(.ofOperations(status: 204)),
            Endpoint(
                .put, one + "/blocks",
                "operations: minutes that wrong PINs block a phone for, the first time, the second and so on"
            ) { request, context in
                let caller = try await operationsContext.caller(request, context, machinesOnly: true)
                return Answer.json(
                    try await service.setBlocks(
                        try await operationsContext.json(request), of: try operationsContext.name(context), by: caller
                    ).json)
            }.telling(.ofOperations(body: "BlockChange", answer: "Application")),
        ]
    }
}
