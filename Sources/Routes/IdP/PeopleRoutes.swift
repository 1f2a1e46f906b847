import Base
import Hummingbird
import OAuth

/// What an app may ask about its person, with a personal access token.
enum PeopleRoutes {
    static func endpoints(_ idp: IdentityProvider) -> [Endpoint] {
        let base = idp.realm.base
        let userInfo: Endpoint.Handler = { request, context in
            let holder = try await idp.person(request.presented(base, context))
            return Answer.json(try await idp.profile.userInfo(holder.token))
        }
        return [
            Endpoint(.get, "/userinfo", "Claims about the person (OpenID Connect Core, 5.3)", userInfo),
            Endpoint(.post, "/userinfo", "The same", userInfo),
            Endpoint(.get, "/user-profile", "The person's identities, the core one first") { request, context in
                let holder = try await idp.person(request.presented(base, context))
                return Answer.json(try await idp.profile.identities(holder.token))
            },
            Endpoint(.get, "/service-discovery/user", "Base URLs of the services the person used, most recent first") { request, context in
                let holder = try await idp.person(request.presented(base, context))
                return Answer.json(try await idp.profile.services(holder.token))
            },
            Endpoint(.get, "/instances", "The person's app instances") { request, context in
                let holder = try await idp.person(request.presented(base, context))
                return Answer.json(try await idp.instances.list(holder))
            },
            Endpoint(.patch, "/instances/{id}", "Change device information") { request, context in
                let holder = try await idp.person(request.presented(base, context))
                let body = try await BodyReading.json(request)
                return Answer.json(try await idp.instances.change(context.parameters.get("id") ?? "", body, by: holder))
            },
            Endpoint(.delete, "/instances/{id}", "Disconnect an instance, and all below it") { request, context in
                let presented = request.presented(base, context)
                let holder = try await idp.person(presented)
                try await idp.instances.disconnect(context.parameters.get("id") ?? "", by: holder, presented)
                return Answer.empty(.noContent)
            },
        ]
    }
}
