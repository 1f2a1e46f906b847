import Base
import Federation
import Foundation
import HTTPTypes
import TestSupport
import Testing
import TokenTree

@Suite("Which third-party apps a service takes")
struct AppPolicyTests {
    private static let policy = "/services/self/policy"

    private func basic(_ client: (id: String, secret: String)) -> HTTPFields {
        [.authorization: "Basic \(Data("\(client.id):\(client.secret)".utf8).base64EncodedString())"]
    }

    private func change(
        _ server: TestServer, _ members: JSONValue, as client: (id: String, secret: String)? = nil
    ) async throws -> Reply {
        var headers = basic(client ?? server.residents.learn)
        headers[.contentType] = "application/json"
        return try await server.send(.patch, AppPolicyTests.policy, headers: headers, body: members.bytes)
    }

    private func attributes(_ server: TestServer, _ app: Reply) async throws -> String {
        try await server.get(
            "/services/learn/attributes", headers: [.authorization: "Bearer \(app.accessToken)"]
        ).outcome
    }

    private func refresh(_ server: TestServer, _ app: Reply, bundle: String = Phone.bundle) async throws -> String {
        try await server.post(
            "/services/learn/token",
            ["grant_type": "refresh_token", "refresh_token": app.refreshToken, "client_id": bundle]
        ).outcome
    }

