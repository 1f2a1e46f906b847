import Base
import Foundation
import Testing

@testable import SocketIO

/// The 25 cases of the reference suite (socketio/socket.io, docs/engine.io-protocol/v4-test-suite), in its order,
/// against the machine.
@Suite("Engine.IO 4: reference cases")
struct EngineSuiteTests {
    private static let keys: Set<String> = ["sid", "upgrades", "pingInterval", "pingTimeout", "maxPayload"]

    private static func check(_ hello: JSONValue, upgrades: JSONValue) {
        #expect(
            Set(hello.object?.names ?? []) == keys && hello["sid"]?.string?.isEmpty == false
                && hello["upgrades"] == upgrades)
        #expect(hello["pingInterval"] == 300 && hello["pingTimeout"] == 200 && hello["maxPayload"] == 1_000_000)
    }

    // MARK: Handshake

    @Test("polling: a session is opened")
    func pollingOpens() throws {
        var lab = EngineLab()
        let opening = lab.request("GET", "EIO=4&transport=polling")
        guard case .payload(let text)? = lab.answers[opening] else { throw EnginePacket.Malformed() }
        Self.check(try EngineLab.handshake(.text(text)), upgrades: ["websocket"])
    }

    @Test("polling: another version is refused", arguments: ["transport=polling", "EIO=abc&transport=polling"])
    func pollingVersion(query: String) {
        var lab = EngineLab()
        let asked = lab.request("GET", query)
        #expect(lab.answers[asked] == .refused(.unsupportedVersion))
    }

    @Test("polling: another transport is refused", arguments: ["EIO=4", "EIO=4&transport=abc"])
    func pollingTransport(query: String) {
        var lab = EngineLab()
        let asked = lab.request("GET", query)
        #expect(lab.answers[asked] == .refused(.unknownTransport))
    }

    @Test("polling: another method is refused", arguments: ["POST", "PUT"])
    func pollingMethod(method: String) {
        var lab = EngineLab()
        let asked = lab.request(method, "EIO=4&transport=polling")
        #expect(lab.answers[asked] == .refused(.badMethod))
    }

    @Test("WebSocket: a session is opened")
    func socketOpens() throws {
        var lab = EngineLab()
        let socket = lab.connect()
        Self.check(try EngineLab.handshake(try #require(lab.take(socket).first)), upgrades: [])
    }

    @Test("WebSocket: another version is refused", arguments: ["transport=websocket", "EIO=abc&transport=websocket"])
    func socketVersion(query: String) {
        var lab = EngineLab()
        let socket = lab.connect(query)
        #expect(lab.closed == [socket])
    }

    @Test("WebSocket: another transport is refused", arguments: ["EIO=4", "EIO=4&transport=abc"])
    func socketTransport(query: String) {
        var lab = EngineLab()
        let socket = lab.connect(query)
        #expect(lab.closed == [socket])
    }

    // MARK: Messages

    @Test(
        "polling: one text packet, several, and text with binary go there and back",
        arguments: ["4hello", "4test1\u{1E}4test2\u{1E}4test3", "4hello\u{1E}bAQIDBA=="])
    func pollingMessages(payload: String) throws {
        var lab = EngineLab()
        let sid = try lab.open(), posted = try lab.post(sid, payload), polled = try lab.get(sid)
        #expect(posted == .taken && polled == .payload(payload))
    }

    @Test("polling: a packet of no form closes the session")
    func pollingMalformed() throws {
        var lab = EngineLab()
        let sid = try lab.open(), posted = try lab.post(sid, "abc"), polled = try lab.get(sid)
        #expect(posted == .refused(.badRequest) && polled == .refused(.unknownSession))
    }

    @Test("polling: two polls at once close the session")
    func pollingTwice() throws {
        var lab = EngineLab()
        let sid = try lab.open(), first = lab.request("GET", "EIO=4&transport=polling&sid=\(sid)")
        #expect(lab.answers[first] == nil)
        let second = try lab.get(sid), third = try lab.get(sid)
        #expect(
            lab.answers[first] == .payload("1") && second == .refused(.badRequest) && third == .refused(.unknownSession)
        )
    }

    @Test("polling: a poll that is given up closes the session")
    func pollingCancelled() throws {
        var lab = EngineLab()
        let sid = try lab.open(), poll = lab.request("GET", "EIO=4&transport=polling&sid=\(sid)")
        lab.abandon(poll)
        let next = try lab.get(sid)
        #expect(next == .refused(.unknownSession))
    }

    @Test(
        "WebSocket: a text packet, and a binary one, go there and back",
        arguments: [EngineData.text("4hello"), .binary([1, 2, 3, 4])])
    func socketMessages(data: EngineData) {
        var lab = EngineLab()
        let socket = lab.connect()
        _ = lab.take(socket)
        lab.send(data, on: socket)
        let back = lab.take(socket)
        #expect(back == [data])
    }

    @Test("WebSocket: a packet of no form closes the session")
    func socketMalformed() {
        var lab = EngineLab()
        let socket = lab.connect()
        lab.send("abc", on: socket)
        #expect(lab.closed == [socket])
    }

    // MARK: Heartbeat

    @Test("polling: pings are answered with pongs, three times")
    func pollingPings() throws {
        var lab = EngineLab()
        let sid = try lab.open()
        for _ in 0..<3 {
            let poll = lab.request("GET", "EIO=4&transport=polling&sid=\(sid)")
            lab.sleep(310)
            let posted = try lab.post(sid, "3")
            #expect(lab.answers[poll] == .payload("2") && posted == .taken)
        }
    }

    @Test("polling: no pong closes the session")
    func pollingSilent() throws {
        var lab = EngineLab()
        let sid = try lab.open()
        lab.sleep(520)
        let polled = try lab.get(sid)
        #expect(polled == .refused(.unknownSession))
    }

    @Test("WebSocket: pings are answered with pongs, three times")
    func socketPings() {
        var lab = EngineLab()
        let socket = lab.connect()
        _ = lab.take(socket)
        for _ in 0..<3 {
            lab.sleep(310)
            let heard = lab.take(socket)
            #expect(heard == [.text("2")])
            lab.send("3", on: socket)
        }
        #expect(lab.closed.isEmpty)
    }

    @Test("WebSocket: no pong closes the session")
    func socketSilent() {
        var lab = EngineLab()
        let socket = lab.connect()
        lab.sleep(520)
        #expect(lab.closed == [socket])
    }

    // MARK: Closing

    @Test("polling: the client closes")
    func pollingCloses() throws {
        var lab = EngineLab()
        let sid = try lab.open(), poll = lab.request("GET", "EIO=4&transport=polling&sid=\(sid)"),
            posted = try lab.post(sid, "1"), next = try lab.get(sid)
        #expect(posted == .taken && lab.answers[poll] == .payload("6") && next == .refused(.unknownSession))
    }

    @Test("WebSocket: the client closes")
    func socketCloses() {
        var lab = EngineLab()
        let socket = lab.connect()
        lab.send("1", on: socket)
        #expect(lab.closed == [socket])
    }

    // MARK: Upgrade

    private static func upgraded(_ lab: inout EngineLab) throws -> (sid: String, socket: Int) {
        let sid = try lab.open(), socket = lab.connect("EIO=4&transport=websocket&sid=\(sid)")
        lab.send("2probe", on: socket)
        let heard = lab.take(socket)
        #expect(heard == [.text("3probe")])
        lab.send("5", on: socket)
        return (sid, socket)
    }

    @Test("a session goes over from polling to a WebSocket")
    func upgrade() throws {
        var lab = EngineLab()
        let sid = try lab.open(), socket = lab.connect("EIO=4&transport=websocket&sid=\(sid)")
        lab.send("2probe", on: socket)
        let probed = lab.take(socket), polled = try lab.get(sid)
        #expect(probed == [.text("3probe")] && polled == .payload("6"))
        lab.send("5", on: socket)
        lab.send("4hello", on: socket)
        let heard = lab.take(socket)
        #expect(heard == [.text("4hello")])
    }

    @Test("polls of a session that went over are refused, and it goes on")
    func pollAfterUpgrade() throws {
        var lab = EngineLab()
        let (sid, socket) = try Self.upgraded(&lab), polled = try lab.get(sid)
        lab.send("4hello", on: socket)
        let heard = lab.take(socket)
        #expect(polled == .refused(.badRequest) && heard == [.text("4hello")])
    }

    @Test("a second WebSocket of a session that went over is closed, and it goes on")
    func socketAfterUpgrade() throws {
        var lab = EngineLab()
        let (sid, socket) = try Self.upgraded(&lab), second = lab.connect("EIO=4&transport=websocket&sid=\(sid)")
        lab.send("4hello", on: socket)
        let heard = lab.take(socket)
        #expect(lab.closed == [second] && heard == [.text("4hello")])
    }

    // MARK: Beyond the suite

    @Test("while it is asked for, every poll returns at once, so that clients that wait for one are free to go over")
    func repeatedNoop() throws {
        var lab = EngineLab()
        let sid = try lab.open(), early = lab.request("GET", "EIO=4&transport=polling&sid=\(sid)"),
            socket = lab.connect("EIO=4&transport=websocket&sid=\(sid)")
        #expect(lab.answers[early] == nil)
        lab.send("2probe", on: socket)
        let second = try lab.get(sid), third = try lab.get(sid)
        #expect(lab.answers[early] == .payload("6") && second == .payload("6") && third == .payload("6"))
    }

    @Test("what was queued for polls comes over the WebSocket, in order")
    func flushed() throws {
        var lab = EngineLab()
        let sid = try lab.open(), socket = lab.connect("EIO=4&transport=websocket&sid=\(sid)")
        lab.send("2probe", on: socket)
        _ = lab.take(socket)
        _ = try lab.post(sid, "4a\u{1E}4b")
        lab.send("5", on: socket)
        let heard = lab.take(socket)
        #expect(heard == [.text("4a"), .text("4b")])
    }

    @Test(
        "a WebSocket that asks and then says something else, or nothing, is closed, and polling goes on",
        arguments: ["4hello", "5", nil])
    func badProbe(frame: String?) throws {
        var lab = EngineLab()
        let sid = try lab.open(), socket = lab.connect("EIO=4&transport=websocket&sid=\(sid)")
        if let frame {
            lab.send(frame, on: socket)
        } else {
            var poll = lab.request("GET", "EIO=4&transport=polling&sid=\(sid)")
            for _ in 0..<70 {
                lab.sleep(150)
                _ = try lab.post(sid, "3")
                if lab.answers[poll] != nil { poll = lab.request("GET", "EIO=4&transport=polling&sid=\(sid)") }
            }
        }
        #expect(lab.closed == [socket])
        let posted = try lab.post(sid, "3")
        #expect(posted == .taken)
    }

    @Test("a client that fetches nothing is let go")
    func tooSlow() throws {
        var lab = EngineLab()
        let sid = try lab.open(), half = Array(repeating: "4x", count: 200).joined(separator: "\u{1E}")
        let first = try lab.post(sid, half), second = try lab.post(sid, half), polled = try lab.get(sid)
        #expect(first == .taken && second == .taken && polled == .refused(.unknownSession))
    }

    @Test(
        "a client that answers pings and fetches nothing is let go; one that fetches is not", arguments: [true, false])
    func fetchesNothing(fetches: Bool) throws {
        var lab = EngineLab()
        let sid = try lab.open()
        for _ in 0..<6 {
            lab.sleep(150)
            _ = try lab.post(sid, "3")
            if fetches, lab.isQueued(sid) { _ = try lab.get(sid) }
        }
        let posted = try lab.post(sid, "3")
        #expect((posted == .taken) == fetches)
    }

    @Test("a client for whom too many bytes wait is let go")
    func tooMuch() throws {
        var lab = EngineLab()
        let sid = try lab.open(), half = "4" + String(repeating: "x", count: lab.limits.maxWaiting / 2)
        let first = try lab.post(sid, half), second = try lab.post(sid, half), polled = try lab.get(sid)
        #expect(first == .taken && second == .taken && polled == .refused(.unknownSession))
    }

    @Test("a body, or a frame, of more than is allowed")
    func tooLarge() throws {
        var lab = EngineLab()
        let sid = try lab.open(), large = "4" + String(repeating: "x", count: lab.limits.maxPayload),
            posted = try lab.post(sid, large)
        #expect(posted == .tooLarge)
        let socket = lab.connect()
        lab.send(large, on: socket)
        #expect(lab.closed == [socket])
    }

    @Test(
        "what no client may send", arguments: ["", "0", "2", "5", "1x", "6x", "7", "b!", "bAQ", "4a\u{1E}", "\u{301}4"])
    func malformed(body: String) throws {
        var lab = EngineLab()
        let sid = try lab.open(), posted = try lab.post(sid, body), polled = try lab.get(sid)
        #expect(polled == .refused(.unknownSession) && posted != .tooLarge)
    }
}
