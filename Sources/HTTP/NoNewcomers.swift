import NIOCore

/// The step between a drain and the end of a listener: nobody new comes in, and nobody who is in is lost.
///
/// A listening socket that is closed resets those who wait to be accepted, and with them requests that are on their
/// way: a proxy may not send a POST again that it has sent. So the kernel is told first to let the beginnings of
/// connections fall (a filter on the socket, socket(7) SO_ATTACH_FILTER: segments with SYN and without ACK, RFC 9293
/// 3.1). Whoever waits is accepted and answered meanwhile; whoever knocks asks again after a second, finds the socket
/// closed, and has sent nothing.
enum NoNewcomers {
    /// As in linux/bpf_common.h: operation, lines to skip where a comparison holds and where not, operand.
    private struct Line {
        let operation: UInt16
        let then: UInt8
        let otherwise: UInt8
        let operand: UInt32

        static let program = [
            Line(operation: 0x30, then: 0, otherwise: 0, operand: 13),  // the octet of flags
            Line(operation: 0x54, then: 0, otherwise: 0, operand: 0x12),  // of it SYN and ACK
            Line(operation: 0x15, then: 0, otherwise: 1, operand: 0x02),  // SYN alone:
            Line(operation: 0x06, then: 0, otherwise: 0, operand: 0),  // nothing of it
            Line(operation: 0x06, then: 0, otherwise: 0, operand: .max),  // else all
        ]
    }

    /// `struct sock_fprog` of linux/filter.h; `lines` is an address.
    private struct Program {
        let length: UInt16
        let lines: UInt
    }

    /// SO_ATTACH_FILTER of asm-generic/socket.h.
    private static let attachFilter = NIOBSDSocket.Option(rawValue: 26)

    /// On a listening channel.
    /// - Throws: where the system has no such filter; the listener is as it was.
    static func stand(in channel: any Channel) async throws {
        guard let provider = channel as? any SocketOptionProvider else { return }
        // The kernel takes a copy.
        let lines = UnsafeMutablePointer<Line>.allocate(capacity: Line.program.count)
        defer { lines.deallocate() }
        lines.initialize(from: Line.program, count: Line.program.count)
        let program = Program(length: UInt16(Line.program.count), lines: UInt(bitPattern: lines))
        try await provider.unsafeSetSocketOption(level: .socket, name: attachFilter, value: program).get()
    }
}
