import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("decisions.md, The server 7: the database is away")
struct DatabaseAwayTests {
    @Test(
        "every flow says 503 with Retry-After, and never invalid_grant or invalid_client; when it is back, all goes on")
    func away() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn(),
                assertion = try await phone.assertion(pat)
            let service = try await phone.redeem(assertion: phone.assertion(pat)),
                app = try await phone.authorizeApp(service)
            let code = try #require(try await phone.logInForCode()["authorization_code"])
            let machine = server.residents.machine, pair = Data("\(machine.id):\(machine.secret)".utf8)
            let basic: HTTPFields = [.authorization: "Basic \(pair.base64EncodedString())"]

            try await server.withoutDatabase { away in
                let lost = Phone(server: away, key: phone.key, device: phone.device, instance: phone.instance)
                let replies: [(String, Reply)] = [
                    ("register", try await RegistrationDraft(away).send()),
                    ("log in", try await lost.askForCode()),
                    ("redeem a code", try await lost.redeem(code: code)),
                    ("refresh", try await lost.refresh(pat.refreshToken)),
                    ("ask for an assertion", try await lost.askAssertion(pat)),
                    ("redeem an assertion", try await lost.redeem(assertion: assertion)),
                    ("authorize an app", try await lost.authorizeApp(service)),
                    (
                        "use an app token",
                        try await away.get(
                            "/services/learn/attributes", headers: [.authorization: "Bearer \(app.accessToken)"])
                    ),
                    ("userinfo", try await lost.get("/userinfo", token: pat.accessToken)),
                    (
                        "authenticate a client",
                        try await away.post("/token", ["grant_type": "client_credentials"], headers: basic)
                    ),
                    ("introspect", try await away.post("/introspect", ["token": pat.accessToken], headers: basic)),
                    (
                        "revoke",
                        try await away.post(
                            "/revoke", ["token": pat.accessToken],
                            headers: lost.dpop(.post, "/revoke", token: pat.accessToken))
                    ),
                    ("read the keys", try await away.get("/jwks.json")),
                    ("be ready", try await away.get("/readyz")),
                ]
                for (what, reply) in replies {
                    #expect(reply.outcome == "503 temporarily_unavailable", "\(what): \(reply.body)")
                    #expect(reply[header: "Retry-After"].flatMap { Int($0) } != nil, "\(what)")
                }
                #expect(try await away.get("/healthz").outcome == "200")
            }

            #expect(try await phone.refresh(pat.refreshToken).outcome == "200")
            #expect(try await phone.redeem(assertion: assertion).outcome == "200")
            #expect(try await phone.redeem(code: code).outcome == "200")
        }
    }

    @Test(
        "where it is there and says nothing, every flow says 503 as well, in its time, and goes on when it speaks",
        .timeLimit(.minutes(5)))
    func silent() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn(),
                service = try await phone.redeem(assertion: phone.assertion(pat))
            let app = try await phone.authorizeApp(service)
            let machine = Data("\(server.residents.machine.id):\(server.residents.machine.secret)".utf8)
                .base64EncodedString()
            let basic: HTTPFields = [.authorization: "Basic \(machine)"]

            try await server.withSilentDatabase { away, relay in
                let lost = Phone(server: away, key: phone.key, device: phone.device, instance: phone.instance)
                // Until there is a connection: a busy machine may need more than one try.
                while try await away.get("/readyz").outcome != "200" {}
                relay.fallSilent()

                let ways: [(String, @Sendable () async throws -> Reply)] = [
                    ("be ready", { try await away.get("/readyz") }),
                    ("register", { try await RegistrationDraft(away).send() }),
                    ("log in", { try await lost.askForCode() }),
                    ("refresh", { try await lost.refresh(pat.refreshToken) }),
                    ("ask for an assertion", { try await lost.askAssertion(pat) }),
                    ("authorize an app", { try await lost.authorizeApp(service) }),
                    (
                        "use an app token",
                        {
                            try await away.get(
                                "/services/learn/attributes", headers: [.authorization: "Bearer \(app.accessToken)"])
                        }
                    ),
                    ("userinfo", { try await lost.get("/userinfo", token: pat.accessToken) }),
                    (
                        "authenticate a client",
                        { try await away.post("/token", ["grant_type": "client_credentials"], headers: basic) }
                    ),
                    ("introspect", { try await away.post("/introspect", ["token": pat.accessToken], headers: basic) }),
                    ("read the keys", { try await away.get("/jwks.json") }),
                    ("be ready, still", { try await away.get("/readyz") }),
                ]
                for (what, ask) in ways {
                    let start = ContinuousClock.now, reply = try await ask()
                    #expect(reply.outcome == "503 temporarily_unavailable", "\(what): \(reply.body)")
                    #expect(reply[header: "Retry-After"].flatMap { Int($0) } != nil, "\(what)")
                    // The limits are a second and a half for each wait.
                    #expect(ContinuousClock.now - start < .seconds(15), "\(what)")
                }
                #expect(try await away.get("/healthz").outcome == "200")

                relay.speak()
                while try await away.get("/readyz").outcome != "200" {}
                #expect(
                    try await away.post("/token", ["grant_type": "client_credentials"], headers: basic).outcome == "200"
                )
            }
        }
    }
}
