import Base
import Foundation
import SocketIO

/// All that the hub holds, under one lock. Nothing in here waits; what is sent goes out in the order in which it was
/// decided.
struct HubState: Sendable {
    let limits: SignallingLimits
    let bus: SignallingBus
    let randomness: Randomness
    let names: SocketNames
    var now: Date

    var sockets: [String: SignallingSocket] = [:]
    var bySession: [String: [String]] = [:]
    var rooms: [RequestID: SignallingRoom] = [:]
    var carriers: [Int: SignallingCarrier] = [:]
    var guests: [SignallingCarrier.Guest: Int] = [:]
    /// Carriers that only pass on.
    var passing: Set<Int> = []
    /// Other replicas, and when they were last heard.
    var replicas: [String: Date] = [:]
    /// Those of whom a message is missing, since the last beat.
    private var gapped: Set<String> = []
    /// The bus is silent since its connection was lost: that others are not heard says nothing of them.
    var isDeaf = true
    /// `link`, by the asker's address; and what is passed on to other replicas, by session.
    var addresses = BucketTable<String>()
    var passedPackets = BucketTable<String>()
    var passedBytes = BucketTable<String>()
    /// Bytes that wait for all sockets together.
    var waitingBytes = 0
    /// This process ends: nobody comes in, and nothing is told.
    var isEnding = false
    /// Sockets with events that wait for somebody to deal with them.
    private var ready: [String] = []
    /// Sessions whose sockets came since they were last asked about: one may have been revoked between the look at its
    /// cookie and now.
    var unproven: Set<String> = []
    /// Sessions that stand for tokens, and when these end.
    var tokens: [String: Date] = [:]
    /// Something was revoked since those were last asked about.
    var isChanged = false
    private var byAddress: [String: Int] = [:]
    private var wheel = DeadlineWheel()
    private var lastNumber = 0

    init(limits: SignallingLimits, bus: SignallingBus, randomness: Randomness, names: SocketNames, now: Date) {
        (self.limits, self.bus, self.randomness, self.names, self.now) = (limits, bus, randomness, names, now)
    }

    /// Of a carrier.
    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    // MARK: Sockets

    /// A session that has as many as it may loses its oldest: that one is likely dead, and not known to be yet. One
    /// that is not does not come again by itself, or seventeen tabs would take turns for ever.
    mutating func admits(_ presented: SignallingSession) -> Bool {
        guard !isEnding else { return false }
        makeRoom(in: presented.session)
        return sockets.count < limits.maxSockets
            && (presented.network.flatMap { byAddress[$0] } ?? 0) < limits.maxSocketsPerAddress
    }

    func newSID() -> String { names.make(at: bus.replica, randomness) }

    mutating func add(_ sid: String, _ presented: SignallingSession, over carrier: Int?) {
        sockets[sid] = SignallingSocket(
            engine: EngineSession(over: carrier, limits: limits.socket, now: now), presented: presented, limits: limits,
            now: now)
        bySession[presented.session, default: []].append(sid)
        if let network = presented.network { byAddress[network, default: 0] += 1 }
        if presented.isKept { unproven.insert(presented.session) }
        note(until: presented.until, of: presented.session)
        schedule(sid)
    }

    private mutating func remove(_ sid: String) {
        leave(sid)
        guard let socket = sockets.removeValue(forKey: sid) else { return }
        let presented = socket.presented
        waitingBytes -= socket.counted
        bySession[presented.session]?.removeAll { $0 == sid }
        if bySession[presented.session]?.isEmpty == true {
            (bySession[presented.session], tokens[presented.session]) = (nil, nil)
        }
        guard let network = presented.network, let count = byAddress[network] else { return }
        byAddress[network] = count > 1 ? count - 1 : nil
    }

    /// Where a session is that is not here; `nil` for one that is, or was, and for an id that no replica gave out.
    func home(of sid: String) -> String? {
        guard sockets[sid] == nil, let replica = SocketNames.replica(in: sid), replicas[replica] != nil,
            names.isGenuine(sid)
        else { return nil }
        return replica
    }

    /// The session has a row from now on, whose end closes its sockets.
    mutating func keep(_ session: String) { for sid in bySession[session] ?? [] { sockets[sid]?.isKept = true } }

    var keptSessions: Set<String> { Set(sockets.values.lazy.filter(\.isKept).map(\.presented.session)) }

    /// Something that this replica said is lost; nothing where it is none of ours.
    mutating func misses(_ replica: String) {
        guard replicas[replica] != nil else { return }
        missed(replica)
        gapped.insert(replica)
    }

    mutating func takeGapped() -> Set<String> {
        defer { gapped = [] }
        return gapped
    }

    mutating func takeUnproven() -> Set<String> {
        guard !unproven.isEmpty else { return [] }
        defer { unproven = [] }
        return unproven
    }

    // MARK: Driving

