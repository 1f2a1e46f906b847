import Base
import Foundation
import Testing

@testable import SocketIO

/// The 16 cases of the reference suite that are Socket.IO's own (socketio/socket.io,
/// docs/socket.io-protocol/v5-test-suite), in its order, against the machines.
@Suite("Socket.IO 5: reference cases")
struct SocketSuiteTests {
    private static func text(_ data: EngineData?) -> String { if case .text(let text)? = data { text } else { "" } }

    // MARK: Connect

    @Test(
        "joining the main namespace and another, with something to say and without",
        arguments: [
            ("40", #"42["auth",{}]"#), (#"40{"token":"123"}"#, #"42["auth",{"token":"123"}]"#),
            ("40/custom,", #"42/custom,["auth",{}]"#),
            (#"40/custom,{"token":"abc"}"#, #"42/custom,["auth",{"token":"abc"}]"#),
        ])
    func joins(sent: String, auth: String) throws {
        var lab = EngineLab(events: true)
        let socket = lab.connect()
        _ = lab.take(socket)
        lab.send(sent, on: socket)
        let heard = lab.take(socket)
        try #require(heard.count == 2)
        let answer = sent.contains("/") ? "40/custom," : "40", hello = Self.text(heard[0]),
            said = try JSONReader.read(Array(hello.utf8.dropFirst(answer.utf8.count)))
        #expect(
            hello.hasPrefix(answer) && said.object?.names == ["sid"] && said["sid"]?.string?.isEmpty == false
                && heard[1] == .text(auth))
    }

    @Test("a namespace that there is not")
    func unknownNamespace() {
        var lab = EngineLab(events: true)
        let socket = lab.connect()
        _ = lab.take(socket)
        lab.send("40/random", on: socket)
        let heard = lab.take(socket)
        #expect(heard == [.text(#"44/random,{"message":"Invalid namespace"}"#)] && lab.closed.isEmpty)
    }

    @Test("a first packet of no form closes")
    func invalidHandshake() {
        var lab = EngineLab(events: true)
        let socket = lab.connect()
        lab.send("4abc", on: socket)
        #expect(lab.closed == [socket])
    }

    @Test("whoever joins nothing is closed, though it answers pings")
    func noHandshake() {
        var lab = EngineLab(events: true)
        let socket = lab.connect()
        for _ in 0..<3 {
            lab.sleep(310)
            lab.send("3", on: socket)
        }
        #expect(lab.closed.isEmpty)
        lab.sleep(100)
        #expect(lab.closed == [socket])
    }

    // MARK: Disconnect

    @Test("leaving the main namespace leaves the connection: a ping comes next")
    func leavesMain() {
        var lab = EngineLab(events: true)
        let socket = lab.joined()
        lab.send("41", on: socket)
        lab.sleep(310)
        let heard = lab.take(socket)
        #expect(heard == [.text("2")] && lab.closed.isEmpty)
    }

    @Test("leaving another namespace leaves the main one as it is")
    func leavesCustom() {
        var lab = EngineLab(events: true)
        let socket = lab.joined()
        lab.send("40/custom", on: socket)
        _ = lab.take(socket)
        lab.send("41/custom", on: socket)
        lab.send(#"42["message","message to main namespace"]"#, on: socket)
        let heard = lab.take(socket)
        #expect(heard == [.text(#"42["message-back","message to main namespace"]"#)])
    }

    // MARK: Messages

    @Test(
        "events, and events that are acknowledged",
        arguments: [
            (#"42["message",1,"2",{"3":[true]}]"#, #"42["message-back",1,"2",{"3":[true]}]"#),
            (#"42456["message-with-ack",1,"2",{"3":[false]}]"#, #"43456[1,"2",{"3":[false]}]"#),
        ])
    func events(sent: String, back: String) {
        var lab = EngineLab(events: true)
        let socket = lab.joined()
        lab.send(sent, on: socket)
        let heard = lab.take(socket)
        #expect(heard == [.text(back)])
    }

    private static let places = #"{"_placeholder":true,"num":0},{"_placeholder":true,"num":1}]"#

    @Test(
        "events with attachments, acknowledged and not",
        arguments: [
            (#"452-["message","# + places, #"452-["message-back","# + places),
            (#"452-789["message-with-ack","# + places, "462-789[" + places),
        ])
    func attachments(sent: String, back: String) {
        var lab = EngineLab(events: true)
        let socket = lab.joined()
        lab.send(sent, on: socket)
        lab.send(.binary([1, 2, 3]), on: socket)
        lab.send(.binary([4, 5, 6]), on: socket)
        let heard = lab.take(socket)
        #expect(heard == [.text(back), .binary([1, 2, 3]), .binary([4, 5, 6])])
    }

    @Test(
        "a type, a payload, an acknowledgement id of no form close",
        arguments: ["4abc", "42{}", #"42abc["message-with-ack",1,"2",{"3":[false]}]"#])
    func malformed(packet: String) {
        var lab = EngineLab(events: true)
        let socket = lab.joined()
        lab.send(packet, on: socket)
        #expect(lab.closed == [socket])
    }

    // MARK: Beyond the suite

    @Test("the main namespace has two spellings (socket.io-client-swift writes the slash)")
    func slash() {
        var lab = EngineLab(events: true)
        let socket = lab.connect()
        _ = lab.take(socket)
        lab.send("40/,", on: socket)
        let joined = Self.text(lab.take(socket).first)
        #expect(joined.hasPrefix(#"40{"sid":"#))
        lab.send("41/,", on: socket)
        lab.send(#"42["message"]"#, on: socket)
        #expect(lab.closed == [socket])
    }

    @Test(
        "what no client may send once it has joined",
        arguments: [
            "4", "49", "45", "42", "42x", "42[1]", "42[]", #"42["connect"]"#, #"42["disconnect"]"#, "40", "44{}", "431",
            #"43["x"]"#, #"42["a"]["b"]"#, #"42 ["a"]"#,
            #"42["a",{"x":1,"x":2}]"#, #"421234567890123456["a"]"#, #"459-["a"]"#, #"451-["a"]"#,
            #"451-["a",{"_placeholder":true,"num":1}]"#,
            #"452-["a",{"_placeholder":true,"num":0},{"_placeholder":true,"num":0}]"#, #"42/other,["a"]"#,
            #"42["a", "\#u{0}"]"#,
        ])
    func refused(packet: String) {
        var lab = EngineLab(events: true)
        let socket = lab.joined()
        lab.send(packet, on: socket)
        #expect(lab.closed == [socket])
    }

    @Test("an attachment that nobody announced, and a text in place of one")
    func attachmentsOutOfPlace() {
        var lab = EngineLab(events: true)
        let first = lab.joined(), second = lab.joined()
        lab.send(.binary([1]), on: first)
        lab.send(#"451-["a",{"_placeholder":true,"num":0}]"#, on: second)
        lab.send(#"42["a"]"#, on: second)
        #expect(lab.closed == [first, second])
    }
}
