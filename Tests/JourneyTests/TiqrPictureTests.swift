import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("tiqr: pictures and landing pages", .server)
struct TiqrPictureTests {
    private func path(_ url: String?) -> String { String((url ?? "").dropFirst(ServerParts.root.count)) }

    @Test("a picture opens by its key or a token, and is not stored", arguments: ["png", "svg"])
    func pictures(_ format: String) async throws {
        let party = try await TiqrParty.movedIn(TestServer.ofSuite), server = party.server
        for started in [try await party.startEnrollment(), try await party.startAuthentication()] {
            let url = try #require(started.json["qr"]?[format]?.string), bare = String(url.split(separator: "?")[0])

            let keyed = try await server.get(path(url)), held = try await party.call(.get, bare)

            #expect(
                keyed.status == 200
                    && keyed[header: "Content-Type"] == (format == "png" ? "image/png" : "image/svg+xml"))
            #expect(keyed[header: "Cache-Control"] == "no-store")
            #expect(keyed.body.contains(format == "png" ? "PNG" : "<svg") && keyed.body == held.body)
            let universal = try await server.get(path(url) + "&link=universal")
            #expect(universal.status == 200 && universal.body != keyed.body)
            #expect(try await server.get(path(bare)).outcome == "401 invalid_token")
            #expect(
                try await server.get(path(bare) + "?k=" + String(repeating: "0", count: 32)).outcome == "404 not_found")
            #expect(try await server.get(path(url) + "&link=other").outcome == "400 invalid_request")
        }
    }

    @Test("a picture is gone when it was scanned, used or cancelled")
    func gone() async throws {
        let party = try await TiqrParty.movedIn(TestServer.ofSuite), server = party.server, phone = TiqrPhone(server)
        let enrollment = try await party.startEnrollment(), identity = try await phone.enroll(enrollment.enrollURL)
        let login = try await party.startAuthentication(for: identity)
        let cancelled = try await party.startAuthentication()
        _ = try await party.call(.delete, "/authentications/\(cancelled.id)")
        #expect(try await phone.logsIn(login.authURL, identity))

        for started in [enrollment, login, cancelled] {
            let url = try #require(started.json["qr"]?["png"]?.string)
            #expect(try await server.get(path(url)).outcome == "404 not_found")
            #expect(try await party.call(.get, String(url.split(separator: "?")[0])).outcome == "404 not_found")
        }
    }

    @Test(
        """
        a universal link in a browser: a page with the link for the app, with and without the slash, that uses \
        nothing up
        """
    )
    func landing() async throws {
        let party = try await TiqrParty.movedIn(TestServer.ofSuite), server = party.server, phone = TiqrPhone(server)
        let enrollment = try await party.startEnrollment(), login = try await party.startAuthentication()

        for (started, name, link) in [
            (enrollment, "tiqrenroll", enrollment.enrollURL), (login, "tiqrauth", "tiqrauth://localhost/"),
        ] {
            let universal = path(started["universal_link"])
            for address in [universal, universal.replacing("/\(name)/?", with: "/\(name)?")] {
                let page = try await server.get(address)
                #expect(
                    page.status == 200 && page[header: "Content-Type"] == "text/html; charset=utf-8"
                        && page[header: "Cache-Control"] == "no-store")
                #expect(page[header: "Referrer-Policy"] == "no-referrer")
                let policy = page[header: "Content-Security-Policy"] ?? ""
                #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
                #expect(!policy.contains("script-src") && !policy.contains("unsafe"))
                #expect(page.body.replacing("&amp;", with: "&").contains("href=\"\(link)"), "\(page.body)")
            }
        }

        #expect(try await party.status("/enrollments/\(enrollment.id)") == "initialized")
        #expect(try await party.status("/authentications/\(login.id)") == "pending")
        #expect(try await phone.fetchMetadata(enrollment.enrollURL).status == 200)
    }

    @Test(
        "a landing page lends its name to nobody else",
        arguments: [
            "/tiqrenroll/", "/tiqrenroll/?metadata=https%3A%2F%2Fevil.example%2Fservices%2Ftiqr%2Fmetadata",
            "/tiqrenroll/?metadata=javascript%3Aalert(1)",
            "/tiqrenroll/?metadata=http%3A%2F%2Flocalhost%3A8080%2Fother", "/tiqrenroll/?metadata=%zz",
            "/tiqrauth/", "/tiqrauth/?i=evil.example&s=0123456789abcdef0123456789abcdef&q=0123456789&v=2",
            "/tiqrauth/?i=localhost&s=x&q=0123456789&v=2",
            "/tiqrauth/?i=localhost&s=0123456789abcdef0123456789abcdef&q=0123456789&v=1",
            "/tiqrauth/?i=localhost&i=localhost&s=0123456789abcdef0123456789abcdef&q=0123456789&v=2",
        ])
    func foreign(_ address: String) async throws {
        let server = try TestServer.ofSuite

        let reply = try await server.get(address), page = try await server.get(address, headers: [.accept: "text/html"])

        #expect(reply.outcome == "400 invalid_request" && reply[header: "Referrer-Policy"] == "no-referrer")
        #expect(
            page.status == 400 && page[header: "Content-Type"] == "text/html; charset=utf-8"
                && !page.body.contains("evil") && !page.body.contains("tiqrenroll:"))
    }
}
