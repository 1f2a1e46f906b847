import Base
import Foundation
import HTTP
import HTTPTypes
import TestSupport
import Testing

@Suite("liquid: signalling at /socket.io/", .server)
struct LiquidSocketTests {
    private static let polling = "/socket.io/?EIO=4&transport=polling",
        websocket = "/socket.io/?EIO=4&transport=websocket"

    private func post(_ sid: String, _ body: String) async throws -> Reply {
        try await TestServer.ofSuite.send(.post, "\(Self.polling)&sid=\(sid)", body: Array(body.utf8))
    }

    private func poll(_ sid: String) async throws -> Reply {
        try await TestServer.ofSuite.get("\(Self.polling)&sid=\(sid)")
    }

    private func opened() async throws -> (sid: String, reply: Reply) {
        let reply = try await TestServer.ofSuite.get(Self.polling)
        let hello = try JSONReader.read(Array(reply.body.dropFirst().utf8))
        return (try #require(hello["sid"]?.string), reply)
    }

    @Test("a socket is opened by polling, joins, and is given its answers; its browser gets the cookie")
    func polling() async throws {
        let (sid, reply) = try await opened()
        let joined = try await post(sid, "40/,"), answer = try await poll(sid)

        #expect(
            reply.status == 200 && reply.body.hasPrefix("0{")
                && reply[header: "Content-Type"] == "text/plain; charset=UTF-8")
        #expect(reply.headers[.setCookie]?.hasPrefix("connect.sid=s%3A") == true)
        #expect(joined.status == 200 && joined.body == "ok" && answer.body.hasPrefix(#"40{"sid":""#))
    }

