import Accounts
import Base
import Foundation
import HTTPTypes
import Liquid
import TestSupport
import Testing
import TokenTree

/// A wallet signs for whichever page it scanned, in the name of this host: what its passkey is worth at the IdP.
@Suite("A linked wallet's passkey as a factor", .server)
struct WalletFactorTests {
    private static let sfa = "https://refeds.org/profile/sfa", mfa = "https://refeds.org/profile/mfa"

    /// A wallet that has registered, and that this person has linked.
    private func wallet(of account: Account, in server: TestServer) async throws -> WalletDevice {
        var wallet = WalletDevice()
        let registered = try await wallet.register(in: server)
        try #require(registered.status == 201, "wallet: \(registered.body)")
        let options = try await server.parts.passkeys.linkOptions(for: account.id, holder: wallet.address)
        _ = try await server.parts.passkeys.link(
            try wallet.passkey.get(options), to: account.id, below: [], holder: wallet.address, actor: .server)
        return wallet
    }

    private func post(_ browser: Browser, _ path: String, _ fields: [(String, String)]) async throws -> Reply {
        let token = try await browser.server.formToken(browser, at: "/account")
        return try await browser.open(.post, path, form: [("form_token", token)] + fields)
    }

    private func typePassword(_ account: Account, _ browser: Browser, at page: Reply) async throws {
        _ = try await browser.goOn(try await browser.follow(page), as: account.username)
    }

    @Test("by it alone somebody is logged in, with one factor, and the application hears that")
    func alone() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(),
            wallet = try await wallet(of: account, in: server)
        let app = try await server.webApp(), browser = Browser(server)

