import Base
import Database
import Foundation
import Logging
import SocketIO

extension SignallingHub {
    /// Writes and listens on the bus, pings, closes what is over, until cancelled; then all sockets close. Once for
    /// each hub.
    public func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.bus.write() }
            group.addTask { await self.listen() }
            group.addTask { await self.hearChanges() }
            group.addTask { await self.ticks() }
            group.addTask { await self.beats() }
            group.addTask { await self.logins.run(on: self.database) }
        }
        locked { $0.shutAll() }
        bus.send(.bye)
        // This task is cancelled, so another has to write; as the server ends, it has not long.
        let farewell = Task { await self.bus.flush() }
        let limit = Task {
            try? await Task.sleep(for: .seconds(PeriodicWork.farewell))
            farewell.cancel()
        }
        _ = await farewell.value
        limit.cancel()
    }

    private func listen() async {
        await bus.listen(known: { key in
            RequestID(key: key).map { request in locked { $0.rooms[request] != nil } } ?? true
        }) { [self] heard in
            switch heard {
            case .listening:
                // Whoever has no room has nothing to be told of.
                let asks = locked { state -> Bool in
                    state.hears()
                    return !state.rooms.isEmpty
                }
                bus.send(.hello(asks: asks))
                // Of what ended meanwhile nobody told.
                begin { await $0.ask($0.locked { $0.keptSessions }) }
                begin { await $0.lookUp() }
            case .lost: locked { $0.isDeaf = true }
            case .message(let message): hear(message)
            case .gap(let replica): locked { $0.misses(replica) }
            case .over(let sessions?): locked { $0.close(sessions) }
            case .over(nil): begin { await $0.ask($0.locked { $0.keptSessions }) }
            }
        }
    }

    private func hear(_ message: BusMessage) {
        let errand = locked { $0.heard(message) }
        switch errand.words {
        case .post(let sid, let body, let guest)?:
            bus.send(
                .edge(number: guest.number, .reply(take(post: body, of: sid) ?? .refused(.unknownSession))),
                to: guest.replica)
        case .frame(let data, let number)?: receive(data, on: number)
        case nil: break
        }
        if errand.isAsked { begin { $0.tellRooms(to: message.from) } }
        if errand.looksUp { begin { await $0.lookUp() } }
    }

    /// Some at a time, so that the lock is free in between.
    private func tellRooms(to replica: String) {
        let requests = locked { $0.peopled }
        for start in stride(from: 0, to: requests.count, by: PeriodicWork.rooms) {
            locked { $0.tellRooms(requests[start..<min(start + PeriodicWork.rooms, requests.count)], to: replica) }
        }
    }

    /// Beside what is heard, which does not wait for it.
    private func begin(_ work: @escaping @Sendable (SignallingHub) async -> Void) { Task { await work(self) } }

    /// What waits for no database: a slow one must not stop the pings, nor the greetings by which others know that this
    /// process lives.
    private func ticks() async {
        var beats = 0
        while !Task.isCancelled {
            tick(greets: beats.isMultiple(of: Int(PeriodicWork.greeting)))
            beats += 1
            try? await Task.sleep(for: .seconds(1))
        }
    }

    func tick(greets: Bool = false) {
        let isHeard = locked { state -> Bool in
            state.tick()
            state.forgetSilent()
            return !state.isDeaf
        }
        // Whoever does not hear yet would be answered in vain, and then be known to those who greet nobody twice.
        if greets, isHeard { bus.send(.hello(asks: false)) }
    }

    private func beats() async {
        var times = PeriodicTimes()
        while !Task.isCancelled {
            await beat(&times)
            try? await Task.sleep(for: .seconds(1))
        }
    }

    func beat(_ times: inout PeriodicTimes) async {
        var copy = times
        let duties = locked { state -> PeriodicWork in
            state.closeExpired(at: clock.now())
            return copy.duties(&state)
        }
        times = copy
        for replica in duties.asked { bus.send(.hello(asks: true), to: replica) }
        if duties.looksUp { await lookUp() }
        await ask(duties.ask)
        if !duties.note.isEmpty {
            await attempt("sessions are not noted as used") { try await linkService.sessions.seen(duties.note) }
        }
        if duties.tidies {
            await attempt("signalling does not tidy up") {
                try await bus.tidy()
                try await linkService.store.tidy(in: database)
            }
        }
    }

    /// Closes the sockets of those that are over. While the database does not answer they stay, and are asked about
    /// again.
    func ask(_ sessions: Set<String>) async {
        guard !sessions.isEmpty else { return }
        await attempt("whether sessions are over is not known") {
            let over = sessions.subtracting(try await linkService.sessions.live(sessions))
            guard !over.isEmpty else { return }
            locked { state in
                // What expired since the beat began is over, too, and was not revoked.
                state.closeExpired(at: clock.now())
                state.close(Array(over))
            }
        }
    }

    /// Whether those who wait are linked: the word of it may be lost.
    func lookUp() async {
        let waiting = locked { $0.waiting }
        guard !waiting.isEmpty else { return }
        await attempt("links are not looked up") {
            for link in try await linkService.store.linked(waiting, in: database) { locked { $0.linked(link) } }
        }
    }

    private func attempt(_ complaint: String, _ body: () async throws -> Void) async {
        do {
            try await body()
        } catch {
            guard !Task.isCancelled else { return }
            logger.warning("\(complaint): the database does not answer", metadata: ["error": "\(error)"])
        }
    }

    // MARK: Events that need the database

    /// One after the other, until there are none.
    func work(_ sid: String) async {
        while let work = locked({ $0.next(of: sid) }) {
            switch work {
            case .joined: await rejoin(sid)
            case .credentials(let reading, let shown): await admit(sid, reading, shown)
            case .event(let event):
                if event.name == "link" { await link(event, sid) } else { locked { $0.act(on: event, from: sid) } }
            }
        }
    }

    /// A session that was linked comes back (decisions.md, liquid 11).
    private func rejoin(_ sid: String) async {
        guard let session = locked({ $0.sockets[sid]?.presented.session }) else { return }
        do {
            guard let link = try await linkService.store.latest(of: session, in: database) else { return }
            locked { state in
                guard state.sockets[sid]?.room == nil else { return }
                state.bind(sid, to: link.request)
                state.linked(link)
                // Others may have the session in which the wallet approved.
                if state.sockets[sid]?.presented.pairing != nil { state.tell(.linked(link)) }
            }
        } catch {
            logger.warning(
                "a socket does not come back to its room: the database does not answer", metadata: ["error": "\(error)"]
            )
            // Its client tries again.
            locked { $0.shut(sid) }
        }
    }

    /// `link`: never acknowledged when it is refused (decisions.md, liquid 2 and 11).
    private func link(_ event: SocketEvent, _ sid: String) async {
        guard let request = RequestID(event.arguments.first?["requestId"]), locked({ $0.mayLink(sid) }),
            let presented = await claim(request, event.acknowledgement, sid)
        else { return }
        var pause = PeriodicWork.pause, waited: TimeInterval = 0
        while true {
            do {
                return try await link(request, presented, sid)
            } catch {
                logger.warning("a link waits: the database does not answer", metadata: ["error": "\(error)"])
                guard waited < PeriodicWork.patience, let failure = error as? DatabaseError, !failure.isRefusal,
                    failure != .cancelled
                else { break }
            }
            pause = min(pause, PeriodicWork.patience - waited)
            try? await Task.sleep(for: .seconds(pause))
            waited += pause
            pause *= 2
            // It has gone, or shows another code by now.
            guard locked({ $0.sockets[sid]?.room == request }) else { return }
        }
        locked { $0.shut(sid) }
    }

    /// Its turn, when many of one address ask. `nil`: it asks too often itself, has gone, or waited until its request
    /// was over.
    private func claim(_ request: RequestID, _ acknowledgement: Int?, _ sid: String) async -> SignallingSession? {
        var waited: TimeInterval = 0
        while waited < LinkStore.requestLifetime {
            switch locked({ $0.claims(request, acknowledgement, sid) }) {
            case .may(let presented): return presented
            case .never: return nil
            case .later(let seconds):
                try? await Task.sleep(for: .seconds(seconds))
                waited += seconds
            }
        }
        return nil
    }

    private func link(_ request: RequestID, _ presented: SignallingSession, _ sid: String) async throws {
        switch try await linkService.link(request, by: presented, in: database) {
        case .linked(let link):
            locked { state in
                state.keep(presented.session)
                state.linked(link)
                state.tell(.linked(link))
            }
        case .waiting: locked { $0.keep(presented.session) }
        case .refused: locked { if $0.sockets[sid]?.room == request { $0.leave(sid) } }
        }
    }

    // MARK: Sessions

    /// What logins and revocations tell signalling.
    var signals: SessionSignals {
        SessionSignals(
            entered: { try await self.linkService.entered($0, in: $1) }, announced: { await self.announced($0) },
            over: { self.over($0) })
    }

    /// After the commit of a login. Sockets that its client opened before it are of a session that is nobody's from now
    /// on, and whose cookie others may know.
    private func announced(_ wallet: EnteredWallet) async {
        if wallet.replaced != wallet.session { over([wallet.replaced]) }
        guard let request = RequestID(wallet.requestID) else { return }
        await attempt("a link is told later") {
            guard let link = try await linkService.store.linked([request], in: database).first,
                link.session == wallet.session
            else {
                if try await linkService.store.isLogin(request, in: database) {
                    await logins.announce(request.key, in: database)
                }
                return
            }
            locked { state in
                state.linked(link)
                state.tell(.linked(link))
            }
        }
    }

    private func over(_ sessions: [String]) {
        guard !sessions.isEmpty else { return }
        locked { state in
            state.close(sessions)
            state.tell(.over(sessions))
        }
    }
}
