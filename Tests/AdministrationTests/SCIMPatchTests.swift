import Base
import Foundation
import TestSupport
import Testing

@Suite("RFC 7644, 3.5.2: changes to parts of a person")
struct SCIMPatchTests {
    private typealias Fixture = DirectoryFixture

    @Test("add, replace and remove, with paths, filters, without a path, and of an extension")
    func operations() async throws {
        try await TestServer.with { server in
            let directory = try await Fixture.of(in: server), federation = Fixture.federation
            let made = try await directory.user(
                "anna", ["name": ["givenName": "Anna"], .init(federation): ["eduperson_affiliation": ["student"]]])
            let path = "/Users/\(made.id)"

            let one = try await directory.patch(
                path, ["op": "add", "path": "NAME.familyname", "value": "Muster"],
                ["op": "add", "path": "emails[type eq \"work\"].value", "value": "a@unibe.ch"],
                ["op": "add", "path": .string("\(federation):eduperson_affiliation"), "value": ["member", "student"]])
            #expect(one.json["name"] == ["givenName": "Anna", "familyName": "Muster"])
            #expect(one.json["emails"] == [["value": "a@unibe.ch", "type": "work"]])
            #expect(one.json[federation]?["eduperson_affiliation"] == ["student", "member"])

            // As Entra ID sends them.
            let two = try await directory.patch(
                path,
                [
                    "op": "Replace",
                    "value": [
                        "displayName": "Anna M.", "name.givenName": "Änni", "shoeSize": 44, "groups": [],
                        .init("\(federation):eduperson_orcid"): "https://orcid.org/0000-0002-1825-0097",
                    ],
                ],
                ["op": "replace", "path": "emails[primary eq true].value", "value": "b@unibe.ch"])
            #expect(two.json["name"]?["givenName"] == "Änni" && two["displayName"] == "Anna M.")
            #expect(two.json["emails"]?.array?.first?["value"] == "b@unibe.ch")
            #expect(two.json[federation]?["eduperson_orcid"] == ["https://orcid.org/0000-0002-1825-0097"])

            let three = try await directory.patch(
                path, ["op": "remove", "path": .string("\(federation):eduperson_affiliation[value eq \"student\"]")],
                ["op": "remove", "path": "name.familyName"], ["op": "remove", "path": "emails"],
                ["op": "replace", "path": "displayName", "value": nil], ["op": "remove", "path": "active"])
            #expect(three.json[federation]?["eduperson_affiliation"] == ["member"])
            #expect(three.json["name"] == ["givenName": "Änni"] && three.json["emails"] == nil)
            #expect(three.json["displayName"] == nil && three.json["active"] == true)

            let four = try await directory.patch(path, ["op": "remove", "path": .string(federation)])
            #expect(four.json[federation] == nil && four.json["schemas"] == [.string(Fixture.user)])
        }
    }

    @Test(
        "what is no change, of which nothing is done",
        arguments: [
            (["op": "move", "path": "displayName"], "400 invalidSyntax"),
            (["op": "remove"], "400 noTarget"), (["op": "remove", "path": "userName"], "400 mutability"),
            (["op": "replace", "path": "userName", "value": nil], "400 mutability"),
            (["op": "add", "path": "groups", "value": [["value": "unibe"]]], "400 mutability"),
            (["op": "add", "path": "shoeSize", "value": 44], "400 invalidPath"),
            (["op": "add", "path": "name.middle", "value": "M"], "400 invalidPath"),
            (["op": "add", "path": "emails[type eq \"work\"", "value": "x"], "400 invalidPath"),
            (["op": "add", "path": "displayName[value eq \"x\"]", "value": "x"], "400 invalidPath"),
            (["op": "replace", "path": "emails[size eq \"work\"].value", "value": "x"], "400 invalidFilter"),
            (["op": "replace", "path": "emails[type eq \"work\"].value", "value": "x@y"], "400 noTarget"),
            (["op": "add", "path": "displayName"], "400 invalidValue"),
            (["op": "add", "path": "displayName", "value": ["a": 1]], "400 invalidValue"),
            (["op": "add", "path": "active", "value": "perhaps"], "400 invalidValue"),
            (["op": "add", "value": "x"], "400 invalidValue"),
            (["op": "add", "path": 3, "value": "x"], "400 invalidPath"),
            (["op": "replace", "path": "userName", "value": "ada"], "409 uniqueness"),
            (
                ["op": "add", "path": "emails", "value": .array(Array(repeating: ["value": "a@b.ch"], count: 501))],
                "400 invalidValue"
            ),
        ] as [(JSONValue, String)])
    func refused(operation: JSONValue, told: String) async throws {
        try await TestServer.with { server in
            let directory = try await Fixture.of(in: server), made = try await directory.user("anna")
            let first: JSONValue = ["op": "add", "path": "displayName", "value": "Changed"]

            let reply = try await directory.patch("/Users/\(made.id)", first, operation)

            #expect(reply.told == told, "\(operation.text): \(reply.body)")
            #expect(try await directory.get("/Users/\(made.id)").json == made.json)
        }
    }

    @Test("a body without its schema, without operations, and with too many")
    func bodies() async throws {
        try await TestServer.with { server in
            let directory = try await Fixture.of(in: server), path = "/Users/\(try await directory.user("anna").id)"
            let operation: JSONValue = ["op": "remove", "path": "displayName"]
            let schemas: JSONValue = ["urn:ietf:params:scim:api:messages:2.0:PatchOp"]
            for body: JSONValue in [
                ["Operations": [operation]], ["schemas": schemas], ["schemas": schemas, "Operations": []],
                ["schemas": schemas, "Operations": .array(Array(repeating: operation, count: 201))],
            ] { #expect(try await directory.send(.patch, path, body).told == "400 invalidSyntax") }
            let text = try await server.send(
                .patch, "/scim/v2" + path,
                headers: [.authorization: "Bearer \(directory.token)", .contentType: "text/plain"], body: [])
            #expect(text.status == 415)
        }
    }
}
