import NIOCore

/// A message as a route has it. In a request's body each part is one: a byte that tells the kind, and the payload,
/// whole.
public enum WebSocketMessage: Sendable, Equatable {
    enum Kind: UInt8, Sendable { case text = 1, binary }

    case text(String)
    case binary([UInt8])

    /// Of a part of the body of a request that became a WebSocket; `nil` for another part.
    init?(_ part: ByteBuffer) {
        var part = part
        guard let byte: UInt8 = part.readInteger(), let kind = Kind(rawValue: byte) else { return nil }
        self =
            switch kind {
            case .text: .text(String(buffer: part))
            case .binary: .binary(Array(part.readableBytesView))
            }
    }

    static func part(_ kind: Kind, _ payload: ByteBuffer) -> ByteBuffer {
        var part = ByteBuffer()
        part.reserveCapacity(1 + payload.readableBytes)
        part.writeInteger(kind.rawValue)
        part.writeImmutableBuffer(payload)
        return part
    }

    /// Bytes of the payload.
    var count: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .binary(let bytes): bytes.count
        }
    }
}
