import HTTP
import HTTPTypes
import Hummingbird
import OAuth

/// Authentications: begun by a relying service or an app, answered by a phone or by its user's typing.
enum TiqrAuthenticationRoutes {
    static func endpoints(_ tiqrContext: TiqrRequestContext, path: String) -> [Endpoint] {
        let tiqr = tiqrContext.tiqr, scopes = [TiqrRoutes.auth]
        return [
            Endpoint(.post, path + "/authentications", "tiqr: begins an authentication") { request, context in
                let caller = try await tiqrContext.caller(scopes, request, context),
                    members = try await JSONMembers(request)
                let draft = AuthenticationDraft(
                    identity: try members.text("identity"), identifier: try members.text("identifier"),
                    serviceProvider: try members.text("service_provider"), returnURL: try members.text("return_url"),
                    push: try members.flag("push") ?? false, expiresIn: try members.integer("expires_in", 1...600))
                let started = try await tiqr.startAuthentication(draft, by: caller)
                return Answer.json(
                    started.json, status: .created,
                    headers: [.location: "\(tiqrContext.role.realm.base)/authentications/\(started.view.id)"])
            }.telling(
                .ofTiqr(
                    body: "NewTiqrAuthentication", answer: "StartedTiqrAuthentication", status: 201,
                    others: [OtherAnswer("403", "Not enough, or the identity is blocked", "TiqrAttempt")],
                    errors: [404, 409, 429])),
            Endpoint(.get, path + "/authentications/{id}", "tiqr: how an authentication stands; waits with Prefer") {
                request, context in
                let caller = try await tiqrContext.caller(scopes, request, context), id = try tiqrContext.name(context)
                return try await WatchedAnswer.respond(request, now: try await tiqr.authentication(id, for: caller)) {
                    tag, seconds in
                    try await tiqr.authentication(id, for: caller, unlike: tag, within: seconds)
                }
            }.telling(.tiqrWatched("TiqrAuthentication")),
            Endpoint(.delete, path + "/authentications/{id}", "tiqr: cancels an authentication") { request, context in
                let caller = try await tiqrContext.caller(scopes, request, context)
                try await tiqr.cancelAuthentication(try tiqrContext.name(context), for: caller)
                return Answer.empty(.noContent)
            }.telling(.ofTiqr(status: 204, errors: [409])),
            Endpoint(
                .post, path + "/authentications/{id}/otp", "tiqr: the one-time password that an offline phone shows"
            ) { request, context in
                let caller = try await tiqrContext.caller(scopes, request, context), id = try tiqrContext.name(context),
                    members = try await JSONMembers(request)
                return Answer.json(
                    try await tiqr.answer(
                        id, otp: try members.required("otp"), identity: try members.text("identity"), for: caller
                    ).json)
            }.telling(
                .ofTiqr(
                    body: "TiqrTyped", answer: "TiqrAuthentication",
                    others: [OtherAnswer("403", "Not enough, a wrong code, or blocked", "TiqrAttempt")],
                    errors: [409])),
        ]
    }
}
