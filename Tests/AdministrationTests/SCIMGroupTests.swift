import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("Institutions by SCIM, and many operations at once")
struct SCIMGroupTests {
    private typealias Fixture = DirectoryFixture

    private func body(_ name: String, _ more: JSONObject = [:]) -> JSONValue {
        var members: JSONObject = ["schemas": [.string(Fixture.group)], "displayName": .string(name)]
        for (name, value) in more { members[name] = value }
        return .object(members)
    }

    @Test("an institution is made of a name, people come and leave, and it goes when nobody belongs to it")
    func life() async throws {
        try await TestServer.with { server in
            let directory = try await Fixture.of(in: server)
            let anna = try await directory.user("anna").id, beat = try await directory.user("beat").id
            let made = try await directory.send(
                .post, "/Groups", body("Universität Bern", ["externalId": "G1", "members": [["value": .string(anna)]]]))
            let path = "/Groups/\(made.id)"
            func members() async throws -> [String] {
                (try await directory.get(path).json["members"]?.array ?? []).compactMap { $0["value"]?.string }.sorted()
            }

            #expect(made.status == 201 && made.id == "universitat-bern" && made["externalId"] == "G1")
            #expect(made.json["members"]?.array?.first?["$ref"]?.string?.hasSuffix("/scim/v2/Users/\(anna)") == true)
            #expect(try await directory.get("/Users/\(anna)").json["groups"]?.array?.first?["value"]?.string == made.id)

            let tag = made[header: "ETag"] ?? ""
            let come = try await directory.patch(
                path, ["op": "add", "path": "members", "value": [["value": .string(beat)]]])
            #expect(come.status == 200 && come[header: "ETag"] != tag)
            #expect(try await members() == [anna, beat].sorted())
            #expect(try await directory.send(.delete, path).status == 409)
            _ = try await directory.patch(path, ["op": "remove", "path": .string("members[value eq \"\(anna)\"]")])
            #expect(try await members() == [beat])
            let stale = try await directory.send(.put, path, body("Bern"), headers: [.ifMatch: tag])
            #expect(stale.status == 412)
            let replaced = try await directory.send(.put, path, body("Bern"))
            #expect(replaced["displayName"] == "Bern" && replaced["externalId"] == nil)
            #expect(try await members() == [beat], "nobody said that they leave")
            let empty = try await directory.send(.put, path, body("Bern", ["members": []]))
            #expect(empty.status == 200 && empty.json["members"] == nil)
            #expect(try await directory.send(.delete, path).status == 204)
            #expect(try await directory.get(path).status == 404)
        }
    }

    @Test("institutions are looked for by name, externalId and member; a second of a name has another id")
    func looking() async throws {
        try await TestServer.with { server in
            let directory = try await Fixture.of(in: server), anna = try await directory.user("anna").id
            _ = try await directory.send(.post, "/Groups", body("Bern", ["members": [["value": .string(anna)]]]))
            let second = try await directory.send(.post, "/Groups", body("Bern", ["externalId": "2"]))
            func found(_ filter: String) async throws -> [String] {
                let text = FormCodec.write([("filter", filter)])
                return try await directory.get("/Groups?\(text)").resources.compactMap { $0["id"]?.string }
            }

            #expect(second.id == "bern-2")
            #expect(try await found("displayName eq \"BERN\"").sorted() == ["bern", "bern-2"])
            #expect(try await found("externalId eq \"2\"") == ["bern-2"])
            #expect(try await found("members[value eq \"\(anna)\"]") == ["bern"])
            let without = try await directory.get("/Groups/bern?excludedAttributes=members")
            #expect(without.json["members"] == nil && without["displayName"] == "Bern")
        }
    }

    @Test(
        "what no institution is",
        arguments: [
            (["displayName": ""], "400 invalidValue"),
            (["displayName": "x", "members": [["value": "y"]]], "400 invalidValue"),
            (["displayName": "x", "members": [["value": "00000000-0000-0000-0000-000000000001"]]], "400 invalidValue"),
            (["displayName": "x", "externalId": "G"], "409 uniqueness"),
        ] as [(JSONObject, String)])
    func refused(members: JSONObject, told: String) async throws {
        try await TestServer.with { server in
            let directory = try await Fixture.of(in: server)
            _ = try await directory.send(.post, "/Groups", body("First", ["externalId": "G"]))
            #expect(try await directory.send(.post, "/Groups", body("x", members)).told == told)
            #expect(try await directory.get("/Groups").json["totalResults"] == 1)
        }
    }

    // MARK: Bulk

    private func bulk(
        _ directory: DirectoryFixture, _ operations: [JSONValue], _ more: JSONObject = [:]
    ) async throws -> Reply {
        var members: JSONObject = [
            "schemas": ["urn:ietf:params:scim:api:messages:2.0:BulkRequest"], "Operations": .array(operations),
        ]
        for (name, value) in more { members[name] = value }
        return try await directory.send(.post, "/Bulk", .object(members))
    }

