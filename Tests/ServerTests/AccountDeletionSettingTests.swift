import Testing

@testable import Server

@Suite("account-deletion: who deletes accounts")
struct AccountDeletionSettingTests {
    private func settings(_ flags: [String: String]) async throws -> Settings {
        try Settings(try await ConfigurationValues(flags: flags, environment: [:]))
    }

    @Test("operators do, unless it is said that people may themselves")
    func values() async throws {
        #expect(try await settings([:]).accountDeletion.rawValue == "operator")
        #expect(try await settings(["account-deletion": "operator"]).accountDeletion.rawValue == "operator")
        #expect(try await settings(["account-deletion": "self"]).accountDeletion.rawValue == "self")
    }

    @Test(
        "anything else stops the start, with the key and what to write", arguments: ["", "Self", "everybody", "true"])
    func refused(value: String) async throws {
        let error = await #expect(throws: Settings.Unacceptable.self) {
            _ = try await settings(["account-deletion": value])
        }

        #expect(error?.description == "account-deletion: write self or operator")
    }
}
