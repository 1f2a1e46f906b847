import Foundation
import HTTP
import Testing

@testable import Server

@Suite("settings of services that belong to another server")
struct ElsewhereSettingsTests {
    private static let issuer = "https://id.example.org"
    private static let credentials = #"{"operations": {"client_id": "a", "client_secret": "b"}}"#

    private func settings(_ changes: [String: String], credentials: String = credentials) async throws -> Settings {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).json")
        try Data(credentials.utf8).write(to: file)
        var flags = [
            "issuer": "https://far.example.org", "roles": "operations", "authorization-server": Self.issuer,
            "service-credentials": file.path,
        ]
        flags.merge(changes) { $1 }
        return try Settings(try await ConfigurationValues(flags: flags, environment: [:]))
    }

    @Test("where nobody says otherwise services are this server's own")
    func none() async throws {
        let own = try await settings(["authorization-server": "", "service-credentials": "", "roles": "idp"])

        let words = try own.servicesElsewhere()
        #expect(own.elsewhere == nil && words == nil)
    }

    @Test("it says whose services it runs, as which clients, and how they hear")
    func told() async throws {
        let far = try await settings([:]), polling = try await settings(["service-events": "poll"])

        #expect(far.elsewhere?.root == Self.issuer && far.elsewhere?.listInterval == 10)
        let words = try #require(try far.servicesElsewhere())
        #expect(words.contains(Self.issuer) && words.contains("operations as client a") && words.hasSuffix("push"))
        #expect(try polling.servicesElsewhere()?.hasSuffix("poll") == true)
    }

    @Test(
        "what cannot stand is refused with what to write",
        arguments: [
            ("authorization-server", "http://id.example.org", "https"), ("authorization-server", "nowhere", "https"),
            ("authorization-server", "https://id.example.org?x=1", "query"),
            ("authorization-server", "https://far.example.org", "own issuer"),
            ("authorization-server", "", "nothing without authorization-server"), ("roles", "idp,operations", "idp"),
            ("roles", "crawler,tiqr", "crawler"), ("roles", "", "name the services"),
            ("service-credentials", "", "services add"), ("service-events", "sometimes", "push or poll"),
            ("list-interval", "0", "1 to 3600"), ("list-interval", "soon", "1 to 3600"),
        ])
    func refused(setting: String, value: String, word: String) async throws {
        let refused = try await #require(throws: UnacceptableSetting.self) { _ = try await settings([setting: value]) }

        #expect(refused.description.contains(word), "\(refused.description)")
    }

    @Test(
        "a file without the credentials of each service stops the start, and repeats no secret",
        arguments: [
            "[]", "{", "{}", #"{"operations": {"client_id": "a"}}"#, #"{"operations": {"client_secret": "geheim"}}"#,
            #"{"operations": {"client_id": "", "client_secret": "geheim"}}"#,
            #"{"operations": {"client_id": "a", "client_secret": "geheim"}, "weather": {}}"#,
        ])
    func credentials(text: String) async throws {
        let far = try await settings([:], credentials: text)

        let refused = try #require(throws: UnacceptableSetting.self) { _ = try far.servicesElsewhere() }
        #expect(refused.description.hasPrefix("service-credentials: ") && !refused.description.contains("geheim"))
    }

    @Test("so does one that cannot be read")
    func missing() async throws {
        let far = try await settings(["service-credentials": "/nonexistent.json"])

        #expect(throws: UnacceptableSetting.self) { _ = try far.servicesElsewhere() }
    }
}
