import Base
import SocketIO

/// What replicas tell one another. Text, since NOTIFY carries text; only who writes to the database can send it.
struct BusMessage: Sendable, Equatable {
    enum Body: Sendable, Equatable {
        /// This replica is there. `asks`: it may have missed something, and has rooms; others tell whom they have.
        case hello(asks: Bool)
        /// How many sockets of each side it has in a room.
        case presence(RequestID, page: Int, wallet: Int, asks: Bool)
        /// The same of many rooms.
        case rooms([Presence])
        case linked(SignallingLink)
        case over([String])
        /// For the sockets of one side: the array of the event, as it was sent.
        case relay(RequestID, LinkSide, String)
        /// From where a client's request arrived to where its session is; `number` names the request or WebSocket
        /// there.
        case home(number: Int, ToHome)
        /// And back.
        case edge(number: Int, ToEdge)
        /// This replica ends.
        case bye
    }

    struct Presence: Sendable, Equatable {
        let request: RequestID
        let page: Int
        let wallet: Int
    }

    enum ToHome: Sendable, Equatable {
        case poll(sid: String)
        case post(sid: String, String)
        case attach(sid: String)
        case frame(EngineData)
        case gone
    }

    enum ToEdge: Sendable, Equatable {
        case reply(EngineReply)
        case frame(EngineData)
        case hangUp
    }

    let from: String
    /// Rises with each message of `from`.
    let number: Int
    /// `nil`: all.
    let to: String?
    let body: Body

    var text: String {
        var object: JSONObject = ["f": .string(from), "n": .integer(number)]
        if let to { object["to"] = .string(to) }
        for (name, value) in BusCode.write(body) { object[name] = value }
        return JSONValue.object(object).text
    }

    init(from: String, number: Int, to: String?, _ body: Body) {
        (self.from, self.number, self.to, self.body) = (from, number, to, body)
    }

    /// `nil` for what another version of this program may have sent.
    init?(_ text: String) {
        guard let json = try? JSONReader.read(text.utf8) else { return nil }
        self.init(json)
    }

    init?(_ json: JSONValue) {
        guard let from = json["f"]?.string, let number = json["n"]?.integer, let body = BusCode.read(json) else {
            return nil
        }
        self.init(from: from, number: number, to: json["to"]?.string, body)
    }
}

extension BusMessage.Body {
    /// The room that a relay is about.
    var room: RequestID? { if case .relay(let request, _, _) = self { request } else { nil } }

    /// Bytes, about: what of it may be large, and what each has besides.
    var weight: Int {
        let large =
            switch self {
            case .hello, .presence, .linked, .bye: 0
            case .rooms(let counts): counts.count * 60
            case .over(let sessions): sessions.reduce(0) { $0 + $1.utf8.count + 3 }
            case .relay(_, _, let text), .home(_, .post(_, let text)), .edge(_, .reply(.payload(let text))):
                text.utf8.count
            case .home(_, .frame(let data)), .edge(_, .frame(let data)): data.count
            case .home, .edge: 0
            }
        return large + 200
    }
}
