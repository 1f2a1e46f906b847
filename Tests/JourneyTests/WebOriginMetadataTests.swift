import Base
import TestSupport
import Testing

@Suite("web_origins in client metadata", .server)
struct WebOriginMetadataTests {
    @Test("a client registers the origins of its pages, reads them, and gives them up")
    func registered() async throws {
        let fixture = RegistrationFixture(server: try TestServer.ofSuite)
        let origins: JSONValue = ["https://app.example.org", "http://localhost:5173"]

        let client = try await fixture.registered(["web_origins": origins])
        let read = try await client.manage(.get), update = try await client.update()

        #expect(client.reply.json["web_origins"] == origins && read.json["web_origins"] == origins)
        #expect(update.outcome == "200" && update.json["web_origins"] == nil)
    }

    @Test(
        "origins that are none are refused, with the place of the one that is wrong",
        arguments: [
            ("https://app.example.org", "array"), (["null"], "item 1"), (["*"], "item 1"),
            (["https://ok.example", "https://*.example"], "item 2"), (["https://ok.example/"], "item 1"),
            (["http://app.example.org"], "item 1"), (["capacitor://localhost"], "item 1"), ([1], "array"),
            ([""], "1 to"),
            ([.string("https://" + String(repeating: "a", count: 300))], "270"),
            (.array((0..<21).map { .string("https://a\($0).example") }), "at most 20"),
        ] as [(JSONValue, String)])
    func refused(_ origins: JSONValue, _ why: String) async throws {
        let fixture = RegistrationFixture(server: try TestServer.ofSuite)

        let reply = try await fixture.ask(RegistrationFixture.usual.with(["web_origins": origins]))

        #expect(reply.outcome == "400 invalid_client_metadata", "\(reply.body)")
        #expect(reply["error_description"]?.contains(why) == true, "\(reply.body)")
    }
}
