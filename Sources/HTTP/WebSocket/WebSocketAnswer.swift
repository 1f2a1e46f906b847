import Base
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Vocabulary

/// The route's side of a WebSocket (RFC 6455, 4.2).
public enum WebSocketAnswer {
    /// Bytes of a message that comes; a longer one ends the connection with 1009.
    static let longest = 300_000

    /// Whether a request asks for one, rightly or not.
    public static func isAsked(_ request: Request) -> Bool {
        names(request, .upgrade).contains("websocket") && names(request, .connection).contains("upgrade")
    }

    /// Of a request that asks (4.2.1): what `Sec-WebSocket-Accept` says. No extension and no subprotocol is agreed on.
    public static func accept(_ request: Request) throws -> String {
        guard isAsked(request), request.method == .get, names(request, .transferEncoding).isEmpty,
            request.headers[values: .contentLength].allSatisfy({ $0 == "0" })
        else {
            throw OAuthError(.invalidRequest, "this is no opening of a WebSocket")
        }
        let keys = request.headers[values: .secWebSocketKey]
        guard keys.count == 1, let key = keys.first, Data(base64Encoded: key)?.count == 16 else {
            throw OAuthError(.invalidRequest, "Sec-WebSocket-Key must be 16 bytes in base64")
        }
        return Data(Digest.sha1("\(key)258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)).base64EncodedString()
    }

    /// 4.4: any version but 13 is answered with the one that is spoken here.
    public static func otherVersion(_ request: Request) -> Response? {
        guard request.headers[values: .secWebSocketVersion] != ["13"] else { return nil }
        return Response(status: .upgradeRequired, headers: [.secWebSocketVersion: "13", .upgrade: "websocket"])
    }

    /// 101. `talk` has the messages until there are no more, and the connection is closed after it. `outlet` is open
    ///      while it runs; `talk` is called in any case once
    /// the 101 is on its way, with no messages where the client has gone.
    public static func respond(
        _ request: Request, _ context: RoutedContext, accept: String, headers extra: HTTPFields = [:],
        outlet: WebSocketOutlet,
        _ talk: @escaping @Sendable (WebSocketMessages) async -> Void
    ) -> Response {
        var headers = extra
        headers[.upgrade] = "websocket"
        headers[.connection] = "Upgrade"
        headers[.secWebSocketAccept] = accept
        let channel = context.channel, body = request.body
        return Response(
            status: .switchingProtocols, headers: headers,
            body: ResponseBody { writer in
                do {
                    try await outlet.open(channel)
                } catch {
                    await talk(WebSocketMessages(nil))
                    throw error
                }
                await talk(WebSocketMessages(body))
                try await writer.finish(nil)
            })
    }

    /// What `body` gives, in a task of its own. A task keeps the memory that its calls took at their deepest until it
    /// ends, and a connection's lasts as long as its WebSocket: half of what an idle one took was of routing that was
    /// over.
    static func apart(_ body: @escaping @Sendable () async throws -> Response) async throws -> Response {
        try await withThrowingTaskGroup(of: Response.self) { group in
            group.addTask(operation: body)
            guard let response = try await group.next() else { throw CancellationError() }
            return response
        }
    }

    private static func names(_ request: Request, _ field: HTTPField.Name) -> [String] {
        request.headers[values: field].flatMap { $0.split(separator: ",") }.map {
            $0.trimmingCharacters(in: .whitespaces).lowercased()
        }
    }
}

/// What comes in over one WebSocket. Who does not ask for the next message slows its sender down.
public struct WebSocketMessages: Sendable {
    private let body: RequestBody?

    fileprivate init(_ body: RequestBody?) { self.body = body }

    /// Until the other side or this one closes, or the connection is lost.
    public func forEach(_ take: (WebSocketMessage) async -> Void) async {
        guard let body else { return }
        do {
            for try await part in body {
                guard let message = WebSocketMessage(part) else { return }
                await take(message)
            }
        } catch {
            // Lost; there is nobody to tell.
            return
        }
    }
}
