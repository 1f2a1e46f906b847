import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing
import TokenTree

@Suite("liquid: pairings that last", .server)
struct LiquidPairingTests {
    private static let websocket = "/socket.io/?EIO=4&transport=websocket"

    /// What one side keeps.
    struct Side: Sendable {
        let id: String, role: String, credential: String

        init(_ json: JSONValue?) throws {
            id = try #require(json?["pairingId"]?.string)
            role = try #require(json?["role"]?.string)
            credential = try #require(json?["credential"]?.string)
        }

        var headers: HTTPFields {
            var headers: HTTPFields = [.authorization: "Bearer \(credential)"]
            if let name = HTTPField.Name("x-pairing-role") { headers[name] = role }
            return headers
        }

        var connect: String {
            "40"
                + JSONValue.object([
                    "version": 2, "pairingId": .string(id), "role": .string(role), "credential": .string(credential),
                ]).text
        }
    }

    private func paired(_ server: TestServer, _ wallet: inout WalletDevice) async throws -> (Side, Side) {
        let invited = try await server.post("/pairings/invitations", json: [:])
        try #require(invited.status == 201, "\(invited.body)")
        let page = try Side(invited.json)
        let entered = try await wallet.register(in: server, requestID: .string(page.id))
        try #require(entered.status == 201, "\(entered.body)")
        return (page, try Side(entered.json["pairing"]))
    }

    private func status(_ side: Side, in server: TestServer) async throws -> Reply {
        try await server.get("/pairings/\(side.id)/status", headers: side.headers)
    }

    /// What follows what begins otherwise.
    private static func next(_ prefix: String, _ socket: inout RawConnection) async throws -> String {
        var heard = try await socket.text()
        while !heard.hasPrefix(prefix) { heard = try await socket.text() }
        return heard
    }

    /// Sockets of the page and the wallet, joined by their credentials alone; and their port.
    private func sockets(
        _ server: TestServer, _ page: Side, _ wallet: Side,
        _ body: @escaping @Sendable (inout RawConnection, inout RawConnection, Int) async throws -> Void
    ) async throws {
        try await server.listening(nil) { port in
            let signalling = Task { await server.parts.liquid.signalling.run() }
            defer { signalling.cancel() }
            try await RawConnection.open(port) { one in
                try await one.ask(RawConnection.upgrade(Self.websocket))
                _ = try await one.answer()
                try await one.say(page.connect)
                _ = try await Self.next("40{", &one)
                var first = one
                try await RawConnection.open(port) { two in
                    try await two.ask(RawConnection.upgrade(Self.websocket))
                    _ = try await two.answer()
                    try await two.say(wallet.connect)
                    _ = try await Self.next("40{", &two)
                    try await body(&first, &two, port)
                }
            }
        }
    }

    @Test("a page invites, a wallet that logs in with the id approves, and both see it")
    func approved() async throws {
        let server = try TestServer.ofSuite, invited = try await server.post("/pairings/invitations", json: [:])
        let page = try Side(invited.json), before = try await status(page, in: server)
        var wallet = WalletDevice(), other = WalletDevice()
        let entered = try await wallet.register(in: server, requestID: .string(page.id))
        let phone = try Side(entered.json["pairing"]),
            late = try await other.register(
                in: server, requestID: .string(page.id))
        let after = [try await status(page, in: server), try await status(phone, in: server)]

        #expect(invited.status == 201 && invited.json["version"] == 2 && page.role == "provider")
        #expect(before.status == 200 && before["status"] == "pending" && before["wallet"] == nil)
        #expect(phone.role == "controller" && phone.id == page.id && phone.credential != page.credential)
        #expect(late.status == 201 && late.json["pairing"] == nil, "a pairing has one wallet")
        for reply in after {
            #expect(reply.status == 200 && reply["status"] == "active" && reply["wallet"] == wallet.address)
        }
        let told: Int = try await server.database.value(
            """
            select count(*) from liquid_pairing p where p.id = \(page.id)
                and (encode(p.provider_secret, 'escape') like '%' || \(page.credential) || '%')
            """)
        #expect(told == 0, "the database has no credential")
    }

    @Test(
        "what is no request id is 400, one that is taken 409",
        arguments: [["requestId": ""], ["requestId": 1], ["requestId": "short"], [], ["requestId": ["a"]]]
            as [JSONValue])
    func invitations(_ body: JSONValue) async throws {
        let server = try TestServer.ofSuite, id = UUID().uuidString.lowercased()
        let wrong = try await server.post("/pairings/invitations", json: body),
            first = try await server.post("/pairings/invitations", json: ["requestId": .string(id)]),
            second = try await server.post("/pairings/invitations", json: ["requestId": .string(id)])
        #expect(wrong.status == 400 && wrong["code"] == "PAIRING_MALFORMED" && wrong["error"] != nil)
        #expect(first.status == 201 && second.status == 409 && second["code"] == "PAIRING_TAKEN")
    }

