import Base
import Foundation

/// One Engine.IO session, without any I/O: what arrives goes in, what is to be done comes out, in order.
///
/// Connections are numbers of whoever runs it: a GET that waits, or a WebSocket. `ended` is always the last action;
/// nothing may be put in after it. Reference: socketio/socket.io, docs/engine.io-protocol/v4-current;
/// protocols/liquid.md, 4.
public struct EngineSession: Sendable {
    public typealias Connection = Int

    public enum Action: Sendable, Equatable {
        /// Ends a waiting GET.
        case answer(Connection, EngineReply)
        case send(Connection, EngineData)
        case hangUp(Connection)
        case deliver(EngineData)
        case ended(End)
    }

    public enum End: Sendable, Equatable {
        case byClient, malformed, duplicatePoll, connectionLost, pingTimeout, lifetime, tooSlow, byServer
    }

    private enum Carrier: Sendable, Equatable { case polling, socket(Connection) }

    private struct Probe: Sendable {
        let connection: Connection
        let deadline: Date
        var isAnswered = false
    }

    private var carrier: Carrier
    private var waiting: Connection?
    private var probe: Probe?
    private var queue: [EnginePacket] = []
    /// Of what its client has not fetched yet.
    public private(set) var queuedBytes = 0
    private var pingAt: Date
    private var pongBy: Date?
    /// While packets wait to be fetched and nobody fetches them.
    private var fetchBy: Date?
    private let endsAt: Date
    public private(set) var isOver = false

    /// `first`: the WebSocket that opens it; without one it is opened by a GET, which is answered with `handshake`.
    public init(over first: Connection?, limits: SocketLimits, now: Date) {
        carrier = first.map(Carrier.socket) ?? .polling
        pingAt = now + limits.pingInterval
        endsAt = now + limits.lifetime
    }

    /// The first packet of a session.
    public static func handshake(sid: String, upgrades: Bool, limits: SocketLimits) -> EnginePacket {
        .open(
            JSONValue.object([
                "sid": .string(sid), "upgrades": upgrades ? ["websocket"] : [],
                "pingInterval": .integer(Int(limits.pingInterval * 1000)),
                "pingTimeout": .integer(Int(limits.pingTimeout * 1000)), "maxPayload": .integer(limits.maxPayload),
            ]).text)
    }

    /// When `tick` is due.
    public var deadline: Date { min(pongBy ?? pingAt, probe?.deadline ?? endsAt, fetchBy ?? endsAt, endsAt) }

    /// The WebSocket that it goes over.
    public var socket: Connection? { if case .socket(let connection) = carrier { connection } else { nil } }

    // MARK: HTTP long-polling

    public mutating func poll(_ connection: Connection, limits: SocketLimits) -> [Action] {
        guard !isOver, carrier == .polling else {
            return [.answer(connection, .refused(isOver ? .unknownSession : .badRequest))]
        }
        if waiting != nil { return [.answer(connection, .refused(.badRequest))] + end(.duplicatePoll) }
        fetchBy = nil
        guard queue.isEmpty else {
            return [.answer(connection, .payload(EnginePayload.write(drain(upTo: limits.maxPayload))))]
        }
        // While the client probes, every GET returns, so that it is free to go over (socket.io-client-swift goes only
        // when its GET has returned).
        if probe?.isAnswered == true { return [.answer(connection, .payload(EnginePacket.noop.text))] }
        waiting = connection
        return []
    }

    /// What the POST itself is answered, and what follows. A body of the wrong form ends the session.
    public mutating func post(_ posting: EnginePosting) -> (EngineReply, [Action]) {
        guard !isOver, carrier == .polling else { return (.refused(isOver ? .unknownSession : .badRequest), []) }
        switch posting {
        case .tooLarge: return (.tooLarge, [])
        case .malformed: return (.refused(.badRequest), end(.malformed))
        case .packets(let packets):
            var actions: [Action] = []
            for packet in packets where !isOver { actions += take(packet) }
            return (.taken, actions)
        }
    }

    // MARK: WebSocket

    /// Whether a WebSocket may ask for it: it is polled, and none does.
    public var canUpgrade: Bool { !isOver && carrier == .polling && probe == nil }

    /// A WebSocket that names this session.
    public mutating func upgrade(_ connection: Connection, limits: SocketLimits, now: Date) -> [Action] {
        guard canUpgrade else { return [.hangUp(connection)] }
        probe = Probe(connection: connection, deadline: now + limits.upgradeTimeout)
        return []
    }

