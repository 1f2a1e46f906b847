import Base
import HTTP
import HTTPTypes
import Hummingbird
import OAuth
import Vocabulary

/// Applications and their versions: what a mobile app is to PowerAuth. For relying services alone.
enum OperationsApplicationRoutes {
    static func endpoints(_ operationsContext: OperationsRequestContext, path: String) -> [Endpoint] {
        let service = operationsContext.doors.powerAuth, one = path + "/applications/{id}"
        return [
            Endpoint(
                .post, path + "/applications",
                "operations: an application, with its first version; 200 for one that is there"
            ) { request, context in
                let caller = try await operationsContext.caller(request, context, machinesOnly: true)
                let (application, isNew) = try await service.addApplication(
                    try ApplicationDraft(try await operationsContext.json(request)), by: caller)
                return isNew
                    ? operationsContext.created(application.json, at: "applications/\(application.application.appID)")
                    : Answer.json(application.json)
            }.telling(
                .ofOperations(
                    body: "NewApplication", answer: "Application", status: 201,
                    others: [OtherAnswer("200", "It is there already", "Application")])),
            Endpoint(.get, path + "/applications", "operations: the caller's applications") { request, context in
                let caller = try await operationsContext.caller(request, context, machinesOnly: true)
                return Answer.json(["applications": .array(try await service.applications(for: caller).map(\.json))])
            }.telling(.ofOperations(answer: "Applications")),
            Endpoint(.get, one, "operations: one application; sdkConfig is what its mobile app is built with") {
                request, context in
                let caller = try await operationsContext.caller(request, context, machinesOnly: true)
                return Answer.json(try await service.application(try operationsContext.name(context), for: caller).json)
            }.telling(.ofOperations(answer: "Application")),
            Endpoint(
                .put, one,
                "operations: which protocols and algorithms its phones may speak; what speaks another goes on"
            ) { request, context in
                let caller = try await operationsContext.caller(request, context, machinesOnly: true)
                let choice = try ProtocolChoice(try await operationsContext.json(request))
                return Answer.json(
                    try await service.choose(choice, of: try operationsContext.name(context), by: caller).json)
            }.telling(.ofOperations(body: "ProtocolChoice", answer: "Application")),
            Endpoint(.post, one + "/versions", "operations: one more version of an application") { request, context in
                let caller = try await operationsContext.caller(request, context, machinesOnly: true)
                _ = try await operationsContext.json(request, mayBeAbsent: true)
                return Answer.json(
                    try await service.addVersion(of: try operationsContext.name(context), by: caller).json,
                    status: .created)
            }.telling(.ofOperations(answer: "Application", status: 201)),
            Endpoint(
                .put, one + "/versions/{version}",
                "operations: whether a version is supported; its name is its URL-encoded applicationKey"
            ) { request, context in
                let caller = try await operationsContext.caller(request, context, machinesOnly: true)
                guard let isSupported = try await JSONMembers(request).flag("supported") else {
                    throw OAuthError(.invalidRequest, "supported is missing")
                }
                return Answer.json(
                    try await service.setSupported(
                        isSupported, version: try operationsContext.name(context, "version"),
                        of: try operationsContext.name(context), by: caller
                    ).json)
            }.telling(.ofOperations(body: "VersionChange", answer: "Application")),
        ]
    }
}

/// Templates of operations. For relying services alone.
enum OperationsTemplateRoutes {
    static func endpoints(_ operationsContext: OperationsRequestContext, path: String) -> [Endpoint] {
        let service = operationsContext.doors.operations, one = path + "/templates/{id}"
        return [
            Endpoint(.post, path + "/templates", "operations: a template; 409 for a name that is taken") {
                request, context in
                let caller = try await operationsContext.caller(request, context, machinesOnly: true)
                return Answer.json(
                    try await service.addTemplate(try await operationsContext.json(request), by: caller).json,
                    status: .created)
            }.telling(.ofOperations(body: "Template", answer: "Template", status: 201)),
            Endpoint(.get, path + "/templates", "operations: the caller's templates") { request, context in
                let caller = try await operationsContext.caller(request, context, machinesOnly: true)
                return Answer.json(["templates": .array(try await service.templates(for: caller).map(\.json))])
            }.telling(.ofOperations(answer: "Templates")),
            Endpoint(.get, one, "operations: one template") { request, context in
                let caller = try await operationsContext.caller(request, context, machinesOnly: true)
                return Answer.json(try await service.template(try operationsContext.name(context), for: caller).json)
            }.telling(.ofOperations(answer: "Template")),
            Endpoint(.put, one, "operations: replaces a template; operations keep the one that they were made from") {
                request, context in
                let caller = try await operationsContext.caller(request, context, machinesOnly: true)
                return Answer.json(
                    try await service.replaceTemplate(
                        try operationsContext.name(context), try await operationsContext.json(request), by: caller
                    ).json)
            }.telling(.ofOperations(body: "Template", answer: "Template")),
            Endpoint(.delete, one, "operations: removes a template") { request, context in
                let caller = try await operationsContext.caller(request, context, machinesOnly: true)
                try await service.removeTemplate(try operationsContext.name(context), by: caller)
                return Answer.empty(.noContent)
            }.telling(.ofOperations(status: 204)),
        ]
    }
}
