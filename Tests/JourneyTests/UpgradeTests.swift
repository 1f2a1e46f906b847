import Base
import Foundation
import Registration
import TestSupport
import Testing
import TokenTree

@Suite("token-tree.md rule 8: upgrade of an instance", .server)
struct UpgradeTests {
    private func upgrade(_ phone: Phone, _ draft: RegistrationDraft, token: String? = nil) async throws -> Reply {
        try await draft.send(headers: phone.dpop(.post, "/token", token: token ?? phone.instance.accessToken))
    }

    private func draft(
        _ phone: Phone, version: String = "2", key: PhoneKey? = nil, device: String? = nil
    ) -> RegistrationDraft {
        RegistrationDraft(phone.server, version: version, key: key ?? phone.key, device: device ?? phone.device)
    }

    @Test("a newer version keeps client_id, key and all that hangs below")
    func upgrade() async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite), pat = try await phone.logIn()

        let reply = try await upgrade(phone, draft(phone))

        #expect(reply.outcome == "200" && reply.clientID == phone.clientID)
        #expect(reply.accessToken != phone.instance.accessToken && reply.refreshToken != phone.instance.refreshToken)
        #expect(try await phone.get("/userinfo", token: pat.accessToken).outcome == "200")
        let instances = try await phone.get("/instances", token: pat.accessToken)
        #expect(instances.json.array?.first { $0["id"]?.string == phone.clientID }?["version"] == "2")
    }

    @Test("refusing the old version then ends nothing, refusing the new one everything")
    func versions() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), left = try await Phone.registered(in: server)
            let pat = try await phone.logIn(), leftPAT = try await left.logIn(as: "bob")
            #expect(try await upgrade(phone, draft(phone)).outcome == "200")

            try await server.parts.revocation.revoke(.virtual(Ancestor(.version, "\(Residents.app).1")), by: .server)
            #expect(try await phone.get("/userinfo", token: pat.accessToken).outcome == "200")
            #expect(try await left.get("/userinfo", token: leftPAT.accessToken).outcome == "401 invalid_token")
            try await server.parts.revocation.revoke(.virtual(Ancestor(.version, "\(Residents.app).2")), by: .server)
            #expect(try await phone.get("/userinfo", token: pat.accessToken).outcome == "401 invalid_token")
        }
    }

    @Test(
        "an older or equal version, another key and another device are refused",
        arguments: ["equal", "older", "key", "device"])
    func refused(_ what: String) async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite)
        if what == "older" { #expect(try await upgrade(phone, draft(phone, version: "3")).outcome == "200") }
        let wrong =
            switch what {
            case "equal": draft(phone, version: "1")
            case "older": draft(phone, version: "2")
            case "key": draft(phone, key: PhoneKey())
            default: draft(phone, device: "another")
            }

        let reply = try await upgrade(phone, wrong)

        #expect(reply.outcome == "401 invalid_client")
        let why = what == "key" || what == "device" ? "keeps device id and key" : "not newer"
        #expect(reply["error_description"]?.contains(why) == true, "\(reply.body)")
    }

    @Test("an upgrade is asked for with the live instance token, not with another")
    func token() async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite), pat = try await phone.logIn()

        #expect(try await upgrade(phone, draft(phone), token: pat.accessToken).outcome == "401 invalid_client")
        try await phone.server.parts.revocation.revoke(.virtual(Ancestor(.instance, phone.clientID)), by: .server)
        #expect(try await upgrade(phone, draft(phone)).outcome == "401 invalid_token")
    }
}
