import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("decisions.md, The house 7: the database is away")
struct DatabaseAwayTests {
    @Test("every flow says 503 with Retry-After, and never invalid_grant or invalid_client; when it is back, all goes on")
    func away() async throws {
        try await TestHouse.with { house in
            let phone = try await Phone.registered(in: house), pat = try await phone.logIn(), assertion = try await phone.assertion(pat)
            let service = try await phone.redeem(assertion: phone.assertion(pat)), app = try await phone.authorizeApp(service)
            let code = try #require(try await phone.logInForCode()["authorization_code"])
            let basic: HTTPFields = [.authorization: "Basic \(Data("\(house.residents.machine.id):\(house.residents.machine.secret)".utf8).base64EncodedString())"]

            try await house.withoutDatabase { away in
                let lost = Phone(house: away, key: phone.key, device: phone.device, instance: phone.instance)
                let replies: [(String, Reply)] = [
                    ("register", try await RegistrationDraft(away).send()),
                    ("log in", try await lost.logInForCode()),
                    ("redeem a code", try await lost.redeem(code: code)),
                    ("refresh", try await lost.refresh(pat.refreshToken)),
                    ("ask for an assertion", try await lost.askAssertion(pat)),
                    ("redeem an assertion", try await lost.redeem(assertion: assertion)),
                    ("authorize an app", try await lost.authorizeApp(service)),
                    ("use an app token", try await away.get("/services/learn/attributes", headers: [.authorization: "Bearer \(app.accessToken)"])),
                    ("userinfo", try await lost.get("/userinfo", token: pat.accessToken)),
                    ("authenticate a client", try await away.post("/token", ["grant_type": "client_credentials"], headers: basic)),
                    ("introspect", try await away.post("/introspect", ["token": pat.accessToken], headers: basic)),
                    ("revoke", try await away.post("/revoke", ["token": pat.accessToken], headers: lost.dpop(.post, "/revoke", token: pat.accessToken))),
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
}
