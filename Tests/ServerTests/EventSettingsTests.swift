import HTTP
import Testing

@testable import Server

@Suite("settings of events")
struct EventSettingsTests {
    private func settings(_ values: [Setting: String]) throws -> EventSettings {
        try EventSettings(SettingValues(values))
    }

    @Test("a month, a minute, a week; and nobody fails closed")
    func defaults() throws {
        let settings = try settings([:])

        #expect(settings.kept == 30 * 86_400 && settings.heartbeat == 60)
        #expect(settings.patience == 7 * 86_400 && settings.failClosed == 0)
    }

    @Test("who fails closed hears heartbeats, and more often than that")
    func failClosed() throws {
        #expect(try settings([.failClosed: "61"]).failClosed == 61)
        #expect(throws: UnacceptableSetting.self) { try settings([.failClosed: "60"]) }
        #expect(throws: UnacceptableSetting.self) { try settings([.failClosed: "600", .eventsHeartbeat: "0"]) }
    }
}
