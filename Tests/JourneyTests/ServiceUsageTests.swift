import Base
import Federation
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("what services a person used, and what they make it forget")
struct ServiceUsageTests {
    private static let path = "/service-discovery/user"
    private static let campus = "https://campus.example.org"

    /// The service `campus`, whose own client is this web client.
    private func enter(_ server: TestServer, _ app: WebApp) async throws {
        let base = try #require(WebAddress(ServiceUsageTests.campus))
        _ = try await ServiceIndex(clock: server.time.clock).add(
            id: "campus", name: "Campus", base: base, client: app.id, claims: [], rsd: nil, allowsLoopback: false,
            status: .active, in: server.database)
    }

    private func used(_ phone: Phone, _ pat: Reply) async throws -> [String] {
        try await phone.get(ServiceUsageTests.path, token: pat.accessToken).json.strings ?? ["none"]
    }

    private func forget(_ phone: Phone, _ pat: Reply, _ query: String = "") async throws -> Reply {
        let path = ServiceUsageTests.path
        return try await phone.server.send(
            .delete, path + query, headers: phone.dpop(.delete, path, token: pat.accessToken))
    }

    @Test("a login by the service's own client is use, and so is a token for a service; another client's is none")
    func web() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn()
            let own = try await server.webApp("Campus"), other = try await server.webApp("Notes")
            try await enter(server, own)

            _ = try await other.logIn(Browser(server))
            #expect(try await used(phone, pat) == [])
            _ = try await own.logIn(Browser(server))
            #expect(try await used(phone, pat) == [ServiceUsageTests.campus])
            server.time.advance(5)
            let place = try await Browser(server).signIn(
                AuthorizationDraft(other.id, changes: ["resource": ServerParts.base]))
            #expect(try await other.redeem(place.answer["code"]).outcome == "200")
            #expect(try await used(phone, pat) == [ServerParts.base, ServiceUsageTests.campus])
            server.time.advance(5)
            _ = try await own.logIn(Browser(server))
            #expect(try await used(phone, pat) == [ServiceUsageTests.campus, ServerParts.base])

            _ = try await ServiceIndex(clock: server.time.clock).move("campus", to: .suspended, in: server.database)
            #expect(try await used(phone, pat) == [ServerParts.base])
            let bobs = try await Phone.registered(in: server)
            #expect(try await used(bobs, try await bobs.logIn(as: "bob")) == [])
        }
    }

    @Test("a code that is refused is no use")
    func refused() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn()
            let own = try await server.webApp("Campus")
            try await enter(server, own)

            let place = try await Browser(server).signIn(AuthorizationDraft(own.id))
            let wrong = try await own.redeem(place.answer["code"], verifier: String(repeating: "x", count: 43))

            #expect(wrong.outcome == "400 invalid_grant")
            #expect(try await used(phone, pat) == [])
        }
    }

    @Test("a device that a person lets in counts as its client's service")
    func device() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn()
            let television = try await Television(in: server)
            try await enter(server, television.app)

            let begun = try await television.approved(Browser(server))
            #expect(try await television.poll(begun).outcome == "200")

            #expect(try await used(phone, pat) == [ServiceUsageTests.campus])
        }
    }

    @Test("a person empties the list, or takes one out, and it stays so until it is used again")
    func emptied() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn()
            let bobs = try await Phone.registered(in: server), bobsPAT = try await bobs.logIn(as: "bob")
            func use() async throws {
                for service in [ServerParts.base, Residents.quietBase] {
                    _ = try await phone.assertion(pat, for: service)
                    _ = try await bobs.assertion(bobsPAT, for: service)
                    server.time.advance(1)
                }
            }
            try await use()

            let one = try await forget(phone, pat, "?service=HTTPS%3A%2F%2FQuiet.example.org%2F")
            #expect(one.outcome == "204" && one.body.isEmpty && one[header: "Cache-Control"] == "no-store")
            #expect(try await used(phone, pat) == [ServerParts.base])
            #expect(try await forget(phone, pat, "?service=https%3A%2F%2Funknown.example.org").outcome == "204")
            #expect(try await used(phone, pat) == [ServerParts.base])
            #expect(try await forget(phone, pat).outcome == "204")
            #expect(try await used(phone, pat) == [])
            #expect(try await forget(phone, pat).outcome == "204")
            server.time.advance(100)
            #expect(try await used(phone, pat) == [])
            #expect(try await used(bobs, bobsPAT) == [Residents.quietBase, ServerParts.base])

            _ = try await phone.assertion(pat)
            #expect(try await used(phone, pat) == [ServerParts.base])
        }
    }

    @Test("what names no service is refused, and nothing is forgotten")
    func hostile() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn()
            _ = try await phone.assertion(pat)
            let base = "https%3A%2F%2Fquiet.example.org"

            for query in [
                "?service=", "?service", "?service=learn", "?service=%00", "?service=%FF", "?service=\(base)%3Fx",
                "?service=\(base)&service=\(base)", "?service=javascript%3Aalert(1)",
                "?service=https%3A%2F%2F" + String(repeating: "x", count: 3_000),
            ] {
                #expect(try await forget(phone, pat, query).outcome == "400 invalid_request", "\(query.prefix(60))")
            }
            #expect(try await used(phone, pat) == [ServerParts.base])
            let stranger = try await server.send(.delete, ServiceUsageTests.path)
            #expect(stranger.outcome == "401 invalid_token" && stranger[header: "WWW-Authenticate"] != nil)
            let path = ServiceUsageTests.path
            let instance = try await server.send(
                .delete, path, headers: phone.dpop(.delete, path, token: phone.instance.accessToken))
            #expect(instance.outcome == "403 insufficient_scope")
            #expect(try await used(phone, pat) == [ServerParts.base])
        }
    }
}
