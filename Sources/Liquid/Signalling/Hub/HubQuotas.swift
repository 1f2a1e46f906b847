import Base
import Foundation
import SocketIO

/// What clients cost: paid before anything is looked at, and what waits for them.
extension HubState {
    enum Admission: Sendable {
        /// Its session is here, and has joined these namespaces.
        case here(joined: [String: String])
        case elsewhere
        case refused(EngineReply)
    }

    // MARK: What comes

    /// A POST, by its number of packets and bytes alone.
    mutating func admit(post sid: String, _ load: SocketQuota.Load) -> Admission {
        let isHere = sockets[sid] != nil
        guard isHere || home(of: sid) != nil else { return .refused(.refused(.unknownSession)) }
        guard load.bytes <= limits.socket.maxPayload else { return .refused(.tooLarge) }
        guard isHere else { return charge(passed: sid, load) ? .elsewhere : .refused(.refused(.badRequest)) }
        guard let joined = charge(sid, load) else { return .refused(.refused(.unknownSession)) }
        return .here(joined: joined)
    }

    /// A frame. `nil`: it is not to be read, as it was too much, is of nobody, or has been passed on.
    mutating func admit(frame data: EngineData, on number: Int) -> [String: String]? {
        guard let carrier = carriers[number] else { return nil }
        let load = SocketQuota.Load(packets: 1, bytes: data.count)
        guard let home = carrier.home else { return charge(carrier.sid, load) }
        guard data.count <= limits.socket.maxPayload, charge(passed: carrier.sid, load) else {
            carrier.writer?.close()
            lose(number)
            return nil
        }
        let passed: EngineData = if case .text(let text) = data { .text(HubState.passable(text)) } else { data }
        tell(.home(number: number, .frame(passed)), to: home)
        return nil
    }

    /// What the session has joined; `nil` when it sends too much, and is sent away.
    private mutating func charge(_ sid: String, _ load: SocketQuota.Load) -> [String: String]? {
        guard var socket = sockets[sid] else { return nil }
        let isWithin = socket.toll.take(load, limits: limits, at: now)
        sockets[sid] = socket
        guard isWithin else {
            dismiss(sid)
            return nil
        }
        return socket.talk.joined
    }

    /// For a session of another replica, which charges as well: what is refused here is not even written.
    mutating func charge(passed sid: String, _ load: SocketQuota.Load) -> Bool {
        passedPackets.take(sid, Double(load.packets), burst: limits.eventBurst, rate: limits.eventRate, at: now) == nil
            && passedBytes.take(sid, Double(load.bytes), burst: limits.byteBurst, rate: limits.byteRate, at: now) == nil
    }

    // MARK: What waits

    /// Bytes for one client: not fetched, not taken by its connection, or not dealt with. What a connection has taken
    /// since is noticed with the next.
    mutating func recount(_ sid: String) {
        guard let socket = sockets[sid] else { return }
        let outgoing = socket.engine.socket.flatMap { carriers[$0]?.writer?.waiting() } ?? 0
        let found = socket.engine.queuedBytes + socket.inboxBytes + outgoing
        guard found != socket.counted else { return }
        sockets[sid]?.counted = found
        waitingBytes += found - socket.counted
    }

    /// When too much waits for all clients together, those with most go.
    mutating func relieve() {
        guard waitingBytes > limits.maxWaitingOfAll else { return }
        for sid in Array(sockets.keys) where (sockets[sid]?.counted ?? 0) > 0 { recount(sid) }
        guard waitingBytes > limits.maxWaitingOfAll else { return }
        let most = sockets.filter { $0.value.counted > 0 }.map { (sid: $0.key, bytes: $0.value.counted) }.sorted {
            $0.bytes > $1.bytes
        }
        for one in most where waitingBytes > limits.maxWaitingOfAll { shut(one.sid) }
    }
}
