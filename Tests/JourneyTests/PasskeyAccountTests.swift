import Accounts
import Base
import Database
import Foundation
import HTTPTypes
import Liquid
import TestSupport
import Testing
import TokenTree

@Suite("A person's passkeys", .server)
struct PasskeyAccountTests {
    private func names(_ account: Account, _ server: TestServer) async throws -> [String] {
        try await server.parts.passkeys.passkeys(of: account.id).map(\.name)
    }

    private func post(
        _ browser: Browser, _ path: String, _ fields: [(String, String)], tokenAt page: String = "/account"
    ) async throws -> Reply {
        let token = try await browser.server.formToken(browser, at: page)
        return try await browser.open(.post, path, form: [("form_token", token)] + fields)
    }

    @Test("one is set up with a name, listed, logs in, is named anew and removed")
    func whole() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(), browser = Browser(server),
            other = Browser(server)
        try await browser.logInWithPassword(as: account)

        let (device, reply) = try await browser.setUpPasskey(named: "my laptop"),
            listed = try #require(try await browser.follow(reply).page)
        try await other.logInWithPasskey(device)
        let form = try await other.open(.get, "/account/passkeys/name?passkey=\(device.name)")
        let named = try await other.submit(form, ["name": "her laptop"]), after = try await names(account, server)
        let removed = try await post(other, "/account/passkeys/remove", [("passkey", device.name)]),
            left = try await names(account, server)

