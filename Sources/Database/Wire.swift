import CLibPQ
import Foundation

/// One `PGconn` in non-blocking pipeline mode: the whole of libpq that `Connection` sees. No call waits.
struct Wire {
    enum Progress { case reading, writing, done, failed }

    private let connection: OpaquePointer

    /// Begins to connect. Resolving a host name is the one thing libpq does synchronously; it happens off
    /// the loop.
    init?(starting parameters: [String: String]) {
        let names = parameters.map { strdup($0.key) } + [nil]
        let values = parameters.map { strdup($0.value) } + [nil]
        defer { for text in names + values { free(text) } }
        let started = names.map { UnsafePointer($0) }.withUnsafeBufferPointer { names in
            values.map { UnsafePointer($0) }.withUnsafeBufferPointer {
                PQconnectStartParams(names.baseAddress, $0.baseAddress, 0)
            }
        }
        guard let started else { return nil }
        connection = started
        // Notices would go to standard error.
        PQsetNoticeProcessor(connection, { _, _ in }, nil)
    }

    func connectFurther() -> Progress {
        switch PQconnectPoll(connection) {
        case PGRES_POLLING_READING: .reading
        case PGRES_POLLING_WRITING: .writing
        case PGRES_POLLING_OK:
            PQsetnonblocking(connection, 1) == 0 && PQenterPipelineMode(connection) == 1 ? .done : .failed
        default: .failed
        }
    }

    func finish() { PQfinish(connection) }

    var socket: Int32 { PQsocket(connection) }
    /// As the other side says: a pooler's own number where there is one.
    var backendProcess: Int { Int(PQbackendPID(connection)) }
    var isLost: Bool { PQstatus(connection) == CONNECTION_BAD }

    /// The first line of libpq's message. It may name host and user, never a password.
    var failure: String {
        let text = PQerrorMessage(connection).map { String(cString: $0) } ?? ""
        return text.split(separator: "\n").first.map(String.init) ?? "connection lost"
    }

    func send(_ command: Pipeline.Command) -> Bool {
        switch command {
        case .prepare(let name, let key):
            PQsendPrepare(connection, name, key.text, Int32(key.types.count), key.types.map(\.rawValue)) == 1
        case .execute(let name, let statement):
            statement.withParameters {
                PQsendQueryPrepared(connection, name, $0.count, $0.values, $0.lengths, $0.formats, 1) == 1
            }
        case .direct(let statement):
            statement.withParameters {
                PQsendQueryParams(
                    connection, statement.key.text, $0.count, statement.key.types.map(\.rawValue), $0.values,
                    $0.lengths, $0.formats, 1) == 1
            }
        case .deallocate(let name): PQsendQueryParams(connection, "deallocate \(name)", 0, nil, nil, nil, nil, 1) == 1
        case .sync: PQpipelineSync(connection) == 1
        }
    }

    /// Many statements at once, by the simple protocol, which pipeline mode excludes. Returns to it by `endScript`.
    func sendScript(_ text: String) -> Bool {
        PQexitPipelineMode(connection) == 1 && PQsendQuery(connection, text) == 1
    }
    func endScript() -> Bool { PQenterPipelineMode(connection) == 1 }

    /// Whether all has been sent; `nil` when the connection is lost.
    func flush() -> Bool? {
        switch PQflush(connection) {
        case 0: true
        case 1: false
        default: nil
        }
    }

    func consumeInput() -> Bool { PQconsumeInput(connection) == 1 }

    /// Whether there is something left to read: data, or the end.
    var hasMore: Bool {
        var state = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&state, 1, 0) > 0
    }

    /// Whether `reply` would wait.
    var isBusy: Bool { PQisBusy(connection) == 1 }

    func reply() -> Pipeline.Reply {
        guard let result = PQgetResult(connection) else { return .end }
        let status = PQresultStatus(result)
        if status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK { return .result(ResultSet(result)) }
        defer { PQclear(result) }
        switch status {
        case PGRES_PIPELINE_SYNC: return .sync
        case PGRES_PIPELINE_ABORTED: return .aborted
        case PGRES_EMPTY_QUERY: return .failed(ServerReport(sqlState: "42601", message: "the statement is empty"))
        case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH: return .unusable("COPY is not supported")
        default: return .failed(report(result))
        }
    }

    func notifications() -> [(channel: String, payload: String)] {
        var all: [(String, String)] = []
        while let notification = PQnotifies(connection) {
            all.append((String(cString: notification.pointee.relname), String(cString: notification.pointee.extra)))
            PQfreemem(notification)
        }
        return all
    }

    /// Outlives the connection; frees itself.
    func canceller() -> Canceller? { PQgetCancel(connection).map(Canceller.init) }

    private func report(_ result: OpaquePointer) -> ServerReport {
        func field(_ code: Character) -> String? {
            code.asciiValue.flatMap { PQresultErrorField(result, Int32($0)) }.map { String(cString: $0) }
        }
        // Without a SQLSTATE it is libpq's own, and libpq's own are about the connection: class 08.
        return ServerReport(
            sqlState: field("C") ?? "08006", message: field("M") ?? failure, constraint: field("n"), column: field("c"))
    }
}

/// A `PGcancel`. `@unchecked Sendable`: it is a copy of address and key that `PQcancel` only reads ("thread-safe" by
/// libpq's manual).
final class Canceller: @unchecked Sendable {
    private let cancel: OpaquePointer

    init(_ cancel: OpaquePointer) { self.cancel = cancel }
    deinit { PQfreeCancel(cancel) }

    /// Opens a connection of its own and waits: not for the loop.
    func requestCancel() {
        var message = [CChar](repeating: 0, count: 256)
        _ = PQcancel(cancel, &message, Int32(message.count))
    }
}
