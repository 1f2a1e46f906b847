import Base
import Foundation
import SocketIO

/// The wire form of `BusMessage.Body`: one letter for the kind in `k`.
enum BusCode {
    static func write(_ body: BusMessage.Body) -> JSONObject {
        switch body {
        case .hello(let asks): return ["k": "h", "a": .bool(asks)]
        case .presence(let request, let page, let wallet, let asks):
            return ["k": "p", "r": .string(request.key), "p": .integer(page), "w": .integer(wallet), "a": .bool(asks)]
        case .rooms(let counts):
            return [
                "k": "m",
                "x": .array(counts.map { [.string($0.request.key), .integer($0.page), .integer($0.wallet)] }),
            ]
        case .bye: return ["k": "b"]
        case .linked(let link):
            return [
                "k": "l", "r": .string(link.request.key), "l": .string(link.linker), "s": .string(link.session),
                "w": .string(link.wallet),
                "c": .string(Base64URL.encode(link.credential)),
            ]
        case .over(let sessions): return ["k": "o", "s": JSONValue(strings: sessions)]
        case .relay(let request, let side, let text):
            return ["k": "r", "r": .string(request.key), "s": .string(side.rawValue), "t": .string(text)]
        case .home(let number, let message):
            switch message {
            case .poll(let sid): return ["k": "hg", "c": .integer(number), "s": .string(sid)]
            case .post(let sid, let body):
                return ["k": "hp", "c": .integer(number), "s": .string(sid), "t": .string(body)]
            case .attach(let sid): return ["k": "ha", "c": .integer(number), "s": .string(sid)]
            case .frame(let data): return ["k": "hf", "c": .integer(number), "d": write(data)]
            case .gone: return ["k": "hx", "c": .integer(number)]
            }
        case .edge(let number, let message):
            switch message {
            case .reply(let reply): return ["k": "er", "c": .integer(number), "d": write(reply)]
            case .frame(let data): return ["k": "ef", "c": .integer(number), "d": write(data)]
            case .hangUp: return ["k": "ex", "c": .integer(number)]
            }
        }
    }

    static func read(_ json: JSONValue) -> BusMessage.Body? {
        let request = json["r"]?.string.flatMap { RequestID(key: $0) }, text = json["t"]?.string,
            sid = json["s"]?.string
        switch json["k"]?.string {
        case "h": return json["a"]?.bool.map { .hello(asks: $0) }
        case "p":
            guard let request, let page = json["p"]?.integer, let wallet = json["w"]?.integer,
                let asks = json["a"]?.bool
            else { return nil }
            return .presence(request, page: page, wallet: wallet, asks: asks)
        case "m": return rooms(json["x"])
        case "b": return .bye
        case "l":
            guard let request, let linker = json["l"]?.string, let sid, let wallet = json["w"]?.string,
                let credential = json["c"]?.string.flatMap({ Base64URL.decode($0) })
            else { return nil }
            return .linked(
                SignallingLink(request: request, linker: linker, session: sid, wallet: wallet, credential: credential))
        case "o": return json["s"]?.strings.map { .over($0) }
        case "r":
            guard let request, let text, let side = sid.flatMap({ LinkSide(rawValue: $0) }) else { return nil }
            return .relay(request, side, text)
        case let kind?:
            guard let number = json["c"]?.integer else { return nil }
            return carried(kind, number, sid: sid, text: text, json["d"])
        case nil: return nil
        }
    }

    private static func rooms(_ json: JSONValue?) -> BusMessage.Body? {
        guard let items = json?.array else { return nil }
        let counts = items.compactMap { item -> BusMessage.Presence? in
            guard let parts = item.array, parts.count == 3,
                let request = parts[0].string.flatMap({ RequestID(key: $0) }), let page = parts[1].integer,
                let wallet = parts[2].integer
            else { return nil }
            return BusMessage.Presence(request: request, page: page, wallet: wallet)
        }
        return counts.count == items.count ? .rooms(counts) : nil
    }

    private static func carried(
        _ kind: String, _ number: Int, sid: String?, text: String?, _ data: JSONValue?
    ) -> BusMessage.Body? {
        switch kind {
        case "hg": return sid.map { .home(number: number, .poll(sid: $0)) }
        case "hp":
            guard let sid, let text else { return nil }
            return .home(number: number, .post(sid: sid, text))
        case "ha": return sid.map { .home(number: number, .attach(sid: $0)) }
        case "hf": return frame(data).map { .home(number: number, .frame($0)) }
        case "hx": return .home(number: number, .gone)
        case "er": return reply(data).map { .edge(number: number, .reply($0)) }
        case "ef": return frame(data).map { .edge(number: number, .frame($0)) }
        case "ex": return .edge(number: number, .hangUp)
        default: return nil
        }
    }

    private static func write(_ data: EngineData) -> JSONValue {
        switch data {
        case .text(let text): ["t": .string(text)]
        case .binary(let bytes): ["b": .string(Base64URL.encode(bytes))]
        }
    }

    private static func frame(_ json: JSONValue?) -> EngineData? {
        if let text = json?["t"]?.string { return .text(text) }
        return json?["b"]?.string.flatMap { Base64URL.decode($0) }.map(EngineData.binary)
    }

    private static func write(_ reply: EngineReply) -> JSONValue {
        switch reply {
        case .payload(let text): ["p": .string(text)]
        case .taken: "taken"
        case .refused(let refusal): ["e": .integer(refusal.rawValue)]
        case .tooLarge: "large"
        case .full: "full"
        }
    }

    private static func reply(_ json: JSONValue?) -> EngineReply? {
        if let text = json?["p"]?.string { return .payload(text) }
        if let code = json?["e"]?.integer { return EngineRefusal(rawValue: code).map(EngineReply.refused) }
        switch json?.string {
        case "taken": return .taken
        case "large": return .tooLarge
        case "full": return .full
        default: return nil
        }
    }
}
