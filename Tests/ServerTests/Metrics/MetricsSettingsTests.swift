import Base
import Foundation
import HTTP
import Testing

@testable import Server

@Suite("settings of metrics and the access log")
struct MetricsSettingsTests {
    private func settings(_ values: [Setting: String]) throws -> MetricsSettings {
        try MetricsSettings(SettingValues(values))
    }

    private func file(_ text: String) throws -> String {
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try text.write(to: file, atomically: true, encoding: .utf8)
        return file.path
    }

    @Test("on loopback nobody shows anything")
    func loopback() throws {
        for host in ["127.0.0.1", "127.3.0.1", "::1", "::ffff:127.0.0.1"] {
            let settings = try settings([.metricsHost: host])
            #expect(try settings.isLoopback && settings.token() == nil, "\(host)")
        }
        #expect(try settings([:]).host == "127.0.0.1")
    }

    @Test(
        "where others can reach it no server starts without a token",
        arguments: ["0.0.0.0", "::", "10.1.2.3", "fe80::1", "::ffff:10.1.2.3"])
    func beyond(_ host: String) throws {
        let error = #expect(throws: UnacceptableSetting.self) { try settings([.metricsHost: host]) }
        #expect(error?.description.contains("metrics-token-file") == true)

        let file = try file(String(repeating: "ab", count: 32) + "\n")
        defer { try? FileManager.default.removeItem(atPath: file) }
        let bound = try settings([.metricsHost: host, .metricsTokenFile: file])
        #expect(try !bound.isLoopback && bound.token() == SecretBytes(String(repeating: "ab", count: 32).utf8))
    }

    @Test("a name is no address", arguments: ["", "localhost", "127.1", "1.2.3.4:9464", "[::1]", "0x7f.0.0.1"])
    func names(_ host: String) {
        #expect(throws: UnacceptableSetting.self) { try settings([.metricsHost: host]) }
    }

    @Test(
        "a token that could be guessed, or that no header carries, stops the start",
        arguments: [
            "", "\n", String(repeating: "a", count: 31), String(repeating: "a b", count: 20),
            "é" + String(repeating: "a", count: 40),
        ])
    func tokens(_ text: String) throws {
        let file = try file(text)
        defer { try? FileManager.default.removeItem(atPath: file) }

        #expect(throws: UnacceptableSetting.self) { try settings([.metricsTokenFile: file]).token() }
        #expect(throws: UnacceptableSetting.self) { try settings([.metricsTokenFile: file + ".none"]).token() }
    }

    @Test("an access log is off, json or common")
    func accessLog() async throws {
        func log(_ word: String?) async throws -> AccessLog.Format? {
            let flags = word.map { ["access-log": $0] } ?? [:]
            return try Settings(try await ConfigurationValues(flags: flags, environment: [:])).accessLog
        }

        #expect(try await log(nil) == nil)
        #expect(try await log("off") == nil)
        #expect(try await log("json") == .json)
        #expect(try await log("common") == .common)
        await #expect(throws: UnacceptableSetting.self) { _ = try await log("combined") }
        await #expect(throws: UnacceptableSetting.self) { _ = try await log("") }
    }
}
