import Base
import Foundation
import SocketIO

/// Rooms: who is in which, what goes between the sides, who is there.
extension HubState {
    /// Seconds in which a link of the last moment is still looked up; and those in which other replicas may not have
    /// told yet whom they have in a new room.
    private static let grace: TimeInterval = 30, settling: TimeInterval = 2
    static let relayed: Set<String> = [
        "offer-description", "answer-description", "offer-candidate", "answer-candidate",
    ]

    enum Claim: Sendable {
        case may(SignallingSession)
        /// Others of the same address ask too; so many seconds.
        case later(TimeInterval)
        case never
    }

    /// Whether a socket may ask for a link once more; otherwise it is sent away.
    mutating func mayLink(_ sid: String) -> Bool {
        guard var socket = sockets[sid] else { return false }
        let isWithin = socket.links.take(burst: limits.linkBurst, rate: limits.linkRate, at: now)
        sockets[sid] = socket
        if !isWithin { dismiss(sid) }
        return isWithin
    }

    /// `link` of a socket, before the database is asked, so that word of the link finds it; being in a room means
    /// nothing as long as the link does not name its session.
    mutating func claims(_ request: RequestID, _ acknowledgement: Int?, _ sid: String) -> Claim {
        // A page that shows another code by now waits for that one.
        guard let socket = sockets[sid], !socket.asksAgain else { return .never }
        // Who shows a pairing is of that one alone.
        if let pairing = socket.presented.pairing, RequestID(.string(pairing)) != request { return .never }
        let presented = socket.presented
        let (burst, rate) = (limits.addressLinkBurst, limits.addressLinkRate)
        if let network = presented.network, let wait = addresses.take(network, burst: burst, rate: rate, at: now) {
            return .later(wait)
        }
        bind(sid, to: request, acknowledgement: acknowledgement)
        return .may(presented)
    }

    /// Into the room of a request that may not be linked yet; out of the one before.
    mutating func bind(_ sid: String, to request: RequestID, acknowledgement: Int? = nil) {
        guard let socket = sockets[sid], socket.hasJoined else { return }
        if socket.room != request {
            leave(sid)
            sockets[sid]?.room = request
            let isNew = rooms[request] == nil
            if isNew { rooms[request] = SignallingRoom(since: now) }
            rooms[request]?.sids.append(sid)
            // Others tell how many they have.
            if isNew { tell(.presence(request, page: 0, wallet: 0, asks: true)) }
        }
        if let acknowledgement { sockets[sid]?.acknowledgements.append(acknowledgement) }
    }

    mutating func leave(_ sid: String) {
        guard let request = sockets[sid]?.room else { return }
        sockets[sid]?.room = nil
        sockets[sid]?.acknowledgements = []
        rooms[request]?.sids.removeAll { $0 == sid }
        tellPresence(of: request)
        if rooms[request]?.sids.isEmpty == true { rooms[request] = nil }
    }

    /// Both sides are known: whoever waited is answered, whoever is of neither goes, and sockets of both that are in no
    /// room come in.
    mutating func linked(_ link: SignallingLink) {
        for session in [link.linker, link.session] {
            keep(session)
            for sid in bySession[session] ?? [] where sockets[sid]?.room == nil { bind(sid, to: link.request) }
        }
        guard let room = rooms[link.request] else { return }
        rooms[link.request]?.link = link
        for sid in room.sids {
            guard let socket = sockets[sid] else { continue }
            guard link.side(of: socket.presented.session) != nil else {
                leave(sid)
                continue
            }
            sockets[sid]?.acknowledgements = []
            for number in socket.acknowledgements {
                let answer = link.acknowledgement(pairing: socket.presented.pairing)
                emit(SocketPacket(.ack, acknowledgement: number, [answer]).text, to: sid)
            }
        }
        tellPresence(of: link.request)
    }

    /// Of these sessions no socket stays.
    mutating func close(_ sessions: [String], because reason: String = "token_revoked") {
        for session in sessions { for sid in bySession[session] ?? [] { end(sid, because: reason) } }
    }

    /// Of those that wait for their other side, which may still come.
    var waiting: [RequestID] {
        rooms.compactMap {
            $0.value.link == nil && now.timeIntervalSince($0.value.since) <= LinkStore.requestLifetime + HubState.grace
                ? $0.key : nil
        }
    }

    // MARK: Relay

