import Base
import Foundation
import HTTP
import HTTPTypes
import TestSupport
import Testing

@Suite("Fetch, 3.2: apps and services, and where the database is away")
struct WebOriginAppTests {
    @Test(
        "an app in a view of a browser goes on, whatever that says of itself; no page of a browser reads its answers",
        arguments: ["null", "capacitor://localhost", "http://localhost", "file://", OriginPage.origin])
    func apps(_ origin: String) async throws {
        try await TestServer.with { server in
            _ = try await OriginPage.made(in: server)
            let draft = RegistrationDraft(server), view: HTTPFields = [.origin: origin]
            let instance = try await draft.send(headers: view)
            let phone = Phone(server: server, key: draft.key, device: draft.device, instance: instance)
            let code = try #require(try await phone.logInForCode()["authorization_code"])

            let pat = try await server.post(
                "/token", ["grant_type": "authorization_code", "code": code, "code_verifier": Phone.verifier],
                headers: phone.dpop(.post, "/token").and(.origin, origin))
            let profile = try await server.get(
                "/user-profile", headers: phone.dpop(.get, "/user-profile", token: pat.accessToken).and(.origin, origin)
            )
            let service = try await server.post(
                "/services/learn/token",
                [
                    "grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer",
                    "assertion": try await phone.assertion(pat),
                ], headers: view)
            let fresh = try await server.post(
                "/token", ["grant_type": "refresh_token", "refresh_token": pat.refreshToken],
                headers: phone.dpop(.post, "/token").and(.origin, origin))

            for (what, reply) in [
                ("register", instance), ("log in", pat), ("profile", profile), ("redeem", service), ("refresh", fresh),
            ] {
                #expect(reply.outcome == "200" && reply.reader == nil, "\(what): \(reply.body)")
            }
        }
    }

    @Test("an app's token is not a page's to read by, though the page names a client of its own beside it")
    func named() async throws {
        try await TestServer.with { server in
            let page = try await OriginPage.made(in: server), phone = try await Phone.registered(in: server)
            let pat = try await phone.logIn(), tokens = try await page.logIn()
            func ask(_ headers: HTTPFields) async throws -> Reply {
                try await server.post("/userinfo", ["client_id": page.app.id], headers: headers)
            }

            let foreign = try await ask(
                phone.dpop(.post, "/userinfo", token: pat.accessToken).and(.origin, OriginPage.origin))
            let own = try await ask(page.headers(.post, "/userinfo", token: tokens.accessToken))

            #expect(foreign.outcome == "200" && foreign.reader == nil, "\(foreign.body)")
            #expect(own.outcome == "200" && own.reader == OriginPage.origin, "\(own.body)")
        }
    }

    @Test("behind a proxy, too, who makes origins up is stopped by an address of their own, and stops nobody else")
    func forwarded() async throws {
        try await TestServer.with(options: .forwarded()) { server in
            _ = try await OriginPage.made(in: server)
            func refusal(_ origin: String, from address: String) async throws -> Reply {
                let headers: HTTPFields = [.origin: origin]
                return try await server.get("/userinfo", headers: headers.and(.named("X-Forwarded-For"), address))
            }
            for number in 0..<201 {
                _ = try await refusal("https://a\(number).example", from: "198.51.100.66")
            }

            let flooding = try await refusal(OriginPage.origin, from: "198.51.100.66")
            let other = try await refusal(OriginPage.origin, from: "203.0.113.7")

            #expect(flooding.outcome == "401 invalid_token" && flooding.reader == nil)
            #expect(other.outcome == "401 invalid_token" && other.reader == OriginPage.origin)
        }
    }

    @Test("at a service a page redeems what its client was given, and another origin does not use it up")
    func services() async throws {
        try await TestServer.with { server in
            let exchange = "urn:ietf:params:oauth:grant-type:token-exchange", path = "/services/learn/token"
            let app = try await server.webApp(grants: ["authorization_code", "refresh_token", exchange]) {
                $0.webOrigins = [OriginPage.origin]
            }
            let page = try await OriginPage.made(in: server), tokens = try await app.logIn(Browser(server))
            let exchanged = try await server.post(
                "/token",
                [
                    "grant_type": exchange, "subject_token": tokens["id_token"],
                    "subject_token_type": "urn:ietf:params:oauth:token-type:id_token", "audience": ServerParts.base,
                ], headers: app.basic.and(.proof, try page.phone.proof(.post, "/token", token: nil)))
            func redeem(_ origin: String) async throws -> Reply {
                try await server.post(
                    path,
                    [
                        "grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer",
                        "assertion": exchanged.accessToken,
                    ], headers: page.headers(.post, path, origin: origin))
            }
            func refresh(_ token: String, _ origin: String) async throws -> Reply {
                try await server.post(
                    path, ["grant_type": "refresh_token", "refresh_token": token],
                    headers: page.headers(.post, path, origin: origin))
            }

            let refused = try await redeem(OriginPage.neighbour), redeemed = try await redeem(OriginPage.origin)
            #expect(refused.outcome == "403 access_denied", "\(refused.body)")
            #expect(redeemed.outcome == "200" && redeemed.reader == OriginPage.origin, "\(redeemed.body)")

            let kept = try await refresh(redeemed.refreshToken, "https://evil.example")
            let fresh = try await refresh(redeemed.refreshToken, OriginPage.origin)
            #expect(kept.outcome == "403 access_denied" && kept.reader == nil)
            #expect(fresh.outcome == "200" && fresh.reader == OriginPage.origin, "\(fresh.body)")
        }
    }

    @Test("a page reads that the database is away, and keeps its code; no stranger is let in meanwhile")
    func away() async throws {
        try await TestServer.with { server in
            let page = try await OriginPage.made(in: server), code = try await page.code()
            let relayed: @Sendable (TestServer, SilentRelay) async throws -> Void = { other, relay in
                // Until there is a connection: a busy machine may need more than one try.
                while try await other.preflight("/token", from: OriginPage.origin).status != 204 {}
                relay.fallSilent()

                let known = try await other.post(
                    "/token", ["grant_type": "authorization_code", "code": code, "client_id": page.app.id],
                    headers: page.headers())
                let again = try await other.preflight("/token", from: OriginPage.origin)
                let stranger = try await other.preflight("/token", from: "https://evil.example")

                #expect(known.outcome == "503 temporarily_unavailable" && known.reader == OriginPage.origin)
                #expect(again.status == 204 && again.reader == OriginPage.origin)
                #expect(stranger.outcome == "503 temporarily_unavailable" && stranger.reader == nil)
                #expect(
                    stranger[header: "Access-Control-Max-Age"] == nil && stranger[header: "Cache-Control"] == "no-store"
                )
            }
            try await server.withSilentDatabase(relayed)
            #expect(try await page.app.redeem(code, headers: page.headers()).outcome == "200")
        }
    }
}

extension HTTPFields {
    fileprivate func and(_ name: HTTPField.Name, _ value: String) -> HTTPFields {
        var fields = self
        fields[name] = value
        return fields
    }
}

extension TestServer {
    /// What a browser asks before a page's request with a proof.
    func preflight(
        _ path: String, from origin: String, method: String = "POST", headers: String = "dpop"
    ) async throws -> Reply {
        var asked: HTTPFields = [.origin: origin]
        asked[.accessControlRequestMethod] = method
        asked[.accessControlRequestHeaders] = headers
        return try await send(.options, path, headers: asked)
    }
}
