import Base
import Foundation
import Registration
import TestSupport
import Testing
import TokenTree

@Suite("Refusing an app as a whole, and what an app is told")
struct AppRefusalTests {
    private func set(_ status: AppVersion.Status, _ server: TestServer) async throws {
        let apps = AppStore(clock: server.time.clock)
        try await server.database.atomically { transaction in
            _ = try await apps.setStatus(app: Residents.app, status, in: transaction)
            guard status == .refused else { return }
            for version in try await apps.versions(of: Residents.app, after: nil, limit: 100, in: transaction) {
                try await server.parts.revocation.revoke(
                    .virtual(Ancestor(.version, version.id)), by: AuditActor(name: "admin:test"), in: transaction)
            }
        }
    }

    @Test("neither registration, upgrade, refresh nor login works in any version; allowed again, it registers anew")
    func refused() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn()

            try await set(.refused, server)

            for version in ["1", "2", "3"] {
                let reply = try await RegistrationDraft(server, version: version).send()
                #expect(reply.outcome == "401 invalid_client")
                #expect(reply["error_description"]?.contains("this app is refused") == true, "\(reply.body)")
            }
            let upgrade = try await RegistrationDraft(server, version: "2", key: phone.key, device: phone.device).send(
                headers: phone.dpop(.post, "/token", token: phone.instance.accessToken))
            #expect(upgrade.outcome == "401 invalid_token")
            #expect(try await phone.refresh(phone.instance.refreshToken).outcome == "400 invalid_grant")
            #expect(try await phone.refresh(pat.refreshToken).outcome == "400 invalid_grant")
            #expect(try await phone.askForCode().outcome == "401 invalid_token")

            try await set(.allowed, server)
            #expect(try await phone.askForCode().outcome == "401 invalid_token", "what was ended stays so")
            #expect(try await RegistrationDraft(server).send().outcome == "200")
        }
    }

    @Test("an app's id is of ASCII: letters that are one to Swift are two to the database")
    func letters() async throws {
        try await TestServer.with { server in
            let apps = AppStore(clock: server.time.clock)
            _ = try await apps.create(app: "org.example.K", name: "K", in: server.database)

            for id in ["org.example.\u{212A}", "org.example.e\u{301}", "org\u{37E}example"] {
                await #expect(throws: AppStore.Refused.badName(id)) {
                    _ = try await apps.create(app: id, name: "K", in: server.database)
                }
            }
        }
    }

    @Test("a version that is added to a refused app is refused with it")
    func later() async throws {
        try await TestServer.with { server in
            try await set(.refused, server)
            let key = PhoneKey(), apps = AppStore(clock: server.time.clock)
            _ = try await apps.add(
                version: "4", to: Residents.app, key: .init(key.jwk(kid: "kid-4")), in: server.database)

            var draft = RegistrationDraft(server, version: "4")
            draft.signingKey = key
            #expect(try await draft.send().outcome == "401 invalid_client")
        }
    }

    @Test("of registrations and a refusal at once, no instance lives after it")
    func race() async throws {
        try await TestServer.with { server in
            for round in 0..<4 {
                async let refusal: Void = set(.refused, server)
                async let first = RegistrationDraft(server).send()
                async let second = RegistrationDraft(server, version: "2").send()
                let replies = [try await first, try await second]
                try await refusal

                for reply in replies where reply.outcome == "200" {
                    let instance = try await InstanceStore(clock: server.time.clock).find(
                        reply.clientID, in: server.database)
                    #expect(instance?.isRevoked == true, "round \(round)")
                }
                try await set(.allowed, server)
            }
        }
    }

    @Test("an app with a filter is told what that names, at both doors; a web client what it was before")
    func filtered() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn(),
                apps = AppStore(clock: server.time.clock)
            func identity() async throws -> JSONValue {
                try await phone.get("/user-profile", token: pat.accessToken).json.array?.first ?? .null
            }
            let all = try await identity()
            #expect(all["mailaddress"] == "ada@example.org" && all["extra"]?["name"] == "Ada")

            _ = try await apps.update(app: Residents.app, name: "Wallet", claims: ["name"], in: server.database)

            let told = try await identity(),
                claims = try await phone.get("/userinfo", token: pat.accessToken).json
            #expect(told["userid"] == all["userid"] && told["extra"]?["name"] == "Ada")
            #expect(told["mailaddress"]?.string == nil)
            #expect(claims["name"] == "Ada" && claims["email"] == nil && claims["sub"]?.string != nil)

            let updated = try await apps.update(
                app: Residents.app, name: nil, claims: .some(nil), in: server.database)
            #expect(updated?.name == "Wallet" && updated?.claims == nil)
            #expect(try await identity() == all)
        }
    }
}
