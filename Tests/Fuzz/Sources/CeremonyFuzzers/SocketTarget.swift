import Base
import Foundation
import Harness

@testable import Liquid
@testable import SocketIO

/// Socket.IO: packets, the session on top of Engine.IO, and request ids. A line is a packet; one that begins with NUL
/// is a binary attachment.
enum SocketTarget {
    static let target = Target("socketio", run: run)

    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private static let limits: SocketLimits = {
        var limits = SocketLimits()
        (limits.maxPayload, limits.namespaces) = (512, ["/", "/other"])
        return limits
    }()

    private static func run(_ input: [UInt8]) {
        let lines = input.split(separator: UInt8(ascii: "\n"), maxSplits: 100)
        for line in lines.prefix(8) { packet(String(decoding: line, as: UTF8.self)) }
        session(lines)
    }

    private static func packet(_ text: String) {
        guard let packet = try? SocketPacket(text) else { return }
        require(
            certain("what was written is read", { try SocketPacket(packet.text) }) == packet,
            "what was written is the same")
        require(text.utf8.reversed().starts(with: packet.payload.utf8.reversed()), "a payload is what its sender wrote")
        require(packet.payload.isEmpty == (packet.value == nil), "a payload is JSON, or nothing")
        if let value = packet.value {
            require((try? JSONReader.read(packet.payload.utf8)) == value, "and is that value")
        }
        require(packet.attachments == 0 || packet.kind.hasAttachments, "attachments are of their kinds")
        require((0...SocketPacket.mostAttachments).contains(packet.attachments), "and are few")
        require(
            packet.namespace.utf8.first == UInt8(ascii: "/") && packet.namespace.utf8.count <= 128,
            "a namespace is a path")
        let name = packet.value?.array?.first?.string
        if packet.kind == .event {
            require(name.map { !SocketPacket.reservedNames.contains($0) } == true, "an event has a name of its own")
        }
        for argument in packet.value?.array ?? [] { identifiers(argument) }
    }

    /// `1` is not `"1"`, and both come back as they were.
    private static func identifiers(_ value: JSONValue) {
        for candidate in [value, value["requestId"] ?? .null] {
            guard let id = RequestID(candidate) else { continue }
            require(RequestID(key: id.key) == id && RequestID(id.json) == id, "a request id survives its storage")
            require((candidate.string != nil) == (id.json.string != nil), "text stays text, and a number a number")
            if let text = candidate.string {
                require(id.json.string.map { isSpelledAlike($0, text) } == true, "to the letter")
            }
        }
    }

    private static func session(_ lines: [ArraySlice<UInt8>]) {
        var session = SocketSession(limits: limits, now: now), joined: Set<String> = [], ids = 0
        for line in lines {
            let data: EngineData =
                line.first == 0 ? .binary(Array(line.dropFirst())) : .text(String(decoding: line, as: UTF8.self))
            let actions = session.receive(SocketReading(data, joined: session.joined), limits: limits, now: now) {
                ids += 1
                return "\(ids)"
            }
            for (place, action) in actions.enumerated() {
                switch action {
                case .send(.text(let text)): _ = certain("what is sent can be read") { try SocketPacket(text) }
                case .send(.binary): violated("nothing binary is sent unasked")
                case .joined(let namespace, _):
                    require(
                        limits.namespaces.contains(namespace) && joined.insert(namespace).inserted,
                        "a namespace is joined once")
                case .left(let namespace): require(joined.remove(namespace) != nil, "what is left was joined")
                case .event(let event): heard(event, in: joined)
                case .close: require(place == actions.count - 1, "closing comes last")
                }
            }
            if actions.last == .close { return }
            require(
                Set(session.joined.keys) == joined && Set(session.joined.values).count == joined.count,
                "every namespace has a socket of its own")
            require((session.deadline == nil) == !joined.isEmpty, "who joined may stay")
        }
    }

    private static func heard(_ event: SocketEvent, in joined: Set<String>) {
        require(joined.contains(event.namespace), "an event comes from who joined")
        require(
            !SocketPacket.reservedNames.contains(event.name) && event.attachments.count <= SocketPacket.mostAttachments,
            "an event is one")
        require(
            (try? JSONReader.read(Array(event.payload.utf8)))?.array?.count == event.arguments.count + 1,
            "with the arguments of its payload")
    }
}
