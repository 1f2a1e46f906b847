import Base
import Foundation
import Testing

@testable import SocketIO

/// A server of Engine.IO alone, or with Socket.IO above it, which says back what it hears: what the reference test
/// suites talk to. Time is moved by hand; numbers are requests and WebSockets.
struct EngineLab {
    let speaksEvents: Bool
    let limits: SocketLimits
    private var now = Date(numericDate: 1_800_000_000)
    private var engines: [String: EngineSession] = [:]
    private var talks: [String: SocketSession] = [:]
    private var sessions: [Int: String] = [:]
    private var last = 0
    private(set) var answers: [Int: EngineReply] = [:]
    private(set) var frames: [Int: [EngineData]] = [:]
    private(set) var closed: Set<Int> = []

    /// With the suites' own intervals.
    init(events: Bool = false) {
        var limits = SocketLimits()
        (limits.pingInterval, limits.pingTimeout, limits.connectTimeout, limits.namespaces) = (
            0.3, 0.2, 1, ["/", "/custom"]
        )
        limits.maxPayload = 1_000_000
        (speaksEvents, self.limits) = (events, limits)
    }

    // MARK: HTTP

    /// `answers` has its answer as soon as there is one.
    mutating func request(_ method: String, _ query: String, _ body: String = "") -> Int {
        let limits = self.limits, number = next()
        do throws(EngineRefusal) {
            switch try EngineRequest.read(method: method, query: EngineLab.pairs(query), isUpgrade: false) {
            case .open:
                let sid = begin(over: nil)
                answers[number] = .payload(
                    EnginePayload.write([EngineSession.handshake(sid: sid, upgrades: true, limits: limits)]))
            case .poll(let sid):
                sessions[number] = sid
                drive(sid, number) { $0.poll(number, limits: limits) }
            case .post(let sid):
                var reply: EngineReply?
                drive(sid, number) { engine in
                    let (given, actions) = engine.post(EnginePosting(Array(body.utf8), limits: limits))
                    reply = given
                    return actions
                }
                if let reply { answers[number] = reply }
            case .socket: answers[number] = .refused(.badRequest)
            }
        } catch {
            answers[number] = .refused(error)
        }
        return number
    }

    /// The answer of a request that does not wait.
    mutating func get(_ sid: String) throws -> EngineReply {
        let number = request("GET", "EIO=4&transport=polling&sid=\(sid)"), answer = answers[number]
        return try #require(answer)
    }

    mutating func post(_ sid: String, _ body: String) throws -> EngineReply {
        let number = request("POST", "EIO=4&transport=polling&sid=\(sid)", body), answer = answers[number]
        return try #require(answer)
    }

    /// A session of HTTP long-polling; its id.
    mutating func open() throws -> String {
        let number = request("GET", "EIO=4&transport=polling")
        guard case .payload(let text)? = answers[number] else { throw EnginePacket.Malformed() }
        let sid = try EngineLab.handshake(.text(text))["sid"]?.string
        return try #require(sid)
    }

    /// The client closes a request, or a WebSocket, without a word.
    mutating func abandon(_ number: Int) { if let sid = sessions[number] { drive(sid, number) { $0.lost(number) } } }

    /// Whether something waits to be fetched.
    func isQueued(_ sid: String) -> Bool { (engines[sid]?.queuedBytes ?? 0) > 0 }

    // MARK: WebSocket

    mutating func connect(_ query: String = "EIO=4&transport=websocket") -> Int {
        let limits = self.limits, now = self.now, number = next()
        guard
            case .socket(let asked)? = try? EngineRequest.read(
                method: "GET", query: EngineLab.pairs(query), isUpgrade: true)
        else {
            closed.insert(number)
            return number
        }
        if let asked {
            sessions[number] = asked
            drive(asked, number) { $0.upgrade(number, limits: limits, now: now) }
        } else {
            let sid = begin(over: number)
            sessions[number] = sid
            frames[number] = [EngineSession.handshake(sid: sid, upgrades: false, limits: limits).frame]
        }
        return number
    }

