import Base
import Foundation

/// An event that a client sent, with what belongs to it.
public struct SocketEvent: Sendable, Equatable {
    public let name: String
    public let namespace: String
    public let acknowledgement: Int?
    /// The whole array, name first: as it was written, and as values.
    public let payload: String
    public let arguments: [JSONValue]
    public let attachments: [[UInt8]]
}

/// A message as it is read before its session is asked: that takes as long as the message is, and needs no lock.
public enum SocketReading: Sendable, Equatable {
    case packet(SocketPacket)
    case attachment([UInt8])
    /// Of no form; or of a namespace that is not among `joined`, whose JSON is not even read.
    case malformed

    public init(_ data: EngineData, joined: [String: String]) {
        switch data {
        case .binary(let bytes): self = .attachment(bytes)
        case .text(let text):
            guard let packet = try? SocketPacket(text, isAwaited: { $0 == .connect || joined[$1] != nil }) else {
                self = .malformed
                return
            }
            self = .packet(packet)
        }
    }
}

/// The Socket.IO 5 side of one connection, without any I/O. `close` is always the last action.
/// Reference: socketio/socket.io, docs/socket.io-protocol/v5-current; protocols/liquid.md, 4.
public struct SocketSession: Sendable {
    public enum Action: Sendable, Equatable {
        case send(EngineData)
        /// `auth` is what the client sent with its CONNECT.
        case joined(namespace: String, auth: JSONObject?)
        case event(SocketEvent)
        case left(namespace: String)
        case close
    }

    private struct Partial: Sendable {
        let packet: SocketPacket
        var attachments: [[UInt8]] = []
    }

    /// Namespace to the id of its socket.
    public private(set) var joined: [String: String] = [:]
    private var partial: Partial?
    private var connectBy: Date

    public init(limits: SocketLimits, now: Date) { connectBy = now + limits.connectTimeout }

    /// When a client that is in no namespace is let go.
    public var deadline: Date? { joined.isEmpty ? connectBy : nil }

    public func isOverdue(at now: Date) -> Bool { deadline.map { now >= $0 } ?? false }

    /// `socketID` is made for each CONNECT that is accepted.
    public mutating func receive(
        _ reading: SocketReading, limits: SocketLimits, now: Date, socketID: () -> String
    ) -> [Action] {
        switch reading {
        case .attachment(let bytes): return attach(bytes, limits: limits)
        case .packet(let packet) where partial == nil:
            return receive(packet, limits: limits, now: now, socketID: socketID)
        case .packet, .malformed: return [.close]
        }
    }

    private mutating func receive(
        _ packet: SocketPacket, limits: SocketLimits, now: Date, socketID: () -> String
    ) -> [Action] {
        let namespace = packet.namespace
        guard packet.kind != .connect else { return connect(packet, limits: limits, id: socketID()) }
        guard joined[namespace] != nil else { return [.close] }
        switch packet.kind {
        case .event: return [.event(SocketSession.event(packet, []))]
        case .binaryEvent, .binaryAck:
            partial = Partial(packet: packet)
            return packet.attachments == 0 ? finish() : []
        // Nothing here asks for one, and a late one harms nobody.
        case .ack: return []
        case .disconnect:
            // The session goes on: another CONNECT may follow, as it may after the handshake.
            joined[namespace] = nil
            connectBy = now + limits.connectTimeout
            return [.left(namespace: namespace)]
        case .connect, .connectError: return [.close]
        }
    }

    private mutating func connect(_ packet: SocketPacket, limits: SocketLimits, id: String) -> [Action] {
        let namespace = packet.namespace
        guard joined[namespace] == nil else { return [.close] }
        guard limits.namespaces.contains(namespace) else {
            return [.send(.text(SocketPacket(.connectError, in: namespace, ["message": "Invalid namespace"]).text))]
        }
        joined[namespace] = id
        return [
            .send(.text(SocketPacket(.connect, in: namespace, ["sid": .string(id)]).text)),
            .joined(namespace: namespace, auth: packet.value?.object),
        ]
    }

    private mutating func attach(_ bytes: [UInt8], limits: SocketLimits) -> [Action] {
        guard partial != nil else { return [.close] }
        partial?.attachments.append(bytes)
        guard let begun = partial, begun.attachments.reduce(0, { $0 + $1.count }) <= limits.maxPayload else {
            return [.close]
        }
        return begun.attachments.count == begun.packet.attachments ? finish() : []
    }

    private mutating func finish() -> [Action] {
        guard let whole = partial else { return [] }
        partial = nil
        return whole.packet.kind == .binaryEvent ? [.event(SocketSession.event(whole.packet, whole.attachments))] : []
    }

    private static func event(_ packet: SocketPacket, _ attachments: [[UInt8]]) -> SocketEvent {
        let items = packet.value?.array ?? []
        return SocketEvent(
            name: items.first?.string ?? "", namespace: packet.namespace, acknowledgement: packet.acknowledgement,
            payload: packet.payload,
            arguments: Array(items.dropFirst()), attachments: attachments)
    }
}
