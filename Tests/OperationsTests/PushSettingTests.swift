import Base
import Crypto
import Foundation
import HTTP
import Push
import TestSupport
import Testing

@testable import Operations

@Suite("settings of pushes of operations")
struct PushSettingTests {
    private static let apns: [Setting: String] = [
        .operationsAPNsKey: "/nowhere.p8", .operationsAPNsTeam: "TEAM", .operationsAPNsKeyID: "KEY",
        .operationsAPNsTopic: "org.example.login",
    ]

    private func values(_ settings: [Setting: String]) throws -> PushValues {
        try PushValues(SettingValues(settings))
    }

    private func senders(_ settings: [Setting: String]) async throws -> AppSenders {
        try await values(settings).senders(http: FakePushServer().http, clock: SettableClock().clock)
    }

    private func complaint(_ body: () async throws -> Void) async -> String {
        do { try await body() } catch { return "\(error)" }
        return ""
    }

    @Test("none, but for where the services are")
    func defaults() throws {
        let values = try values([:])

        #expect(values.providers.isEmpty && values.endpoints.apns == "https://api.push.apple.com")
        #expect(values.endpoints.hmsTokens == "https://oauth-login.cloud.huawei.com/oauth2/v3/token")
    }

    @Test("half of what a service needs is as good as none, and what is no address is refused")
    func halves() {
        for name in Self.apns.keys {
            #expect(throws: UnacceptableSetting.self) { try values(Self.apns.filter { $0.key != name }) }
        }
        let bad: [[Setting: String]] = [
            [.operationsHMSApp: "100"], [.operationsHMSSecret: "/nowhere"],
            [.operationsFCMEndpoint: "fcm.example.org"], [.operationsHMSTokens: "http://oauth.example.org/token"],
            [.operationsAPNsSandbox: "https://apns.example.org/?x=1"],
        ]
        for settings in bad { #expect(throws: UnacceptableSetting.self, "\(settings)") { try values(settings) } }
    }

    @Test("files are read when somebody is to be pushed to: what is not there, or no key, is named")
    func files() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func file(_ name: String, _ text: String) throws -> String {
            let place = folder.appending(path: name)
            try Data(text.utf8).write(to: place)
            return place.path()
        }
        var whole = Self.apns
        whole[.operationsAPNsKey] = try file("key.p8", P256.Signing.PrivateKey().pemRepresentation)
        whole[.operationsHMSApp] = "100"
        whole[.operationsHMSSecret] = try file("hms", "geheim\n")
        var noKey = Self.apns
        noKey[.operationsAPNsKey] = try file("text.p8", "geheim")
        let noAccount = try file("account.json", "{\"project_id\":\"p\"}")

        let missing = await complaint { _ = try await senders(Self.apns) }
        let wrong = await complaint { _ = try await senders(noKey) }
        let account = await complaint { _ = try await senders([.operationsFCMAccount: noAccount]) }
        let fine = await complaint { _ = try await senders(whole) }

        #expect(try values(whole).providers == ["apns", "hms"] && fine.isEmpty)
        #expect(missing.contains("operations-apns-key") && missing.contains("cannot be read"))
        #expect(wrong.contains("operations-apns-key") && !wrong.contains("geheim"))
        #expect(account.contains("operations-fcm-account") && account.contains("private_key"))
    }
}
