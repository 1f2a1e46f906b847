import Base
import Database
import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import Federation

@Suite("the public listing of the federation", .server)
struct FederationListingTests {
    private static let path = "/federation/services"

    /// Every page of a listing; `meanwhile` runs between the first and the second.
    private func pages(
        _ server: TestServer, _ query: String, meanwhile: () async throws -> Void = {}
    ) async throws -> [[JSONValue]] {
        var pages: [[JSONValue]] = [], next: String?
        repeat {
            let reply = try await server.get(
                "\(FederationListingTests.path)?\(query)" + (next.map { "&after=\($0)" } ?? ""))
            try #require(reply.status == 200, "\(reply.body)")
            pages.append(try #require(reply.json["items"]?.array))
            next = reply["next"]
            if pages.count == 1 { try await meanwhile() }
        } while next != nil && pages.count < 50
        return pages
    }

    private func ids(_ page: [JSONValue]) -> [String] { page.compactMap { $0["id"]?.string } }

    @Test("an item tells what a mirror needs and nothing of how it was found")
    func item() async throws {
        try await TestServer.with { server in
            let now = server.time.now, service = IndexedService("campus", ["org.b", "org.a"])
            try await service.enter(server.database, at: now)
            try await server.database.execute(
                """
                update service_document set state = 'degraded', warnings = '{bare_ampersand}',
                    reason = 'secret reason', detail = 'secret detail', http_status = 599,
                    document_url = 'https://secret.example.org' where service = 'campus'
                """)

            let page = try await server.get(FederationListingTests.path),
                full = try await server.get(FederationListingTests.path + "?documents=true")
            let one = try await server.get(FederationListingTests.path + "/campus")

            let expected: JSONObject = [
                "id": "campus", "name": "Index name of campus", "base": .string(service.base), "status": "active",
                "state": "degraded", "protocols": ["org.a", "org.b"],
                "warnings": ["bare_ampersand"], "last_ok": .string(now.rfc3339), "updated_at": .string(now.rfc3339),
            ]
            let whole = expected.with(["document": service.document])
            #expect(page.json["items"]?.array?.first == .object(expected) && page.json["next"] == .null)
            #expect(full.json["items"]?.array?.first == .object(whole) && one.json == .object(whole))
            #expect(ids(page.json["items"]?.array ?? []) == ["campus", "learn", "quiet"])
            #expect(
                full.json["items"]?.array?.last?["document"] == .null
                    && full.json["items"]?.array?.last?["state"] == "pending")
            for reply in [page, full, one] {
                #expect(
                    !reply.body.contains("secret") && !reply.body.contains("599")
                        && !reply.body.contains("token_endpoint"))
                #expect(
                    reply[header: "Access-Control-Allow-Origin"] == "*"
                        && reply[header: "Cache-Control"] == "public, max-age=30")
            }
        }
    }

    @Test("pages go through all services once, whatever is added or goes meanwhile")
    func paging() async throws {
        try await TestServer.with { server in
            let now = server.time.now
            for number in 10..<20 { try await IndexedService("s\(number)", ["org.a"]).enter(server.database, at: now) }

            let all = try await pages(server, "limit=3&protocol=org.a") {
                try await IndexedService("s00", ["org.a"]).enter(server.database, at: now)
                try await IndexedService("s155", ["org.a"]).enter(server.database, at: now)
                try await IndexedService("s12", ["org.a"]).move(server.database, to: .removed, at: now)
            }
            let exact = try await pages(server, "limit=11&protocol=org.a")

            #expect(
                all.flatMap { ids($0) } == [
                    "s10", "s11", "s12", "s13", "s14", "s15", "s155", "s16", "s17", "s18", "s19",
                ])
            #expect(all.dropLast().allSatisfy { $0.count == 3 })
            #expect(exact.count == 1 && exact[0].count == 11, "no empty page at the end")
        }
    }

    @Test("protocol, again and again: every one of them, among services that are found by them")
    func protocols() async throws {
        try await TestServer.with { server in
            for (id, names, state) in [
                ("a", ["org.a", "Movable Type"], "ok"), ("b", ["org.a"], "stale"), ("c", ["org.a", "org.b"], "failed"),
                ("d", ["org.b"], "ok"),
            ] {
                try await IndexedService(id, names, state: state).enter(server.database, at: server.time.now)
            }
            for (query, expected) in [
                ("protocol=org.a", ["a", "b"]), ("protocol=org.a&protocol=movable-type", ["a"]),
                ("protocol=org.a&protocol=org.b", []),
            ] {
                let found = try await pages(server, query).flatMap { ids($0) }
                #expect(found == expected, "\(query)")
            }
            let failed = try await server.get(FederationListingTests.path + "/c").json
            #expect(failed["state"] == "failed" && failed["protocols"] == [] && failed["document"] == .null)
        }
    }

    @Test("updated_since: in the order of changes, with what was suspended or removed; never what was not yet approved")
    func changes() async throws {
        try await TestServer.with { server in
            let start = server.time.now, database = server.database
            func at(_ minute: Double) -> Date { start + minute * 60 }
            for (minute, id) in [(1.0, "c"), (2, "a"), (3, "b"), (4, "e")] {
                try await IndexedService(id, ["org.a"]).enter(database, at: at(minute))
            }
            try await IndexedService("applied", ["org.a"]).enter(database, status: .pending, at: at(5))
            try await IndexedService("rejected", ["org.a"]).enter(database, status: .pending, at: at(5))
            try await IndexedService("rejected", ["org.a"]).move(database, to: .removed, at: at(6))
            try await IndexedService("c", ["org.a"]).move(database, to: .suspended, at: at(7))
            try await IndexedService("b", ["org.a"]).move(database, to: .removed, at: at(8))

            let all = try await pages(server, "updated_since=\(at(1).rfc3339)&limit=1&documents=true"),
                items = all.flatMap { $0 }
            let late = try await pages(server, "updated_since=\(at(7).rfc3339)").flatMap { ids($0) }
            let filtered = try await pages(server, "updated_since=\(at(1).rfc3339)&protocol=org.none").flatMap {
                ids($0)
            }
            let plain = try await pages(server, "limit=200").flatMap { ids($0) }

            #expect(ids(items) == ["a", "e", "c", "b"] && items.prefix(2).allSatisfy { $0["document"]?.object != nil })
            #expect(
                items[2] == [
                    "id": "c", "name": "Index name of c", "base": "https://c.example.org", "status": "suspended",
                    "updated_at": .string(at(7).rfc3339),
                ])
            #expect(
                items[3] == [
                    "id": "b", "base": "https://b.example.org", "status": "removed",
                    "updated_at": .string(at(8).rfc3339),
                ])
            #expect(late == ["c", "b"] && filtered == ["c", "b"] && plain == ["a", "e", "learn", "quiet"])
            for (id, status) in [("c", 200), ("b", 200), ("applied", 404), ("rejected", 404)] {
                let reply = try await server.get("\(FederationListingTests.path)/\(id)")
                #expect(reply.status == status, "\(id)")
            }
        }
    }

    @Test("many changes of one moment are paged without loss, to the microsecond")
    func moments() async throws {
        try await TestServer.with { server in
            let moment = server.time.now + 61.123456
            for number in 10..<20 {
                try await IndexedService("s\(number)", ["org.a"]).enter(
                    server.database, at: moment + Double(number / 15) * 0.000001)
            }

            let found = try await pages(server, "updated_since=\((server.time.now + 60).rfc3339)&limit=2").flatMap {
                ids($0)
            }

            #expect(found == (10..<20).map { "s\($0)" })
        }
    }

    @Test("304 while a page stays as it is")
    func etag() async throws {
        try await TestServer.with { server in
            let path = FederationListingTests.path, first = try await server.get(path),
                tag = try #require(first[header: "ETag"])
            let same = try await server.get(path, headers: [.ifNoneMatch: "\"x\", W/\(tag)"])
            try await IndexedService("campus", ["org.a"]).enter(server.database, at: server.time.now)
            let changed = try await server.get(path, headers: [.ifNoneMatch: tag])
            let one = try #require(try await server.get(path + "/campus")[header: "ETag"]),
                known = try await server.get(path + "/campus", headers: [.ifNoneMatch: one])

            #expect(
                same.status == 304 && same.body.isEmpty && same[header: "ETag"] == tag
                    && same[header: "Cache-Control"] == "public, max-age=30")
            #expect(changed.status == 200 && changed[header: "ETag"] != tag && known.status == 304)
        }
    }

    private static func coded(_ cursor: String) -> String { "after=" + Base64URL.encode(Array(cursor.utf8)) }

    private static let refusals: [(String, String)] = [
        ("limit=0", "limit"), ("limit=201", "limit"), ("limit=-1", "limit"), ("limit=ten", "limit"),
        ("limit=99999999999999999999", "limit"),
        ("limit=1&limit=2", "limit"),
        ("after=x", "after"), ("after=!", "after"), (coded("1"), "after"), (coded(":"), "after"),
        (coded("1:a"), "after"), (coded(":a\0"), "after"),
        (coded("-9223372036854775808:a") + "&updated_since=2026-11-21T10:00:00Z", "after"),
        (coded("9999999999999999999:a") + "&updated_since=2026-11-21T10:00:00Z", "after"),
        (coded(":a") + "&updated_since=2026-11-21T10:00:00Z", "after"),
        ("updated_since=yesterday", "updated_since"), ("updated_since=2026-11-21", "updated_since"),
        ("updated_since=2026-11-21T10:00:00+01:00", "updated_since"),
        ("documents=yes", "documents"), ("documents=true&documents=true", "documents"), ("protocol=", "protocol"),
        ("protocol=" + String(repeating: "a", count: 801), "protocol"),
        (Array(repeating: "protocol=a", count: 11).joined(separator: "&"), "protocol"),
        ("limit=%zz", "query"), ("protocol=%00", "query"), ("protocol=%FF", "query"),
    ]

    @Test("questions that are none", arguments: refusals)
    func refused(_ query: String, _ word: String) async throws {
        let reply = try await TestServer.ofSuite.get("\(FederationListingTests.path)?\(query)")

        #expect(
            reply.outcome == "400 invalid_request" && reply["error_description"]?.contains(word) == true,
            "\(reply.body)")
    }

    @Test(
        "unknown parameters are ignored, empty ones count as absent, and an offset is a time zone's",
        arguments: [
            "colour=red&colour=blue", "limit=&after=&updated_since=&documents=", "documents=false", "limit=200",
            "updated_since=2020-11-21T10:00:00.5%2B01:00",
        ])
    func tolerated(_ query: String) async throws {
        let reply = try await TestServer.ofSuite.get("\(FederationListingTests.path)?\(query)")

        #expect(reply.status == 200 && ids(reply.json["items"]?.array ?? []) == ["learn", "quiet"], "\(reply.body)")
    }

    @Test("an id that nobody has is 404", arguments: ["none", "%00", "a%2Fb"])
    func unknown(_ id: String) async throws {
        let reply = try await TestServer.ofSuite.get("\(FederationListingTests.path)/\(id)")

        #expect(reply.outcome == "404 not_found")
    }

    @Test("without its database the listing is 503", arguments: ["", "/learn"])
    func away(_ path: String) async throws {
        try await TestServer.ofSuite.withoutDatabase { lost in
            let reply = try await lost.get(FederationListingTests.path + path)
            #expect(reply.status == 503)
        }
    }
}
