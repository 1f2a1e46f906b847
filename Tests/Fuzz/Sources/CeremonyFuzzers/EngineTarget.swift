import Base
import Foundation
import Harness

@testable import Liquid
@testable import SocketIO

/// Engine.IO: packets, payloads, and a session that is put through whatever the input says.
enum EngineTarget {
    static let target = Target("engineio", run: run)

    private static let limits: SocketLimits = {
        var limits = SocketLimits()
        (limits.maxPayload, limits.maxPackets) = (512, 16)
        return limits
    }()

    private static func run(_ input: [UInt8]) {
        let text = String(decoding: input, as: UTF8.self)
        packet(text)
        payload(text)
        request(text)
        for isSocket in [false, true] {
            var walk = EngineWalk(overSocket: isSocket, limits: limits)
            walk.walk(input)
        }
    }

    private static func packet(_ text: String) {
        guard let packet = try? EnginePacket(text: text[...]) else { return }
        require(isSpelledAlike(packet.text, text), "a packet is written as it was read")
        require(packet.frame == .text(text), "and is that frame")
        require((try? EnginePacket(.text(text))) == packet, "as a frame it is the same")
    }

    private static func payload(_ text: String) {
        guard let packets = try? EnginePayload.read(text, limit: limits.maxPackets) else { return }
        require((1...limits.maxPackets).contains(packets.count), "a payload has packets, and not too many")
        let written = EnginePayload.write(packets)
        require((try? EnginePayload.read(written, limit: limits.maxPackets)) == packets, "what was written is read")
        let isText = packets.allSatisfy { if case .message(.binary) = $0 { false } else { true } }
        require(!isText || isSpelledAlike(written, text), "without base64 it is the same to the byte")
        if packets.count > 1 {
            require((try? EnginePayload.read(text, limit: packets.count - 1)) == nil, "the limit is exact")
        }
    }

    /// The input as a query.
    private static func request(_ text: String) {
        let pairs = text.split(separator: "&").map { part -> (name: String, value: String) in
            let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return (halves[0], halves.count > 1 ? halves[1] : "")
        }
        for method in ["GET", "POST", "PUT"] {
            for isUpgrade in [false, true] {
                guard let request = try? EngineRequest.read(method: method, query: pairs, isUpgrade: isUpgrade) else {
                    continue
                }
                require(pairs.filter { $0.name == "EIO" }.map(\.value) == ["4"], "protocol 4, said once")
                switch request {
                case .open, .poll: require(method == "GET" && !isUpgrade, "polling is by GET")
                case .post: require(method == "POST" && !isUpgrade, "posting is by POST")
                case .socket: require(method == "GET" && isUpgrade, "a WebSocket is asked for")
                }
            }
        }
    }
}

/// A script of steps, one a line: its first letter says what is done, the rest is what arrives. Holds a session to what
/// its runner relies on.
struct EngineWalk {
    private static let start = Date(timeIntervalSince1970: 1_800_000_000)

    private let limits: SocketLimits
    private var session: EngineSession
    private var now = EngineWalk.start
    private var last = 0
    private var waiting: Set<Int> = []
    private var sockets: Set<Int> = []
    /// Texts that this side sends, and what the other heard.
    private var sent: [String] = []
    private var heard: [String] = []

    init(overSocket: Bool, limits: SocketLimits) {
        self.limits = limits
        session = EngineSession(over: overSocket ? 1 : nil, limits: limits, now: EngineWalk.start)
        if overSocket { (last, sockets) = (1, [1]) }
    }

    mutating func walk(_ script: [UInt8]) {
        for line in script.split(separator: UInt8(ascii: "\n"), maxSplits: 100) {
            guard !session.isOver else { return }
            step(line[line.startIndex], Array(line.dropFirst()))
            require(heard.elementsEqual(sent.prefix(heard.count)), "what is sent arrives once, and in order")
        }
    }

    private mutating func step(_ letter: UInt8, _ rest: [UInt8]) {
        switch letter {
        case UInt8(ascii: "g"):
            last += 1
            waiting.insert(last)
            check(session.poll(last, limits: limits))
        case UInt8(ascii: "p"):
            let (reply, actions) = session.post(EnginePosting(rest, limits: limits))
            require(reply != .tooLarge || rest.count > limits.maxPayload, "too large is what is larger than the limit")
            check(actions)
        case UInt8(ascii: "u"):
            last += 1
            sockets.insert(last)
            check(session.upgrade(last, limits: limits, now: now))
        case UInt8(ascii: "f"), UInt8(ascii: "F"):
            guard let socket = letter == UInt8(ascii: "f") ? sockets.max() : sockets.min() else { return }
            let frame = String(validating: rest, as: UTF8.self).map { EngineData.text($0) } ?? .binary(rest)
            check(session.receive(EnginePacket(frame: frame, limits: limits), on: socket))
        case UInt8(ascii: "l"):
            guard let socket = sockets.max() else { return }
            check(session.lost(socket))
            sockets.remove(socket)
        case UInt8(ascii: "L"):
            guard let get = waiting.popFirst() else { return }
            check(session.lost(get))
        case UInt8(ascii: "t"):
            now += Double(rest.first ?? 1)
            check(session.tick(limits: limits, now: now))
            require(session.isOver || session.deadline > now, "what was due is done")
        case UInt8(ascii: "s"):
            sent.append("\(sent.count)")
            check(session.send(.text("\(sent.count - 1)"), limits: limits))
        case UInt8(ascii: "c"): check(session.close())
        default: return
        }
    }

    private mutating func check(_ actions: [EngineSession.Action]) {
        for (place, action) in actions.enumerated() {
            switch action {
            case .answer(let connection, let reply):
                require(waiting.remove(connection) != nil, "a GET is answered once")
                if case .payload(let text) = reply {
                    certain("an answer can be read", { try EnginePayload.read(text, limit: .max) }).forEach { hear($0) }
                }
            case .send(let connection, let frame):
                require(sockets.contains(connection), "only an open socket is sent to")
                hear(certain("a frame can be read") { try EnginePacket(frame) })
            case .hangUp(let connection): require(sockets.remove(connection) != nil, "a socket is hung up once")
            case .deliver: break
            case .ended: require(place == actions.count - 1 && session.isOver, "the end comes last")
            }
        }
        require(!session.isOver || waiting.isEmpty, "at the end nobody waits")
    }

    private mutating func hear(_ packet: EnginePacket) {
        if case .message(.text(let text)) = packet { heard.append(text) }
    }
}
