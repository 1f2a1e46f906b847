import Base
import Database
import Federation
import Foundation
import HTTPTypes
import Registration
import TestSupport
import Testing

@Suite("a service asks to be crawled now")
struct CrawlRequestTests {
    private static let path = "/services/self/crawl"

    private func basic(_ client: (id: String, secret: String)) -> HTTPFields {
        [.authorization: "Basic \(Data("\(client.id):\(client.secret)".utf8).base64EncodedString())"]
    }

    private func ask(_ server: TestServer, _ headers: HTTPFields) async throws -> Reply {
        try await server.send(.post, CrawlRequestTests.path, headers: headers)
    }

    /// Seconds until `learn` is crawled.
    private func wait(_ server: TestServer) async throws -> TimeInterval {
        let due: Date = try await server.database.value("select next_try from service_document where service = 'learn'")
        return due.timeIntervalSince(server.time.now)
    }

    private func putOff(_ server: TestServer) async throws {
        let later = server.time.now.addingTimeInterval(86_400)
        try await server.database.execute("update service_document set next_try = \(later)")
    }

    @Test("it is due at once, once a minute, and no other service with it")
    func taken() async throws {
        try await TestServer.with { server in
            try await putOff(server)

            let reply = try await ask(server, basic(server.residents.learn))

            #expect(reply.outcome == "202" && reply.body.isEmpty && reply[header: "Cache-Control"] == "no-store")
            #expect(try await wait(server) <= 0)
            let others: Int = try await server.database.value(
                "select count(*) from service_document where next_try <= \(server.time.now)")
            #expect(others == 1)

            try await putOff(server)
            server.time.advance(20)
            let early = try await ask(server, basic(server.residents.learn))
            #expect(early.outcome == "429 slow_down" && early[header: "Retry-After"] == "40")
            #expect(try await wait(server) > 80_000)
            #expect(try await ask(server, basic(server.residents.quiet)).outcome == "202")
            server.time.advance(40)
            #expect(try await ask(server, basic(server.residents.learn)).outcome == "202")
            #expect(try await wait(server) <= 0)
        }
    }

    @Test("of many at once one is heard")
    func atOnce() async throws {
        try await TestServer.with { server in
            let replies = try await crowd(8) { _ in try await ask(server, basic(server.residents.learn)) }

            #expect(replies.filter { $0.outcome == "202" }.count == 1)
            #expect(replies.filter { $0.outcome == "429 slow_down" }.count == 7)
        }
    }

    @Test("who is no service, or shows it badly, is refused, and nothing becomes due")
    func refused() async throws {
        try await TestServer.with { server in
            try await putOff(server)
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn()
            let learn = server.residents.learn, path = CrawlRequestTests.path

            for headers in [
                [:], basic((learn.id, "wrong")), basic(("nobody", learn.secret)), basic(server.residents.machine),
            ] as [HTTPFields] {
                let reply = try await ask(server, headers)
                #expect(reply.outcome == "401 invalid_client")
                #expect(reply[header: "WWW-Authenticate"]?.hasPrefix("Basic ") == true)
            }
            let person = try await ask(server, phone.dpop(.post, path, token: pat.accessToken))
            #expect(person.outcome == "403 insufficient_scope")
            #expect(person[header: "WWW-Authenticate"]?.contains("scope=\"events\"") == true)
            #expect(try await ask(server, [.authorization: "Bearer nonsense"]).outcome == "401 invalid_token")

            let token = try await server.post(
                "/token", ["grant_type": "client_credentials", "scope": "read"], headers: basic(learn)
            ).accessToken
            #expect(try await ask(server, [.authorization: "Bearer \(token)"]).outcome == "403 insufficient_scope")
            var headers = basic(learn)
            headers[.contentType] = "application/json"
            let body = Array(#"{"client_secret":"x","client_id":"y"}"#.utf8)
            #expect(try await server.send(.post, path, headers: headers, body: body).outcome == "400 invalid_request")
            headers[.contentType] = "text/plain"
            #expect(
                try await server.send(.post, path, headers: headers, body: body).outcome
                    == "415 unsupported_media_type")
            #expect(try await wait(server) > 80_000)
        }
    }

    @Test("its own access token with scope events does as well")
    func token() async throws {
        try await TestServer.with { server in
            let learn = server.residents.learn
            try await server.database.execute("update client set scope = 'events' where id = \(learn.id)")
            let token = try await server.post(
                "/token", ["grant_type": "client_credentials", "scope": "events"], headers: basic(learn)
            ).accessToken

            #expect(try await ask(server, [.authorization: "Bearer \(token)"]).outcome == "202")
        }
    }

    @Test("a suspended service is told that it is not crawled, a removed one is nobody; no database is no refusal")
    func suspended() async throws {
        try await TestServer.with { server in
            let index = ServiceIndex(clock: server.time.clock), learn = basic(server.residents.learn)
            _ = try await index.move("learn", to: .suspended, in: server.database)
            #expect(try await ask(server, learn).outcome == "403 forbidden")

            let service = try #require(try await index.find("learn", in: server.database))
            try await server.database.transaction { try await index.remove(service, in: $0) }
            #expect(try await ask(server, learn).outcome == "401 invalid_client")
            try await server.withoutDatabase { away in
                let reply = try await ask(away, learn)
                #expect(reply.outcome == "503 temporarily_unavailable")
            }
        }
    }
}