    /// An event that needs nobody but those who are here; others than ours are dropped, as upstream does.
    mutating func act(on event: SocketEvent, from sid: String) {
        if HubState.relayed.contains(event.name) {
            relay(event, from: sid)
        } else if event.name == "presence" {
            answerPresence(event, to: sid)
        }
    }

    /// From one side to the other, never back; dropped where there is no link, as upstream does.
    private mutating func relay(_ event: SocketEvent, from sid: String) {
        guard let socket = sockets[sid], let request = socket.room, let link = rooms[request]?.link,
            let side = link.side(of: socket.presented.session),
            HubState.isRelayable(event)
        else { return }
        deliver(event.payload, to: side.other, of: request)
        guard let room = rooms[request] else { return }
        let isAwaited =
            room.elsewhere.values.contains { $0.has(side.other) }
            || now.timeIntervalSince(room.since) < HubState.settling
        if isAwaited { tell(.relay(request, side.other, event.payload)) }
    }

    /// The name, and one description (text, or `{type, sdp}`) or one candidate.
    private static func isRelayable(_ event: SocketEvent) -> Bool {
        guard event.arguments.count == 1 else { return false }
        return event.arguments[0].object != nil
            || (event.name.hasSuffix("-description") && event.arguments[0].string != nil)
    }

    mutating func deliver(_ payload: String, to side: LinkSide, of request: RequestID) {
        guard let room = rooms[request], let link = room.link else { return }
        for sid in room.sids where link.side(of: sockets[sid]?.presented.session) == side {
            emit(SocketPacket.relaying(payload), to: sid)
        }
    }

    // MARK: Presence

    private func count(_ room: SignallingRoom) -> SignallingRoom.Count {
        var here = SignallingRoom.Count()
        guard let link = room.link else { return here }
        for sid in room.sids {
            switch link.side(of: sockets[sid]?.presented.session) {
            case .page?: here.page += 1
            case .wallet?: here.wallet += 1
            case nil: break
            }
        }
        return here
    }

    /// To the other replicas and to the sockets here, when it is another.
    mutating func tellPresence(of request: RequestID) {
        guard let room = rooms[request] else { return }
        let here = count(room)
        guard here != room.announced else { return }
        rooms[request]?.announced = here
        tell(.presence(request, page: here.page, wallet: here.wallet, asks: false))
        showPresence(of: request)
    }

    mutating func showPresence(of request: RequestID) {
        guard let room = rooms[request], let link = room.link else { return }
        for sid in room.sids {
            guard let side = link.side(of: sockets[sid]?.presented.session) else { continue }
            emit(SocketPacket(.event, ["presence", presence(of: request, for: side)]).text, to: sid)
        }
    }

    /// `online`: whether the other side is there.
    private func presence(of request: RequestID, for side: LinkSide) -> JSONValue {
        guard let room = rooms[request] else { return ["requestId": request.json, "deviceCount": 0, "online": false] }
        let here = count(room)
        let page = room.elsewhere.values.reduce(here.page) { $0 + $1.page },
            wallet = room.elsewhere.values.reduce(here.wallet) { $0 + $1.wallet }
        return [
            "requestId": request.json, "deviceCount": .integer(page + wallet),
            "online": .bool(side == .page ? wallet > 0 : page > 0),
        ]
    }

    /// `presence` of a socket: about its own room, and to nobody else.
    private mutating func answerPresence(_ event: SocketEvent, to sid: String) {
        guard let number = event.acknowledgement, let socket = sockets[sid], let request = socket.room,
            let link = rooms[request]?.link,
            let side = link.side(of: socket.presented.session)
        else { return }
        if let asked = event.arguments.first?["requestId"], RequestID(asked) != request { return }
        emit(SocketPacket(.ack, acknowledgement: number, [presence(of: request, for: side)]).text, to: sid)
    }

    mutating func heardPresence(_ request: RequestID, _ count: SignallingRoom.Count, from replica: String, asks: Bool) {
        guard let room = rooms[request] else { return }
        if asks, room.announced != SignallingRoom.Count() {
            tell(.presence(request, page: room.announced.page, wallet: room.announced.wallet, asks: false), to: replica)
        }
        guard room.elsewhere[replica, default: SignallingRoom.Count()] != count else { return }
        rooms[request]?.elsewhere[replica] = count == SignallingRoom.Count() ? nil : count
        showPresence(of: request)
    }
}
