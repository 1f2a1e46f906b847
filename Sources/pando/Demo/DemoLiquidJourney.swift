import Base
import Foundation
import Simulators

/// The walk of `pando demo liquid`: a page, a wallet, and an operator, in nine steps (protocols/liquid.md, 1 to 3).
struct DemoLiquidJourney: Sendable {
    private static let offer = "v=0\r\no=- 1 1 IN IP4 192.0.2.7\r\ns=demo offer\r\n",
        answer = "v=0\r\no=- 2 1 IN IP4 192.0.2.8\r\ns=demo answer\r\n"

    private let wire: DemoWire
    private let issuer: String
    private let host: String
    private let operates: DemoOperator
    private let requestID = UUID().uuidString.lowercased()
    private var wallet: DemoWallet
    private var teller: StepPrinter

    /// Walks with a fresh wallet against the server at `issuer`.
    static func walk(_ issuer: String, _ operates: DemoOperator, telling teller: StepPrinter) async throws {
        try await DemoWire.open { wire in
            var journey = DemoLiquidJourney(wire: wire, issuer: issuer, operates: operates, teller: teller)
            try await journey.walk()
        }
    }

    private init(wire: DemoWire, issuer: String, operates: DemoOperator, teller: StepPrinter) {
        // SDKs know a host, and look for everything at its root.
        let host = WebAddress(issuer)?.origin ?? issuer
        (self.wire, self.issuer, self.host, self.operates, self.teller) = (wire, issuer, host, operates, teller)
        wallet = DemoWallet(host: host)
    }

    private mutating func walk() async throws {
        teller.begin(title: "Logging in with a wallet at \(issuer)")
        let cookie = try await openPage()
        var page = try await askForWallet(cookie)
        let options = try await readOptions()
        let renewed = try await register(options, &page, cookie)
        var phone = try await offer(to: &page)
        try await reply(from: page, to: &phone)
        try await revoke(page, renewed)
        try await logInAgain()
        try await remove()
        teller.end(
            """
            A wallet has logged a page in, both could reach each other, and an operator has ended that.
            People of this federation can log in with passkeys as well: add one at \(issuer)/account
            Wallets with the real SDKs do the same against \(host).
            """)
    }

    private func send(_ request: DemoRequest) async throws -> DemoExchange { try await wire.send(request) }

    private func asPage(_ path: String, _ cookie: String? = nil) -> DemoRequest {
        DemoRequest(
            method: "GET", url: host + path,
            headers: cookie.map { [(name: "Cookie", value: "connect.sid=\($0)")] } ?? [])
    }

    /// What a wallet makes of options, or why it would go no further.
    private func built(_ request: DemoRequest?, by exchange: DemoExchange) throws -> DemoRequest {
        guard let request else { throw DemoFailure.unexpected(exchange, "a wallet would not answer these options") }
        return request
    }

    // MARK: A page and a wallet

    private mutating func openPage() async throws -> String {
        let
            metadata = try await send(
                DemoRequest(method: "GET", url: issuer + "/.well-known/oauth-authorization-server")),
            says = try metadata.text("issuer")
        guard says == issuer else { throw DemoFailure.anotherIssuer(asked: issuer, says: says) }
        let exchange = try await send(asPage("/auth/session")).good()
        guard let cookie = exchange.cookie("connect.sid"), exchange.body["user"] == JSONValue.null else {
            throw DemoFailure.unexpected(exchange, "it is no session of nobody")
        }
        teller.tell(
            "Somebody opens a page that wants a wallet. It has a session, and nobody is logged in.", before: [metadata],
            exchange, facts: ["user": .null])
        return cookie
    }

    private mutating func askForWallet(_ cookie: String) async throws -> DemoPeer {
        let (page, exchanges) = try await DemoPeer.connect(host, cookie: cookie, by: wire)
        let exchange = try await page.emit("link", ["requestId": .string(requestID)], acknowledgement: 0)
        let link = "liquid://\(host.split(separator: "/").last ?? "")/?requestId=\(requestID)"
        teller.tell(
            """
            It opens a socket, asks to be linked under a number of its own, and shows this QR code. The answer will \
            come when a wallet does.
            """,
            before: exchanges, exchange, facts: ["request": .string(requestID), "link": .string(link)])
        teller.show(link)
        return page
    }

    private mutating func readOptions() async throws -> DemoExchange {
        let exchange = try await send(wallet.askToRegister()).good()
        wallet.remember(exchange)
        teller.tell(
            "A wallet scans it and asks what to sign: 32 random bytes, in which nothing of a payment can be hidden.",
            exchange,
            facts: [
                "challenge": exchange.body["challenge"] ?? .null, "relying_party": exchange.body["rp"]?["id"] ?? .null,
                "good_for": .string("\((exchange.body["timeout"]?.integer ?? 0) / 60_000) min"),
            ])
        return exchange
    }

