import Administration
import Base
import Crawler
import Foundation

/// What `crawl run` writes, in the order of the services, when all of them are done: an error before that leaves
/// stdout empty (docs/design/cli.md, "Manners").
///
/// JSON and the reports of a dry run wait in a file without a name, so that memory does not grow with them. Columns are
/// as wide as their widest cell, so people's rows wait as they are.
struct CrawlOutput {
    private enum Form { case json, reports, columns }

    private static let piece = 64 << 10

    private let form: Form
    private let output: FileHandle
    private let file: FileHandle
    private var order: [String] = []
    private var rows: [String: JSONValue] = [:]
    /// Where in the file a service's text is.
    private var places: [String: Range<Int>] = [:]
    private var size = 0
    private(set) var hasFailures = false

    /// - Throws: ``AdminFailure`` where no file can be made.
    init(json: Bool, isDryRun: Bool, to output: FileHandle = .standardOutput) throws {
        form = json ? .json : isDryRun ? .reports : .columns
        self.output = output
        file = form == .columns ? .nullDevice : try CrawlOutput.failing { try CrawlOutput.nameless() }
    }

    /// Names the services whose results will come, in their order.
    mutating func begin(_ services: [String]) { order = services }

    /// - Throws: ``AdminFailure`` where the disk is full.
    mutating func add(_ result: CrawlResult) throws {
        hasFailures = hasFailures || result.outcome == .failed
        switch form {
        case .columns: rows[result.service] = result.json
        case .json: try keep(result.json.text, of: result.service)
        case .reports: try keep(CrawlReport.text(result), of: result.service)
        }
    }

    /// Writes all; after the last result.
    /// - Throws: ``AdminFailure`` where not everything could be written.
    func end() throws {
        switch form {
        case .columns: AdminOutput.write(.list(order.compactMap { rows[$0] }, next: nil), json: false)
        case .json: try write(#"{"items":["#, between: ",", #"],"next":null}"# + "\n")
        case .reports: try write("", between: "\n\n", places.isEmpty ? "none\n" : "\n")
        }
    }

    private mutating func keep(_ text: String, of service: String) throws {
        let bytes = Data(text.utf8)
        try CrawlOutput.failing { try file.write(contentsOf: bytes) }
        places[service] = size..<size + bytes.count
        size += bytes.count
    }

    private func write(_ opening: String, between separator: String, _ closing: String) throws {
        try CrawlOutput.failing {
            var waiting = Data(opening.utf8), isFirst = true
            for place in order.lazy.compactMap({ places[$0] }) {
                if !isFirst { waiting += separator.utf8 }
                isFirst = false
                try file.seek(toOffset: UInt64(place.lowerBound))
                waiting += try file.read(upToCount: place.count) ?? Data()
                guard waiting.count > CrawlOutput.piece else { continue }
                try output.write(contentsOf: waiting)
                waiting.removeAll(keepingCapacity: true)
            }
            try output.write(contentsOf: waiting + Data(closing.utf8))
        }
    }

    private static func nameless() throws -> FileHandle {
        var path = Array((FileManager.default.temporaryDirectory.path + "/pando-crawl-XXXXXX").utf8CString)
        let descriptor = mkstemp(&path)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        unlink(&path)
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    private static func failing<T>(_ work: () throws -> T) throws(AdminFailure) -> T {
        do { return try work() } catch {
            throw AdminFailure(.failed, "the results cannot be written: \(error.localizedDescription)")
        }
    }
}