        let login = try #require(
            try await browser.follow(try await browser.open(.get, AuthorizationDraft(app.id).path)).page)
        let place = try await browser.goOn(try await browser.follow(try await browser.show(wallet.passkey, at: login)))
        let told = claims(of: try await app.redeem(place.answer["code"])["id_token"] ?? "")

        #expect(told["amr"] == ["swk", "user"] && told["acr"] == .string(WalletFactorTests.sfa))
    }

    @Test("where two are due the password is asked for beside it, in either order, and then no more")
    func beside() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(requires: .any),
            wallet = try await wallet(of: account, in: server)
        let first = Browser(server), second = Browser(server)

        let shown = try await first.show(wallet.passkey, at: try await first.open(.get, Browser.passkey)),
            bare = try await first.open(.get, "/account")
        try await typePassword(account, first, at: bare)
        let isIn = try await first.open(.get, "/account")
        try await second.logInWithPassword(as: account)
        let due = try await second.open(.get, "/account"), page = try #require(try await second.follow(due).page)
        let raised = try await second.show(wallet.passkey, at: page), isInToo = try await second.open(.get, "/account")

        #expect(shown.place == "/account" && bare.place == "/login?return_to=%2Faccount&again=1" && isIn.status == 200)
        #expect(
            due.place == "/login/passkey?return_to=%2Faccount" && raised.place == "/account" && isInToo.status == 200)
    }

    @Test(
        """
        an account that asks for a passkey is not let in by it, with the password or without, and is asked for its \
        own ones alone
        """
    )
    func strict() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(requires: .passkey),
            browser = Browser(server)
        let wallet = try await wallet(of: account, in: server), device = try await server.passkey(of: account)

        _ = try await browser.show(wallet.passkey, at: try await browser.open(.get, Browser.passkey))
        let alone = try await browser.open(.get, "/account")
        try await typePassword(account, browser, at: try await browser.open(.get, "/login?return_to=/account&again=1"))
        let beside = try await browser.open(.get, "/account"),
            page = try #require(try await browser.follow(beside).page)
        let asked = try await browser.ask(page).asked, shown = try await browser.show(device, at: page),
            own = try await browser.open(.get, "/account")

        #expect(
            [alone, beside].map(\.place) == [
                "/login/passkey?return_to=%2Faccount", "/login/passkey?return_to=%2Faccount",
            ])
        #expect(asked.json["options"]?["allowCredentials"]?.array?.compactMap { $0["id"]?.string } == [device.name])
        #expect(shown.place == "/account" && own.status == 200)
    }

    @Test("by it alone nobody gets a passkey, or rid of one; with the password beside it they do")
    func change() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(),
            wallet = try await wallet(of: account, in: server), browser = Browser(server)
        _ = try await browser.show(wallet.passkey, at: try await browser.open(.get, Browser.passkey))
        let add = "/account/passkeys/add", name = wallet.passkey.name

        let barred = try await browser.open(.get, add),
            kept = try await post(browser, "/account/passkeys/remove", [("passkey", name)])
        let phone = try await browser.open(.get, "/account/phones/add")
        try await typePassword(account, browser, at: barred)
        let open = try await browser.open(.get, add)

        #expect(
            barred.place == "/login?return_to=%2Faccount%2Fpasskeys%2Fadd&again=1"
                && kept.place == "/login?return_to=%2Faccount&again=1")
        #expect(phone.place.hasPrefix("/login?") && open.status == 200)
    }

    @Test("its tap makes no passkey of this morning a recent one: who wants to change factors shows a passkey again")
    func tap() async throws {
        try await TestServer.with { server in
            let account = try await server.newResident(), device = try await server.passkey(of: account),
                wallet = try await wallet(of: account, in: server)
            let browser = Browser(server), add = "/account/passkeys/add"
            _ = try await browser.show(device, at: try await browser.open(.get, Browser.passkey))
            let fresh = try await browser.open(.get, add)

            server.time.advance(3_600)
            _ = try await browser.show(wallet.passkey, at: try await browser.open(.get, Browser.passkey))
            let tapped = try await browser.open(.get, add)

            #expect(fresh.status == 200)
            #expect(tapped.place.hasPrefix("/login/passkey?"))
        }
    }

    @Test(
        "two factors of this morning and a password of now are told as what they are: old and strong, or new and weak")
    func told() async throws {
        try await TestServer.with { server in
            let account = try await server.newResident(), device = try await server.passkey(of: account),
                app = try await server.webApp(), browser = Browser(server)
            _ = try await browser.show(device, at: try await browser.open(.get, Browser.passkey))
            let morning = server.now
            server.time.advance(6 * 3_600)
            try await typePassword(
                account, browser, at: try await browser.open(.get, "/login?return_to=/account&again=1"))

            let usual = try await browser.signIn(AuthorizationDraft(app.id), as: account.username)
            let strong = claims(of: try await app.redeem(usual.answer["code"])["id_token"] ?? "")
            let recent = try await browser.signIn(
                AuthorizationDraft(app.id, changes: ["max_age": "600"]), as: account.username)
            let new = claims(of: try await app.redeem(recent.answer["code"])["id_token"] ?? "")

            #expect(strong["acr"] == .string(WalletFactorTests.mfa) && strong["auth_time"] == .integer(morning))
            #expect(
                new["acr"] == .string(WalletFactorTests.sfa) && new["auth_time"] == .integer(server.now)
                    && new["amr"] == ["pwd"])
        }
    }

    @Test(
        """
        it is unlinked, not removed: the wallet keeps it, and nobody is told to delete it; the last one stays
            where a factor is asked for
        """
    )
    func unlinking() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(),
            strict = try await server.newResident(requires: .any)
        var wallet = try await wallet(of: account, in: server)
        let only = try await self.wallet(of: strict, in: server), browser = Browser(server), other = Browser(server)
        for (browser, person, passkey) in [(browser, account, wallet.passkey), (other, strict, only.passkey)] {
            _ = try await browser.show(passkey, at: try await browser.open(.get, Browser.passkey))
            try await typePassword(
                person, browser, at: try await browser.open(.get, "/login?return_to=/account&again=1"))
        }

        let page = try await browser.open(.get, "/account"),
            gone = try await post(browser, "/account/passkeys/remove", [("passkey", wallet.passkey.name)])
        let after = try await browser.open(.get, gone.place), entered = try await wallet.logIn(in: server)
        let refused = try await Browser(server).showNew(wallet.passkey),
            kept = try await post(other, "/account/passkeys/remove", [("passkey", only.passkey.name)])

        #expect(
            page.body.contains(">Unlink<") && gone.place == "/account?done=passkey-unlinked"
                && after.body.contains("passkey is unlinked"))
        #expect(
            !after.body.contains("delete it on your device") && entered.status == 201
                && refused.body.contains("not known here any more"))
        #expect(kept.place == "/account?done=passkey-kept")
    }

    @Test("a wallet's session does not remove what an account is linked with")
    func removal() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident()
        var wallet = try await wallet(of: account, in: server)

        let reply = try await wallet.send(.delete, "/auth/keys/\(wallet.passkey.name)", in: server)
        let isEnrolled = try await server.parts.passkeys.isEnrolled(account.id, .liquid, in: server.database)

        #expect(reply.status == 403 && isEnrolled)
    }

    @Test("for an app it has a name of its own; neither kind answers for the other")
    func app() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(requires: .any)
        let wallet = try await wallet(of: account, in: server), device = try await server.passkey(of: account),
            app = try await Phone.registered(in: server)
        let first = try await app.logInForCode(as: account.username)

        let own = try await app.ask(["auth_session": first["auth_session"], "factor": "passkey"])
        let crossed = try await app.ask([
            "auth_session": own["auth_session"],
            "credential": try wallet.passkey.get(own.json["passkey"]?["options"]).text,
        ])
        let linked = try await app.ask(["auth_session": first["auth_session"], "factor": "wallet"]),
            options = linked.json["wallet"]?["options"]
        let back = try await app.ask([
            "auth_session": linked["auth_session"], "credential": try device.get(options).text,
        ])
        let anew = try await app.ask(["auth_session": first["auth_session"], "factor": "wallet"])
        let right = try await app.ask([
            "auth_session": anew["auth_session"],
            "credential": try wallet.passkey.get(anew.json["wallet"]?["options"]).text,
        ])
        let tokens = try await app.redeem(code: right["authorization_code"] ?? "")

        #expect(
            first.json["factors"] == ["passkey", "wallet", "wallet-code"] && crossed.outcome == "403 access_denied"
                && back.outcome == "403 access_denied")
        #expect(
            options?["allowCredentials"]?.array?.compactMap { $0["id"]?.string } == [wallet.passkey.name]
                && right.outcome == "200")
        #expect(
            claims(of: tokens.accessToken)["amr"] == ["pwd", "swk", "user"]
                && claims(of: tokens.accessToken)["acr"] == .string(WalletFactorTests.mfa))
    }
}

extension Browser {
    fileprivate func showNew(_ device: PasskeyDevice) async throws -> Reply {
        try await show(device, at: try await open(.get, Browser.passkey))
    }
}
