import Base
import Foundation
import SocketIO

/// GETs that wait and WebSockets, here or passed on to the replica that has the session (decisions.md, liquid 9).
extension HubState {
    mutating func carry(_ carrier: SignallingCarrier, as number: Int) {
        carriers[number] = carrier
        if let guest = carrier.guest { guests[guest] = number }
        if carrier.home != nil { passing.insert(number) }
    }

    @discardableResult
    mutating func drop(_ number: Int) -> SignallingCarrier? {
        guard let carrier = carriers.removeValue(forKey: number) else { return nil }
        if let guest = carrier.guest { guests[guest] = nil }
        if carrier.home != nil { passing.remove(number) }
        return carrier
    }

    // MARK: HTTP long-polling

    mutating func poll(_ sid: String, _ number: Int, reply: @escaping @Sendable (EngineReply) -> Void) {
        let limits = self.limits
        if sockets[sid] != nil {
            carry(SignallingCarrier(sid: sid, reply: reply), as: number)
            drive(sid) { $0.poll(number, limits: limits.socket) }
        } else if let home = home(of: sid) {
            guard charge(passed: sid, SocketQuota.Load(packets: 1, bytes: 0)) else {
                return reply(.refused(.badRequest))
            }
            carry(
                SignallingCarrier(
                    sid: sid, reply: reply, home: home,
                    givesUpAt: now + limits.socket.pingInterval + limits.socket.pingTimeout), as: number)
            tell(.home(number: number, .poll(sid: sid)), to: home)
        } else {
            reply(.refused(.unknownSession))
        }
    }

    /// A POST that was admitted and read.
    mutating func post(_ sid: String, _ posting: EnginePosting, _ readings: [SocketReading]) -> EngineReply {
        answering(sid, readings) { $0.post(posting) } ?? .refused(.unknownSession)
    }

    mutating func pass(
        post body: [UInt8], of sid: String, _ number: Int, reply: @escaping @Sendable (EngineReply) -> Void
    ) {
        guard let home = home(of: sid) else { return reply(.refused(.unknownSession)) }
        carry(
            SignallingCarrier(sid: sid, reply: reply, home: home, givesUpAt: now + limits.socket.pingTimeout),
            as: number)
        tell(
            .home(number: number, .post(sid: sid, HubState.passable(String(validating: body, as: UTF8.self)))), to: home
        )
    }

    /// JSON between replicas has no NUL, and no packet either: where there is one, or no UTF-8, goes a text that is no
    /// packet.
    static func passable(_ text: String?) -> String { text.flatMap { $0.utf8.contains(0) ? nil : $0 } ?? "" }

    // MARK: WebSocket

    mutating func open(_ presented: SignallingSession, _ writer: SocketWriter) -> Result<Int, EngineReplyFailure> {
        guard admits(presented) else { return .failure(EngineReplyFailure(reply: .full)) }
        let sid = newSID(), number = nextNumber()
        carry(SignallingCarrier(sid: sid, writer: writer), as: number)
        add(sid, presented, over: number)
        if !writer.send(EngineSession.handshake(sid: sid, upgrades: false, limits: limits.socket).frame) { shut(sid) }
        return .success(number)
    }

    /// To upgrade a session.
    mutating func attach(_ sid: String, _ writer: SocketWriter) -> Result<Int, EngineReplyFailure> {
        let limits = self.limits, now = self.now, number = nextNumber()
        if let socket = sockets[sid] {
            guard socket.engine.canUpgrade else { return .failure(EngineReplyFailure(reply: .refused(.badRequest))) }
            carry(SignallingCarrier(sid: sid, writer: writer), as: number)
            drive(sid) { $0.upgrade(number, limits: limits.socket, now: now) }
        } else if let home = home(of: sid) {
            guard charge(passed: sid, SocketQuota.Load(packets: 1, bytes: 0)) else {
                return .failure(EngineReplyFailure(reply: .refused(.badRequest)))
            }
            carry(
                SignallingCarrier(sid: sid, writer: writer, home: home, givesUpAt: now + limits.socket.upgradeTimeout),
                as: number)
            tell(.home(number: number, .attach(sid: sid)), to: home)
        } else {
            return .failure(EngineReplyFailure(reply: .refused(.unknownSession)))
        }
        return .success(number)
    }

    /// A frame that was admitted and read, of a client whose session is here.
    mutating func receive(_ packet: EnginePacket?, _ readings: [SocketReading], on number: Int) {
        guard let carrier = carriers[number], carrier.home == nil else { return }
        drive(carrier.sid, readings) { $0.receive(packet, on: number) }
    }

    // MARK: Going

    /// A client gave up a GET, or its WebSocket closed.
    mutating func lose(_ number: Int) {
        guard let carrier = drop(number) else { return }
        if let home = carrier.home {
            tell(.home(number: number, .gone), to: home)
        } else {
            drive(carrier.sid) { $0.lost(number) }
        }
        // Whoever waits in `poll` must come out; nobody reads the answer.
        if carrier.guest == nil { carrier.reply?(.refused(.unknownSession)) }
    }

    /// The replica that has the session does not answer.
    mutating func abandon(_ number: Int) {
        guard let carrier = drop(number) else { return }
        if let home = carrier.home { tell(.home(number: number, .gone), to: home) }
        carrier.reply?(.refused(.unknownSession))
        carrier.writer?.close()
    }

    /// This process ends: clients go to another. Other replicas are told once that it is gone, not of each.
    mutating func shutAll() {
        isEnding = true
        for sid in Array(sockets.keys) { shut(sid) }
        for number in passing { abandon(number) }
    }
}
