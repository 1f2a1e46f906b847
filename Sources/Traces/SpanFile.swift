import Foundation

/// A file of spans: OTLP's file format, an object a line. Opened for each batch, so that it may be moved away at any
/// time; readable by its owner alone when it is made.
public struct SpanFile: Sendable {
    public struct Unwritten: Error, CustomStringConvertible {
        public let description: String
    }

    let path: String

    public init(_ path: String) { self.path = path }

    /// All of it behind what there is, or an error.
    public func append(_ line: [UInt8]) throws {
        let file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Unwritten(description: "cannot be opened: \(String(cString: strerror(errno)))") }
        defer { close(file) }
        var left = (line + [UInt8(ascii: "\n")])[...]
        while !left.isEmpty {
            let written = left.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else {
                throw Unwritten(description: "cannot be written: \(String(cString: strerror(errno)))")
            }
            left = left.dropFirst(written)
        }
    }
}