    @Test(
        "what is no request of the protocol is refused with the code of the reference",
        arguments: [
            ("GET", "?transport=polling", 5), ("GET", "?EIO=3&transport=polling", 5), ("GET", "?EIO=4", 0),
            ("GET", "?EIO=4&transport=pigeon", 0),
            ("GET", "?EIO=4&transport=polling&sid=nobody", 1), ("POST", "?EIO=4&transport=polling&sid=nobody", 1),
            ("POST", "?EIO=4&transport=polling", 2),
            ("PUT", "?EIO=4&transport=polling", 2), ("DELETE", "?EIO=4&transport=polling", 2),
            ("PATCH", "?EIO=4&transport=polling", 2),
            ("HEAD", "?EIO=4&transport=polling", 2), ("GET", "?EIO=4&transport=websocket", 3),
        ])
    func refused(_ method: String, _ query: String, _ code: Int) async throws {
        let reply = try await TestServer.ofSuite.send(
            try #require(HTTPRequest.Method(rawValue: method)), "/socket.io/" + query)
        #expect(reply.status == 400)
        if method != "HEAD" { #expect(reply.json["code"]?.integer == code && reply["message"] != nil) }
    }

    @Test(
        """
        a body beyond what the handshake allows is 413, and the socket lives; for an id that somebody made up none \
        is read
        """
    )
    func large() async throws {
        let (sid, reply) = try await opened(), hello = try JSONReader.read(Array(reply.body.dropFirst().utf8)),
            most = try #require(hello["maxPayload"]?.integer)
        let body = "4" + String(repeating: "a", count: most), large = try await post(sid, body),
            joined = try await post(sid, "40")
        let stranger = try await post("nobody", body)
        #expect(large.status == 413 && joined.body == "ok" && stranger.status == 400 && stranger.json["code"] == 1)
    }

    @Test("whoever opens a socket gets the cookie once more, for another while")
    func cookie() async throws {
        let server = try TestServer.ofSuite
        var wallet = WalletDevice()
        _ = try await wallet.register(in: server)
        let cookie = try #require(wallet.cookie), headers: HTTPFields = [.cookie: "connect.sid=\(cookie)"]
        let opened = try await server.get(Self.polling, headers: headers),
            asked = try await server.get("/auth/user", headers: headers)
        #expect(
            opened.headers[.setCookie]?.hasPrefix("connect.sid=\(cookie); Path=/; Max-Age=") == true
                && asked.headers[.setCookie] == nil)
    }

    @Test("a poll that its client gives up ends the socket; the connection of one that is answered serves on")
    func abandoned() async throws {
        try await TestServer.ofSuite.listening(nil) { port in
            let waiting = try await RawConnection.open(port) { connection in
                try await connection.ask(["GET \(Self.polling) HTTP/1.1", "Host: localhost"])
                let hello = try await connection.answer(),
                    sid = try JSONReader.read(Array(hello.body.dropFirst().utf8))["sid"]?.string ?? ""
                try await connection.ask(
                    ["POST \(Self.polling)&sid=\(sid) HTTP/1.1", "Host: localhost", "Content-Length: 2"], body: "40")
                let taken = try await connection.answer()
                try await connection.ask(["GET \(Self.polling)&sid=\(sid) HTTP/1.1", "Host: localhost"])
                let joined = try await connection.answer()
                #expect(
                    taken.body == "ok" && joined.body.hasPrefix("40{")
                        && !joined.head.lowercased().contains("connection: close"))
                // Waits now, and goes.
                try await connection.ask(["GET \(Self.polling)&sid=\(sid) HTTP/1.1", "Host: localhost"])
                return sid
            }
            var status = 200
            for _ in 0..<100 where status == 200 {
                status = try await post(waiting, "3").status
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(status == 400)
        }
    }

    @Test("a socket goes over from polling to a WebSocket; polls are let go while it probes, and refused afterwards")
    func upgrade() async throws {
        try await TestServer.ofSuite.listening(nil) { port in
            let (sid, _) = try await opened()
            _ = try await post(sid, "40")
            _ = try await poll(sid)
            try await RawConnection.open(port) { connection in
                try await connection.ask(RawConnection.upgrade("\(Self.websocket)&sid=\(sid)"))
                let head = try await connection.answer().head
                try await connection.say("2probe")
                let probed = try await connection.text(), released = try await poll(sid), again = try await poll(sid)
                try await connection.say("5")
                // In order: whoever gets an answer to this has gone over.
                try await connection.say(#"427["presence",{}]"#)
                try await connection.say("42[1")
                let last = try await connection.text(), left = try await poll(sid)

                #expect(
                    head.hasPrefix("HTTP/1.1 101") && probed == "3probe" && released.body == "6" && again.body == "6")
                #expect((last.hasPrefix("close") || last == "1" || last == "41") && left.status == 400)
            }
        }
    }

    @Test(
        """
        a page is linked with the wallet that scanned its code, reads whose it is, and hears what the wallet sends; \
        a logout of either closes its socket
        """
    )
    func linked() async throws {
        try await TestServer.with { server in
            try await server.listening(nil) { port in
                let signalling = Task { await server.parts.liquid.signalling.run() }
                defer { signalling.cancel() }
                try await RawConnection.open(port) { page in
                    try await page.ask(RawConnection.upgrade(Self.websocket))
                    let head = try await page.answer().head
                    let cookie = try #require(head.firstMatch(of: #/connect\.sid=([^;]+);/#)).1
                    _ = try await page.text()
                    try await page.say("40")
                    _ = try await page.text()
                    try await page.say(#"427["link",{"requestId":"019097ff-bb8c-7d2a-9822-7c9eb2c0d419"}]"#)

                    var wallet = WalletDevice()
                    let entered = try await wallet.register(
                        in: server, requestID: "019097ff-bb8c-7d2a-9822-7c9eb2c0d419")
                    var heard = try await page.text()
                    while !heard.hasPrefix("437") { heard = try await page.text() }
                    let user = try await server.get("/auth/user", headers: [.cookie: "connect.sid=\(cookie)"])
                    #expect(entered.status == 201 && heard.contains(wallet.address) && user["wallet"] == wallet.address)

                    let session = try #require(wallet.cookie), address = wallet.address
                    try await RawConnection.open(port) { phone in
                        try await phone.ask(RawConnection.upgrade(Self.websocket, ["Cookie: connect.sid=\(session)"]))
                        _ = try await phone.answer()
                        _ = try await phone.text()
                        try await phone.say("40/,")
                        _ = try await phone.text()
                        try await phone.say(#"42["link",{"requestId":"019097ff-bb8c-7d2a-9822-7c9eb2c0d419"}]"#)
                        try await phone.say(#"42["offer-description","v=0"]"#)
                        var told = try await page.text()
                        while !told.hasPrefix(#"42["offer-description""#) { told = try await page.text() }
                        #expect(told == #"42["offer-description","v=0"]"#, "\(address)")

                        _ = try await server.get("/auth/logout", headers: [.cookie: "connect.sid=\(session)"])
                        var last = try await phone.text()
                        while !last.hasPrefix("close") { last = try await phone.text() }
                        #expect(last == "close 1000")
                    }
                }
            }
        }
    }
}
