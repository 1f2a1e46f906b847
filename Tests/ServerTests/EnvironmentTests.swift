import Foundation
import Testing

@testable import Server

@Suite("Settings from the environment, files and flags")
struct EnvironmentTests {
    private func read(
        _ environment: [String: String], flags: [String: String] = [:]
    ) async throws -> ConfigurationValues {
        try await ConfigurationValues(flags: flags, environment: environment)
    }

    /// What a pod beside a Service named pando with one port finds in its environment
    /// (https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables).
    private static let pod = [
        "PANDO_SERVICE_HOST": "10.96.12.7", "PANDO_SERVICE_PORT": "8080", "PANDO_SERVICE_PORT_HTTP": "8080",
        "PANDO_PORT": "tcp://10.96.12.7:8080",
        "PANDO_PORT_8080_TCP": "tcp://10.96.12.7:8080", "PANDO_PORT_8080_TCP_PROTO": "tcp",
        "PANDO_PORT_8080_TCP_PORT": "8080",
        "PANDO_PORT_8080_TCP_ADDR": "10.96.12.7", "PANDO_METRICS_PORT": "tcp://10.96.12.8:9464",
    ]

    @Test("a pod beside a Service named pando starts, and is warned of each variable that is not read")
    func kubernetes() async throws {
        let values = try await read(Self.pod), settings = try Settings(values)

        #expect(settings.port == 8080 && settings.metricsPort == 9464)
        #expect(values.origin(of: .port) == "default" && values.origin(of: .metricsPort) == "default")
        for name in Self.pod.keys { #expect(settings.warnings.contains { $0.hasPrefix("\(name) ") }, "\(name)") }
        #expect(settings.warnings.count == Self.pod.count)
    }

    @Test("what Kubernetes writes stands above no file and below every flag")
    func overriding() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).yaml")
        try "port: 8443\n".write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }

        let environment = Self.pod.merging(["PANDO_CONFIG": file.path]) { $1 }
        #expect(try Settings(try await read(environment)).port == 8443)
        #expect(try Settings(try await read(environment, flags: ["port": "8444"])).port == 8444)
    }

    @Test(
        "a link of a container is no value; a number, a URL and a conninfo are",
        arguments: [
            ("tcp://10.0.0.1:8080", true), ("udp://10.0.0.1:53", true), ("sctp://[fd00::1]:1", true),
            ("8081", false), ("https://id.example.org", false), ("tcp", false), ("tcp://", false),
            ("postgres://db:5432/pando", false),
        ])
    func links(text: String, isLink: Bool) async throws {
        let values = try await read(["PANDO_DATABASE": text])

        #expect(values.origin(of: .database) == (isLink ? "default" : "PANDO_DATABASE"))
        #expect(values.warnings.count == (isLink ? 1 : 0))
    }

    @Test(
        "an unknown variable is a warning that names the nearest setting and never the value",
        arguments: [
            ("PANDO_ISUER", "PANDO_ISSUER"), ("PANDO_DATABASE_URL", "PANDO_DATABASE"),
            ("PANDO_TRUSTED_PROXIES", "PANDO_TRUSTED_PROXY"),
            ("PANDO_LOGLEVEL", "PANDO_LOG_LEVEL"), ("PANDO_MASTER_KEY", "PANDO_MASTER_KEY_FILE"),
        ])
    func nearest(name: String, meant: String) async throws {
        let values = try await read([name: "hunter2"])

        #expect(values.warnings.count == 1)
        #expect(
            values.warnings.first?.hasPrefix("\(name) ") == true
                && values.warnings.first?.hasSuffix(" \(meant)") == true)
        #expect(values.warnings.first?.contains("hunter2") == false)
    }

    @Test(
        "an unknown key among flags or in a file stops the start and names the nearest",
        arguments: ["flag", "yaml", "json"])
    func refused(place: String) async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).\(place)")
        let text = place == "json" ? #"{"isuer": "https://id.example.org"}"# : "isuer: https://id.example.org\n"
        try text.write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }

        let error = await #expect(throws: Settings.Unacceptable.self) {
            _ = try await read([:], flags: place == "flag" ? ["isuer": "x"] : ["config": file.path])
        }
        #expect(error?.description.contains("isuer") == true && error?.description.contains("issuer") == true)
    }

    @Test("variables of the tests and the demo are no settings, and are not told")
    func others() async throws {
        #expect(try await read(["PANDO_TEST_DATABASE": "x", "PANDO_ADMIN": "x", "PANDORA": "x"]).warnings.isEmpty)
    }

    @Test(
        "an issuer with a path stops the start, and says what to write",
        arguments: ["https://example.org/pando", "https://example.org/a/b/", "http://localhost:8080/x"])
    func path(issuer: String) async throws {
        let values = try await read(["PANDO_ISSUER": issuer])

        let error = #expect(throws: Settings.Unacceptable.self) { _ = try Settings(values) }
        #expect(error?.description.hasPrefix("issuer: ") == true && error?.description.contains("has a path") == true)
        #expect(error?.description.contains("host name of its own") == true)
    }

    @Test("a slash behind the host is no path")
    func slash() async throws {
        let settings = try Settings(try await read(["PANDO_ISSUER": "https://id.example.org/"]))

        #expect(settings.root == "https://id.example.org")
    }
}
