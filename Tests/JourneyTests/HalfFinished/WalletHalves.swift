import Base
import Liquid
import Passkeys
import TestSupport
import Testing
import TokenTree

/// Ceremonies of wallets.
enum WalletHalves {
    private static let actor = AuditActor(name: "admin:root", reason: "matrix")

    /// Registered, as nobody's yet. Its passkey is what is removed.
    private static func wallet(_ scene: MatrixScene) async throws -> WalletDevice {
        let server = scene.server
        var wallet = WalletDevice()
        let registered = try await wallet.register(in: server)
        try #require(registered.status == 201, "wallet: \(registered.body)")
        let name = wallet.passkey.name
        await scene.removes {
            let fixture = PasskeyOperator(server.parts.revocation, actor: actor, clock: server.time.clock)
            try await server.database.atomically { transaction in _ = try await fixture.remove(name, in: transaction) }
        }
        return wallet
    }

    static func login(_ scene: MatrixScene) async throws -> Finish {
        var wallet = try await wallet(scene)
        wallet.cookie = nil
        let options = try await wallet.send(.post, "/assertion/request/\(wallet.passkey.name)", in: scene.server)
        try #require(options.status == 201, "question: \(options.body)")
        let asked = wallet
        return {
            var wallet = asked
            let answer = try wallet.passkey.get(options.json, withHandle: false)
            let reply = try await wallet.send(.post, "/assertion/response", answer, in: scene.server)
            return SecondHalf(isDone: reply.status == 201, "\(reply.status)")
        }
    }

    /// Into the IdP, in a browser whose code a linked wallet has scanned.
    static func code(_ scene: MatrixScene) async throws -> Finish {
        let server = scene.server, browser = Browser(server)
        var wallet = try await wallet(scene)
        let options = try await server.parts.passkeys.linkOptions(for: scene.account.id, holder: wallet.address)
        _ = try await server.parts.passkeys.link(
            try wallet.passkey.get(options), to: scene.account.id, below: [], holder: wallet.address, actor: actor)
        let page = try await browser.beginWithWallet()
        let answered = try await wallet.logIn(in: server, requestID: page.walletRequest)
        try #require(answered.status == 201, "wallet: \(answered.body)")
        let question = try await browser.open(.get, page.waitPath)
        return {
            let done = try await browser.confirm(question), isIn = try await browser.whoIsIn() != nil
            return SecondHalf(done, isDone: done.place == "/account" && isIn)
        }
    }

    /// At the account page, to log in with from then on.
    static func link(_ scene: MatrixScene) async throws -> Finish {
        let wallet = try await wallet(scene), browser = try await scene.browser(), action = "/account/passkeys/link"
        let (fields, asked) = try await browser.ask(try await browser.open(.get, action), action: action)
        try #require(asked.outcome == "200", "question: \(asked.body)")
        return {
            let answer = try wallet.passkey.get(asked.json["options"]),
                done = try await browser.answer(answer, fields, asked, action: action)
            return SecondHalf(done, isDone: done.place == "/account?done=passkey-linked")
        }
    }
}
