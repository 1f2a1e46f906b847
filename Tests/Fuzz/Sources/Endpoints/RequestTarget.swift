import Base
import Foundation
import HTTPTypes
import Harness
import Hummingbird
import HummingbirdCore
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import Vocabulary

@testable import HTTP

/// Bytes of a connection: NIO's HTTP/1 decoder with the listener's limits, Hummingbird's router, every endpoint of the
/// server.
enum RequestTarget {
    static let target = Target("request", run: run)
    private static let responder = ClosedServer.parts.routes.router().buildResponder()
    private static let most = 4

    private static func run(_ input: [UInt8]) {
        let channel = EmbeddedChannel()
        defer { _ = try? channel.finish() }
        certain("the pipeline is built") { try build(channel) }
        // What cannot be read is Hummingbird's 400; what came before it is answered.
        _ = try? channel.writeInbound(ByteBuffer(bytes: input))
        for (head, body) in requests(channel).prefix(most) { answer(head, body, channel) }
    }

    /// As `HTTP1Channel` builds it, with the limits of `Listener`.
    private static func build(_ channel: EmbeddedChannel) throws {
        var limits = NIOHTTPDecoderLimitConfiguration()
        (limits.maxHeaderFieldSize, limits.maxHeaderListSize, limits.maxHeaderFieldCount) = (16 * 1024, 32 * 1024, 100)
        let pipeline = channel.pipeline.syncOperations
        try pipeline.configureHTTPServerPipeline(
            withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: false,
            withEncoderConfiguration: .init(), withDecoderLimitConfiguration: limits)
        try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
    }

    /// A body that breaks off counts as whole.
    private static func requests(_ channel: EmbeddedChannel) -> [(HTTPRequest, ByteBuffer)] {
        var requests: [(HTTPRequest, ByteBuffer)] = []
        while let part = try? channel.readInbound(as: HTTPRequestPart.self) {
            switch part {
            case .head(let head): requests.append((head, ByteBuffer()))
            case .body(var piece): if !requests.isEmpty { requests[requests.count - 1].1.writeBuffer(&piece) }
            case .end: break
            }
        }
        return requests
    }

    private static func answer(_ head: HTTPRequest, _ body: ByteBuffer, _ channel: EmbeddedChannel) {
        let request = Request(head: head, body: RequestBody(buffer: body))
        asked(request, RoutedContext(source: .init(channel: channel, logger: ClosedServer.logger)))
        let context = RoutedContext(source: .init(channel: channel, logger: ClosedServer.logger))
        let outcome = ClosedServer.turner.run {
            let response = try await responder.respond(to: request, context: context)
            let collected = Collected()
            try await response.body.write(CollectingWriter(collected: collected))
            return (response.status.code, response.headers, collected.bytes)
        }
        switch outcome {
        case .success((let status, let headers, let bytes)):
            AnswerOracle.check(head, status: status, headers, body: bytes)
        case .failure(let error): violated("every request is answered: \(error)")
        }
    }

    /// What the server makes of target and headers before anything is routed.
    private static func asked(_ request: Request, _ context: RoutedContext) {
        let presented = request.presented(ServerParts.root, context)
        require(presented.url.hasPrefix(ServerParts.root), "a URL is the configured one's")
        require(!request.uri.path.contains("?"), "path and query are apart")
        if let credentials = presented.credentials {
            require(
                credentials.scheme == credentials.scheme.lowercased() && !credentials.scheme.isEmpty,
                "a scheme is in lower case")
        }
        if let query = request.uri.query, let form = try? FormCodec.read(query.utf8) {
            require(form.count <= query.utf8.count, "a byte or more, a parameter")
        }
        if let type = BodyReading.mediaType(request) {
            require(type == type.lowercased(), "a media type is in lower case")
        }
    }
}
