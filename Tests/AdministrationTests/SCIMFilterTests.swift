import Base
import Foundation
import TestSupport
import Testing

@Suite("RFC 7644, 3.4.2: which people are asked for")
struct SCIMFilterTests {
    private typealias Fixture = DirectoryFixture

    /// Three of an institution.
    private func people(_ server: TestServer) async throws -> DirectoryFixture {
        let directory = try await Fixture.of("unibe", in: server)
        _ = try await directory.user(
            "anna",
            [
                "externalId": "A1", "displayName": "Anna Muster", "name": ["familyName": "Muster"],
                "emails": [["value": "Anna@unibe.ch"]],
                .init(Fixture.federation): ["eduperson_affiliation": ["student", "member"]],
            ])
        _ = try await directory.user(
            "beat", ["externalId": "a1", "displayName": "Beat 50%", "name": ["familyName": "Zbinden"], "active": false])
        _ = try await directory.user("carla", ["name": ["familyName": "Ammann"], "emails": [["value": "c@other.ch"]]])
        return directory
    }

    @Test("every operator, in any case, with brackets, and what binds first")
    func grammar() async throws {
        try await TestServer.with { server in
            let directory = try await people(server), federation = Fixture.federation, user = Fixture.user
            let expected: [(String, [String])] = [
                ("userName eq \"ANNA\"", ["anna"]), ("username EQ \"anna\"", ["anna"]),
                ("\(user):userName eq \"anna\"", ["anna"]), ("userName ne \"anna\"", ["beat", "carla"]),
                ("externalId eq \"a1\"", ["beat"]), ("displayName co \"MUST\"", ["anna"]),
                ("displayName co \"%\"", ["beat"]), ("displayName ew \"50%\"", ["beat"]),
                ("name.familyName sw \"z\"", ["beat"]), ("name.familyName gt \"b\"", ["anna", "beat"]),
                ("name.familyName le \"muster\"", ["anna", "carla"]), ("emails pr", ["anna", "carla"]),
                ("not (emails pr)", ["beat"]), ("emails eq null", ["beat"]), ("active eq false", ["beat"]),
                ("emails[type eq \"work\" and value co \"unibe\"]", ["anna"]),
                ("emails[not (value co \"unibe\")]", ["carla"]),
                ("emails.value ne \"anna@unibe.ch\"", ["beat", "carla"]),
                ("groups.value eq \"unibe\"", ["anna", "beat", "carla"]), ("groups eq \"uzh\"", []),
                ("\(federation):eduperson_affiliation eq \"member\"", ["anna"]),
                ("not (\(federation):eduperson_affiliation pr)", ["beat", "carla"]),
                ("userName eq \"anna\" or userName eq \"beat\" and active eq true", ["anna"]),
                ("(userName eq \"anna\" or userName eq \"beat\") and active eq false", ["beat"]),
                ("meta.created gt \"2001-01-01T00:00:00Z\"", ["anna", "beat", "carla"]),
                ("meta.resourceType eq \"User\" and meta.created lt \"2001-01-01T00:00:00Z\"", []),
                ("userName eq \"a\\\" or \\\"\"", []), ("displayName co \"'; drop table account; --\"", []),
            ]
            for (filter, names) in expected {
                #expect(try await directory.found(filter) == names, "\(filter)")
            }
        }
    }

    @Test(
        "what is no filter",
        arguments: [
            "", "userName", "userName eq", "userName is \"a\"", "userName eq anna", "shoeSize eq \"44\"",
            "password eq \"a\"", "(userName eq \"a\"", "userName eq \"a\" and", "userName eq \"a\" userName eq \"b\"",
            "active co \"a\"", "active eq \"true\"", "meta.created gt \"soon\"", "userName eq \"a", "emails[value pr",
            "emails[emails[value pr]]", "userName gt 3", "userName eq {\"a\":1}", "not userName pr",
            "userName eq \"\u{7}\"",
            String(repeating: "(", count: 200) + "userName pr" + String(repeating: ")", count: 200),
            Array(repeating: "userName pr", count: 300).joined(separator: " or "),
        ])
    func refused(filter: String) async throws {
        try await TestServer.with { server in
            let directory = try await Fixture.of(in: server)
            let search: JSONValue = [
                "schemas": ["urn:ietf:params:scim:api:messages:2.0:SearchRequest"], "filter": .string(filter),
            ]
            #expect(try await directory.send(.post, "/Users/.search", search).told == "400 invalidFilter")
        }
    }

    @Test("pages, order, and what of each is told")
    func pages() async throws {
        try await TestServer.with { server in
            let directory = try await people(server)
            let first = try await directory.get(
                "/Users?sortBy=name.familyName&count=2&attributes=userName,emails.value")
            let rest = try await directory.get("/Users?sortBy=name.familyName&startIndex=3&count=2")

            #expect(first.json["totalResults"] == 3 && first.json["itemsPerPage"] == 2)
            #expect(first.resources.compactMap { $0["userName"]?.string } == ["carla", "anna"])
            #expect(first.resources[0].object?.names.sorted() == ["emails", "id", "schemas", "userName"])
            #expect(first.resources[0]["emails"] == [["value": "c@other.ch"]])
            #expect(rest.json["startIndex"] == 3 && rest.resources.compactMap { $0["userName"]?.string } == ["beat"])
            let last = try await directory.get("/Users?sortBy=name.familyName&sortOrder=descending&count=1")
            #expect(last.resources.first?["userName"] == "beat")
            #expect(try await directory.get("/Users?count=0").json["totalResults"] == 3)
            #expect(try await directory.get("/Users?startIndex=-5&count=-1").resources.isEmpty)
            let federation = Fixture.federation
            let without = try await directory.get(
                "/Users?excludedAttributes=name,\(federation),emails.type&sortBy=userName&count=1")
            #expect(without.resources[0]["name"] == nil && without.resources[0][federation] == nil)
            #expect(without.resources[0]["emails"] == [["value": "Anna@unibe.ch"]])
            let only = try await directory.get(
                "/Users?attributes=\(federation):eduperson_affiliation&sortBy=userName&count=1")
            #expect(only.resources[0][federation]?["eduperson_affiliation"] == ["student", "member"])
        }
    }

    @Test(
        "parameters that do not do",
        arguments: [
            ("count=many", "400 invalidValue"), ("sortBy=password", "400 invalidPath"),
            ("sortBy=%20", "400 invalidPath"), ("sortOrder=sideways", "400 invalidValue"),
            ("attributes=id&excludedAttributes=name", "400 invalidValue"), ("filter=a&filter=b", "400 invalidValue"),
        ])
    func parameters(query: String, told: String) async throws {
        try await TestServer.with { server in
            let directory = try await Fixture.of(in: server)
            #expect(try await directory.get("/Users?\(query)").told == told)
        }
    }
}
