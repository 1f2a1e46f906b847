import HTTP
import HTTPTypes
import Hummingbird
import OAuth

/// What phones hold. Looking is for both scopes, changing for that of enrollments.
enum TiqrIdentityRoutes {
    private static let longestBlock = 525_600

    static func endpoints(_ tiqrContext: TiqrRequestContext, path: String) -> [Endpoint] {
        let tiqr = tiqrContext.tiqr, readers = [TiqrRoutes.enroll, TiqrRoutes.auth], writers = [TiqrRoutes.enroll]
        return [
            Endpoint(.get, path + "/identities", "tiqr: the caller's identities, by external_id") { request, context in
                let caller = try await tiqrContext.caller(readers, request, context), query = try QueryItems(request)
                return Answer.json(
                    try await tiqr.identities(
                        externalID: try query.one("external_id"), after: try query.one("after"), for: caller
                    ).json)
            }.telling(.ofTiqr(query: ["external_id", "after"], answer: "TiqrIdentities")),
            Endpoint(.get, path + "/identities/{id}", "tiqr: one identity, never its secret") { request, context in
                let caller = try await tiqrContext.caller(readers, request, context)
                return Answer.json(try await tiqr.identity(try tiqrContext.name(context), for: caller).json)
            }.telling(.ofTiqr(answer: "TiqrIdentity")),
            Endpoint(.put, path + "/identities/{id}/block", "tiqr: blocks an identity, without minutes for good") {
                request, context in
                let caller = try await tiqrContext.caller(writers, request, context),
                    members = try await JSONMembers(request, mayBeAbsent: true)
                try await tiqr.block(
                    try tiqrContext.name(context), minutes: try members.integer("minutes", 1...longestBlock),
                    for: caller)
                return Answer.empty(.noContent)
            }.telling(.ofTiqr(body: "TiqrBlock", status: 204, isBodyNeeded: false)),
            Endpoint(.delete, path + "/identities/{id}/block", "tiqr: ends a block; attempts are full again") {
                request, context in
                let caller = try await tiqrContext.caller(writers, request, context)
                try await tiqr.unblock(try tiqrContext.name(context), for: caller)
                return Answer.empty(.noContent)
            }.telling(.ofTiqr(status: 204)),
            Endpoint(.delete, path + "/identities/{id}", "tiqr: removes an identity; its phone is refused from then on")
            { request, context in
                let caller = try await tiqrContext.caller(writers, request, context)
                try await tiqr.remove(try tiqrContext.name(context), for: caller)
                return Answer.empty(.noContent)
            }.telling(.ofTiqr(status: 204)),
        ]
    }
}
