import Foundation
import NIOCore
import Server

/// The client's side of one connection: the upgrade (RFC 6455, 4.1), Engine.IO and Socket.IO as far as they are needed,
/// and what its part asks for. Frames are short and whole. Masks are zero: the server computes the same, and the client
/// need not.
final class BenchSocketHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The first message of those who begin.
    struct Begin: Sendable {}

    private struct Refused: Error, CustomStringConvertible { let description: String }
    private enum Phase { case upgrading, opening, joining, linking, ready }

    private static let candidate =
        #",{"candidate":"candidate:1 1 UDP 2122252543 192.0.2.7 54321 typ host","sdpMid":"0","sdpMLineIndex":0}]"#

    private let part: BenchSocketPart
    private let port: Int
    private let ready: EventLoopPromise<Void>
    private let score: BenchSocketScore
    private var phase = Phase.upgrading
    private var isSettled = false
    private var isCounted = false
    private var inbox = ByteBuffer()

    init(_ part: BenchSocketPart, port: Int, ready: EventLoopPromise<Void>, score: BenchSocketScore) {
        (self.part, self.port, self.ready, self.score) = (part, port, ready, score)
    }

    // MARK: Life

    func channelActive(context: ChannelHandlerContext) {
        if case .echo = part {
            phase = .ready
            return settle(.success(()))
        }
        let cookie =
            switch part {
            case .page(let cookie, _), .wallet(let cookie, _): "Cookie: connect.sid=\(cookie)\r\n"
            case .idle, .echo: ""
            }
        send(
            """
            GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: \
            Upgrade\r\nUpgrade: websocket\r\n\
            Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\(cookie)\r\n
            """, context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        settle(.failure(Refused(description: "the connection was closed")))
        if isCounted { score.alive.with { $0 -= 1 } }
        isCounted = false
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        settle(.failure(error))
        context.close(promise: nil)
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard event is Begin else { return context.triggerUserOutboundEvent(event, promise: promise) }
        if part.begins { speak(context) }
        promise?.succeed(())
    }

    private func settle(_ result: Result<Void, any Error>) {
        guard !isSettled else { return }
        isSettled = true
        if case .success = result {
            isCounted = true
            score.alive.with { $0 += 1 }
        }
        ready.completeWith(result)
    }

    // MARK: Reading

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var buffer = unwrapInboundIn(data)
        inbox.writeBuffer(&buffer)
        if phase == .upgrading, !upgraded(context) { return }
        while let (opcode, text) = frame() {
            switch opcode {
            case 0x1: heard(text, context)
            case 0x9: send(framed("", opcode: 0xA), context)
            default: return context.close(promise: nil)
            }
        }
        if inbox.readableBytes == 0 { inbox.clear() }
    }

    /// Whether the head of the answer is over, and is a 101.
    private func upgraded(_ context: ChannelHandlerContext) -> Bool {
        let head = String(buffer: inbox)
        guard let end = head.range(of: "\r\n\r\n") else { return false }
        guard head.hasPrefix("HTTP/1.1 101") else {
            settle(.failure(Refused(description: String(head.prefix(60)))))
            context.close(promise: nil)
            return false
        }
        inbox.moveReaderIndex(forwardBy: head[..<end.upperBound].utf8.count)
        phase = .opening
        return true
    }

    /// Opcode and the beginning of the payload of the first whole frame (RFC 6455, 5.2); masked ones come back from the
    /// echo.
    private func frame() -> (opcode: UInt8, text: String)? {
        var rest = inbox
        guard let first = rest.readInteger(as: UInt8.self), let second = rest.readInteger(as: UInt8.self) else {
            return nil
        }
        var length = Int(second & 0x7F)
        if length == 126 {
            guard let long = rest.readInteger(as: UInt16.self) else { return nil }
            length = Int(long)
        } else if length == 127 {
            guard let long = rest.readInteger(as: UInt64.self) else { return nil }
            length = Int(clamping: long)
        }
        if second & 0x80 != 0 { guard rest.readInteger(as: UInt32.self) != nil else { return nil } }
        guard let payload = rest.readSlice(length: length) else { return nil }
        inbox = rest
        return (first & 0x0F, payload.getString(at: payload.readerIndex, length: min(payload.readableBytes, 24)) ?? "")
    }

    private func heard(_ text: String, _ context: ChannelHandlerContext) {
        if text == "2" { return send(framed("3"), context) }
        switch phase {
        case .opening where text.hasPrefix("0"):
            phase = .joining
            send(framed("40"), context)
        case .joining where text.hasPrefix("40"):
            switch part {
            case .page(_, let request), .wallet(_, let request):
                phase = .linking
                send(framed(#"420["link",{"requestId":"\#(request)"}]"#), context)
            case .idle, .echo:
                phase = .ready
                settle(.success(()))
            }
        case .linking where text.hasPrefix("430"):
            phase = .ready
            settle(.success(()))
        case .ready where text.hasPrefix(#"42["offer-ca"#) || text.hasPrefix(#"42["answer-"#):
            score.messages.with { $0 += 1 }
            if !score.isOver.with({ $0 }) { speak(context) }
        default: return
        }
    }

    // MARK: Writing

    /// The message of its side.
    private func speak(_ context: ChannelHandlerContext) {
        let name = if case .wallet = part { "offer-candidate" } else { "answer-candidate" }
        send(framed(#"42["\#(name)""# + BenchSocketHandler.candidate), context)
    }

    private func framed(_ text: String, opcode: UInt8 = 0x1) -> ByteBuffer {
        let length = text.utf8.count
        var frame = ByteBuffer()
        frame.reserveCapacity(length + 8)
        frame.writeInteger(0x80 | opcode)
        if length < 126 {
            frame.writeInteger(0x80 | UInt8(length))
        } else {
            frame.writeInteger(UInt8(0xFE))
            frame.writeInteger(UInt16(clamping: length))
        }
        frame.writeInteger(UInt32(0))
        frame.writeString(text)
        return frame
    }

    private func send(_ text: String, _ context: ChannelHandlerContext) { send(ByteBuffer(string: text), context) }

    private func send(_ buffer: ByteBuffer, _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
    }
}
