import Base
import Federation
import HTTP
import OAuth
import TokenTree

extension ElsewhereSettings {
    /// What each of `services` has at the other server. Reads the file of credentials.
    func services(
        _ services: [String], policies: AppPolicyStore, clock: WallClock, http: OutgoingHTTP
    ) throws -> [String: ElsewhereService] {
        try credentials(of: services).mapValues { credentials in
            let connection = IssuerConnection(
                issuer: root, clientID: credentials.clientID, secret: credentials.secret
            ) { question in
                let answer = try await http.ask(
                    OutgoingHTTP.Request(
                        method: question.method, url: question.url, headers: question.headers, body: question.body),
                    question.within)
                return IssuerConnection.Answer(status: answer.status, body: answer.body)
            }
            return ElsewhereService(
                issuer: connection, hearing: hearing, policies: policies, index: ServiceIndex(clock: clock))
        }
    }
}

extension Composition {
    /// Keep the services that live here up to date with their issuer, where that is another server.
    var following: [Worker] {
        hosted.compactMap(\.role).compactMap { role in
            guard let service = role.elsewhere else { return nil }
            let following = EventFollowing(role.events, of: service, logger: logger)
            return Worker(name: "events of \(role.profile.id)") { await following.run() }
        }
    }
}