    /// Gives the cookie that the page has from then on: who planted the one before is out.
    private mutating func register(
        _ options: DemoExchange, _ page: inout DemoPeer, _ cookie: String
    ) async throws -> String {
        let exchange = try await send(try built(try wallet.register(options.body, requestID: requestID), by: options))
            .good()
        wallet.remember(exchange)
        guard exchange.body["wallet"]?.string == wallet.address else {
            throw DemoFailure.unexpected(exchange, "it is another wallet's")
        }
        let (packet, heard) = try await page.hear("30"), message = try? JSONReader.read(packet.dropFirst(2).utf8)
        guard let data = message?.array?.first?["data"], data["wallet"]?.string == wallet.address,
            data["requestId"]?.string == requestID
        else {
            throw DemoFailure.unexpected(heard, "the page was not told of the wallet")
        }
        let user = try await send(asPage("/auth/user", cookie)).good()
        teller.tell(
            """
            Its owner agrees: the account signs the challenge, and so does a new passkey. At that moment the page is \
            answered, and is logged in.
            """,
            exchange,
            after: [heard, user],
            facts: [
                "wallet": .string(wallet.address), "passkey": .string(wallet.credential),
                "page_is": user.body["wallet"] ?? .null,
            ])
        guard let renewed = user.cookie("connect.sid"), renewed != cookie else {
            throw DemoFailure.unexpected(user, "the page kept its cookie")
        }
        return renewed
    }

    private mutating func offer(to page: inout DemoPeer) async throws -> DemoPeer {
        guard let cookie = wallet.cookie else { throw DemoFailure.unreachable(host, cause: "it set no cookie") }
        var (phone, before) = try await DemoPeer.connect(host, cookie: cookie, by: wire)
        before.append(try await phone.emit("link", ["requestId": .string(requestID)], acknowledgement: 0))
        before.append(try await phone.hear("30").by)
        let exchange = try await phone.emit("offer-description", .string(DemoLiquidJourney.offer)),
            offered = try await page.event("offer-description")
        guard offered.argument.string == DemoLiquidJourney.offer else {
            throw DemoFailure.unexpected(offered.by, "it is not what was sent")
        }
        teller.tell(
            """
            The wallet opens a socket too, and offers a connection from peer to peer. The page alone hears it, to \
            the letter.
            """,
            before: before, exchange,
            after: [offered.by], facts: ["offer": "demo offer", "heard_by": "the page"])
        return phone
    }

    private mutating func reply(from page: DemoPeer, to phone: inout DemoPeer) async throws {
        let candidate: JSONValue = [
            "candidate": "candidate:1 1 UDP 2122252543 192.0.2.8 54321 typ host", "sdpMid": "0", "sdpMLineIndex": 0,
        ]
        let exchange = try await page.emit("answer-description", .string(DemoLiquidJourney.answer)),
            second = try await page.emit("answer-candidate", candidate)
        let answered = try await phone.event("answer-description"),
            reachable = try await phone.event("answer-candidate")
        guard answered.argument.string == DemoLiquidJourney.answer,
            reachable.argument["candidate"] == candidate["candidate"]
        else {
            throw DemoFailure.unexpected(answered.by, "it is not what was sent")
        }
        teller.tell(
            "The page answers and says where it can be reached. From here on they could talk without the server.",
            exchange,
            after: [second, answered.by, reachable.by],
            facts: ["answer": "demo answer", "candidate": candidate["candidate"] ?? .null, "heard_by": "the wallet"])
    }

    // MARK: The end

    private mutating func revoke(_ page: DemoPeer, _ cookie: String) async throws {
        // `s:` and 22 letters that are no secret: the session's name in the tree.
        let session = String(cookie.dropFirst("s%3A".count).prefix(22)), wire = self.wire, waiting = page.poll
        async let held = DemoLiquidJourney.end(of: waiting, by: wire)
        // The GET comes first, and waits: that is what is shown here.
        try await Task.sleep(for: .milliseconds(300))
        try await operates.revoke(wallet: wallet.address, session: session)
        let end = try await held, user = try await send(asPage("/auth/user", cookie))
        guard user.status == 403 else { throw DemoFailure.unexpected(user, "the session still lives") }
        teller.tell(
            """
            An operator ends the page's session, a node of the token tree like any other: its socket closes at once, \
            and nobody is logged in there.
            """,
            end,
            after: [user],
            facts: [
                "command": .string("pando admin wallets revoke \(wallet.address) --session \(session)"),
                "node": .string("session:liquid:\(session)"), "socket": "closed",
            ])
    }

    /// The answer that closes a socket: a packet that says so, or that there is none of that name.
    private static func end(of request: DemoRequest, by wire: DemoWire) async throws -> DemoExchange {
        for _ in 0..<4 {
            let exchange = try await wire.send(request)
            if exchange.status == 400 || exchange.plain.split(separator: "\u{1E}").contains("1") { return exchange }
            try exchange.good()
        }
        throw DemoFailure.survived("the page's socket", seconds: 1, service: "signalling")
    }

    private mutating func logInAgain() async throws {
        let options = try await send(wallet.askToLogIn()).good()
        wallet.remember(options)
        let exchange = try await send(try built(try wallet.logIn(options.body), by: options)).good()
        wallet.remember(exchange)
        teller.tell(
            "The wallet has lost nothing: its own session goes on, and its passkey lets it in again.",
            before: [options], exchange,
            facts: [
                "wallet": exchange.body["wallet"] ?? .null,
                "passkeys": .integer(exchange.body["credentials"]?.array?.count ?? 0),
            ])
    }

    private mutating func remove() async throws {
        let exchange = try await send(wallet.ask("DELETE", "/auth/keys/\(wallet.credential)")).good()
        let user = try await send(wallet.ask("GET", "/auth/user")), options = try await send(wallet.askToLogIn())
        guard user.status == 403, options.status == 401 else {
            throw DemoFailure.unexpected(exchange, "the passkey still works")
        }
        teller.tell(
            "Its owner removes the passkey: what it had opened is closed, and nobody of that name is known any more.",
            exchange, after: [user, options],
            facts: ["answer": .string("401, \(options.error ?? "")")])
    }
}
