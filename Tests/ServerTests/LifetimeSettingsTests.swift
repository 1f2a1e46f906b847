import HTTP
import OAuth
import Testing

@testable import Server

@Suite("settings of lifetimes")
struct LifetimeSettingsTests {
    private func lifetimes(_ values: [Setting: String], eventsKept: Double = 2_592_000) throws -> Lifetimes {
        try Lifetimes(SettingValues(values), eventsKept: eventsKept)
    }

    @Test("what is not set is as it was before there were settings")
    func defaults() throws {
        let set = try lifetimes([:]), usual = Lifetimes()

        #expect(set.instanceToken == usual.instanceToken && set.personalAccessToken == usual.personalAccessToken)
        #expect(set.assertion == usual.assertion && set.serviceToken == usual.serviceToken)
        #expect(set.appToken == usual.appToken && set.accessToken == usual.accessToken)
        #expect(set.code == usual.code && set.webIdle == usual.webIdle)
    }

    @Test("each within its bounds", arguments: Setting.ofLifetimes)
    func bounds(_ setting: Setting) throws {
        #expect(throws: Never.self) { try lifetimes([setting: setting.fallback]) }
        // Nothing at all is remembered for no time.
        let least = setting == .lifetimeRememberedWay ? [] : ["0"]
        for wrong in least + ["-1", "x", "99999999", ""] {
            #expect(throws: UnacceptableSetting.self) { try lifetimes([setting: wrong]) }
        }
    }

    @Test("an access token lives no longer than half of the time for which events are kept")
    func events() throws {
        #expect(try lifetimes([.lifetimeAccessToken: "3600"], eventsKept: 7_200).accessToken == 3_600)
        #expect(throws: UnacceptableSetting.self) {
            try lifetimes([.lifetimeAccessToken: "3601"], eventsKept: 7_200)
        }
    }
}
