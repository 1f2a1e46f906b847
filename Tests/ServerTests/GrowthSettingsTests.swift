import HTTP
import Testing

@testable import Server

@Suite("settings of what nobody uses")
struct GrowthSettingsTests {
    private func settings(_ values: [Setting: String]) throws -> GrowthSettings {
        try GrowthSettings(SettingValues(values))
    }

    @Test("90 days for what was never used, and never for what a person has")
    func defaults() throws {
        let settings = try settings([:])

        #expect(settings.instancesUnused == 90 * 86_400 && settings.clientsUnused == 90 * 86_400)
        #expect(settings.instancesIdle == nil)
    }

    @Test("0 is never; a person is told in time")
    func bounds() throws {
        let never = try settings([.instancesUnused: "0", .clientsUnused: "0", .instancesIdle: "0"])

        #expect(never.instancesUnused == nil && never.clientsUnused == nil && never.instancesIdle == nil)
        #expect(try settings([.instancesIdle: "28"]).instancesIdle == 28 * 86_400)
        #expect(throws: UnacceptableSetting.self) { try settings([.instancesIdle: "27"]) }
        #expect(throws: UnacceptableSetting.self) { try settings([.clientsUnused: "-1"]) }
        #expect(throws: UnacceptableSetting.self) { try settings([.instancesUnused: "soon"]) }
    }
}
