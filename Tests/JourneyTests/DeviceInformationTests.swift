import Base
import Database
import Foundation
import HTTPTypes
import Registration
import TestSupport
import Testing

@Suite("what a device says of itself", .server)
struct DeviceInformationTests {
    typealias Variant = Spoilt<RegistrationDraft>

    @Test(
        "a registration that leaves out what the device is gets 401, and hears what is missing",
        arguments: [
            Variant("no name", "401 invalid_client", "missing: name") { $0.claims["name"] = nil },
            Variant("an empty name", "401 invalid_client", "missing: name") { $0.claims["name"] = "" },
            Variant("no type", "401 invalid_client", "missing: device_type") { $0.set(["device_type": .null]) },
            Variant("no system", "401 invalid_client", "missing: os_version") { $0.claims["os_version"] = nil },
            Variant("nothing at all", "401 invalid_client", "missing: name, device_type, os_version") {
                $0.set(["name": .null, "device_type": .null, "os_version": .null])
            },
        ])
    func missing(_ spoilt: Variant) async throws {
        let reply = try await spoilt.applied(to: RegistrationDraft(TestServer.ofSuite)).send()

        #expect(reply.outcome == spoilt.outcome)
        #expect(reply["error_description"]?.contains(spoilt.why) == true, "\(reply.body)")
        #expect(reply[header: "WWW-Authenticate"]?.hasPrefix("Basic realm=") == true)
        #expect(reply[header: "Cache-Control"] == "no-store")
    }

    @Test("an app of the first generation may leave it out, until an operator says otherwise")
    func legacy() async throws {
        try await TestServer.with { server in
            func register() async throws -> Reply {
                var draft = RegistrationDraft(server)
                draft.set(["name": .null, "device_type": .null, "os_version": .null])
                return try await draft.send()
            }
            let apps = AppStore(clock: server.time.clock)
            #expect(try await register().outcome == "401 invalid_client")

            let marked = try await apps.mark(Residents.app, legacy: true, in: server.database)
            #expect(marked?.isLegacy == true)
            #expect(try await register().outcome == "200")
            #expect(try await register().outcome == "200")
            _ = try await apps.mark(Residents.app, legacy: false, in: server.database)

            #expect(try await register().outcome == "401 invalid_client")
            #expect(try await RegistrationDraft(server).send().outcome == "200")
            #expect(try await apps.mark("unknown", legacy: true, in: server.database) == nil)
        }
    }

    @Test("an upgrade need not say it again, and keeps what was said")
    func upgrade() async throws {
        let server = try TestServer.ofSuite, phone = try await Phone.registered(in: server)
        var draft = RegistrationDraft(server, version: "2", key: phone.key, device: phone.device)
        draft.set(["name": .null, "device_type": .null, "os_version": .null])

        let moved = try await draft.send(headers: phone.dpop(.post, "/token", token: phone.instance.accessToken))

        #expect(moved.outcome == "200", "\(moved.body)")
        let name: String = try await server.database.value(
            "select name from app_instance where id = \(phone.clientID)")
        #expect(name == "Ada's phone")
    }

    private func patch(
        _ id: String, _ body: JSONValue, by phone: Phone, token: String
    ) async throws -> Reply {
        let path = "/instances/\(id)"
        var headers = try phone.dpop(.patch, path, token: token)
        headers[.contentType] = "application/json"
        return try await phone.server.send(.patch, path, headers: headers, body: body.bytes)
    }

    @Test("an instance changes what it is called with its own token, before and after somebody logs in")
    func own() async throws {
        let server = try TestServer.ofSuite, phone = try await Phone.registered(in: server)
        let token = phone.instance.accessToken

        let before = try await patch(phone.clientID, ["os_version": "20.0"], by: phone, token: token)
        let pat = try await phone.logIn()
        let after = try await patch(phone.clientID, ["name": "Kitchen"], by: phone, token: token)
        let listed = try await phone.get("/instances", token: pat.accessToken).json.array ?? []

        #expect(before.outcome == "200" && before["os_version"] == "20.0" && before["name"] == "Ada's phone")
        #expect(after.outcome == "200" && after["name"] == "Kitchen" && after["os_version"] == "20.0")
        #expect(after.json["current"] == true)
        #expect(listed.contains { $0["id"]?.string == phone.clientID && $0["name"] == "Kitchen" })
    }

    @Test("with its own token an instance reaches no other, be it of the same person, and lists and ends nothing")
    func foreign() async throws {
        let server = try TestServer.ofSuite, phone = try await Phone.registered(in: server),
            sister = try await Phone.registered(in: server), token = phone.instance.accessToken
        _ = try await phone.logIn()
        _ = try await sister.logIn()

        for id in [sister.clientID, "unknown", "%00", String(repeating: "x", count: 300)] {
            let reply = try await patch(id, ["name": "Mine"], by: phone, token: token)
            #expect(reply.outcome == "404 not_found", "\(id.prefix(20)): \(reply.body)")
        }
        #expect(try await phone.get("/instances", token: token).outcome == "403 insufficient_scope")
        let path = "/instances/\(phone.clientID)"
        let ended = try await server.send(.delete, path, headers: phone.dpop(.delete, path, token: token))
        #expect(ended.outcome == "403 insufficient_scope")
        #expect(ended[header: "WWW-Authenticate"]?.contains("insufficient_scope") == true)
    }

    @Test("the instance's token needs its proof, and ends with the instance")
    func proven() async throws {
        let server = try TestServer.ofSuite, phone = try await Phone.registered(in: server),
            token = phone.instance.accessToken, path = "/instances/\(phone.clientID)"
        func bare(_ headers: HTTPFields) async throws -> Reply {
            let body: JSONValue = ["name": "Thief"]
            return try await server.send(.patch, path, headers: headers, body: body.bytes)
        }

        #expect(try await bare([.authorization: "Bearer \(token)"]).outcome == "401 invalid_token")
        var stolen = try phone.dpop(.patch, path, token: token)
        stolen[.proof] = try phone.proof(.patch, path, token: token, by: PhoneKey())
        #expect(try await bare(stolen).outcome == "401 invalid_token")
        #expect(try await bare([:]).outcome == "401 invalid_token")
        let again = try await RegistrationDraft(server, key: phone.key, device: phone.device).send()
        #expect(again.outcome == "200")
        let dead = try await patch(phone.clientID, ["name": "Ghost"], by: phone, token: token)
        #expect(dead.outcome == "401 invalid_token")
    }
}