        #expect(
            reply.place == "/account?done=passkey-added" && listed.body.contains("Your passkey is set up.")
                && listed.body.contains("my laptop"))
        #expect(
            named.place == "/account?done=passkey-renamed" && after == ["her laptop"]
                && removed.place == "/account?done=passkey-removed" && left == [])
    }

    @Test(
        "a new one raises nobody's session: where a passkey is due it is asked next, and then the application answers")
    func due() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(requires: .passkey),
            app = try await server.webApp(), browser = Browser(server)

        let page = try #require(try await browser.signIn(AuthorizationDraft(app.id), as: account.username).page)
        let (fields, asked) = try await browser.ask(page, action: "/account/passkeys/add")
        var device = PasskeyDevice()
        let added = try await browser.answer(
            device.create(asked.json["options"]), fields, asked, action: "/account/passkeys/add")
        let next = try #require(try await browser.follow(added).page)
        let place = try await browser.goOn(try await browser.follow(try await browser.show(device, at: next)))

        #expect(
            page.body.contains("asks for a login with a passkey") && next.body.contains("data-passkey=\"get\"")
                && place.answer["code"] != nil)
    }

    @Test("the last one stays where the account asks for one; of two one goes")
    func last() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(requires: .passkey),
            browser = Browser(server)
        let first = try await server.passkey(of: account), second = try await server.passkey(of: account)
        try await browser.logInWithPasskey(first)

        let one = try await post(browser, "/account/passkeys/remove", [("passkey", second.name)])
        let kept = try await post(browser, "/account/passkeys/remove", [("passkey", first.name)]),
            left = try await names(account, server)

        #expect(
            one.place == "/account?done=passkey-removed" && kept.place == "/account?done=passkey-kept"
                && left.count == 1)
    }

    // MARK: Who may

    /// Where a login that comes first leads back to.
    private func naming(_ device: PasskeyDevice) -> String {
        "return_to=" + FormCodec.encode("/account/passkeys/name?passkey=\(device.name)")
    }

    @Test(
        """
        a password alone gets nobody a new passkey, nor rid of one, once there is one; a morning's passkey does \
        neither
        """
    )
    func bar() async throws {
        try await TestServer.with { server in
            let account = try await server.newResident(), device = try await server.passkey(of: account),
                browser = Browser(server)
            try await browser.logInWithPassword(as: account)

            let add = try await browser.open(.get, "/account/passkeys/add"),
                link = try await browser.open(.get, "/account/passkeys/link")
            let remove = try await post(browser, "/account/passkeys/remove", [("passkey", device.name)])
            let name = try await browser.open(.get, "/account/passkeys/name?passkey=\(device.name)")
            try await browser.logInWithPasskey(device)
            let fresh = try await browser.open(.get, "/account/passkeys/add")
            server.time.advance(901)
            _ = try await browser.goOn(
                try await browser.follow(try await browser.open(.get, "/login?return_to=/account&again=1")),
                as: account.username)
            let stale = try await browser.open(.get, "/account/passkeys/add"), left = try await names(account, server)

            #expect(
                add.place == "/login/passkey?return_to=%2Faccount%2Fpasskeys%2Fadd"
                    && link.place == "/login/passkey?return_to=%2Faccount%2Fpasskeys%2Flink")
            #expect(
                remove.place == "/login/passkey?return_to=%2Faccount"
                    && name.place == "/login/passkey?" + naming(device))
            #expect(fresh.status == 200 && stale.place == add.place && left.count == 1)
        }
    }

    @Test(
        """
        who shows a passkey first comes back to the page that names it, also from its form;
            where the name is none of a passkey, to the account page
        """
    )
    func comingBack() async throws {
        try await TestServer.with { server in
            let account = try await server.newResident(), device = try await server.passkey(of: account),
                browser = Browser(server)
            let path = "/account/passkeys/name?passkey=\(device.name)", stranger = try await browser.open(.get, path)
            try await browser.logInWithPasskey(device)
            let early = try await browser.open(.get, path)
            server.time.advance(901)

            let late = try await browser.open(.get, path), sent = try await browser.submit(early, ["name": "mine"]),
                kept = try await names(account, server)
            let none = try await browser.open(.get, "/account/passkeys/name"),
                odd = try await browser.open(.get, "/account/passkeys/name?passkey=%2F%2Fevil.example")
            let back = try await browser.show(device, at: try #require(try await browser.follow(sent).page)),
                again = try await browser.open(.get, back.place)
            let named = try await browser.submit(again, ["name": "mine"]), after = try await names(account, server)

            #expect(
                stranger.place == "/login?" + naming(device)
                    && [late, sent].map(\.place) == Array(repeating: "/login/passkey?" + naming(device), count: 2))
            #expect(
                [none, odd].map(\.place) == [
                    "/login/passkey?return_to=%2Faccount", "/login/passkey?return_to=%2Faccount",
                ])
            #expect(
                kept != ["mine"] && back.place == path && named.place == "/account?done=passkey-renamed"
                    && after == ["mine"])
        }
    }

    @Test(
        """
        where a passkey is asked for, a phone gets nobody another one; without any it does,
            and the password alone does not
        """
    )
    func phone() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(requires: .passkey),
            browser = Browser(server)
        let identity = try await server.enrollPhone(of: account), device = try await server.passkey(of: account)
        try await browser.logInWithPhone(identity)

        let barred = try await browser.open(.get, "/account/passkeys/add")
        let name = device.name, person = account.id
        try await server.database.atomically {
            try await server.parts.passkeys.remove(name, of: person, keepingOne: false, actor: .server, in: $0)
        }
        let open = try await browser.open(.get, "/account/passkeys/add"), typed = Browser(server)
        _ = try await typed.goOn(
            try await typed.follow(try await typed.open(.get, "/login?return_to=/account")), as: account.username)
        let alone = try await typed.open(.get, "/account/passkeys/add")

        #expect(
            barred.place.hasPrefix("/login/passkey?") && open.status == 200 && alone.place.hasPrefix("/login/tiqr?"))
    }

    @Test(
        """
        the answer is asked for again whether they may: a question from before there was a factor gets nobody a \
        passkey beside it
        """
    )
    func overtaken() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(), browser = Browser(server)
        try await browser.logInWithPassword(as: account)
        let (fields, asked) = try await browser.ask(
            try await browser.open(.get, "/account/passkeys/add"), action: "/account/passkeys/add")
        _ = try await server.passkey(of: account)

        var device = PasskeyDevice()
        let late = try await browser.answer(
            device.create(asked.json["options"]), fields, asked, action: "/account/passkeys/add")
        let again = try await browser.open(
            .post, "/account/passkeys/add/options", form: fields.filter { $0.0 == "form_token" },
            headers: [.accept: "application/json"])
        let left = try await names(account, server)

        #expect(
            late.place.hasPrefix("/login/passkey?") && left.count == 1 && again.status >= 400
                && again.json["options"] == nil)
    }

    @Test("one that its device does not offer by itself is told so")
    func byName() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(), browser = Browser(server),
            add = "/account/passkeys/add"
        try await browser.logInWithPassword(as: account)
        let (fields, asked) = try await browser.ask(try await browser.open(.get, add), action: add)
        var device = PasskeyDevice(), answer = device.create(asked.json["options"]).object ?? [:]
        answer["clientExtensionResults"] = ["credProps": ["rk": false]]

        let reply = try await browser.answer(.object(answer), fields, asked, action: add),
            page = try #require(try await browser.follow(reply).page)

        #expect(
            asked.json["options"]?["extensions"] == ["credProps": true]
                && reply.place == "/account?done=passkey-added-by-name")
        #expect(page.body.contains("after your password"))
    }

    // MARK: Refusals

    @Test("a question is the session's that asked: nobody's answer becomes another person's passkey")
    func crossed() async throws {
        let server = try TestServer.ofSuite, ada = try await server.newResident(), bob = try await server.newResident(),
            his = Browser(server), hers = Browser(server)
        try await his.logInWithPassword(as: bob)
        try await hers.logInWithPassword(as: ada)
        let (_, asked) = try await his.ask(
            try await his.open(.get, "/account/passkeys/add"), action: "/account/passkeys/add")
        let fields = Browser.form(try await hers.open(.get, "/account/passkeys/add"), action: "/account/passkeys/add")
            .fields

        var device = PasskeyDevice()
        let answer = device.create(asked.json["options"])
        let reply = try await hers.answer(answer, fields, asked, action: "/account/passkeys/add"),
            left = try await names(ada, server)

        #expect(reply.status == 200 && reply.body.contains("That took too long") && left == [])
    }

    @Test("other people's passkeys are neither named nor removed, and one is registered once")
    func foreign() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(),
            other = try await server.newResident(), browser = Browser(server)
        let theirs = try await server.passkey(of: other, named: "theirs"), own = try await server.passkey(of: account)
        try await browser.logInWithPasskey(own)

        let removed = try await post(browser, "/account/passkeys/remove", [("passkey", theirs.name)])
        let shown = try await browser.open(.get, "/account/passkeys/name?passkey=\(theirs.name)")
        let named = try await post(
            browser, "/account/passkeys/name", [("passkey", theirs.name), ("name", "mine")],
            tokenAt: "/account/passkeys/add")
        let (fields, asked) = try await browser.ask(
            try await browser.open(.get, "/account/passkeys/add"), action: "/account/passkeys/add")
        var copy = theirs
        let again = try await browser.answer(
            copy.create(asked.json["options"]), fields, asked, action: "/account/passkeys/add")
        let left = try await names(other, server), mine = try await names(account, server)

        #expect(
            [removed.status, shown.status, named.status] == [404, 404, 404]
                && again.body.contains("registered or linked already"))
        #expect(left == ["theirs"] && mine.count == 1)
        #expect(asked.json["options"]?["excludeCredentials"]?.array?.compactMap { $0["id"]?.string } == [own.name])
    }

    @Test("a wallet's passkey that nobody linked is shown to link it, and a wrong one links nothing")
    func linking() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(), browser = Browser(server),
            link = "/account/passkeys/link"
        try await browser.logInWithPassword(as: account)
        let (fields, asked) = try await browser.ask(try await browser.open(.get, link), action: link)

        let unknown = try await browser.answer(
            try PasskeyDevice().get(asked.json["options"]), fields, asked, action: link)
        let silent = try await browser.open(.post, link, form: fields), left = try await names(account, server)

        #expect(
            asked.json["options"]?["allowCredentials"] == []
                && unknown.body.contains("register it with your wallet first") && silent.place == link && left == [])
    }
}
