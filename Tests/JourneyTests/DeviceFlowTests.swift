import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("Devices without a browser (RFC 8628)")
struct DeviceFlowTests {
    @Test("the device waits, its person agrees elsewhere, and it gets tokens once")
    func whole() async throws {
        try await TestServer.with { server in
            let television = try await Television(in: server), app = television.app,
                begun = try await television.begin()
            #expect(begun["verification_uri"] == ServerParts.root + "/device" && begun.json["interval"] == 5)
            #expect(begun["user_code"]?.wholeMatch(of: #/[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}/#) != nil)

            #expect(try await television.poll(begun).outcome == "400 authorization_pending")
            let page = try await Television.decide(begun, "allow", Browser(server))
            server.time.advance(6)
            let tokens = try await television.poll(begun)
            server.time.advance(6)

            #expect(page.status == 200 && tokens.outcome == "200")
            #expect(claims(of: tokens["id_token"] ?? "")["aud"] == .string(app.id))
            #expect(try await app.userInfo(tokens.accessToken)["name"] == "Ada")
            #expect(try await app.refresh(tokens.refreshToken).outcome == "200")
            #expect(try await television.poll(begun).outcome == "400 invalid_grant")
        }
    }

    @Test("asking too often is slow_down, and the pause grows")
    func slowDown() async throws {
        try await TestServer.with { server in
            let television = try await Television(in: server), begun = try await television.begin()

            let first = try await television.poll(begun)
            server.time.advance(4)
            let second = try await television.poll(begun)
            server.time.advance(6)
            let third = try await television.poll(begun)
            server.time.advance(20)
            let fourth = try await television.poll(begun)

            #expect(
                [first, second, third, fourth].map(\.outcome) == [
                    "400 authorization_pending", "400 slow_down", "400 slow_down", "400 authorization_pending",
                ])
        }
    }

    @Test("a person who says no, and one who never comes")
    func denied() async throws {
        try await TestServer.with { server in
            let television = try await Television(in: server), refused = try await television.begin(),
                late = try await television.begin()

            _ = try await Television.decide(refused, "deny", Browser(server))
            #expect(try await television.poll(refused).outcome == "400 access_denied")
            server.time.advance(601)
            #expect(try await television.poll(late).outcome == "400 expired_token")
            let browser = Browser(server)
            let page = try await browser.goOn(
                try await browser.follow(try await browser.open(.get, "/device?user_code=\(late["user_code"] ?? "")"))
            ).page
            #expect(page?.body.contains("role=\"alert\"") == true && page?.body.contains("value=\"allow\"") == false)
        }
    }

    @Test(
        "refused at the start",
        arguments: [("client_id", "nobody", "401 invalid_client"), ("scope", "admin", "400 invalid_scope")])
    func refused(_ name: String, _ value: String, _ expected: String) async throws {
        try await TestServer.with { server in
            let television = try await Television(in: server)
            #expect(try await television.begin([name: value]).outcome == expected)
        }
    }

    @Test("another client's device code is unknown; a client without the grant is told so")
    func foreign() async throws {
        try await TestServer.with { server in
            let television = try await Television(in: server), other = try await Television(in: server),
                web = try await server.webApp()
            let begun = try await television.begin()

            #expect(try await other.poll(begun).outcome == "400 invalid_grant")
            let reply = try await server.post(
                "/token", ["grant_type": Television.grant, "device_code": begun["device_code"]], headers: web.basic)
            #expect(reply.outcome == "400 unauthorized_client")
            #expect(
                try await server.post("/device_authorization", [:], headers: web.basic).outcome
                    == "400 unauthorized_client")
        }
    }

    @Test("good codes of one's own forgive no wrong ones, and are themselves no attempt")
    func idpCodes() async throws {
        try await TestServer.with { server in
            let television = try await Television(in: server), browser = Browser(server)
            _ = try await browser.goOn(try await browser.follow(try await browser.open(.get, "/device")))
            func open(_ code: String?) async throws -> Int {
                try await browser.open(.get, "/device?user_code=\(code ?? "")").status
            }
            let own = try await television.begin()

            var statuses: [Int] = []
            for _ in 0..<10 {
                #expect(try await open(own["user_code"]) == 200)
                statuses.append(try await open("BCDF-GHJK"))
            }
            // After ten wrong ones a right one still goes through, page and decision.
            let page = try await Television.decide(own, "allow", browser)
            let more = [try await open("BCDF-GHJK"), try await open("BCDF-GHJK")], late = try await television.begin()

            #expect(statuses.allSatisfy { $0 == 200 } && page.status == 200)
            #expect(try await television.poll(own).outcome == "200")
            #expect(more == [200, 429])
            #expect(try await open(late["user_code"]) == 429, "a pause is one for right codes, too")
            server.time.advance(31)
            let after = [try await open(late["user_code"]), try await open("BCDF-GHJK"), try await open("BCDF-GHJK")]
            #expect(after == [200, 200, 429], "the right one has cleared nothing")
        }
    }

    @Test("guessing codes is slowed down")
    func guessing() async throws {
        try await TestServer.with { server in
            let browser = Browser(server)
            _ = try await browser.goOn(try await browser.follow(try await browser.open(.get, "/device")))
            var statuses: [Int] = []
            for _ in 0..<12 { statuses.append(try await browser.open(.get, "/device?user_code=BCDF-GHJK").status) }
            #expect(statuses.prefix(10).allSatisfy { $0 == 200 } && statuses.last == 429)
        }
    }
}
