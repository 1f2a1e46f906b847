import Base
import Foundation
import HTTPTypes
import Synchronization
import TestSupport
import Testing
import TokenTree
import Traces

@Suite("decisions.md, The server 8: no secret in the log")
struct CanaryTests {
    @Test(
        """
        a whole journey, right and wrong steps, at trace level leaves no token, code, proof, secret or password in \
        the log, and none in traces, nor who somebody is
        """
    )
    func canary() async throws {
        let log = CapturedLog(), spans = RecordedSpans()
        var options = TestServerOptions()
        options.traces = spans.recorder
        try await TestServer.with(options: options, logger: log.logger) { server in
            var secrets: [String: String] = [
                "password": Residents.password, "client secret": server.residents.machine.secret,
                "wrong password": "hunter2-is-not-it",
            ]
            func keep(_ name: String, _ reply: Reply) {
                for member in ["access_token", "refresh_token", "authorization_code", "code", "auth_session"] {
                    secrets["\(name) \(member)"] = reply[member]
                }
            }
            let draft = RegistrationDraft(server)
            secrets["client assertion"] = try draft.jwt
            let phone = try await Phone.registered(in: server)
            keep("instance", phone.instance)
            _ = try await phone.logInForCode(password: "hunter2-is-not-it")
            keep("second factor", try await phone.logInForCode(as: "carol"))
            let challenge = try await phone.logInForCode()
            keep("challenge", challenge)
            secrets["verifier"] = Phone.verifier
            let pat = try await phone.redeem(code: challenge["authorization_code"] ?? "")
            keep("pat", pat)
            let proof = try phone.dpop(.get, "/userinfo", token: pat.accessToken)
            secrets["proof"] = proof[.proof]
            for _ in 0..<2 { _ = try await server.get("/userinfo", headers: proof) }
            let own = try phone.selfMade(for: pat.accessToken, audience: ServerParts.root)
            secrets["self-made"] = own
            for _ in 0..<2 { _ = try await server.get("/userinfo", headers: [.authorization: "Bearer \(own)"]) }
            let asked = try await phone.askAssertion(pat)
            keep("assertion", asked)
            let service = try await phone.redeem(assertion: asked["code"] ?? ""), appCode = try phone.appCode()
            keep("service", service)
            secrets["app code"] = appCode
            for _ in 0..<2 { keep("app", try await phone.authorizeApp(service, code: appCode)) }
            let app = try await phone.authorizeApp(service)
            keep("other app", app)
            _ = try await server.get(
                "/services/learn/attributes", headers: [.authorization: "Bearer \(app.accessToken)"])
            keep("refreshed", try await phone.refresh(pat.refreshToken))
            server.time.advance(11)
            _ = try await phone.refresh(pat.refreshToken)
            _ = try await phone.redeem(assertion: asked["code"] ?? "")
            let basic = Data("\(server.residents.machine.id):\(server.residents.machine.secret)".utf8)
                .base64EncodedString()
            secrets["Basic"] = basic
            keep(
                "machine",
                try await server.post(
                    "/token", ["grant_type": "client_credentials"], headers: [.authorization: "Basic \(basic)"]))
            _ = try await server.post(
                "/introspect", ["token": app.accessToken], headers: [.authorization: "Basic \(basic)"])
            _ = try await server.get("/instances/\(phone.instance.accessToken)?access_token=\(pat.accessToken)")
            server.wire.refusePushes(500)
            try await server.parts.revocation.revoke(.virtual(Ancestor(.instance, phone.clientID)), by: .server)
            try await server.sendEvents()
            server.wire.refusePushes(nil)
            server.time.advance(60)
            try await server.sendEvents()
            for push in server.wire.pushes { secrets["event \(push.status)"] = push.body }

            let text = log.text
            #expect(
                log.all.count > 200 && text.contains("refused") && text.contains("insert into"),
                "the log was captured, at trace level")
            #expect(
                secrets.count >= 24 && secrets.values.allSatisfy { $0.count >= 16 },
                "there is something to look for: \(secrets.keys.sorted())")
            let traced = try spans.text
            #expect(
                spans.all.count > 100 && traced.contains("insert into") && traced.contains("grant refresh_token")
                    && traced.contains("deliver events") && traced.contains("invalid_grant"), "the journey was traced")
            for (name, secret) in secrets {
                #expect(!traced.contains(secret), "\(name) is in a trace")
                #expect(!traced.contains(secret.suffix(24)), "the end of \(name) is in a trace")
                #expect(!text.contains(secret), "\(name) is in the log")
                // A JWT is told by its signature too, an opaque value by its tail.
                #expect(!text.contains(secret.suffix(24)), "the end of \(name) is in the log")
            }
            // People and clients are not secrets in the log; a trace goes further than that.
            for name in ["carol", "@example.org", server.residents.machine.id, phone.clientID] {
                #expect(!traced.contains(name), "\(name) is in a trace")
            }
        }
    }
}
