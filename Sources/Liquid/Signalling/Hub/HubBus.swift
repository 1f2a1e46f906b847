import Base
import Foundation
import SocketIO

/// What replicas say to one another.
extension HubState {
    /// Seconds after which one that is not heard is gone; they greet one another every `PeriodicWork.greeting`.
    static let silence: TimeInterval = 35

    /// What a message leaves to be done without the lock.
    struct Errand: Sendable {
        enum Words: Sendable {
            case post(sid: String, [UInt8], SignallingCarrier.Guest)
            case frame(EngineData, number: Int)
        }

        /// One of the two may have missed something, so what waits is to be looked up.
        var looksUp = false
        /// The sender is to hear whom this replica has.
        var isAsked = false
        /// Of a client that the sender has: they cost and are read as those of ours.
        var words: Words?
    }

    /// Alone there is nobody to tell, and nothing is written.
    func tell(_ body: BusMessage.Body, to replica: String? = nil) {
        guard !isEnding, replica != nil || !replicas.isEmpty else { return }
        bus.send(body, to: replica)
    }

    mutating func heard(_ message: BusMessage) -> Errand {
        if case .bye = message.body {
            forget(message.from)
            return Errand()
        }
        let isNew = replicas.updateValue(now, forKey: message.from) == nil
        var errand = Errand(looksUp: isNew)
        // It may have been forgotten, with whom it has in rooms that are here.
        if isNew { tell(.hello(asks: !rooms.isEmpty), to: message.from) }
        switch message.body {
        case .hello(let asks):
            if asks { (errand.looksUp, errand.isAsked) = (true, true) }
            if asks, !isNew { tell(.hello(asks: false), to: message.from) }
        case .presence(let request, let page, let wallet, let asks):
            heardPresence(request, SignallingRoom.Count(page: page, wallet: wallet), from: message.from, asks: asks)
        case .rooms(let counts):
            for one in counts {
                heardPresence(
                    one.request, SignallingRoom.Count(page: one.page, wallet: one.wallet), from: message.from,
                    asks: false)
            }
        case .linked(let link): linked(link)
        case .over(let sessions): close(sessions)
        case .relay(let request, let side, let text): deliver(text, to: side, of: request)
        case .home(let number, let words):
            errand.words = serve(words, SignallingCarrier.Guest(replica: message.from, number: number))
        case .edge(let number, let words): if carriers[number]?.home == message.from { pass(words, to: number) }
        case .bye: break
        }
        return errand
    }

    /// Rooms in which this replica has somebody.
    var peopled: [RequestID] { rooms.compactMap { $0.value.announced == SignallingRoom.Count() ? nil : $0.key } }

    /// As it is now, so that what is told later is newer.
    func tellRooms(_ requests: some Sequence<RequestID>, to replica: String) {
        let counts = requests.compactMap { request in
            rooms[request].map {
                BusMessage.Presence(request: request, page: $0.announced.page, wallet: $0.announced.wallet)
            }
        }
        tell(.rooms(counts), to: replica)
    }

    /// For a client that another replica has; what is to be read comes back.
    private mutating func serve(_ words: BusMessage.ToHome, _ guest: SignallingCarrier.Guest) -> Errand.Words? {
        let limits = self.limits, now = self.now, bus = self.bus
        let answer: @Sendable (BusMessage.ToEdge) -> Void = {
            bus.send(.edge(number: guest.number, $0), to: guest.replica)
        }
        switch words {
        case .poll(let sid):
            guard sockets[sid] != nil else {
                answer(.reply(.refused(.unknownSession)))
                return nil
            }
            let number = nextNumber()
            carry(SignallingCarrier(sid: sid, reply: { answer(.reply($0)) }, guest: guest), as: number)
            drive(sid) { $0.poll(number, limits: limits.socket) }
        case .post(let sid, let body): return .post(sid: sid, Array(body.utf8), guest)
        case .attach(let sid):
            guard sockets[sid]?.engine.canUpgrade == true else {
                answer(.hangUp)
                return nil
            }
            let number = nextNumber()
            let writer = SocketWriter(
                send: { data in
                    answer(.frame(data))
                    return true
                }, close: { answer(.hangUp) })
            carry(SignallingCarrier(sid: sid, writer: writer, guest: guest), as: number)
            drive(sid) { $0.upgrade(number, limits: limits.socket, now: now) }
        case .frame(let data):
            guard let number = guests[guest] else {
                answer(.hangUp)
                return nil
            }
            return .frame(data, number: number)
        case .gone: if let number = guests[guest] { lose(number) }
        }
        return nil
    }

    /// For a client that this replica has.
    private mutating func pass(_ words: BusMessage.ToEdge, to number: Int) {
        switch words {
        case .reply(let reply): drop(number)?.reply?(reply)
        case .frame(let data):
            carriers[number]?.givesUpAt = .distantFuture
            guard let writer = carriers[number]?.writer, !writer.send(data) else { return }
            writer.close()
            lose(number)
        case .hangUp: drop(number)?.writer?.close()
        }
    }

    // MARK: Replicas

    /// Those that are silent for long are gone, unless it is we who hear nothing.
    mutating func forgetSilent() {
        for number in passing where (carriers[number]?.givesUpAt ?? now) <= now { abandon(number) }
        guard !isDeaf else { return }
        for (replica, heardAt) in replicas where now.timeIntervalSince(heardAt) > HubState.silence { forget(replica) }
    }

    /// Everything is heard from now on: whoever was not heard meanwhile has its time again. What clients said or were
    /// told meanwhile is lost, and a connection with a hole in it is none.
    mutating func hears() {
        isDeaf = false
        for replica in Array(replicas.keys) { replicas[replica] = now }
        for number in guests.values { expel(number) }
        for number in passing { abandon(number) }
    }

    /// Something that this replica sent is lost.
    mutating func missed(_ replica: String) {
        for (guest, number) in guests where guest.replica == replica { expel(number) }
        for number in passing where carriers[number]?.home == replica { abandon(number) }
    }

    /// The client of another replica, which is told so.
    private mutating func expel(_ number: Int) {
        carriers[number]?.writer?.close()
        carriers[number]?.reply?(.refused(.unknownSession))
        lose(number)
    }

    private mutating func forget(_ replica: String) {
        replicas[replica] = nil
        bus.forget(replica)
        for (request, room) in rooms where room.elsewhere[replica] != nil {
            rooms[request]?.elsewhere[replica] = nil
            showPresence(of: request)
        }
        missed(replica)
    }
}