    mutating func send(_ text: String, on number: Int) { send(.text(text), on: number) }

    mutating func send(_ data: EngineData, on number: Int) {
        let packet = EnginePacket(frame: data, limits: limits)
        if let sid = sessions[number] { drive(sid, number) { $0.receive(packet, on: number) } }
    }

    /// What came since the last time.
    mutating func take(_ number: Int) -> [EngineData] { frames.removeValue(forKey: number) ?? [] }

    /// The main namespace joined, and what was said about it read.
    mutating func joined() -> Int {
        let number = connect()
        send("40", on: number)
        _ = take(number)
        return number
    }

    // MARK: Time

    mutating func sleep(_ milliseconds: Int) {
        let limits = self.limits
        for _ in 0..<(milliseconds / 10) {
            now += 0.01
            for sid in Array(engines.keys) {
                let now = self.now, isSilent = speaksEvents && talks[sid]?.isOverdue(at: now) == true
                drive(sid, 0) { isSilent ? $0.close() : $0.tick(limits: limits, now: now) }
            }
        }
    }

    // MARK: Inside

    private mutating func next() -> Int {
        last += 1
        return last
    }

    private mutating func begin(over number: Int?) -> String {
        let sid = "session-\(last)"
        engines[sid] = EngineSession(over: number, limits: limits, now: now)
        talks[sid] = SocketSession(limits: limits, now: now)
        return sid
    }

    private mutating func drive(_ sid: String, _ number: Int, _ input: (inout EngineSession) -> [EngineSession.Action])
    {
        guard var engine = engines[sid] else {
            answers[number] = .refused(.unknownSession)
            closed.insert(number)
            return
        }
        let actions = input(&engine)
        engines[sid] = engine
        for action in actions {
            switch action {
            case .answer(let request, let reply): answers[request] = reply
            case .send(let socket, let data): frames[socket, default: []].append(data)
            case .hangUp(let socket): closed.insert(socket)
            case .deliver(let data): hear(data, sid)
            case .ended: (engines[sid], talks[sid]) = (nil, nil)
            }
        }
    }

    private mutating func say(_ data: EngineData, _ sid: String) {
        let limits = self.limits
        drive(sid, 0) { $0.send(data, limits: limits) }
    }

    private mutating func hear(_ data: EngineData, _ sid: String) {
        guard speaksEvents else { return say(data, sid) }
        let reading = SocketReading(data, joined: talks[sid]?.joined ?? [:])
        for action in talks[sid]?.receive(reading, limits: limits, now: now, socketID: { "socket" }) ?? [] {
            switch action {
            case .send(let data): say(data, sid)
            case .joined(let namespace, let auth):
                say(.text(SocketPacket(.event, in: namespace, ["auth", .object(auth ?? [:])]).text), sid)
            case .event(let event): for data in EngineLab.echo(event) { say(data, sid) }
            case .left: break
            case .close: drive(sid, 0) { $0.close() }
            }
        }
    }

    private static func echo(_ event: SocketEvent) -> [EngineData] {
        let isBinary = !event.attachments.isEmpty, packet: SocketPacket
        if event.acknowledgement != nil {
            packet = SocketPacket(
                isBinary ? .binaryAck : .ack, in: event.namespace, acknowledgement: event.acknowledgement,
                attachments: event.attachments.count,
                .array(event.arguments))
        } else {
            packet = SocketPacket(
                isBinary ? .binaryEvent : .event, in: event.namespace, attachments: event.attachments.count,
                .array([.string("\(event.name)-back")] + event.arguments))
        }
        return [.text(packet.text)] + event.attachments.map(EngineData.binary)
    }

    private static func pairs(_ query: String) -> [(name: String, value: String)] {
        query.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return (name: parts[0], value: parts.count > 1 ? parts[1] : "")
        }
    }

    /// What an open packet says.
    static func handshake(_ packet: EngineData) throws -> JSONValue {
        guard case .text(let text) = packet, text.first == "0" else { throw EnginePacket.Malformed() }
        return try JSONReader.read(Array(text.utf8.dropFirst()))
    }
}