    @Test("a credential of the other side, of nobody, or none is 401 at every door")
    func unauthorized() async throws {
        let server = try TestServer.ofSuite
        var wallet = WalletDevice()
        let (page, phone) = try await paired(server, &wallet), path = "/pairings/\(page.id)"
        var swapped = page.headers
        if let name = HTTPField.Name("x-pairing-role") { swapped[name] = phone.role }
        let none: HTTPFields = [:], strange: HTTPFields = [.authorization: "Bearer x"]
        for headers in [none, strange, swapped, [.authorization: "Bearer \(page.credential)"]] {
            let read = try await server.get(path + "/status", headers: headers),
                ended = try await server.send(.delete, path, headers: headers)
            #expect(read.status == 401 && read["code"] == "PAIRING_UNAUTHORIZED")
            #expect(ended.status == 401 && ended["code"] == "PAIRING_UNAUTHORIZED")
        }
        let elsewhere = try await server.get("/pairings/nothing/status", headers: page.headers)
        #expect(elsewhere.status == 401)
        #expect(try await status(page, in: server)["status"] == "active")
    }

    @Test("both sides find one another by their credentials alone, and what one sends reaches the other")
    func relayed() async throws {
        try await TestServer.with { server in
            var wallet = WalletDevice()
            let (page, phone) = try await paired(server, &wallet)
            try await sockets(server, page, phone) { one, two, _ in
                _ = try await Self.next(#"42["presence""#, &two)
                try await two.say(#"42["offer-description","v=0"]"#)
                let offer = try await Self.next(#"42["offer-"#, &one)
                try await one.say(#"42["answer-description","v=1"]"#)
                let answer = try await Self.next(#"42["answer-"#, &two)
                try await one.say(#"427["link",{"requestId":"\#(page.id)"}]"#)
                let linked = try await Self.next("437", &one)

                #expect(offer == #"42["offer-description","v=0"]"# && answer == #"42["answer-description","v=1"]"#)
                #expect(linked.contains(#""pairingId":"\#(page.id)""#) && linked.contains(#""version":2"#))
            }
        }
    }

    enum Cut: CaseIterable, Sendable { case page, wallet, session, passkey }

    @Test(
        "both sides hear the end, whoever ends it, and nothing of it opens anything any more", arguments: Cut.allCases)
    func revoked(_ cut: Cut) async throws {
        try await TestServer.with { server in
            var wallet = WalletDevice()
            let (page, phone) = try await paired(server, &wallet), passkey = wallet.passkey.name
            try await sockets(server, page, phone) { one, two, port in
                switch cut {
                case .page, .wallet:
                    let side = cut == .page ? page : phone
                    let ended = try await server.send(.delete, "/pairings/\(page.id)", headers: side.headers)
                    #expect(ended.status == 200 && ended["status"] == "revoked")
                case .session:
                    // As the account page and `wallets revoke --session` do.
                    let provider: String = try await server.database.value("select provider from liquid_pairing")
                    try await server.parts.revocation.revoke(
                        .virtual(Ancestor(.session, "liquid:" + provider)), by: .server)
                case .passkey:
                    try await server.parts.revocation.revoke(
                        .virtual(Ancestor(.key, "passkey:" + passkey)), by: .server)
                }
                let event = #"42["pairing:revoked""#
                let heard = [try await Self.next(event, &one), try await Self.next(event, &two)]
                let last = [try await one.text(), try await two.text()]
                #expect(heard.allSatisfy { $0.contains(page.id) && $0.contains("revoked") } && last == ["41", "41"])
                // While the hub runs: at its end it takes nobody.
                for side in [page, phone] {
                    let answer = try await RawConnection.open(port) { late in
                        try await late.ask(RawConnection.upgrade(Self.websocket))
                        _ = try await late.answer()
                        try await late.say(side.connect)
                        return try await Self.next("44{", &late)
                    }
                    let read = try await status(side, in: server)
                    #expect(answer.contains("PAIRING_REVOKED"), "\(cut) \(side.role)")
                    #expect(read.status == 200 && read["status"] == "revoked")
                }
            }
        }
    }

    @Test(
        "a CONNECT that shows no pairing of ours is told so",
        arguments: [
            ["version": 2, "pairingId": "x", "role": "provider", "credential": "y"], ["pairingId": 1],
            ["version": 2, "pairingId": "019097ff-bb8c-7d2a-9822-7c9eb2c0d419", "role": "owner", "credential": "y"],
            ["version": 1, "pairingId": "019097ff-bb8c-7d2a-9822-7c9eb2c0d419", "role": "provider", "credential": "y"],
        ] as [JSONObject])
    func connect(_ shown: JSONObject) async throws {
        let server = try TestServer.ofSuite, opened = try await server.get("/socket.io/?EIO=4&transport=polling")
        let sid = try #require(try JSONReader.read(Array(opened.body.dropFirst().utf8))["sid"]?.string),
            path = "/socket.io/?EIO=4&transport=polling&sid=\(sid)"
        _ = try await server.send(.post, path, body: Array(("40" + JSONValue.object(shown).text).utf8))
        let answer = try await server.get(path).body
        #expect(answer.hasPrefix("44{") && answer.contains("PAIRING_UNAUTHORIZED"))
    }

    @Test("a database that is away is 503 and no refusal, at pairings and credentials alike")
    func away() async throws {
        let token = try await Phone.registered(in: try TestServer.ofSuite).liquidApp().app.accessToken
        try await TestServer.ofSuite.withoutDatabase { server in
            let pairing = try await server.post("/pairings/invitations", json: [:]),
                listed = try await server.get(
                    "/services/liquid/credentials", headers: [.authorization: "Bearer \(token)"]),
                socket = try await server.get(
                    "/socket.io/?EIO=4&transport=polling", headers: [.authorization: "Bearer \(token)"])
            for reply in [pairing, listed, socket] {
                #expect(reply.status == 503 && reply[header: "Retry-After"] != nil, "\(reply.body)")
            }
        }
    }
}
