import Foundation

/// What an Engine.IO session carries for the layer above; a WebSocket carries the same as its frames.
public enum EngineData: Sendable, Equatable {
    case text(String)
    case binary([UInt8])

    public var count: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .binary(let bytes): bytes.count
        }
    }
}

/// One packet of Engine.IO protocol 4: a digit and its text. A binary message has no digit: it is the frame, or `b` and
/// base64 in a payload.
public enum EnginePacket: Sendable, Equatable {
    public struct Malformed: Error, Equatable {}

    case open(String)
    case close
    case ping(String)
    case pong(String)
    case message(EngineData)
    case upgrade
    case noop

    init(_ frame: EngineData) throws(Malformed) {
        switch frame {
        case .binary: self = .message(frame)
        case .text(let text): self = try EnginePacket(text: text[...])
        }
    }

    /// `nil` for what is of no form, or too long.
    public init?(frame: EngineData, limits: SocketLimits) {
        guard frame.count <= limits.maxPayload, let packet = try? EnginePacket(frame) else { return nil }
        self = packet
    }

    /// One text packet. Where nothing may follow the digit, nothing does.
    init(text: Substring) throws(Malformed) {
        // By scalars: a digit that carries a combining mark is one Character.
        let tail = String(text.unicodeScalars.dropFirst())
        guard let digit = text.unicodeScalars.first else { throw Malformed() }
        switch digit {
        case "0": self = .open(tail)
        case "1" where tail.isEmpty: self = .close
        case "2": self = .ping(tail)
        case "3": self = .pong(tail)
        case "4": self = .message(.text(tail))
        case "5" where tail.isEmpty: self = .upgrade
        case "6" where tail.isEmpty: self = .noop
        default: throw Malformed()
        }
    }

    /// As a WebSocket frame.
    public var frame: EngineData {
        if case .message(.binary(let bytes)) = self { .binary(bytes) } else { .text(text) }
    }

    /// As it stands in a payload of HTTP long-polling.
    var text: String {
        switch self {
        case .open(let handshake): "0" + handshake
        case .close: "1"
        case .ping(let text): "2" + text
        case .pong(let text): "3" + text
        case .message(.text(let text)): "4" + text
        case .message(.binary(let bytes)): "b" + Data(bytes).base64EncodedString()
        case .upgrade: "5"
        case .noop: "6"
        }
    }
}

/// The body of a long-polling request or answer: packets with a record separator (0x1E) between them.
public enum EnginePayload {
    static let separator: Unicode.Scalar = "\u{1E}"

    /// Of a body, read or not.
    public static func count(_ body: [UInt8]) -> Int { body.reduce(1) { $1 == UInt8(ascii: separator) ? $0 + 1 : $0 } }

    public static func write(_ packets: [EnginePacket]) -> String {
        packets.map(\.text).joined(separator: String(separator))
    }

    /// At least one packet and at most `limit`. Base64 is strict (RFC 4648, 4, with padding).
    static func read(_ body: String, limit: Int) throws(EnginePacket.Malformed) -> [EnginePacket] {
        let parts = body.unicodeScalars.split(separator: separator, maxSplits: limit, omittingEmptySubsequences: false)
        guard parts.count <= limit else { throw EnginePacket.Malformed() }
        var packets: [EnginePacket] = []
        for part in parts {
            if part.first == "b" {
                guard let bytes = Data(base64Encoded: String(part.dropFirst())) else { throw EnginePacket.Malformed() }
                packets.append(.message(.binary(Array(bytes))))
            } else {
                packets.append(try EnginePacket(text: Substring(part)))
            }
        }
        return packets
    }
}

/// The body of a POST, as it is read before its session is asked: that takes as long as the body is, and needs no lock.
public enum EnginePosting: Sendable, Equatable {
    case packets([EnginePacket])
    case tooLarge
    case malformed

    public init(_ body: [UInt8], limits: SocketLimits) {
        guard body.count <= limits.maxPayload else {
            self = .tooLarge
            return
        }
        let packets = String(validating: body, as: UTF8.self).flatMap {
            try? EnginePayload.read($0, limit: limits.maxPackets)
        }
        self = packets.map(EnginePosting.packets) ?? .malformed
    }

    public var packets: [EnginePacket] { if case .packets(let packets) = self { packets } else { [] } }
}
