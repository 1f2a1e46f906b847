import Base
import Federation
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("who may read the list of the federation", .serialized)
struct ListingAccessTests {
    private static let lists = [
        "/federation/services", "/federation/services/learn", "/federation/list", "/federation/extended-list",
    ]

    private func basic(_ client: (id: String, secret: String)) -> HTTPFields {
        [.authorization: "Basic \(Data("\(client.id):\(client.secret)".utf8).base64EncodedString())"]
    }

    private func anchor(_ server: TestServer) async throws -> JSONValue {
        let reader = FederationReader(server: server)
        let told = try await reader.configuration(FederationReader.anchor)["metadata"]
        return try #require(told?["federation_entity"])
    }

    @Test("everybody, as long as the operator says nothing")
    func everybody() async throws {
        try await TestServer.with { server in
            for path in ListingAccessTests.lists {
                let reply = try await server.get(path)
                #expect(reply.outcome == "200" && reply[header: "Access-Control-Allow-Origin"] == "*", "\(path)")
                #expect(reply[header: "Cache-Control"]?.hasPrefix("public, ") == true)
            }
            let told = try await anchor(server)
            #expect(told["federation_list_endpoint"] == .string(ServerParts.root + "/federation/list"))
            #expect(told["federation_list_endpoint_auth_methods"] == nil)
        }
    }

    @Test("members alone: with a live token of the federation, or as a client")
    func members() async throws {
        try await TestServer.with(options: .init(listing: "federation")) { server in
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn()
            for path in ListingAccessTests.lists {
                let stranger = try await server.get(path)
                #expect(stranger.outcome == "401 invalid_token", "\(path)")
                let challenge = stranger[header: "WWW-Authenticate"] ?? ""
                #expect(challenge.hasPrefix("DPoP ") || challenge.hasPrefix("Bearer "))
                #expect(stranger[header: "Cache-Control"] == "no-store")

                for reply in [
                    try await phone.get(path, token: pat.accessToken),
                    try await phone.get(path, token: phone.instance.accessToken),
                    try await server.get(path, headers: basic(server.residents.machine)),
                    try await server.get(path, headers: basic(server.residents.learn)),
                ] {
                    #expect(reply.outcome == "200", "\(path): \(reply.body)")
                    #expect(reply[header: "Access-Control-Allow-Origin"] == nil)
                    // With a nonce of the server nothing of it is kept (RFC 9449, 8.2).
                    let cache = reply[header: "Cache-Control"] ?? ""
                    #expect(cache.hasPrefix("private, ") || (cache == "no-store" && reply[header: "DPoP-Nonce"] != nil))
                    #expect(reply[header: "Vary"]?.contains("Authorization") == true)
                }
            }
            let told = try await anchor(server)
            #expect(told["federation_list_endpoint_auth_methods"] == ["client_secret_basic"])
            #expect(try await FederationReader(server: server).statement(FederationReader.entity("learn")).kid != nil)
        }
    }

    @Test("what shows nothing good is refused with the challenge that fits, whatever it asks for")
    func hostile() async throws {
        try await TestServer.with(options: .init(listing: "federation")) { server in
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn()
            let path = "/federation/services", machine = server.residents.machine
            func ask(_ headers: HTTPFields, _ query: String = "?limit=0&after=%FF") async throws -> Reply {
                try await server.get(path + query, headers: headers)
            }

            let wrong = try await ask(basic((machine.id, "wrong")))
            #expect(wrong.outcome == "401 invalid_client")
            #expect(wrong[header: "WWW-Authenticate"]?.hasPrefix("Basic ") == true)
            #expect(try await ask([.authorization: "Basic %%%"]).outcome == "401 invalid_client")
            #expect(try await ask([.authorization: "Bearer \(pat.accessToken)"]).outcome == "401 invalid_token")
            #expect(try await ask([.authorization: "Bearer nonsense"]).outcome == "401 invalid_token")
            #expect(try await ask([.authorization: "Negotiate abc"]).outcome == "401 invalid_token")
            #expect(try await ask([:]).outcome == "401 invalid_token")
            #expect(try await ask(basic(machine)).outcome == "400 invalid_request")

            try await server.database.execute("delete from client where id = \(machine.id)")
            #expect(try await ask(basic(machine), "").outcome == "401 invalid_client")
            let gone = "/instances/\(phone.clientID)"
            let ended = try await server.send(
                .delete, gone, headers: phone.dpop(.delete, gone, token: pat.accessToken))
            #expect(ended.outcome == "204")
            #expect(try await phone.get(path, token: pat.accessToken).outcome == "401 invalid_token")
            try await server.withoutDatabase { away in
                let reply = try await away.get(path, headers: basic(server.residents.learn))
                // This one was told nothing by its operator, so it answers by the table, which is away.
                #expect(reply.outcome == "503 temporarily_unavailable")
            }
        }
    }

    @Test("nobody: it is not there, nobody is told of it, and discovery goes on")
    func closed() async throws {
        try await TestServer.with(options: .init(listing: "closed")) { server in
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn()
            for path in ListingAccessTests.lists {
                #expect(try await server.get(path).outcome == "404 not_found", "\(path)")
                #expect(try await phone.get(path, token: pat.accessToken).outcome == "404 not_found")
                #expect(try await server.get(path, headers: basic(server.residents.learn)).outcome == "404 not_found")
            }
            let told = try await anchor(server)
            #expect(told["federation_list_endpoint"] == nil && told["federation_extended_list_endpoint"] == nil)
            #expect(told["federation_fetch_endpoint"] != nil)

            let found = try await server.post(
                "/protocol-discovery", json: ["org.example.none"],
                headers: phone.dpop(.post, "/protocol-discovery", token: pat.accessToken))
            #expect(found.outcome == "200" && found.json == [])
        }
    }
}
