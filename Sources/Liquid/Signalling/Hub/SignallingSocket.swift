import Base
import Foundation
import SocketIO

/// How a WebSocket is written to. The closures are called with the hub locked, in order: they must return at once and
/// not call the hub.
public struct SocketWriter: Sendable {
    /// `false` when too much waits to be sent: the socket is closed then.
    public let send: @Sendable (EngineData) -> Bool
    public let close: @Sendable () -> Void
    /// Bytes that the other side has not taken yet.
    public let waiting: @Sendable () -> Int

    public init(
        send: @escaping @Sendable (EngineData) -> Bool, close: @escaping @Sendable () -> Void,
        waiting: @escaping @Sendable () -> Int = { 0 }
    ) {
        (self.send, self.close, self.waiting) = (send, close, waiting)
    }
}

/// One client: its Engine.IO session, what it joined, and its room. Idle it is a few hundred bytes and no task.
struct SignallingSocket: Sendable {
    enum Work: Sendable {
        case joined
        case event(SocketEvent)
        /// A CONNECT that shows who it is.
        case credentials(SocketReading, JSONObject)

        var bytes: Int {
            switch self {
            case .joined: 0
            case .event(let event): event.payload.utf8.count
            case .credentials(_, let shown): JSONValue.object(shown).text.utf8.count
            }
        }
    }

    var engine: EngineSession
    var talk: SocketSession
    var presented: SignallingSession
    /// Whether its session has a row, whose end closes it.
    var isKept: Bool
    var room: RequestID?
    /// Of `link` in `room`, until both sides are there.
    var acknowledgements: [Int] = []
    /// Events not yet dealt with; one caller at a time deals with them, in order.
    var inbox: [Work] = []
    var inboxBytes = 0
    var isWorking = false
    /// Bytes that wait, as they are in the sum of all.
    var counted = 0
    var toll: SocketQuota
    var links: TokenBucket
    /// The slot of the wheel that counts.
    var slot = Int.max

    init(engine: EngineSession, presented: SignallingSession, limits: SignallingLimits, now: Date) {
        (self.engine, self.presented, isKept) = (engine, presented, presented.isKept)
        talk = SocketSession(limits: limits.socket, now: now)
        toll = SocketQuota(limits: limits, at: now)
        links = TokenBucket(full: limits.linkBurst, at: now)
    }

    var hasJoined: Bool { talk.joined[SocketPacket.main] != nil }
    /// Another `link` waits behind the one that is dealt with.
    var asksAgain: Bool { inbox.contains { if case .event(let event) = $0 { event.name == "link" } else { false } } }
    var deadline: Date { min(engine.deadline, talk.deadline ?? engine.deadline) }
}

/// A GET that waits, or a WebSocket: of this process, or of a client that another replica has.
struct SignallingCarrier: Sendable {
    let sid: String
    var reply: (@Sendable (EngineReply) -> Void)?
    var writer: SocketWriter?
    /// The replica that has the session, where this one only passes on.
    var home: String?
    /// The replica that the client is connected to, and the carrier's number there.
    var guest: Guest?
    var givesUpAt = Date.distantFuture

    struct Guest: Sendable, Hashable {
        let replica: String
        let number: Int
    }
}

/// What a replica knows of a request id: the sockets that it has in it, and how many others have.
struct SignallingRoom: Sendable {
    struct Count: Sendable, Equatable {
        var page = 0
        var wallet = 0

        func has(_ side: LinkSide) -> Bool { side == .page ? page > 0 : wallet > 0 }
    }

    /// When its first socket came here.
    let since: Date
    /// `nil` while a page waits for its wallet.
    var link: SignallingLink?
    var sids: [String] = []
    var elsewhere: [String: Count] = [:]
    var announced = Count()

    init(since: Date) { self.since = since }
}

/// Who is due when, by the second: no timer for each socket.
struct DeadlineWheel: Sendable {
    private var slots: [Int: [String]] = [:]

    static func slot(_ date: Date) -> Int { Int(date.timeIntervalSince1970.rounded(.up)) }

    mutating func add(_ sid: String, in slot: Int) { slots[slot, default: []].append(sid) }

    /// With the slot of each, as a socket may have been put into an earlier one since.
    mutating func due(at now: Date) -> [(slot: Int, sid: String)] {
        let last = Int(now.timeIntervalSince1970.rounded(.down))
        var found: [(slot: Int, sid: String)] = []
        for slot in slots.keys.filter({ $0 <= last }).sorted() {
            found += (slots.removeValue(forKey: slot) ?? []).map { (slot, $0) }
        }
        return found
    }
}
