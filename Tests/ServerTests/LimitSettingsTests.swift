import HTTP
import Testing

@testable import Server

@Suite("settings of limits")
struct LimitSettingsTests {
    private func settings(_ values: [Setting: String]) throws -> LimitSettings {
        try LimitSettings(SettingValues(values))
    }

    @Test("a school has room, a client too, and this machine is not counted")
    func defaults() throws {
        let settings = try settings([:])

        #expect(settings.perAddress == 200 && settings.perClient == 500 && settings.grants == 512)
        #expect(settings.connections == 0 && settings.connectionsPerAddress == 2_000 && settings.hashes == 2)
        #expect(settings.exempt.map(\.description) == ["127.0.0.0/8", "::1/128"])
    }

    @Test("nobody need be exempt; what is no range is refused, and so is a server that hashes nothing")
    func refused() throws {
        #expect(try settings([.limitExempt: ""]).exempt.isEmpty)
        for (setting, value) in [
            (Setting.limitExempt, "localhost"), (.limitExempt, "10.0.0.0/33"), (.limitHashes, "0"),
            (.limitHashes, "65"), (.limitAddress, "-1"), (.limitClient, "many"), (.limitGrants, "1e3"),
        ] {
            #expect(throws: UnacceptableSetting.self, "\(setting.name)=\(value)") {
                try settings([setting: value])
            }
        }
    }
}
