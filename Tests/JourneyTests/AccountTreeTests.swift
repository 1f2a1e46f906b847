import Accounts
import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("The tree of what a person has let in")
struct AccountTreeTests {
    typealias Nodes = [JSONValue]

    private func tree(_ phone: Phone, _ pat: Reply) async throws -> Nodes {
        let reply = try await phone.get("/account/tree", token: pat.accessToken)
        try #require(reply.outcome == "200", "tree: \(reply.body)")
        return reply.json["nodes"]?.array ?? []
    }

    private func end(_ id: String, _ phone: Phone, _ pat: Reply) async throws -> Reply {
        let path = "/account/tree/\(id)"
        return try await phone.server.send(.delete, path, headers: phone.dpop(.delete, path, token: pat.accessToken))
    }

    private func children(_ node: JSONValue?) -> Nodes { node?["children"]?.array ?? [] }
    private func id(_ node: JSONValue?) throws -> String { try #require(node?["id"]?.string) }

    private func service(_ phone: Phone, _ pat: Reply) async throws -> Reply {
        let reply = try await phone.redeem(assertion: try await phone.assertion(pat))
        try #require(reply.outcome == "200", "redeem: \(reply.body)")
        return reply
    }

    private func attributes(_ app: Reply, _ server: TestServer) async throws -> String {
        try await server.get(
            "/services/learn/attributes", headers: [.authorization: "Bearer \(app.accessToken)"]
        ).outcome
    }

    private func refresh(_ service: Reply, _ phone: Phone) async throws -> String {
        try await phone.refresh(service.refreshToken, at: "/services/learn/token").outcome
    }

    @Test("phones, the services that each opened, the apps that hold tokens there; of others only the service knows")
    func shape() async throws {
        try await TestServer.with { server in
            let ada = try await server.newResident(), phone = try await Phone.registered(in: server)
            let pat = try await phone.logIn(as: ada.username)
            _ = try await phone.authorizeApp(try await service(phone, pat))
            _ = try await phone.assertion(pat, for: Residents.quietBase)
            let browser = Browser(server)
            try await browser.logInWithPassword(as: ada)

            let nodes = try await tree(phone, pat)

            #expect(nodes.map { $0["kind"] } == ["instance", "browser"])
            #expect(nodes[0]["current"] == true && nodes[1]["current"] == false)
            let services = children(nodes[0])
            #expect(services.allSatisfy { $0["kind"] == "service" && $0["current"] == nil })
            #expect(Set(services.compactMap { $0["name"]?.string }) == ["learn", "quiet"])
            #expect(services.first { $0["name"] == "quiet" }?["children"] == .null)
            let apps = children(services.first { $0["name"] == "learn" })
            #expect(apps.map { $0["name"] } == [.string(Phone.bundle)] && apps[0]["kind"] == "app")
            let all = nodes + services + apps
            #expect(all.allSatisfy { $0["since"]?.string != nil && $0["last_used"]?.string != nil })
            #expect(Set(all.compactMap { $0["id"]?.string }).count == all.count)
            #expect(!"\(nodes)".contains(phone.clientID), "ids tell nothing")
        }
    }

    @Test("an app is ended alone: its service goes on, and it can be let in anew")
    func app() async throws {
        try await TestServer.with { server in
            let ada = try await server.newResident(), phone = try await Phone.registered(in: server)
            let pat = try await phone.logIn(as: ada.username), service = try await service(phone, pat)
            let app = try await phone.authorizeApp(service)
            let other = try await phone.authorizeApp(service, scope: ServerParts.gradesScope)
            #expect(try await attributes(app, server) == "200")

            let branch = children(children(try await tree(phone, pat).first).first).first
            #expect(try await end(try id(branch), phone, pat).status == 204)

            #expect(try await attributes(app, server) == "401 invalid_token")
            #expect(try await attributes(other, server) == "401 invalid_token", "all that it held there")
            #expect(children(children(try await tree(phone, pat).first).first).isEmpty)
            #expect(try await end(try id(branch), phone, pat).outcome == "404 not_found")
            let again = try await phone.authorizeApp(service)
            #expect(again.outcome == "200")
            #expect(try await attributes(again, server) == "200")
        }
    }

    @Test("a service below one phone is ended there: not at another phone, nor another service, nor what comes later")
    func service() async throws {
        try await TestServer.with { server in
            let ada = try await server.newResident()
            let phone = try await Phone.registered(in: server), sister = try await Phone.registered(in: server)
            let pat = try await phone.logIn(as: ada.username), other = try await sister.logIn(as: ada.username)
            let first = try await service(phone, pat), second = try await service(phone, pat)
            let elsewhere = try await service(sister, other)
            _ = try await phone.assertion(pat, for: Residents.quietBase)
            let mine = try await tree(phone, pat).first { $0["current"] == true }
            let learn = children(mine).first { $0["name"] == "learn" }

            #expect(try await end(try id(learn), phone, pat).status == 204)
            try await server.sendEvents()

            #expect(try await refresh(first, phone) == "400 invalid_grant")
            #expect(try await refresh(second, phone) == "400 invalid_grant")
            #expect(try await refresh(elsewhere, sister) == "200")
            let left = try await tree(phone, pat)
            #expect(children(left.first { $0["current"] == true }).map { $0["name"] } == ["quiet"])
            #expect(children(left.first { $0["current"] == false }).map { $0["name"] } == ["learn"])
            _ = try await service(phone, pat)
            #expect(children(try await tree(phone, pat).first { $0["current"] == true }).count == 2, "opened anew")
        }
    }

    @Test(
        """
        a service is ended everywhere on the page: it refuses each phone, app and assertion that it took before; other \
        services and people go on, and what comes later lives
        """)
    func everywhere() async throws {
        try await TestServer.with { server in
            let ada = try await server.newResident(), eve = try await server.newResident()
            let phone = try await Phone.registered(in: server), sister = try await Phone.registered(in: server)
            let pat = try await phone.logIn(as: ada.username), other = try await sister.logIn(as: ada.username)
            let first = try await service(phone, pat), second = try await service(sister, other)
            let app = try await phone.authorizeApp(first), held = try await phone.assertion(pat)
            _ = try await phone.assertion(pat, for: Residents.quietBase)
            let thirds = try await Phone.registered(in: server)
            let eves = try await service(thirds, try await thirds.logIn(as: eve.username))
            #expect(try await attributes(app, server) == "200")
            let browser = Browser(server)
            try await browser.logInWithPassword(as: ada)
            let form = Browser.form(try await browser.open(.get, "/account"), action: "/account/services/end")

            #expect(try await browser.open(.post, form.action, form: form.fields).status == 303)
            try await server.sendEvents()

            #expect(try await attributes(app, server) == "401 invalid_token")
            #expect(try await refresh(first, phone) == "400 invalid_grant")
            #expect(try await refresh(second, sister) == "400 invalid_grant")
            #expect(try await phone.authorizeApp(first).outcome == "401 invalid_token")
            #expect(try await phone.redeem(assertion: held).outcome == "400 invalid_grant")
            #expect(try await refresh(eves, thirds) == "200", "another person's")
            let phones = try await tree(phone, pat).filter { $0["kind"] == "instance" }
            let left: [[String]] = phones.map { children($0).compactMap { $0["name"]?.string } }
            #expect(left.contains(["quiet"]) && left.contains([]) && left.count == 2)
            #expect(try await browser.open(.post, form.action, form: form.fields).status == 404, "it is over")
            #expect(try await browser.open(.get, "/account/activity").body.contains("access to a service was ended"))
            let anew = try await service(phone, pat)
            #expect(try await refresh(anew, phone) == "200")
        }
    }

    @Test("what is no service, or not one's own, is ended nowhere")
    func nowhere() async throws {
        try await TestServer.with { server in
            let ada = try await server.newResident(), eve = try await server.newResident()
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn(as: ada.username)
            let mine = try await service(phone, pat), node = try await tree(phone, pat).first
            let branch = try id(children(node).first), instance = try id(node)
            let own = Browser(server), thief = Browser(server)
            try await own.logInWithPassword(as: ada)
            try await thief.logInWithPassword(as: eve)

            for (browser, named) in [(thief, branch), (own, instance), (own, "learn"), (own, "%00")] {
                let token = try await server.formToken(browser, at: "/account")
                let reply = try await browser.open(
                    .post, "/account/services/end", form: [("form_token", token), ("branch", named)])
                #expect(reply.status == 404, "\(named)")
            }

            #expect(try await refresh(mine, phone) == "200")
        }
    }

    @Test("however many assertions there are, none of that branch lives when the answer is there")
    func many() async throws {
        try await TestServer.with { server in
            let ada = try await server.newResident(), phone = try await Phone.registered(in: server)
            let pat = try await phone.logIn(as: ada.username)
            for _ in 0..<3 { _ = try await crowd(20) { _ in try await phone.assertion(pat) } }
            let branch = try id(children(try await tree(phone, pat).first).first)

            let ends = try await crowd(2) { _ in try await end(branch, phone, pat).status }

            #expect(ends.contains(204) && Set(ends).isSubset(of: [204, 404]))
            let alive: Int = try await server.database.value(
                """
                select count(t.id) from token t where t.kind = 'assertion' and t.account = \(ada.id)
                    and not exists (select from revocation r where r.node = any (t.lineage))
                """)
            #expect(alive == 0)
        }
    }

    @Test("a phone ends its lost sister, and lives")
    func sister() async throws {
        try await TestServer.with { server in
            let ada = try await server.newResident()
            let phone = try await Phone.registered(in: server), lost = try await Phone.registered(in: server)
            let pat = try await phone.logIn(as: ada.username), gone = try await lost.logIn(as: ada.username)
            let node = try await tree(phone, pat).first { $0["current"] == false }

            #expect(try await end(try id(node), phone, pat).status == 204)

            #expect(try await lost.get("/account/tree", token: gone.accessToken).outcome == "401 invalid_token")
            #expect(try await tree(phone, pat).count == 1)
        }
    }

    @Test("a web application's grant is a branch; ending it ends its tokens, and no session")
    func client() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn()
            let app = try await server.webApp("Notes"), browser = Browser(server)
            let tokens = try await app.logIn(browser)
            let node = try await tree(phone, pat).first { $0["kind"] == "client" }
            #expect(node?["name"] == "Notes" && node?["children"] == [])

            #expect(try await end(try id(node), phone, pat).status == 204)

            #expect(try await app.userInfo(tokens.accessToken).outcome == "401 invalid_token")
            #expect(try await browser.open(.get, "/account").status == 200)
            #expect(try await tree(phone, pat).allSatisfy { $0["kind"] != "client" })
        }
    }

    @Test("somebody else's branch and one that nobody has are refused alike, and nothing ends")
    func foreign() async throws {
        try await TestServer.with { server in
            let ada = try await server.newResident(), eve = try await server.newResident()
            let phone = try await Phone.registered(in: server), thief = try await Phone.registered(in: server)
            let pat = try await phone.logIn(as: ada.username), stolen = try await thief.logIn(as: eve.username)
            let branch = try id(try await tree(phone, pat).first)

            let foreign = try await end(branch, thief, stolen)
            let unknown = try await end("00000000-0000-8000-8000-000000000000", thief, stolen)

            #expect(foreign.outcome == "404 not_found" && foreign.body == unknown.body)
            for odd in [phone.clientID, "instance:\(phone.clientID)", "%00", "..", "%27%3B--", "*"] {
                #expect((400...404).contains(try await end(odd, thief, stolen).status), "\(odd)")
            }
            #expect(try await tree(phone, pat).count == 1)
        }
    }

    @Test("without a token there is nothing to see or to end, and an instance's own does not do")
    func strangers() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn()
            let branch = try id(try await tree(phone, pat).first)

            let seen = try await server.get("/account/tree")
            let ended = try await server.send(.delete, "/account/tree/\(branch)")
            let instance = try await phone.get("/account/tree", token: phone.instance.accessToken)

            #expect(seen.outcome == "401 invalid_token" && ended.outcome == "401 invalid_token")
            #expect(!seen.headers[values: .wwwAuthenticate].isEmpty && !ended.headers[values: .wwwAuthenticate].isEmpty)
            #expect((400...403).contains(instance.status) && instance.json["nodes"] == nil)
            #expect(try await tree(phone, pat).count == 1)
        }
    }

    @Test(
        "a browser session sees and ends as well, from the same origin only",
        arguments: [(ServerParts.root, "204"), ("https://evil.example", "403 forbidden"), ("", "403 forbidden")])
    func browsers(_ origin: String, _ expected: String) async throws {
        try await TestServer.with { server in
            let ada = try await server.newResident(), phone = try await Phone.registered(in: server)
            _ = try await phone.logIn(as: ada.username)
            let browser = Browser(server)
            try await browser.logInWithPassword(as: ada)
            var headers: HTTPFields = [.accept: "application/json"]
            let seen = try await browser.open(.get, "/account/tree", headers: headers)
            let nodes = seen.json["nodes"]?.array ?? []
            if !origin.isEmpty { headers[.origin] = origin }

            let branch = try id(nodes.first { $0["kind"] == "instance" })
            let reply = try await browser.open(.delete, "/account/tree/\(branch)", headers: headers)

            #expect(nodes.first { $0["kind"] == "browser" }?["current"] == true)
            #expect(reply.outcome == expected)
        }
    }
}
