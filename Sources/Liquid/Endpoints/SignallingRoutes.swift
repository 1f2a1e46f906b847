import Base
import HTTP
import HTTPTypes
import Hummingbird
import NIOCore
import OAuth
import ServiceLifecycle
import SocketIO
import Vocabulary

/// `/socket.io/`: Engine.IO 4 by long polling and WebSocket (protocols/liquid.md, 4). What is said there is the hub's;
/// here are the two ways in.
///
/// The id of a session is all that a poll or a post shows, as in the reference; the cookie counts when a session is
/// opened.
enum SignallingRoutes {
    static let scope = "com.liquidauth.signaling"
    static let path = "/socket.io/"

    static func endpoints(_ liquidContext: LiquidRequestContext) -> [Endpoint] {
        let methods: [(HTTPRequest.Method, String, EndpointShape)] = [
            (.get, "opens a socket, waits for its packets, or becomes a WebSocket", .socketOpened),
            (.post, "packets of a socket", .socketPosted),
            (.put, "refused as Engine.IO does", .socketRefused), (.delete, "refused as Engine.IO does", .socketRefused),
            (.patch, "refused as Engine.IO does", .socketRefused),
        ]
        return methods.map { method, what, shape in
            Endpoint(method, path, "liquid: signalling, \(what)") { request, context in
                try await answer(request, context, liquidContext)
            }.telling(shape)
        } + [liquidContext.preflight(path)]
    }

    private static func answer(
        _ request: Request, _ context: RoutedContext, _ liquidContext: LiquidRequestContext
    ) async throws -> Response {
        guard liquidContext.admits(request), !liquidContext.isForeign(request) else {
            return write(.refused(.forbidden))
        }
        do {
            let query = try QueryItems(request).items
            switch try EngineRequest.read(
                method: request.method.rawValue, query: query, isUpgrade: WebSocketAnswer.isAsked(request))
            {
            case .open: return try await open(request, context, liquidContext)
            case .poll(let sid):
                return liquidContext.withPolicy(
                    write(await poll(sid, context, liquidContext)), for: request, cookie: nil)
            case .post(let sid):
                return liquidContext.withPolicy(
                    write(try await post(sid, request, liquidContext)), for: request, cookie: nil)
            case .socket(let sid): return try await socket(sid, request, context, liquidContext)
            }
        } catch let refusal as EngineRefusal {
            return liquidContext.withPolicy(write(.refused(refusal)), for: request, cookie: nil)
        } catch let refusal as OAuthError {
            ErrorRendering.log(refusal, context)
            return liquidContext.withPolicy(Answer.error(refusal), for: request, cookie: nil)
        }
    }

    // MARK: Long polling

    private static func open(
        _ request: Request, _ context: RoutedContext, _ liquidContext: LiquidRequestContext
    ) async throws -> Response {
        let (session, cookie) = try await opening(request, context, liquidContext)
        let reply = await liquidContext.liquid.signalling.open(session)
        return liquidContext.withPolicy(write(reply), for: request, cookie: cookie)
    }

    /// Whose socket it is, and what its cookie is to be: by a token there is none.
    private static func opening(
        _ request: Request, _ context: RoutedContext, _ liquidContext: LiquidRequestContext
    ) async throws -> (SignallingSession, cookie: String?) {
        if let session = try await liquidContext.tokenSession(request, context) { return (session, nil) }
        let presented = try await liquidContext.presented(request, context), liquid = liquidContext.liquid
        let session = liquid.signallingSession(
            presented, page: liquidContext.page(request), authenticate: liquidContext.authentication(request, context))
        return (session, liquid.cookie(opening: presented))
    }

    /// The hub is told when the client gives up, and when this process is about to end: the client comes back to
    /// another.
    private static func poll(
        _ sid: String, _ context: RoutedContext, _ liquidContext: LiquidRequestContext
    ) async -> EngineReply {
        let hub = liquidContext.liquid.signalling
        return await DepartureWatch.run(on: context.channel) {
            await cancelWhenGracefulShutdown { await hub.poll(sid: sid) }
        }
    }

    /// Nothing is read for who made an id up.
    private static func post(
        _ sid: String, _ request: Request, _ liquidContext: LiquidRequestContext
    ) async throws -> EngineReply {
        guard liquidContext.liquid.signalling.knows(sid: sid) else { return .refused(.unknownSession) }
        let body: [UInt8]
        do {
            body = try await BodyReading.bytes(request, limit: liquidContext.liquid.longestBody)
        } catch let refusal as OAuthError where refusal.code == .tooLarge {
            return .tooLarge
        }
        return await liquidContext.liquid.signalling.post(sid: sid, body)
    }

    // MARK: WebSocket

    private static func socket(
        _ sid: String?, _ request: Request, _ context: RoutedContext, _ liquidContext: LiquidRequestContext
    ) async throws -> Response {
        if let other = WebSocketAnswer.otherVersion(request) { return other }
        guard let accept = try? WebSocketAnswer.accept(request) else { throw EngineRefusal.badRequest }
        // Who upgrades a session has said who it is.
        let (session, cookie) =
            sid == nil
            ? try await opening(request, context, liquidContext)
            : try await upgrading(request, context, liquidContext)
        let outlet = WebSocketOutlet(limit: SocketLimits.standard.maxWaiting)
        let writer = SocketWriter(
            send: { outlet.send(WebSocketMessage($0)) }, close: { outlet.close() }, waiting: { outlet.waiting })
        switch await liquidContext.liquid.signalling.connect(sid: sid, session, writer: writer)
        {
        case .failure(let failure):
            return liquidContext.withPolicy(write(failure.reply), for: request, cookie: cookie)
        case .success(let connection):
            let response = WebSocketAnswer.respond(request, context, accept: accept, outlet: outlet) { messages in
                await messages.forEach { await connection.receive($0.packet) }
                await connection.closed()
            }
            return liquidContext.withPolicy(response, for: request, cookie: cookie)
        }
    }

    /// The socket is the session's that opened it, whatever this request shows.
    private static func upgrading(
        _ request: Request, _ context: RoutedContext, _ liquidContext: LiquidRequestContext
    ) async throws -> (SignallingSession, cookie: String?) {
        let presented = try await liquidContext.presented(request, context), liquid = liquidContext.liquid
        let session = liquid.signallingSession(presented, page: liquidContext.page(request))
        return (session, liquidContext.showsToken(request) ? nil : liquid.cookie(opening: presented))
    }

    // MARK: Answers

    /// As the reference server writes them; 403 is its status of `forbidden`.
    private static func write(_ reply: EngineReply) -> Response {
        switch reply {
        case .payload(let text): return Answer.text(text, type: "text/plain; charset=UTF-8", store: false)
        case .taken: return Answer.text("ok", type: "text/plain; charset=UTF-8", store: false)
        case .refused(let refusal):
            return Answer.json(
                ["code": .integer(refusal.rawValue), "message": .string(refusal.message)],
                status: refusal == .forbidden ? .forbidden : .badRequest)
        case .tooLarge: return Answer.empty(.contentTooLarge)
        case .full:
            let body: JSONValue = ["code": .integer(EngineRefusal.badRequest.rawValue), "message": "Too many sockets"]
            return Answer.json(body, status: .serviceUnavailable, headers: [.retryAfter: "5"])
        }
    }
}

extension WebSocketMessage {
    init(_ packet: EngineData) {
        self =
            switch packet {
            case .text(let text): .text(text)
            case .binary(let bytes): .binary(bytes)
            }
    }

    var packet: EngineData {
        switch self {
        case .text(let text): .text(text)
        case .binary(let bytes): .binary(bytes)
        }
    }
}
