import Administration
import Base
import Foundation
import TestSupport
import Testing

@Suite("apps delete, and versions shown, noted and deleted")
struct AppsDeleteTests {
    private static let app: JSONValue = .string(Residents.app)

    private func version(_ number: String, _ members: JSONObject = [:]) -> JSONObject {
        var arguments = members
        (arguments["app"], arguments["version"]) = (Self.app, .string(number))
        return arguments
    }

    private func addAgain(_ server: TestServer) async throws {
        _ = try await server.object("apps create", ["app": Self.app, "name": "Another"])
        let key = try #require(server.residents.versionKeys["1"])
        _ = try await server.object("apps versions add", version("1", ["jwk": key.jwk(kid: "kid-1")]))
    }

    @Test("an app goes with versions and installations; its name is free, and whoever takes it inherits nothing")
    func freed() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn()

            let dry = try await server.object("apps delete", ["app": Self.app, "dry_run": true])
            #expect(dry["instances"] == 1 && dry["revoked"]?.array?.count == 3 && dry["dry_run"] == true)
            #expect(try await phone.get("/userinfo", token: pat.accessToken).outcome == "200")
            let result = try await server.object("apps delete", ["app": Self.app])

            #expect(result["status"] == "deleted" && result["instances"] == 1)
            #expect(try await phone.get("/userinfo", token: pat.accessToken).outcome == "401 invalid_token")
            #expect(try await RegistrationDraft(server).send().outcome == "401 invalid_client")
            #expect(try await server.refusal("apps show", ["app": Self.app]) == .notFound)
            #expect(try await server.refusal("apps delete", ["app": Self.app]) == .notFound)

            try await addAgain(server)
            let another = try await Phone.registered(in: server), login = try await another.logIn(as: "bob")
            #expect(try await another.get("/userinfo", token: login.accessToken).outcome == "200")
            #expect(try await phone.get("/userinfo", token: pat.accessToken).outcome == "401 invalid_token")
            #expect(try await phone.refresh(pat.refreshToken).outcome == "400 invalid_grant")
            #expect(try await phone.refresh(phone.instance.refreshToken).outcome == "400 invalid_grant")
            let items = try await server.items("instances list", [:])
            #expect(items.compactMap { $0["id"]?.string } == [another.clientID])
            #expect(try await server.object("apps show", ["app": Self.app])["name"] == "Another")
        }
    }

    @Test("a blocked phone stays out, and is let in by the name under which it was blocked")
    func blocked() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server)
            let id: JSONObject = ["id": .string(phone.clientID)]
            _ = try await server.object("instances block", id)
            _ = try await server.object("apps delete", ["app": Self.app])
            try await addAgain(server)
            let draft = RegistrationDraft(server, version: "1", key: phone.key, device: phone.device)

            #expect(try await draft.send().status == 401)
            #expect(try await server.object("instances unblock", id)["already"] == false)
            #expect(try await server.refusal("instances unblock", id) == .notFound)
            #expect(
                try await RegistrationDraft(server, version: "1", key: phone.key, device: phone.device).send().outcome
                    == "200")
        }
    }

    @Test("a version is shown with its installations, noted, and deleted alone")
    func versions() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server)

            let noted = try await server.object("apps versions update", version("1", ["note": "leaked in May"]))
            let shown = try await server.object("apps versions show", version("1"))
            #expect(noted["changed"] == ["note"] && shown["note"] == "leaked in May")
            #expect(shown["instances"] == 1 && shown["jwk"]?["kty"] == "EC" && shown["ordinal"]?.integer != nil)
            let none = try await server.object("apps versions update", version("1", ["note": ""]))
            #expect(none["note"] == .null)
            #expect(try await server.refusal("apps versions update", version("1", ["note": "a\nb"])) == .invalid)
            #expect(try await server.refusal("apps versions show", version("9")) == .notFound)

            let gone = try await server.object("apps versions delete", version("1"))
            #expect(gone["status"] == "deleted" && gone["instances"] == 1)
            #expect(try await phone.askForCode().outcome == "401 invalid_token")
            #expect(try await server.refusal("apps versions delete", version("1")) == .notFound)
            #expect(try await RegistrationDraft(server, version: "2").send().outcome == "200")
        }
    }

    @Test("apps update tells what changed")
    func update() async throws {
        try await TestServer.with { server in
            let renamed = try await server.object("apps update", ["app": Self.app, "name": "Wallet"])
            let again = try await server.object("apps update", ["app": Self.app, "name": "Wallet"])

            #expect(renamed["changed"] == ["name"] && again["changed"] == [])
            #expect(try await server.refusal("apps update", ["app": Self.app, "name": ""]) == .invalid)
            #expect(try await server.refusal("apps update", ["app": "nobody", "name": "x"]) == .notFound)
        }
    }
}
