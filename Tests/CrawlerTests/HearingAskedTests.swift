import Base
import Database
import Foundation
import Testing

@testable import Crawler

@Suite("A document that changes how a service hears", .timeLimit(.minutes(30)))
struct HearingAskedTests {
    @Test(
        "a revocation endpoint that a document names is kept, and how the service hears found out; no news ask nothing")
    func asked() async throws {
        try await CrawlDatabase.with { server in
            let site = try Site(["/": Pages.document("org.ietf.oauth2")])
            defer { site.stop() }
            try await server.add("a", base: site.origin + "/")
            try await server.database.execute("update service set notify = 'auto', hears = 'poll'")
            _ = try await server.crawl("a")
            #expect(try await server.value("select asked from service_probe where service = 'a'") == 1)
            #expect(try await server.value("select revocation_endpoint from service") == String?.none)
            server.clock.pass(60)
            _ = try await server.crawl("a")
            #expect(try await server.value("select asked from service_probe where service = 'a'") == 1)

            site.set("/", Pages.document("org.ietf.oauth2", "org.ietf.oauth2.revoke"))
            server.clock.pass(60)
            _ = try await server.crawl("a")

            #expect(try await server.value("select revocation_endpoint from service") == site.origin + "/revoke")
            #expect(try await server.value("select asked from service_probe where service = 'a'") == 2)
        }
    }

    @Test("of a service whose operator has said how it hears, nothing is to be found out")
    func said() async throws {
        try await CrawlDatabase.with { server in
            let site = try Site(["/": Pages.document("org.ietf.oauth2.revoke")])
            defer { site.stop() }
            try await server.add("a", base: site.origin + "/")
            _ = try await server.crawl("a")
            #expect(try await server.value("select count(*) from service_probe") == 0)
        }
    }

    @Test("a form is posted once, to no other place, and Retry-After comes with the status")
    func form() async throws {
        let site = try Site([
            "/revoke": .status(503, "no", headers: ["Retry-After": "120"]), "/moved": .move("/revoke", 307),
            "/dated": .status(429, headers: ["Retry-After": "Thu, 01 Jan 1970 00:01:00 GMT"]),
        ])
        defer { site.stop() }
        let settings = CrawlerSettings(allow: [CIDR("127.0.0.1")].compactMap { $0 }, userAgent: "Pando/test")
        let request = OutsideRequest(settings, loopback: false)
        func post(_ path: String) async throws -> (status: Int, retryAfter: Int?) {
            try await request.post(
                site.origin + path, body: "token=1", type: "application/x-www-form-urlencoded", limit: 1_000,
                within: .seconds(20), at: Date(timeIntervalSince1970: 0))
        }

        let busy = try await post("/revoke"), moved = try await post("/moved"), dated = try await post("/dated")

        #expect(busy.status == 503 && busy.retryAfter == 120)
        #expect(moved.status == 307 && moved.retryAfter == nil)
        #expect(dated.status == 429 && dated.retryAfter == 60)
        #expect(site.requests.map(\.path) == ["/revoke", "/moved", "/dated"])
        #expect(site.requests.allSatisfy { $0.body == "token=1" })
        await #expect(throws: OutsideRequest.Failed.self) {
            _ = try await OutsideRequest(CrawlerSettings(userAgent: "Pando/test"), loopback: false).post(
                site.origin + "/revoke", body: "", type: "text/plain", limit: 1_000, within: .seconds(20),
                at: Date(timeIntervalSince1970: 0))
        }
    }
}
