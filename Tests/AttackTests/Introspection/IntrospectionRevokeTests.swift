import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing
import TokenTree

/// Ending what is another's, and ending one's own so that it is ended everywhere and nothing else is.
@Suite("Attacks on revocation (group 53)", .server)
struct IntrospectionRevokeTests {
    private func basic(_ client: (id: String, secret: String)) -> HTTPFields {
        [.authorization: "Basic \(Data("\(client.id):\(client.secret)".utf8).base64EncodedString())"]
    }

    @Test(
        "group 53: another's token is not ended, and the answer says so to nobody",
        arguments: ["another client", "a machine", "a service", "another phone", "its own child"])
    func foreign(_ who: String) async throws {
        let server = try TestServer.ofSuite, app = try await server.webApp(),
            tokens = try await app.logIn(Browser(server)), phone = try await Phone.registered(in: server),
            pat = try await phone.logIn()
        let stranger = try await Phone.registered(in: server)
        let headers: @Sendable () async throws -> HTTPFields = {
            switch who {
            case "another client": try await server.webApp().basic
            case "a machine": basic(server.residents.machine)
            case "a service": basic(server.residents.learn)
            case "another phone": try stranger.dpop(.post, "/revoke", token: stranger.instance.accessToken)
            default: try phone.dpop(.post, "/revoke", token: pat.accessToken)
            }
        }
        let victims =
            who == "its own child"
            ? [phone.instance.accessToken, phone.instance.refreshToken]
            : [tokens.accessToken, tokens.refreshToken, pat.accessToken, pat.refreshToken, phone.instance.accessToken]

        for token in victims + ["unknown", "a.b.c", phone.instance.jti] {
            for hint in ["access_token", "refresh_token", "jti", nil] {
                let reply = try await server.post(
                    "/revoke", ["token": token, "token_type_hint": hint], headers: try await headers())
                #expect(reply.status == 200 && reply.body.isEmpty, "\(reply.body)")
            }
        }

        #expect(try await app.userInfo(tokens.accessToken).outcome == "200")
        #expect(try await app.refresh(tokens.refreshToken).outcome == "200")
        #expect(try await phone.get("/userinfo", token: pat.accessToken).outcome == "200")
        #expect(try await phone.refresh(phone.instance.refreshToken).outcome == "200")
    }

    @Test(
        "group 53: a hint that lies changes nothing: the token is found and ended",
        arguments: ["access_token", "refresh_token", "pat", "jti", "", nil], ["access token", "refresh token"])
    func hints(_ hint: String?, _ kind: String) async throws {
        let server = try TestServer.ofSuite, app = try await server.webApp(),
            tokens = try await app.logIn(Browser(server))

        #expect(
            try await server.post(
                "/revoke",
                ["token": kind == "access token" ? tokens.accessToken : tokens.refreshToken, "token_type_hint": hint],
                headers: app.basic
            ).status == 200)

        #expect(try await app.userInfo(tokens.accessToken).outcome == "401 invalid_token")
        #expect(try await app.refresh(tokens.refreshToken).outcome == "400 invalid_grant")
    }

    @Test(
        "group 53: without authentication, or by the name of a client that has a secret, nothing is ended",
        arguments: [false, true])
    func unauthenticated(_ isNamed: Bool) async throws {
        let server = try TestServer.ofSuite, app = try await server.webApp(),
            tokens = try await app.logIn(Browser(server))
        #expect(
            try await server.post("/revoke", ["token": tokens.accessToken, "client_id": isNamed ? app.id : nil])
                .outcome == "401 invalid_client")
        #expect(try await app.userInfo(tokens.accessToken).outcome == "200")
    }

    @Test("group 53: in the middle of a tree: parent and siblings live, all below is dead, on every node at once")
    func middle() async throws {
        let server = try TestServer.ofSuite, phone = try await Phone.registered(in: server),
            pat = try await phone.logIn(), sibling = try await Phone.registered(in: server),
            siblingPAT = try await sibling.logIn()
        let assertion = try await phone.assertion(pat), other = try await phone.assertion(pat),
            service = try await phone.redeem(assertion: assertion), app = try await phone.authorizeApp(service)
        try #require(app.outcome == "200")
        try await server.withReplica { replica async throws in
            try #require(
                try await replica.get(
                    "/services/learn/attributes", headers: [.authorization: "Bearer \(app.accessToken)"]
                ).status == 200)
            #expect(
                try await server.post(
                    "/revoke", ["token": pat.accessToken],
                    headers: try phone.dpop(.post, "/revoke", token: phone.instance.accessToken)
                ).status == 200)

            for place in [server, replica] {
                let here = Phone(server: place, key: phone.key, device: phone.device, instance: phone.instance)
                #expect(try await here.get("/userinfo", token: pat.accessToken).outcome == "401 invalid_token")
                #expect(try await here.refresh(pat.refreshToken).outcome == "400 invalid_grant")
                #expect(
                    try await here.get("/userinfo", token: phone.instance.accessToken).outcome
                        == "403 insufficient_scope", "the parent lives")
                let brother = Phone(server: place, key: sibling.key, device: sibling.device, instance: sibling.instance)
                #expect(try await brother.get("/userinfo", token: siblingPAT.accessToken).outcome == "200")
            }
            // The service is another realm: it hears of it by an event, and until then asks nobody.
            try await server.sendEvents()
            for place in [server, replica] {
                let here = Phone(server: place, key: phone.key, device: phone.device, instance: phone.instance)
                #expect(
                    try await place.get(
                        "/services/learn/attributes", headers: [.authorization: "Bearer \(app.accessToken)"]
                    ).outcome == "401 invalid_token")
                #expect(
                    try await here.refresh(service.refreshToken, at: "/services/learn/token").outcome
                        == "400 invalid_grant")
            }
            #expect(
                try await phone.redeem(assertion: other).outcome == "400 invalid_grant", "an assertion not yet redeemed"
            )
        }
    }

    @Test("group 53: one of two grants of a web client ends, the other and the login live")
    func grants() async throws {
        let server = try TestServer.ofSuite, app = try await server.webApp(), browser = Browser(server),
            first = try await app.logIn(browser), second = try await app.logIn(browser)

        #expect(try await server.post("/revoke", ["token": first.accessToken], headers: app.basic).status == 200)
        try await server.withReplica { replica async throws in
            for place in [server, replica] {
                #expect(
                    try await place.get("/userinfo", headers: [.authorization: "Bearer \(first.accessToken)"]).outcome
                        == "401 invalid_token")
                #expect(
                    try await place.get("/userinfo", headers: [.authorization: "Bearer \(second.accessToken)"]).outcome
                        == "200")
            }
        }
        #expect(try await app.refresh(first.refreshToken).outcome == "400 invalid_grant")
        #expect(try await app.refresh(second.refreshToken).outcome == "200")
        #expect(try await browser.open(.get, "/account").status == 200)
    }

    @Test("group 53: twenty who end one token at once are all told that it is ended")
    func race() async throws {
        let server = try TestServer.ofSuite, app = try await server.webApp(),
            tokens = try await app.logIn(Browser(server))
        try await server.withReplica { replica async throws in
            let replies = try await crowd(20) {
                try await ($0 % 2 == 0 ? server : replica).post(
                    "/revoke", ["token": tokens.refreshToken], headers: app.basic)
            }
            #expect(replies.allSatisfy { $0.status == 200 })
        }
        #expect(try await app.userInfo(tokens.accessToken).outcome == "401 invalid_token")
    }
}
