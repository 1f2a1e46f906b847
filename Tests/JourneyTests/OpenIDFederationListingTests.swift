import Base
import Federation
import Foundation
import Keys
import TestSupport
import Testing

@Suite("OpenID Federation 1.0: lists of entities", .server)
struct OpenIDFederationListingTests {
    private static let learn = FederationReader.entity("learn"), quiet = FederationReader.entity("quiet")

    private func identifiers(_ page: JSONValue) -> [String] {
        page["immediate_subordinate_entities"]?.array?.compactMap { $0["id"]?.string } ?? []
    }

    @Test("the list is a plain array of all active services, in one order")
    func list() async throws {
        let reply = try await TestServer.ofSuite.get("/federation/list")

        #expect(reply.json.strings == [Self.learn, Self.quiet])
        #expect(
            reply[header: "Content-Type"] == "application/json" && reply[header: "Cache-Control"] == "public, max-age=5"
        )
    }

    @Test(
        "services by entity type: any of those asked for", arguments: ["/federation/list", "/federation/extended-list"])
    func types(_ path: String) async throws {
        try await TestServer.with { server in
            try await FederationReader(server: server).crawl("learn")
            func ask(_ query: String) async throws -> [String] {
                let json = try await server.get("\(path)?\(query)").json
                return json.strings ?? identifiers(json)
            }

            let resources = try await ask("entity_type=oauth_resource"),
                services = try await ask("entity_type=pando_service")
            let either = try await ask("entity_type=openid_provider&entity_type=federation_entity"),
                none = try await ask("entity_type=openid_relying_party")
            let leaves = try await ask("intermediate=false"), intermediates = try await ask("intermediate=true")

            #expect(
                resources == [Self.learn] && services == [Self.learn, Self.quiet] && either == services && none == [])
            #expect(leaves == services && intermediates == [])
        }
    }

    @Test(
        "filters that are not there, and values that are none",
        arguments: ["/federation/list", "/federation/extended-list"],
        [
            ("trust_marked=true", "400 unsupported_parameter"),
            ("trust_mark_type=https://mark.example.org", "400 unsupported_parameter"),
            ("trust_mark_id=a", "400 unsupported_parameter"), ("intermediate=yes", "400 invalid_request"),
            ("intermediate=true&intermediate=true", "400 invalid_request"),
            ("entity_type=%zz", "400 invalid_request"),
        ])
    func refusedFilters(_ path: String, _ refused: (String, String)) async throws {
        let reply = try await TestServer.ofSuite.get("\(path)?\(refused.0)")

        #expect(reply.outcome == refused.1)
    }

    @Test(
        "pages that are refused",
        arguments: [
            ("limit=0", "400 invalid_request"), ("limit=-1", "400 invalid_request"),
            ("limit=ten", "400 invalid_request"), ("limit=1&limit=2", "400 invalid_request"),
            ("limit=9999999999999", "400 invalid_request"), ("updated_after=yesterday", "400 invalid_request"),
            ("updated_before=1.5", "400 invalid_request"),
            ("audit_timestamps=1", "400 invalid_request"), ("from=https://other.example.org", "404 page_not_found"),
            ("from=http://localhost:8080/federation/entity/nobody", "404 page_not_found"),
            ("from_entity_id=https://other.example.org", "400 entity_id_not_found"),
        ])
    func refusedPages(_ query: String, _ outcome: String) async throws {
        let reply = try await TestServer.ofSuite.get("/federation/extended-list?" + query)

        #expect(reply.outcome == outcome)
    }

    @Test(
        """
        pages are complete: each entity once, whatever comes and goes meanwhile, and also when the one goes at which \
        the next page begins
        """,
        arguments: [("from", "next"), ("from_entity_id", "next_entity_id")])
    func pages(_ parameter: String, _ pointer: String) async throws {
        try await TestServer.with { server in
            let reader = FederationReader(server: server)
            try await reader.add(25)
            let all = try await reader.ask(.list).json.strings ?? []
            var seen: [String] = [], next: String?, pages = 0
            repeat {
                let asked: KeyValuePairs<String, String> =
                    if let next { ["limit": "10", parameter: next] } else { ["limit": "10"] }
                let page = try await reader.ask(.extendedList, asked)
                try #require(page.outcome == "200", "\(page.body)")
                seen += identifiers(page.json)
                next = page[pointer]
                pages += 1
                if pages == 1 {
                    // The first of the next page goes, and others come before and behind.
                    try await reader.move(String(try #require(next).split(separator: "/").last ?? ""), to: .suspended)
                    try await reader.add(2, named: "a")
                    try await reader.add(2, named: "z")
                }
            } while next != nil && pages < 9

            #expect(all.count == 27 && pages == 3)
            #expect(Set(seen).count == seen.count && seen.count == 28 && Set(all).subtracting(seen).count == 1)
            #expect(seen.suffix(2).map { $0.suffix(5) } == ["z-000", "z-001"])
        }
    }

    @Test("a page holds what is asked for: the id alone, claims of the statement, the statement itself, times")
    func claims() async throws {
        let reader = FederationReader(server: try TestServer.ofSuite)
        func first(_ parameters: KeyValuePairs<String, String>) async throws -> JSONObject {
            try #require(
                try await reader.ask(.extendedList, parameters).json["immediate_subordinate_entities"]?.array?.first?
                    .object)
        }

        let plain = try await first([:]),
            some = try await first(["claims": "metadata,jwks", "claims": "trust_marks", "audit_timestamps": "true"])
        let whole = try await first(["claims": "subordinate_statement,subordinate_statement"]),
            stamped = try await first(["updated_after": "0"])
        let bare = try await first(["updated_after": "0", "audit_timestamps": "false"])

        #expect(plain.names == ["id"] && Set(some.names) == ["id", "registered", "updated", "metadata", "jwks"])
        let fetched = try await reader.statement(Self.learn)
        #expect(
            some["metadata"] == fetched["metadata"] && some["jwks"] == fetched["jwks"]
                && some["registered"] == .integer(reader.server.now))
        let statement = try await reader.checked(
            try #require(whole["subordinate_statement"]?.string), by: fetched["jwks"])
        #expect(whole.names == ["id", "subordinate_statement"] && statement.claims == fetched.claims)
        #expect(stamped.names == ["id", "registered", "updated"] && bare.names == ["id"])
    }

    @Test("entities by the time of their last change")
    func updated() async throws {
        try await TestServer.with { server in
            let reader = FederationReader(server: server), start = server.now
            server.time.advance(100)
            try await reader.move("learn", to: .suspended)
            try await reader.move("learn", to: .active)
            func ask(_ parameters: KeyValuePairs<String, String>) async throws -> [String] {
                identifiers(try await reader.ask(.extendedList, parameters).json)
            }

            let since = try await ask(["updated_after": "\(start + 100)"]),
                later = try await ask(["updated_after": "\(start + 101)"])
            let until = try await ask(["updated_before": "\(start)"]),
                both = try await ask(["updated_after": "\(start)", "updated_before": "\(start + 100)"])

            #expect(since == [Self.learn] && later == [] && until == [Self.quiet] && both == [Self.learn, Self.quiet])
        }
    }
}
