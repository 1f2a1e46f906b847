import Logging
import Synchronization

/// Everything that was logged, at every level, with metadata, as text.
public final class CapturedLog: Sendable {
    private let lines = Mutex<[String]>([])

    public init() {}

    public var all: [String] { lines.withLock { $0 } }
    public var text: String { all.joined(separator: "\n") }

    public var logger: Logger { Logger(label: "captured") { _ in Handler(log: self) } }

    fileprivate func add(_ line: String) { lines.withLock { $0.append(line) } }

    private struct Handler: LogHandler {
        let log: CapturedLog
        var logLevel: Logger.Level = .trace
        var metadata: Logger.Metadata = [:]

        init(log: CapturedLog) { self.log = log }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let told = metadata.merging(event.metadata ?? [:]) { _, new in new }
            log.add("\(event.level) \(event.message) \(told) \(event.error.map { "\($0)" } ?? "")")
        }
    }
}

extension Logger {
    /// Keeps nothing.
    public static var quiet: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }
}
