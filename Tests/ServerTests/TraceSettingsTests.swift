import HTTP
import Testing

@testable import Server

@Suite("settings of traces")
struct TraceSettingsTests {
    private func settings(_ values: [Setting: String]) throws -> TraceSettings {
        try TraceSettings(SettingValues(values))
    }

    @Test("by default there are none; a collector or a file makes them")
    func off() throws {
        #expect(try !settings([:]).isOn && !settings([.traceSample: "1"]).isOn)
        #expect(try settings([.traceFile: "/var/log/pando/spans.jsonl"]).isOn)
        let both = try settings([.traceEndpoint: "http://10.1.2.3:4318/v1/traces", .traceFile: "spans"])
        #expect(both.isOn && both.endpoint == "http://10.1.2.3:4318/v1/traces" && both.file == "spans")
        #expect(
            ServerTraces(
                try settings([:]), of: .init(node: "node-1", process: 1), logger: .init(label: "test")) == nil)
    }

    @Test(
        "what is no URL of a collector stops the start",
        arguments: [
            "localhost:4318", "grpc://localhost:4317", "/v1/traces", "http://", "http://user:word@host/v1/traces",
        ])
    func endpoints(_ text: String) {
        let error = #expect(throws: UnacceptableSetting.self) { try settings([.traceEndpoint: text]) }
        #expect(error?.description.contains("trace-endpoint") == true)
    }

    @Test("a share is from 0 to 1", arguments: ["", "-0.1", "1.1", "10%", "all", "nan", "inf"])
    func shares(_ text: String) throws {
        let error = #expect(throws: UnacceptableSetting.self) { try settings([.traceSample: text]) }
        #expect(error?.description.contains("trace-sample") == true)
        for good in ["0", "1", "0.05", "1e-3"] { _ = try settings([.traceSample: good]) }
    }
}
