import Accounts
import Base
import Database
import Foundation
import HTTPTypes
import Liquid
import TestSupport
import Testing
import TokenTree

@Suite("What a linked wallet opened, on the account page")
struct WalletSessionPageTests {
    private static let friend = "https://wallet.example", polling = "/socket.io/?EIO=4&transport=polling"

    /// A page of the friend's that waits for a wallet: its socket and its cookie.
    private func page(asking request: String, in server: TestServer) async throws -> (sid: String, cookie: String) {
        let opened = try await server.get(Self.polling, headers: [.origin: Self.friend]),
            hello = try JSONReader.read(Array(opened.body.dropFirst().utf8))
        let sid = try #require(hello["sid"]?.string),
            cookie = try #require(opened.headers[.setCookie]?.firstMatch(of: #/connect\.sid=([^;]+);/#)).1
        for packet in ["40", #"420["link",{"requestId":"\#(request)"}]"#] {
            _ = try await server.send(
                .post, "\(Self.polling)&sid=\(sid)", headers: [.origin: Self.friend], body: Array(packet.utf8))
        }
        return (sid, String(cookie))
    }

    /// The page's session and the wallet's, once both are there.
    private func linked(_ request: String, in server: TestServer) async throws -> (page: String, wallet: String) {
        for _ in 0..<1_500 {
            let rows = try await server.database.query(
                """
                select linker, session from signalling_link where request = \("s:" + request)
                    and linked_at is not null
                """
            )
            if let row = rows.first { return (try row("linker"), try row("session")) }
            try await Task.sleep(for: .milliseconds(20))
        }
        return ("", "")
    }

    private func end(_ session: String, _ browser: Browser, token: String? = nil) async throws -> Reply {
        let own = try await browser.server.formToken(browser, at: "/account")
        return try await browser.open(
            .post, "/account/wallets/end", form: [("form_token", token ?? own), ("session", session)])
    }

    @Test(
        """
        a page is shown by its host beside the wallet itself, to nobody else; nobody else ends it; ended, it is \
        nobody's, and its socket closes
        """
    )
    func whole() async throws {
        try await TestServer.with(options: TestServerOptions(pages: [Self.friend], isTested: false)) { server in
            let account = try await server.newResident(), other = try await server.newResident(),
                browser = Browser(server), hers = Browser(server)
            let request = UUID().uuidString.lowercased(), page = try await self.page(asking: request, in: server)
            var wallet = WalletDevice()
            let entered = try await wallet.register(in: server, requestID: .string(request)),
                sessions = try await linked(request, in: server), session = sessions.page
            try #require(entered.status == 201 && !session.isEmpty)
            try await browser.logInWithPassword(as: account)
            try await hers.logInWithPassword(as: other)
            let without = try await browser.open(.get, "/account")
            let options = try await server.parts.passkeys.linkOptions(for: account.id, holder: wallet.address)
            _ = try await server.parts.passkeys.link(
                try wallet.passkey.get(options), to: account.id, below: [], holder: wallet.address, actor: .server)

            let shown = try await browser.open(.get, "/account"), foreign = try await hers.open(.get, "/account")
            let stolen = try await server.formToken(hers, at: "/account")
            let refused = [
                try await end(session, hers), try await end(session, browser, token: stolen),
                try await end("nobody", browser),
            ].map(\.status)
            let before = try await server.get("/auth/user", headers: [.cookie: "connect.sid=\(page.cookie)"])
            let open = try await server.send(.post, "\(Self.polling)&sid=\(page.sid)", body: Array("3".utf8)).status
            let done = try await end(session, browser), after = try #require(try await browser.follow(done).page)
            let nobody = try await server.get("/auth/user", headers: [.cookie: "connect.sid=\(page.cookie)"]),
                isIn = try await wallet.send(.get, "/auth/user", in: server)
            let again = try await end(session, browser)
            var socket = 200
            for _ in 0..<100 where socket == 200 {
                socket = try await server.send(.post, "\(Self.polling)&sid=\(page.sid)", body: Array("3".utf8)).status
                try await Task.sleep(for: .milliseconds(50))
            }
            server.time.advance(901)
            let late = try await end(sessions.wallet, browser),
                out = try await wallet.send(.get, "/auth/user", in: server)

            #expect(
                [without, foreign].allSatisfy { $0.status == 200 && !$0.body.contains("Pages opened with your wallet") }
            )
            #expect(
                shown.body.contains("Pages opened with your wallet")
                    && shown.body.contains("<h3><bdi>wallet.example</bdi>"))
            #expect(
                shown.body.matches(of: #/action="\/account\/wallets\/end"/#).count == 2 && refused == [404, 403, 404])
            #expect(
                before.status == 200 && done.place == "/account?done=ended"
                    && after.body.contains("The session is ended.") && !after.body.contains("wallet.example"))
            #expect(nobody.status == 403 && isIn.status == 200 && again.status == 404 && open == 200 && socket == 400)
            #expect(
                late.place == "/account?done=ended" && out.status == 403,
                "whoever is in may end what is theirs, however long ago they logged in")
        }
    }
}