    private func statuses(_ reply: Reply) -> [String] {
        (reply.json["Operations"]?.array ?? []).compactMap { $0["status"]?.string }
    }

    @Test("operations name what others make, before or behind them")
    func references() async throws {
        try await TestServer.with { server in
            let directory = try await Fixture.of(in: server)
            let reply = try await bulk(
                directory,
                [
                    [
                        "method": "POST", "path": "/Groups", "bulkId": "g",
                        "data": body("Bern", ["members": [["value": "bulkId:u"]]]),
                    ],
                    ["method": "POST", "path": "/Users", "bulkId": "u", "data": .object(Fixture.body("anna"))],
                    [
                        "method": "PATCH", "path": "/Users/bulkId:u",
                        "data": [
                            "schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
                            "Operations": [["op": "add", "path": "displayName", "value": "Anna"]],
                        ],
                    ],
                    ["method": "DELETE", "path": "/Users/bulkId:nobody"],
                ])

            #expect(reply.status == 200 && statuses(reply) == ["201", "201", "200", "400"], "\(reply.body)")
            let operations = reply.json["Operations"]?.array ?? [], location = operations[1]["location"]?.string
            #expect(location?.contains("/scim/v2/Users/") == true && operations[2]["location"]?.string == location)
            #expect(try await directory.found("displayName eq \"Anna\" and groups eq \"bern\"") == ["anna"])
        }
    }

    @Test("after so many errors the rest is left, and what was done stays")
    func failing() async throws {
        try await TestServer.with { server in
            let directory = try await Fixture.of(in: server)
            let operations: [JSONValue] = ["anna", "ada", "bob", "carla"].map { name in
                ["method": "POST", "path": "/Users", "bulkId": .string(name), "data": .object(Fixture.body(name))]
            }
            #expect(statuses(try await bulk(directory, operations, ["failOnErrors": 1])) == ["201", "409"])
            #expect(statuses(try await bulk(directory, operations)) == ["409", "409", "409", "201"])
            let missing = try await bulk(directory, [["method": "DELETE", "path": "/Users/x"], operations[0]])
            let told = missing.json["Operations"]?.array ?? []
            #expect(told[0]["location"]?.string?.hasSuffix("/scim/v2/Users/x") == true)
            #expect(told[1]["location"] == nil, "nothing was made")
        }
    }

    @Test("what waits for itself is refused, and what is no bulk")
    func refusals() async throws {
        try await TestServer.with { server in
            let directory = try await Fixture.of(in: server)
            let circle: [JSONValue] = [("a", "b"), ("b", "a")].map { one, other in
                [
                    "method": "POST", "path": "/Groups", "bulkId": .string(one),
                    "data": body(one, ["members": [["value": .string("bulkId:\(other)")]]]),
                ]
            }
            #expect(statuses(try await bulk(directory, circle)) == ["409", "409"])
            for operation: JSONValue in [
                ["method": "GET", "path": "/Users"], ["method": "POST", "path": "/Users", "data": [:]],
                ["path": "/Users"],
            ] { #expect(try await bulk(directory, [operation]).told == "400 invalidSyntax") }
            #expect(try await bulk(directory, [], ["failOnErrors": 0]).told == "400 invalidValue")
            let many = Array(repeating: ["method": "DELETE", "path": "/Users/x"] as JSONValue, count: 1_001)
            #expect(try await bulk(directory, many).status == 413)
        }
    }

    // MARK: What is told of the server

    @Test("what there is of, without a token; nothing is filtered there")
    func discovery() async throws {
        try await TestServer.with { server in
            let root = "/scim/v2"
            let configuration = try await server.get(root + "/ServiceProviderConfig")
            #expect(
                configuration.json["patch"]?["supported"] == true && configuration.json["etag"]?["supported"] == true)
            let types = try await server.get(root + "/ResourceTypes"), schemas = try await server.get(root + "/Schemas")
            #expect(types.resources.compactMap { $0["id"]?.string } == ["User", "Group"])
            #expect(schemas.resources.count == 3)
            for schema in schemas.resources.compactMap({ $0["id"]?.string }) {
                #expect(try await server.get(root + "/Schemas/\(schema)")["id"] == schema)
            }
            #expect(try await server.get(root + "/Schemas/urn:none").status == 404)
            #expect(try await server.get(root + "/Schemas?filter=id%20pr").status == 403)
            #expect(try await server.send(.post, root + "/Schemas").status == 405)
            let directory = try await Fixture.of(in: server)
            #expect(try await directory.get("/Me").status == 501)
            #expect(try await directory.get("/nothing").status == 404)
        }
    }
}
