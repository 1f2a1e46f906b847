import Base
import Foundation
import HTTPTypes

/// A line for each request, whatever became of it. In place of the address that was asked for stands the pattern from
/// the table, and nothing of the query: in both there are identifiers, codes and keys of links.
public struct AccessLog: Sendable {
    public enum Format: String, Sendable, CaseIterable {
        /// An object a line.
        case json
        /// NCSA's common log format, which has no place for the process.
        case common
    }

    struct Line: Sendable {
        let peer: String?
        let method: String
        /// `nil`: there is nothing at the address that was asked for.
        let route: String?
        let status: Int
        /// Of the body; `nil` for what is streamed.
        let bytes: Int?
        /// Until the head of the answer was ready.
        let nanoseconds: UInt64
        let id: String?
        /// `nil` where nothing is traced.
        let trace: String?
    }

    private let format: Format
    private let process: ProcessName
    private let clock: WallClock
    private let output: @Sendable (String) -> Void

    /// `output` takes lines, without their end.
    public init(
        _ format: Format, of process: ProcessName, clock: WallClock, output: @escaping @Sendable (String) -> Void
    ) {
        (self.format, self.process, self.clock, self.output) = (format, process, clock, output)
    }

    func write(_ line: Line) { output(text(line, at: clock.now())) }

    private func text(_ line: Line, at now: Date) -> String {
        // Anything that is no method of ours is a word of the client's.
        let method = HTTPMetrics.methods.contains(line.method) ? line.method : "OTHER"
        switch format {
        case .json:
            var object: JSONObject = [
                "at": .string(now.rfc3339), "message": "request", "peer": JSONValue(line.peer),
                "method": .string(method), "endpoint": JSONValue(line.route), "status": .integer(line.status),
                "bytes": line.bytes.map { .integer($0) } ?? .null,
                "took_us": .integer(Int(clamping: line.nanoseconds / 1_000)), "request_id": JSONValue(line.id),
            ]
            for (key, value) in process.members { object[key] = value }
            if let trace = line.trace { object["trace_id"] = .string(trace) }
            return JSONValue.object(object).text
        case .common:
            let bytes = line.bytes.map(String.init) ?? "-"
            return """
                \(line.peer ?? "-") - - [\(AccessLog.time(now))] "\(method) \(line.route ?? "-") HTTP/1.1" \
                \(line.status) \(bytes)
                """
        }
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// `27/Nov/2026:04:50:22 +0000`.
    private static func time(_ date: Date) -> String {
        let text = date.rfc3339
        let parts = text.prefix(19).split { "-T".contains($0) }
        guard parts.count == 4, let month = Int(parts[1]), months.indices.contains(month - 1) else { return text }
        return "\(parts[2])/\(months[month - 1])/\(parts[0]):\(parts[3]) +0000"
    }
}