    @Test(
        "an app that the service denies loses what it holds there at once, and gets nothing new until it is taken again"
    )
    func denied() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), service = try await phone.joinService()
            let app = try await phone.authorizeApp(service), other = "org.example.other"
            let kept = try await phone.authorizeApp(
                service, bundle: other, code: phone.appCode(changes: ["sub": .string(other)]))
            #expect(try await attributes(server, app) == "200")

            let changed = try await change(server, ["deny": [.string(Phone.bundle)]])

            #expect(changed.outcome == "200")
            #expect(changed.json == ["default": "open", "allow": [], "deny": [.string(Phone.bundle)]])
            #expect(try await attributes(server, app) == "401 invalid_token")
            #expect(try await refresh(server, app) == "400 invalid_grant")
            let refused = try await phone.authorizeApp(service)
            #expect(refused.outcome == "400 access_denied")
            #expect(refused["error_description"]?.contains("does not take this app") == true)
            #expect(refused.headers[.cacheControl] == "no-store")
            #expect(try await attributes(server, kept) == "200")
            #expect(try await refresh(server, kept, bundle: other) == "200")

            #expect(try await change(server, ["deny": []]).outcome == "200")
            #expect(try await attributes(server, app) == "401 invalid_token", "what was ended stays so")
            #expect(try await attributes(server, try await phone.authorizeApp(service)) == "200")
        }
    }

    @Test("a closed service takes those that it allows alone; the others lose what they hold")
    func closed() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), service = try await phone.joinService()
            let app = try await phone.authorizeApp(service), other = "org.example.other"
            let code = { try phone.appCode(changes: ["sub": .string(other)]) }
            let ended = try await phone.authorizeApp(service, bundle: other, code: code())

            #expect(
                try await change(server, ["default": "closed", "allow": [.string(Phone.bundle)]]).outcome == "200")

            #expect(try await attributes(server, app) == "200")
            #expect(try await phone.authorizeApp(service).outcome == "200")
            #expect(try await attributes(server, ended) == "401 invalid_token")
            #expect(try await phone.authorizeApp(service, bundle: other, code: code()).outcome == "400 access_denied")

            // Taken off the list of a closed service, it has gone too.
            let again = try await phone.authorizeApp(service)
            #expect(try await change(server, ["allow": []]).outcome == "200")
            #expect(try await attributes(server, again) == "401 invalid_token")
        }
    }

    @Test("tokens of before an app at a service was a node end with it, and those of other apps go on")
    func earlier() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), service = try await phone.joinService()
            let app = try await phone.authorizeApp(service), other = "org.example.other"
            let kept = try await phone.authorizeApp(
                service, bundle: other, code: phone.appCode(changes: ["sub": .string(other)]))
            // As the version before issued them.
            _ = try await server.database.batch([
                """
                update family f set lineage = array_remove(f.lineage, a.id) from ancestor a
                where a.kind = 'admission' and a.id = any (f.lineage)
                """,
                """
                update token t set lineage = array_remove(t.lineage, a.id) from ancestor a
                where a.kind = 'admission' and a.id = any (t.lineage)
                """,
                "delete from ancestor where kind = 'admission'",
                "update setting set changed_at = \(server.time.clock.now()) where name = 'use_since'",
            ])
            #expect(try await attributes(server, app) == "200")

            #expect(try await change(server, ["deny": [.string(Phone.bundle)]]).outcome == "200")

            #expect(try await attributes(server, app) == "401 invalid_token")
            #expect(try await refresh(server, app) == "400 invalid_grant")
            #expect(try await attributes(server, kept) == "200")

            #expect(try await change(server, ["default": "closed", "deny": []]).outcome == "200")
            #expect(try await attributes(server, kept) == "401 invalid_token")
            #expect(try await refresh(server, kept, bundle: other) == "400 invalid_grant")
        }
    }

    @Test("an app that no policy could name gets nothing", arguments: ["org.example.\u{E9}", "a b", "\u{7F}"])
    func unnameable(_ bundle: String) async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), service = try await phone.joinService()
            let refused = try await phone.authorizeApp(
                service, bundle: bundle, code: phone.appCode(changes: ["sub": .string(bundle)]))
            #expect(refused.outcome == "400 invalid_grant")
            #expect(refused["error_description"]?.contains("no bundle id") == true)
        }
    }

    @Test("a service that changes its policy without end is slowed down")
    func pace() async throws {
        try await TestServer.with { server in
            for round in 0..<100 {
                #expect(try await change(server, ["deny": [.string("a\(round)")]]).outcome == "200")
            }

            let slowed = try await change(server, ["deny": []])

            #expect(slowed.outcome == "429 slow_down")
            #expect(slowed.headers[.retryAfter] == "10")
            #expect(try await change(server, ["deny": []], as: server.residents.quiet).outcome == "200")
        }
    }

    @Test("the policy is that of one service; the same app goes on elsewhere")
    func elsewhere() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), service = try await phone.joinService()
            let app = try await phone.authorizeApp(service)

            #expect(
                try await change(server, ["deny": [.string(Phone.bundle)]], as: server.residents.quiet).outcome
                    == "200")

            #expect(try await attributes(server, app) == "200")
            #expect(try await phone.authorizeApp(service).outcome == "200")
        }
    }

    @Test("a change is told as one event with the whole policy; the same policy again tells nobody")
    func told() async throws {
        try await TestServer.with { server in
            let body: JSONValue = ["default": "closed", "allow": ["org.example.b", "org.example.a"]]

            for _ in 0..<2 { #expect(try await change(server, body).outcome == "200") }
            try await server.sendEvents()

            #expect(server.wire.pushes.count == 1)
            let push = try #require(server.wire.pushes.first), event = claims(of: push.body)
            let policy = try #require(event["events"]?["urn:pando:event:policy"])
            #expect(policy["default"] == "closed" && policy["deny"] == [] && policy["seq"] == 1)
            #expect(policy["allow"] == ["org.example.a", "org.example.b"])
            let lines: Int = try await server.database.value(
                "select count(*) from audit where action = 'services.policy' and actor = 'service:learn'")
            #expect(lines == 1)
        }
    }

    @Test("of an authorization and a denial at once, no token lives that the policy does not take")
    func race() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), service = try await phone.joinService()
            for round in 0..<6 {
                async let denial = change(server, ["deny": [.string(Phone.bundle)]])
                async let first = phone.authorizeApp(service)
                async let second = phone.authorizeApp(service)
                let (denied, apps) = (try await denial, [try await first, try await second])

                #expect(denied.outcome == "200", "round \(round)")
                for app in apps where app.outcome == "200" {
                    #expect(try await attributes(server, app) == "401 invalid_token", "round \(round)")
                }
                #expect(apps.allSatisfy { ["200", "400 access_denied"].contains($0.outcome) }, "round \(round)")
                #expect(try await change(server, ["deny": []]).outcome == "200")
            }
        }
    }

    @Test("a service sees itself with its policy, and nobody else may ask")
    func own() async throws {
        try await TestServer.with { server in
            let shown = try await server.get("/services/self", headers: basic(server.residents.learn))
            #expect(shown.outcome == "200" && shown["id"] == "learn" && shown["base"] == ServerParts.base)
            #expect(shown.json["policy"] == ["default": "open", "allow": [], "deny": []])
            #expect(
                try await server.get(AppPolicyTests.policy, headers: basic(server.residents.quiet)).outcome == "200")

            for path in ["/services/self", AppPolicyTests.policy] {
                #expect(try await server.get(path).outcome == "401 invalid_client")
                #expect(
                    try await server.get(path, headers: basic(server.residents.machine)).outcome
                        == "401 invalid_client")
                #expect(
                    try await server.get(path, headers: basic((server.residents.learn.id, "wrong"))).outcome
                        == "401 invalid_client")
            }
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn()
            #expect(try await phone.get("/services/self", token: pat.accessToken).outcome == "403 insufficient_scope")
        }
    }

    @Test(
        "a policy that cannot be so is refused, and what was stays",
        arguments: [
            (#"{"default":"half"}"#, "default must be"), (#"{"default":null}"#, "default must be"),
            (#"{"allow":"org.example.a"}"#, "must be an array"), (#"{"allow":[1]}"#, "must be an array"),
            (#"{"deny":[""]}"#, "1 to 255"), (#"{"deny":["a b"]}"#, "no blanks"), (#"{"deny":["é"]}"#, "ASCII"),
            (#"{"allow":["a"],"deny":["a"]}"#, "in allow and in deny"), ("[]", "JSON object"), ("{", "not JSON"),
            (#"{"allow":[],"allow":["a"]}"#, "comes twice"),
        ])
    func refused(_ body: String, _ why: String) async throws {
        try await TestServer.with { server in
            var headers = basic(server.residents.learn)
            headers[.contentType] = "application/json"

            let reply = try await server.send(
                .patch, AppPolicyTests.policy, headers: headers, body: Array(body.utf8))

            #expect(reply.outcome == "400 invalid_request")
            #expect(reply["error_description"]?.contains(why) == true, "\(reply.body)")
            #expect(
                try await server.get(AppPolicyTests.policy, headers: headers).json
                    == ["default": "open", "allow": [], "deny": []])
        }
    }

    @Test("lists are bounded: in names, in bytes of a name, and in all")
    func bounds() {
        func isAllowed(_ names: [String]) -> Bool {
            (try? AppPolicy().changed(by: ["deny": JSONValue(strings: names)])) != nil
        }
        #expect(isAllowed((0..<1_000).map { "a\($0)" }) && !isAllowed((0..<1_001).map { "a\($0)" }))
        let long = String(repeating: "a", count: 255)
        #expect(isAllowed([long]) && !isAllowed([long + "a"]))
        #expect(!isAllowed((0..<200).map { "\($0)." + String(repeating: "a", count: 240) }))
    }
}
