import Base
import Foundation
import HTTP
import Traces

extension Setting {
    static let traceEndpoint = Setting(
        "trace-endpoint",
        "URL to which spans are posted, OTLP in JSON: http://127.0.0.1:4318/v1/traces; empty for none")
    static let traceFile = Setting("trace-file", "file to which spans are written, OTLP in JSON; empty for none")
    static let traceSample = Setting(
        "trace-sample", "share of the traces that begin here which is kept, 0 to 1", default: "1")

    static let ofTraces = [traceEndpoint, traceFile, traceSample]
}

/// Where spans go; nowhere by default, and then none is made.
struct TraceSettings: Sendable {
    /// `nil`: to no collector.
    let endpoint: String?
    /// `nil`: to no file.
    let file: String?
    let sampling: TraceSampling

    var isOn: Bool { endpoint != nil || file != nil }

    /// A collector is often asked in the clear, in a network of its own: spans hold no secrets (docs/tracing.md).
    init(_ values: SettingValues) throws {
        let endpoint = values[.traceEndpoint], file = values[.traceFile]
        guard endpoint.isEmpty || WebAddress(endpoint) != nil else {
            throw SettingValues.unacceptable(
                .traceEndpoint, "write an http or https URL, as http://127.0.0.1:4318/v1/traces")
        }
        self.endpoint = endpoint.isEmpty ? nil : endpoint
        self.file = file.isEmpty ? nil : file
        guard let share = Double(values[.traceSample]), (0...1).contains(share) else {
            throw SettingValues.unacceptable(.traceSample, "write a number from 0 to 1, as 0.05")
        }
        sampling = TraceSampling(share: share)
    }
}
