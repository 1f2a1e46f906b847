import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// Answers requests to a table in this process, by what a listener runs between the reading and the writing of bytes:
/// for a measure of the server alone.
public struct DirectResponder: Sendable {
    /// A request with its body, read already. Good for any number of answers; who asks from several threads makes each
    /// its own, since connections share none.
    public struct Asked: Sendable { fileprivate let request: Request }

    public struct Answered: Sendable {
        public let status: Int
        public let body: ByteBuffer
    }

    private let responder: RouterResponder<RoutedContext>
    private let logger: Logger

    public init(_ table: RouteTable, logger: Logger) {
        (responder, self.logger) = (table.router().buildResponder(), logger)
    }

    /// `target` is path and query. Nothing is added to the headers.
    public static func asked(
        _ method: HTTPRequest.Method, _ target: String, headers: [(name: String, value: String)] = [], body: String = ""
    ) -> Asked {
        var fields = HTTPFields()
        for header in headers { fields.append(HTTPField(name: .named(header.name), value: header.value)) }
        let head = HTTPRequest(
            method: method, scheme: "http", authority: "127.0.0.1", path: target, headerFields: fields)
        return Asked(request: Request(head: head, body: .init(buffer: ByteBuffer(string: body))))
    }

    /// `channel` tells who asks. The whole of the answer's body is written, into memory.
    public func answer(_ asked: Asked, over channel: any Channel) async throws -> Answered {
        var logger = logger
        logger[metadataKey: "hb.request.id"] = .stringConvertible(RequestID())
        let context = RoutedContext(source: .init(channel: channel, logger: logger))
        let response = try await responder.respond(to: asked.request, context: context)
        let written = Written()
        try await response.body.write(DirectWriter(written: written))
        return Answered(status: response.status.code, body: written.body)
    }

    private final class Written {
        var body = ByteBuffer()
    }

    private struct DirectWriter: ResponseBodyWriter {
        let written: Written

        mutating func write(_ buffer: ByteBuffer) async throws {
            if written.body.readableBytes == 0 {
                written.body = buffer
            } else {
                written.body.writeImmutableBuffer(buffer)
            }
        }

        consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }
}