    /// A frame; `nil` for one of no form.
    public mutating func receive(_ packet: EnginePacket?, on connection: Connection) -> [Action] {
        guard !isOver else { return [] }
        if carrier == .socket(connection) {
            guard let packet else { return end(.malformed) }
            return take(packet)
        }
        guard let current = probe, current.connection == connection else { return [.hangUp(connection)] }
        switch (packet, current.isAnswered) {
        case (.ping("probe")?, _):
            probe?.isAnswered = true
            return [.send(connection, EnginePacket.pong("probe").frame)] + release()
        case (.upgrade?, true):
            probe = nil
            fetchBy = nil
            carrier = .socket(connection)
            return release() + drain(upTo: .max).map { .send(connection, $0.frame) }
        default:
            probe = nil
            return [.hangUp(connection)]
        }
    }

    /// A GET was given up, or a WebSocket closed. Answers may be lost with a GET, so the session ends with it.
    public mutating func lost(_ connection: Connection) -> [Action] {
        guard !isOver else { return [] }
        if probe?.connection == connection { probe = nil }
        if waiting == connection {
            waiting = nil
            return end(.connectionLost)
        }
        return carrier == .socket(connection) ? end(.connectionLost) : []
    }

    // MARK: Both

    public mutating func send(_ data: EngineData, limits: SocketLimits) -> [Action] {
        send(.message(data), limits: limits)
    }

    public mutating func tick(limits: SocketLimits, now: Date) -> [Action] {
        guard !isOver else { return [] }
        if now >= endsAt { return end(.lifetime) }
        if let pongBy, now >= pongBy { return end(.pingTimeout) }
        if let fetchBy, now >= fetchBy { return end(.tooSlow) }
        var actions: [Action] = []
        if let probe, now >= probe.deadline {
            actions.append(.hangUp(probe.connection))
            self.probe = nil
        }
        if pongBy == nil, now >= pingAt {
            pongBy = now + limits.pingTimeout
            pingAt = now + limits.pingInterval
            actions += send(.ping(""), limits: limits)
            // It may answer pings that it has not fetched.
            if !queue.isEmpty, fetchBy == nil { fetchBy = now + limits.pingTimeout }
        }
        return actions
    }

    /// A GET that waits hears `1`; what is queued for it is told before.
    public mutating func close() -> [Action] { end(.byServer) }

    private mutating func send(_ packet: EnginePacket, limits: SocketLimits) -> [Action] {
        guard !isOver else { return [] }
        if case .socket(let connection) = carrier { return [.send(connection, packet.frame)] }
        if let waiting {
            self.waiting = nil
            return [.answer(waiting, .payload(packet.text))]
        }
        queue.append(packet)
        queuedBytes += packet.text.utf8.count
        return queue.count > limits.maxPackets || queuedBytes > limits.maxWaiting ? end(.tooSlow) : []
    }

    private mutating func take(_ packet: EnginePacket) -> [Action] {
        switch packet {
        case .message(let data): return [.deliver(data)]
        case .pong:
            pongBy = nil
            return []
        case .noop: return []
        case .close: return end(.byClient)
        // In protocol 4 the server pings, and only a probing WebSocket upgrades.
        case .open, .ping, .upgrade: return end(.malformed)
        }
    }

    private mutating func release() -> [Action] {
        defer { waiting = nil }
        return waiting.map { [.answer($0, .payload(EnginePacket.noop.text))] } ?? []
    }

    /// The first packets that fit; always at least one.
    private mutating func drain(upTo limit: Int) -> [EnginePacket] {
        var taken = 0, bytes = 0
        for packet in queue {
            bytes += packet.text.utf8.count + 1
            guard taken == 0 || bytes <= limit else { break }
            taken += 1
        }
        let packets = Array(queue.prefix(taken))
        queue.removeFirst(taken)
        queuedBytes = queue.reduce(0) { $0 + $1.text.utf8.count }
        return packets
    }

    private mutating func end(_ why: End) -> [Action] {
        isOver = true
        var actions: [Action] = []
        if let waiting {
            actions.append(.answer(waiting, .payload((why == .byClient ? EnginePacket.noop : .close).text)))
        }
        if let probe { actions.append(.hangUp(probe.connection)) }
        if case .socket(let connection) = carrier { actions.append(.hangUp(connection)) }
        (waiting, probe, queue, queuedBytes) = (nil, nil, [], 0)
        return actions + [.ended(why)]
    }
}
