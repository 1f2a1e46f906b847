import Administration
import Base
import Foundation
import HTTP
import Logging
import Traces

/// Structured logs on stderr: one line of JSON each, or text on a terminal, where it is plain which process speaks, so
/// that only JSON tells. Never a token, code, secret or full URL
/// (decisions.md, The server 8).
struct LogOutput: LogHandler {
    enum Format: Sendable { case text, json }

    /// `log-format`.
    enum Choice: String, CaseIterable, Sendable {
        case text, json
        /// Text on a terminal.
        case auto

        var format: Format { self == .text || self == .auto && isatty(STDERR_FILENO) != 0 ? .text : .json }
    }

    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level
    private let level: Logger.Level
    private let format: Format
    private let process: ProcessName

    /// `tellsRefusals`: those are shown however few else are.
    static func bootstrap(level: Logger.Level, format: Choice, process: ProcessName, tellsRefusals: Bool = false) {
        let format = format.format
        LoggingSystem.bootstrap { _ in
            LogOutput(level: level, format: format, process: process, tellsRefusals: tellsRefusals)
        }
    }

    /// A line on stdout, apart from the log: what is not to be mixed with it.
    @Sendable static func print(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

    init(level: Logger.Level, format: Format, process: ProcessName, tellsRefusals: Bool = false) {
        (self.level, self.format, self.process) = (level, format, process)
        // Refusals are `info`, so all of that comes here.
        logLevel = tellsRefusals ? min(level, .info) : level
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        guard logLevel == level || event.level >= level || event.message.description == ErrorRendering.refused else {
            return
        }
        FileHandle.standardError.write(Data((line(of: event, at: Date()) + "\n").utf8))
    }

    /// Without its end.
    func line(of event: LogEvent, at now: Date) -> String {
        let all = metadata.merging(event.metadata ?? [:]) { _, new in new }.sorted { $0.key < $1.key }
        switch format {
        case .json:
            var object: JSONObject = [
                "at": .string(now.rfc3339), "level": .string(event.level.rawValue),
                "message": .string(event.message.description),
            ]
            for (key, value) in process.members { object[key] = value }
            for (key, value) in all { object[key] = .string("\(value)") }
            if let trace = Phase.trace {
                object["trace_id"] = .string("\(trace.traceID)")
                object["span_id"] = .string("\(trace.spanID)")
            }
            return JSONValue.object(object).text
        case .text:
            let details = all.filter { $0.key != "hb.request.id" }.map {
                "\($0.key)=\(PlainText.harmless("\($0.value)"))"
            }.joined(separator: " ")
            return
                "\(now.rfc3339.suffix(9).dropLast()) \(event.level.rawValue) \(event.message)"
                + (details.isEmpty ? "" : "  \(details)")
        }
    }
}
