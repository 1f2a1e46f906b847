import Base
import Foundation
import HTTP
import Logging
import Testing

@testable import Server

@Suite("lines of the log")
struct LogOutputTests {
    private static let process = ProcessName(node: "node-1.example", process: 4_711)

    private func line(
        _ format: LogOutput.Format, _ message: Logger.Message, _ metadata: Logger.Metadata = [:]
    ) -> String {
        var output = LogOutput(level: .info, format: format, process: Self.process)
        output[metadataKey: "hb.request.id"] = "edge-7"
        return output.line(
            of: LogEvent(
                level: .warning, message: message, error: nil, metadata: metadata, source: nil,
                file: #fileID, function: #function, line: #line),
            at: Date(timeIntervalSince1970: 1_795_788_000))
    }

    @Test("in JSON each names its process and its request")
    func json() throws {
        let line = try JSONReader.read(Array(line(.json, "the \"audit\" chain waits", ["error": "none"]).utf8))

        #expect(line["node"] == "node-1.example" && line["process"] == 4_711)
        #expect(line["hb.request.id"] == "edge-7" && line["error"] == "none" && line["level"] == "warning")
        #expect(line["message"] == "the \"audit\" chain waits" && line["at"]?.string?.hasSuffix("Z") == true)
    }

    @Test("on a terminal neither stands in the way")
    func text() {
        let line = line(.text, "the audit chain waits", ["error": "a\u{1B}[2J"])

        #expect(line.hasSuffix(" warning the audit chain waits  error=a\u{FFFD}[2J"), "\(line)")
        #expect(!line.contains("node-1") && !line.contains("4711") && !line.contains("edge-7"))
    }

    @Test("a node is called as its operator says, else as the machine calls itself, in letters of host names")
    func nodes() throws {
        #expect(try NodeName.of("id_1.Example-2", host: "other") == "id_1.Example-2")
        #expect(try NodeName.of("", host: "pando-5d9c7") == "pando-5d9c7")
        #expect(try NodeName.of("", host: "a \"b\"\n{}ü") == "a--b-----")
        #expect(try NodeName.of("", host: "") == "localhost")
        #expect(try !NodeName.of("").isEmpty)
    }

    @Test(
        "what is no such name stops the start",
        arguments: ["a b", "a/1", "a\"", "a\n", "é", "a:1", " ", String(repeating: "a", count: 254)])
    func refused(_ text: String) async throws {
        let values = try await ConfigurationValues(flags: ["node-name": text], environment: [:])

        let error = #expect(throws: UnacceptableSetting.self) { try Settings(values) }
        #expect(error?.description.hasPrefix("node-name: ") == true)
    }

    @Test("a setting names the process of log, access log and traces alike")
    func setting() async throws {
        let named = try Settings(await ConfigurationValues(flags: ["node-name": "node-1"], environment: [:])).process
        let other = try Settings(await ConfigurationValues(flags: [:], environment: [:])).process

        #expect(named.node == "node-1" && named.process == ProcessInfo.processInfo.processIdentifier)
        #expect(named.instance == "node-1/\(named.process)" && other.process == named.process)
    }
}