    /// Puts something into the machine of a session and does what comes out. `readings` are those of the messages that
    /// go in, in order. `nil` when there is no such session.
    @discardableResult
    mutating func answering<Value>(
        _ sid: String, _ readings: [SocketReading] = [],
        _ input: (inout EngineSession) -> (Value, [EngineSession.Action])
    ) -> Value? {
        guard var socket = sockets[sid] else { return nil }
        let (value, actions) = input(&socket.engine)
        sockets[sid] = socket
        perform(actions, of: sid, readings)
        schedule(sid)
        recount(sid)
        return value
    }

    mutating func drive(
        _ sid: String, _ readings: [SocketReading] = [], _ input: (inout EngineSession) -> [EngineSession.Action]
    ) {
        answering(sid, readings) { engine -> (Bool, [EngineSession.Action]) in (true, input(&engine)) }
    }

    mutating func emit(_ text: String, to sid: String) {
        let limits = self.limits
        drive(sid) { $0.send(.text(text), limits: limits.socket) }
    }

    /// Its client comes again by itself, with the cookie that it has then.
    mutating func shut(_ sid: String) { drive(sid) { $0.close() } }

    /// Out of the main namespace, and closed: its client does not come again by itself.
    mutating func dismiss(_ sid: String) {
        if sockets[sid]?.hasJoined == true { emit(SocketPacket(.disconnect).text, to: sid) }
        shut(sid)
    }

    mutating func tick() {
        let now = self.now, limits = self.limits
        for (slot, sid) in wheel.due(at: now) where sockets[sid]?.slot == slot {
            sockets[sid]?.slot = .max
            let isSilent = sockets[sid]?.talk.isOverdue(at: now) ?? false
            drive(sid) { isSilent ? $0.close() : $0.tick(limits: limits.socket, now: now) }
        }
    }

    private mutating func schedule(_ sid: String) {
        guard let socket = sockets[sid] else { return }
        let slot = DeadlineWheel.slot(socket.deadline)
        guard slot < socket.slot else { return }
        sockets[sid]?.slot = slot
        wheel.add(sid, in: slot)
    }

    // MARK: Doing

    private mutating func perform(_ actions: [EngineSession.Action], of sid: String, _ readings: [SocketReading]) {
        var unheard = readings[...]
        for action in actions {
            switch action {
            case .answer(let carrier, let reply): drop(carrier)?.reply?(reply)
            case .send(let carrier, let data):
                if let writer = carriers[carrier]?.writer, !writer.send(data) { shut(sid) }
            case .hangUp(let carrier): drop(carrier)?.writer?.close()
            case .deliver: if let reading = unheard.popFirst() { hear(reading, of: sid) }
            case .ended: remove(sid)
            }
        }
    }

    private mutating func hear(_ reading: SocketReading, of sid: String) {
        if let shown = sockets[sid]?.credentials(in: reading) {
            append(.credentials(reading, shown), to: sid)
        } else {
            take(reading, of: sid)
        }
    }

    mutating func take(_ reading: SocketReading, of sid: String) {
        guard var socket = sockets[sid] else { return }
        let actions = socket.talk.receive(reading, limits: limits.socket, now: now, socketID: randomness.identifier)
        sockets[sid] = socket
        for action in actions { perform(action, of: sid) }
    }

    private mutating func perform(_ action: SocketSession.Action, of sid: String) {
        let limits = self.limits
        switch action {
        case .send(let data): drive(sid) { $0.send(data, limits: limits.socket) }
        case .joined(let namespace, _):
            if namespace == SocketPacket.main, sockets[sid]?.isKept == true { append(.joined, to: sid) }
        case .left(let namespace): if namespace == SocketPacket.main { leave(sid) }
        // Other namespaces have no events of ours.
        case .event(let event): if event.namespace == SocketPacket.main { take(event, from: sid) }
        case .close: shut(sid)
        }
    }

    /// At once, unless it needs the database, or something before it does.
    private mutating func take(_ event: SocketEvent, from sid: String) {
        guard event.attachments.isEmpty, event.payload.utf8.count <= limits.maxRelayed else { return }
        guard event.name != "link", sockets[sid]?.isWorking == false else { return append(.event(event), to: sid) }
        act(on: event, from: sid)
    }

    // MARK: Inbox

    private mutating func append(_ work: SignallingSocket.Work, to sid: String) {
        guard let socket = sockets[sid] else { return }
        guard socket.inbox.count < limits.socket.maxPackets, socket.inboxBytes + work.bytes <= limits.socket.maxWaiting
        else { return dismiss(sid) }
        sockets[sid]?.inbox.append(work)
        sockets[sid]?.inboxBytes += work.bytes
        guard !socket.isWorking else { return }
        sockets[sid]?.isWorking = true
        ready.append(sid)
    }

    mutating func takeReady() -> [String] {
        guard !ready.isEmpty else { return [] }
        defer { ready = [] }
        return ready
    }

    /// The next event of a socket, for the one who deals with them; `nil` when there is none, and whoever adds one
    /// calls for somebody again.
    mutating func next(of sid: String) -> SignallingSocket.Work? {
        guard let work = sockets[sid]?.inbox.first else {
            sockets[sid]?.isWorking = false
            return nil
        }
        sockets[sid]?.inbox.removeFirst()
        sockets[sid]?.inboxBytes -= work.bytes
        recount(sid)
        return work
    }
}
