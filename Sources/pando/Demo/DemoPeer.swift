import Base
import Foundation
import Simulators

/// One side's socket by HTTP long-polling (protocols/liquid.md, 4). A browser and a wallet would go over to a
/// WebSocket; here every packet can be seen.
struct DemoPeer: Sendable {
    private static let most = 8

    private let wire: DemoWire
    private let url: String
    private let headers: [(name: String, value: String)]
    private var inbox: [(packet: String, by: DemoExchange)] = []

    /// Handshake of Engine.IO, then the main namespace of Socket.IO. `exchanges` are those that it took.
    static func connect(
        _ host: String, cookie: String, by wire: DemoWire
    ) async throws -> (peer: DemoPeer, exchanges: [DemoExchange]) {
        let door = host + "/socket.io/?EIO=4&transport=polling",
            headers = [(name: "Cookie", value: "connect.sid=\(cookie)")]
        let handshake = try await wire.send(DemoRequest(method: "GET", url: door, headers: headers)).good()
        guard handshake.plain.hasPrefix("0"),
            let sid = (try? JSONReader.read(handshake.plain.dropFirst().utf8))?["sid"]?.string
        else {
            throw DemoFailure.unexpected(handshake, "no handshake of Engine.IO came")
        }
        var peer = DemoPeer(wire: wire, url: "\(door)&sid=\(FormCodec.encode(sid))", headers: headers)
        let asked = try await peer.emit("0"), joined = try await peer.hear("0")
        return (peer, [handshake, asked, joined.by])
    }

    private init(wire: DemoWire, url: String, headers: [(name: String, value: String)]) {
        (self.wire, self.url, self.headers) = (wire, url, headers)
    }

    /// A GET that waits for packets.
    var poll: DemoRequest { DemoRequest(method: "GET", url: url, headers: headers) }

    /// One packet of Socket.IO.
    @discardableResult
    func emit(_ packet: String) async throws -> DemoExchange { try await post("4" + packet) }

    func emit(_ event: String, _ argument: JSONValue, acknowledgement: Int? = nil) async throws -> DemoExchange {
        try await emit(
            "2" + (acknowledgement.map { "\($0)" } ?? "") + JSONValue.array([.string(event), argument]).text)
    }

    /// The next packet that begins so; others wait until they are asked for.
    mutating func hear(_ start: String) async throws -> (packet: String, by: DemoExchange) {
        var latest: DemoExchange?
        for _ in 0..<DemoPeer.most {
            if let place = inbox.firstIndex(where: { $0.packet.hasPrefix(start) }) { return inbox.remove(at: place) }
            let exchange = try await wire.send(poll).good()
            latest = exchange
            for packet in exchange.plain.split(separator: "\u{1E}") {
                if packet == "2" { _ = try await post("3") }
                if packet.hasPrefix("4") { inbox.append((packet: String(packet.dropFirst()), by: exchange)) }
            }
        }
        guard let latest else { throw DemoFailure.unreachable(url, cause: "no answer") }
        throw DemoFailure.unexpected(latest, "what begins with \(start) did not come")
    }

    /// An event of this name, and its one argument.
    mutating func event(_ name: String) async throws -> (argument: JSONValue, by: DemoExchange) {
        let (packet, exchange) = try await hear("2[\"\(name)\"")
        guard let argument = (try? JSONReader.read(packet.dropFirst().utf8))?.array?.last else {
            throw DemoFailure.unexpected(exchange, "\(name) brings nothing")
        }
        return (argument, exchange)
    }

    private func post(_ text: String) async throws -> DemoExchange {
        try await wire.send(DemoRequest(method: "POST", url: url, headers: headers, body: .text(text))).good()
    }
}
