import HTTP
import HTTPTypes
import TestSupport
import Testing

@Suite("RFC 9110, 9 and 15.5.6: methods", .server)
struct MethodTests {
    private static let known: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options, .trace]

    /// What stands in the table for an address, with a word in place of each parameter.
    private static func address(_ path: String) -> String {
        path.replacing(#/\{[^}]*\}|\*\*/#, with: "x")
    }

    @Test("every address answers 405 to the methods it does not take, and Allow names those it does")
    func everyAddress() async throws {
        let server = try TestServer.ofSuite, table = server.parts.routes
        for (path, endpoints) in Dictionary(grouping: table.endpoints, by: \.path) {
            let address = Self.address(path), allowed = Set(table.allowedMethods(address))
            var declared = Set(endpoints.map(\.method)).union([.options])
            if declared.contains(.get) { declared.insert(.head) }

            #expect(allowed == declared, "\(path)")
            for method in Self.known where !allowed.contains(method) {
                let reply = try await server.send(method, address)
                #expect(reply.status == 405, "\(method) \(address): \(reply.body)")
                let told = Set((reply[header: "Allow"] ?? "").split(separator: ", ").map(String.init))
                #expect(told == Set(allowed.map(\.rawValue)), "\(method) \(address)")
            }
        }
    }

    @Test("a wrong method is told in JSON, with what the address takes")
    func json() async throws {
        let reply = try await TestServer.ofSuite.send(.get, "/token")

        #expect(reply.outcome == "405 method_not_allowed" && reply[header: "Allow"] == "OPTIONS, POST")
        #expect(reply["error_description"] == "this address takes OPTIONS, POST")
        #expect(reply[header: "Content-Type"] == "application/json" && reply[header: "Cache-Control"] == "no-store")
    }

    @Test("OPTIONS of no page is 204 with Allow, HEAD is among it where GET is")
    func options() async throws {
        let reply = try await TestServer.ofSuite.send(.options, "/jwks.json")

        #expect(reply.status == 204 && reply[header: "Allow"] == "GET, HEAD, OPTIONS" && reply.body.isEmpty)
    }

    @Test("a name goes before a parameter, as in the router: what only a parameter takes is not told of a name")
    func namedFirst() async throws {
        let table = try TestServer.ofSuite.parts.routes

        #expect(table.allowedMethods("/instances/x") == [.delete, .options, .patch])
        #expect(table.allowedMethods("//instances//x/") == [.delete, .options, .patch])
        #expect(table.allowedMethods("/token/validate") == [.options, .post])
    }

    @Test(
        "where there is nothing it is 404, whatever the method",
        arguments: ["/nothing", "/token/x", "/instances/x/y/z", "/%00", "/token%2Fvalidate", "/../token"])
    func nothing(path: String) async throws {
        for method in Self.known {
            let reply = try await TestServer.ofSuite.send(method, path)
            #expect(reply.status == 404 && reply[header: "Allow"] == nil, "\(method) \(path)")
        }
    }

    @Test("methods that nobody has heard of are 405 where something stands, 404 elsewhere")
    func unheardOf() async throws {
        let server = try TestServer.ofSuite, method = try #require(HTTPRequest.Method("PROPFIND"))

        #expect(try await server.send(method, "/jwks.json").status == 405)
        #expect(try await server.send(method, "/nothing").status == 404)
    }

    @Test("errors of products keep their form and have Allow too")
    func products() async throws {
        let reply = try await TestServer.ofSuite.send(.get, "/services/operations/pa/v3/status")

        #expect(reply.status == 405 && reply[header: "Allow"]?.contains("POST") == true)
        #expect(reply.json["responseObject"]?["code"]?.string == "INVALID_REQUEST")
    }

    @Test(
        "an answer to HEAD has no body, errors included", arguments: ["/jwks.json", "/nothing", "/token", "/userinfo"])
    func head(path: String) async throws {
        let reply = try await TestServer.ofSuite.send(.head, path)

        #expect(reply.body.isEmpty && reply[header: "Content-Length"] != "0")
    }

    @Test("an address whose GET counts does not offer HEAD to who tried it")
    func headThatCounts() async throws {
        let reply = try await TestServer.ofSuite.send(.head, TiqrParty.path + "/metadata?enrollment_key=x")

        #expect(reply.status == 405 && reply[header: "Allow"] == "GET, OPTIONS")
    }
}
