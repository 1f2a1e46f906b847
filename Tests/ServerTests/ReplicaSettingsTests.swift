import HTTP
import Testing

@testable import Server

@Suite("settings of a read replica")
struct ReplicaSettingsTests {
    private func settings(_ values: [Setting: String]) throws -> ReplicaSettings? {
        try ReplicaSettings(SettingValues(values))
    }

    @Test("nobody has one who does not say so")
    func none() throws {
        #expect(try settings([:]) == nil)
        #expect(try settings([.database: "host=a"]) == nil)
    }

    @Test("it may lag for a second, or as long as is said")
    func lag() throws {
        let usual = try #require(try settings([.database: "host=a", .databaseReplica: "host=b"]))
        let long = try #require(try settings([.databaseReplica: "host=b", .databaseReplicaLag: "60000"]))

        #expect(usual.mostLag == .seconds(1) && usual.database == "host=b")
        #expect(long.mostLag == .seconds(60))
    }

    @Test(
        "what cannot stand is refused, and repeats no connection string",
        arguments: [
            (Setting.databaseReplica, "host=a password=geheim"), (.databaseReplicaLag, "99"),
            (.databaseReplicaLag, "60001"), (.databaseReplicaLag, "soon"),
        ])
    func refused(setting: Setting, value: String) throws {
        var values: [Setting: String] = [.database: "host=a password=geheim", .databaseReplica: "host=b"]
        values[setting] = value

        let refused = try #require(throws: UnacceptableSetting.self) { _ = try settings(values) }
        #expect(refused.description.hasPrefix(setting.name) && !refused.description.contains("geheim"))
    }

    @Test("the strings of both are hidden where settings are shown")
    func hidden() {
        #expect(Setting.databaseReplica.isSecret && Setting.all.contains(.databaseReplicaLag))
    }
}
