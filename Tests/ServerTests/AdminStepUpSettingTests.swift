import Testing

@testable import Server

@Suite("admin-step-up: how old a login may be for what destroys")
struct AdminStepUpSettingTests {
    private func settings(_ flags: [String: String]) async throws -> Settings {
        try Settings(try await ConfigurationValues(flags: flags, environment: [:]))
    }

    @Test("a quarter of an hour, unless another time is said")
    func values() async throws {
        #expect(try await settings([:]).administration.stepUpAge == 900)
        #expect(try await settings(["admin-step-up": "60"]).administration.stepUpAge == 60)
    }

    @Test("neither no time nor more than a day", arguments: ["", "0", "29", "86401", "soon"])
    func refused(value: String) async throws {
        let error = await #expect(throws: Settings.Unacceptable.self) {
            _ = try await settings(["admin-step-up": value])
        }

        #expect(error?.description.hasPrefix("admin-step-up: ") == true)
    }
}
