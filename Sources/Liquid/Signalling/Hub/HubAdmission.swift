import Base
import Foundation
import SocketIO

/// Who it is by what a CONNECT shows (`auth` of the client libraries). For a route, which knows tokens and proofs.
public typealias SocketAuthentication = @Sendable (_ shown: JSONObject) async -> SocketAdmission

public enum SocketAdmission: Sendable {
    case admitted(SignallingSession)
    /// Why not: a word for programs, and a sentence.
    case refused(code: String, message: String)
    /// Nobody can say now: the client comes again by itself.
    case away
}

extension SignallingSocket {
    /// Members by which a CONNECT says who it is.
    private static let credentials = ["access_token", "pairingId"]

    /// What is to be looked at before the socket may join. The cookie of the handshake counts no more then.
    func credentials(in reading: SocketReading) -> JSONObject? {
        guard case .packet(let packet) = reading, packet.namespace == SocketPacket.main, !hasJoined,
            let shown = packet.shown, SignallingSocket.credentials.contains(where: { shown[$0] != nil })
        else { return nil }
        return shown
    }
}

extension HubState {
    /// The socket is another session's from now on, and joins.
    mutating func admit(_ sid: String, as session: SignallingSession, _ reading: SocketReading) {
        guard let before = sockets[sid]?.presented.session, sockets[sid]?.hasJoined == false else { return }
        if before != session.session {
            // It has its place in the process and at its address already.
            guard !isEnding else { return shut(sid) }
            makeRoom(in: session.session)
            bySession[before]?.removeAll { $0 == sid }
            if bySession[before]?.isEmpty == true { (bySession[before], tokens[before]) = (nil, nil) }
            bySession[session.session, default: []].append(sid)
        }
        sockets[sid]?.presented = session
        sockets[sid]?.isKept = session.isKept
        if session.isKept { unproven.insert(session.session) }
        note(until: session.until, of: session.session)
        take(reading, of: sid)
    }

    /// A session that has as many sockets as it may loses its oldest.
    mutating func makeRoom(in session: String) {
        guard let own = bySession[session], own.count >= limits.maxSocketsPerSession, let oldest = own.first else {
            return
        }
        dismiss(oldest)
    }

    /// An older token of the session, shown after a newer one, ends nothing of that.
    mutating func note(until: Date?, of session: String) {
        guard let until else { return }
        tokens[session] = max(tokens[session] ?? until, until)
    }

    /// It may show something else, until its time to join is over.
    mutating func refuse(_ sid: String, code: String, message: String) {
        emit(
            SocketPacket(.connectError, ["message": .string(message), "data": ["code": .string(code)]]).text, to: sid)
    }

    /// A socket of a token hears why, and its client does not come again by itself: it needs another token first.
    mutating func end(_ sid: String, because reason: String) {
        guard let socket = sockets[sid], socket.presented.until != nil else { return shut(sid) }
        if socket.hasJoined {
            let event: JSONValue =
                socket.presented.pairing.map { ["pairing:revoked", LiquidPairing.over($0)] }
                ?? ["token:ended", ["reason": .string(reason)]]
            emit(SocketPacket(.event, event).text, to: sid)
        }
        dismiss(sid)
    }

    /// `now` is the time of day, by which tokens expire.
    mutating func closeExpired(at now: Date) {
        close(tokens.compactMap { $0.value <= now ? $0.key : nil }, because: "token_expired")
    }

    /// Sessions of tokens, where something was revoked since they were last asked about.
    mutating func takeChanged() -> Set<String> {
        guard isChanged else { return [] }
        isChanged = false
        return Set(tokens.keys)
    }
}

extension SignallingHub {
    /// Every revocation is told with its commit; whether it is about a socket of a token is asked by the next beat, for
    /// all of them at once. What is told while nobody listens is made up for, as are ends of which nobody told.
    func hearChanges() async {
        for await _ in database.listen(SignallingHub.changes) { locked { $0.isChanged = true } }
    }

    /// Told by `record_change`.
    private static let changes = "pando_changes"

    func admit(_ sid: String, _ reading: SocketReading, _ shown: JSONObject) async {
        guard let presented = locked({ $0.sockets[sid]?.presented }) else { return }
        let none = SocketAdmission.refused(code: "invalid_token", message: "no token opens a socket here")
        switch await presented.authenticate?(shown) ?? none {
        case .admitted(let session): locked { $0.admit(sid, as: session, reading) }
        case .refused(let code, let message): locked { $0.refuse(sid, code: code, message: message) }
        case .away: locked { $0.shut(sid) }
        }
    }
}
