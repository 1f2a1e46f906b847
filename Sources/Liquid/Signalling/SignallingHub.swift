import Base
import Database
import Foundation
import Logging
import SocketIO
import Synchronization

/// The door of signalling: what the route at `/socket.io/` calls. It knows nothing of HTTP; a waiting GET is a task
/// that waits in `poll`, a WebSocket two closures.
///
/// All state stands under one lock, in which nothing waits (`HubState`). What clients send costs them first, whatever
/// it is, and is parsed before the lock is taken for what it does; each connection is read serially, so the order
/// stays. What needs the database (`link`, coming back) is done outside of it, one event of a socket after the other,
/// by a task that ends when the socket has nothing more; an idle socket has none.
public final class SignallingHub: Sendable {
    let limits: SignallingLimits
    let bus: SignallingBus
    let linkService: LinkService
    /// Logins at the IdP that wait for a wallet, by the key of their request.
    let logins = ChangeBoard(channel: "pando_liquid_logins")
    let database: Database
    /// For deadlines; rows and tokens have the wall clock.
    private let time: WallClock
    let clock: WallClock
    let logger: Logger
    private let state: Mutex<HubState>

    /// `key` is for the ids of sockets, the same in all processes; `time` never goes back and is not set.
    init(
        database: Database, sessions: SignallingSessions, key: SecretBytes, limits: SignallingLimits, clock: WallClock,
        time: WallClock, randomness: Randomness,
        logger: Logger
    ) {
        (self.limits, self.database, self.time, self.clock, self.logger) = (limits, database, time, clock, logger)
        let bus = SignallingBus(database: database, randomness: randomness, logger: logger)
        self.bus = bus
        linkService = LinkService(store: LinkStore(clock: clock), sessions: sessions)
        state = Mutex(
            HubState(limits: limits, bus: bus, randomness: randomness, names: SocketNames(key: key), now: time.now()))
    }

    /// Everything that touches the state goes through here; events that need the database are begun afterwards.
    @discardableResult
    func locked<Value: Sendable>(_ body: (inout HubState) -> Value) -> Value {
        let now = time.now()
        let (value, ready) = state.withLock { state -> (Value, [String]) in
            state.now = now
            let value = body(&state)
            state.relieve()
            return (value, state.takeReady())
        }
        for sid in ready { Task { await self.work(sid) } }
        return value
    }

    // MARK: For the routes

    /// How many sockets there are here, for metrics.
    public var count: Int { locked { $0.sockets.count } }

    /// Whether there is such a session, here or at another replica: nothing needs to be read for one that there is not.
    public func knows(sid: String) -> Bool { locked { $0.sockets[sid] != nil || $0.home(of: sid) != nil } }

    /// GET without `sid`: the handshake, as the only packet.
    public func open(_ presented: SignallingSession) async -> EngineReply {
        locked { state -> EngineReply in
            guard state.admits(presented) else { return .full }
            let sid = state.newSID()
            state.add(sid, presented, over: nil)
            return .payload(
                EnginePayload.write([EngineSession.handshake(sid: sid, upgrades: true, limits: state.limits.socket)]))
        }
    }

    /// GET with `sid`: returns when there is something, at the latest with the next ping. A cancelled task is a client
    /// that gave up: answers may be lost with it, so its session ends.
    public func poll(sid: String) async -> EngineReply {
        let number = locked { $0.nextNumber() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<EngineReply, Never>) in
                locked { state in
                    state.poll(sid, number) { Self.answer(continuation, $0) }
                    if Task.isCancelled { state.lose(number) }
                }
            }
        } onCancel: {
            self.locked { $0.lose(number) }
        }
    }

    /// Not under the lock, under which it is decided: who cancels the task that waits holds that task's own lock, which
    /// is the runtime's, and waits for the hub's.
    private static func answer(_ waiting: CheckedContinuation<EngineReply, Never>, _ reply: EngineReply) {
        Task { waiting.resume(returning: reply) }
    }

    /// POST. More than `maxPayload` is refused without being read.
    public func post(sid: String, _ body: [UInt8]) async -> EngineReply {
        if let reply = take(post: body, of: sid) { return reply }
        let number = locked { $0.nextNumber() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<EngineReply, Never>) in
                locked { state in
                    state.pass(post: body, of: sid, number) { Self.answer(continuation, $0) }
                    if Task.isCancelled { state.lose(number) }
                }
            }
        } onCancel: {
            self.locked { $0.lose(number) }
        }
    }

    /// A WebSocket: without `sid` it opens a session, otherwise it is to upgrade one. What is refused here is refused
    /// before the 101; later it is hung up. `writer` may be called before this returns: the handshake is its first
    /// frame.
    public func connect(
        sid: String?, _ presented: SignallingSession, writer: SocketWriter
    ) async -> Result<SignallingConnection, EngineReplyFailure> {
        locked { state -> Result<Int, EngineReplyFailure> in
            guard let sid else { return state.open(presented, writer) }
            return state.attach(sid, writer)
        }.map { SignallingConnection(hub: self, number: $0) }
    }

    /// `nil`: the session is at another replica, so it is to be passed on.
    func take(post body: [UInt8], of sid: String) -> EngineReply? {
        let load = SocketQuota.Load(packets: EnginePayload.count(body), bytes: body.count)
        switch locked({ $0.admit(post: sid, load) }) {
        case .refused(let reply): return reply
        case .elsewhere: return nil
        case .here(let joined):
            let posting = EnginePosting(body, limits: limits.socket),
                readings = SignallingHub.read(posting.packets, joined)
            return locked { $0.post(sid, posting, readings) }
        }
    }

    func receive(_ data: EngineData, on number: Int) {
        guard let joined = locked({ $0.admit(frame: data, on: number) }) else { return }
        let packet = EnginePacket(frame: data, limits: limits.socket),
            readings = SignallingHub.read(packet.map { [$0] } ?? [], joined)
        locked { $0.receive(packet, readings, on: number) }
    }

    /// The messages among them. Of two in one body the second may be of a namespace that the first joins.
    private static func read(_ packets: [EnginePacket], _ joined: [String: String]) -> [SocketReading] {
        var joined = joined, readings: [SocketReading] = []
        for case .message(let data) in packets {
            let reading = SocketReading(data, joined: joined)
            if case .packet(let packet) = reading, packet.kind == .connect { joined[packet.namespace] = "" }
            readings.append(reading)
        }
        return readings
    }

    func closed(_ number: Int) { locked { $0.lose(number) } }
}

/// What HTTP answers in place of the 101.
public struct EngineReplyFailure: Error, Sendable, Equatable {
    public let reply: EngineReply
}

/// A WebSocket, as its route has it: frames in the order in which they came, then `closed`, once, whoever closed it.
public struct SignallingConnection: Sendable {
    let hub: SignallingHub
    let number: Int

    public func receive(_ data: EngineData) async { hub.receive(data, on: number) }
    public func closed() async { hub.closed(number) }
}
