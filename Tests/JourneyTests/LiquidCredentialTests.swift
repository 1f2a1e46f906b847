import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing
import TokenTree

@Suite("liquid: passkeys of the token's person at BASE/credentials", .server)
struct LiquidCredentialTests {
    private static let path = "/services/liquid/credentials"

    private func call(
        _ method: HTTPRequest.Method, _ path: String = path, _ json: JSONValue? = nil, token: String
    ) async throws -> Reply {
        var headers: HTTPFields = [.authorization: "Bearer \(token)"]
        if json != nil { headers[.contentType] = "application/json" }
        return try await TestServer.ofSuite.send(method, path, headers: headers, body: json?.bytes)
    }

    private func names(_ reply: Reply) -> [String] {
        (reply.json["credentials"]?.array ?? []).compactMap { $0["id"]?.string }
    }

    @Test("an app lists, reads, names and removes passkeys of its person; those of others are not there")
    func own() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(),
            other = try await server.newResident()
        let one = try await server.passkey(of: account), two = try await server.passkey(of: account),
            theirs = try await server.passkey(of: other)
        let token = try await Phone.registered(in: server).liquidApp(as: account.username).app.accessToken
        let listed = try await call(.get, token: token)
        let read = try await call(.get, "\(Self.path)/\(one.name)", token: token)
        let named = try await call(.patch, "\(Self.path)/\(one.name)", ["name": "my key"], token: token)
        let foreign = [
            try await call(.get, "\(Self.path)/\(theirs.name)", token: token),
            try await call(.patch, "\(Self.path)/\(theirs.name)", ["name": "mine"], token: token),
            try await call(.delete, "\(Self.path)/\(theirs.name)", token: token),
            try await call(.delete, "\(Self.path)/***", token: token),
        ]
        let gone = try await call(.delete, "\(Self.path)/\(one.name)", token: token),
            again = try await call(.delete, "\(Self.path)/\(one.name)", token: token)
        let left = try await call(.get, token: token)

        #expect(listed.status == 200 && Set(names(listed)) == [one.name, two.name])
        #expect(read.status == 200 && read["kind"] == "passkey" && read.json["alg"]?.integer == -7)
        #expect(named.status == 200 && named["name"] == "my key")
        for reply in foreign { #expect(reply.outcome == "404 not_found") }
        #expect(gone.status == 204 && again.outcome == "404 not_found" && names(left) == [two.name])
    }

    @Test("a linked wallet's passkey is listed with its address, and removing it leaves it the wallet's")
    func wallet() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident()
        var wallet = WalletDevice()
        _ = try await wallet.register(in: server)
        _ = try await server.database.execute(
            """
            insert into passkey_link (credential, account, linked_at)
                values (\(wallet.passkey.id), \(account.id), \(server.time.now))
            """)
        let token = try await Phone.registered(in: server).liquidApp(as: account.username).app.accessToken
        let read = try await call(.get, "\(Self.path)/\(wallet.passkey.name)", token: token),
            gone = try await call(.delete, "\(Self.path)/\(wallet.passkey.name)", token: token),
            left = try await call(.get, token: token), back = try await wallet.logIn(in: server)

        #expect(read["kind"] == "wallet" && read["wallet"] == wallet.address)
        #expect(gone.status == 204 && names(left).isEmpty && back.status == 201)
    }

    @Test("browsers in which a removed passkey was shown are logged out, and an account that must have one keeps it")
    func effects() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident()
        let stolen = try await server.passkey(of: account), thief = Browser(server)
        try await thief.logInWithPasskey(stolen)
        let token = try await Phone.registered(in: server).liquidApp(as: account.username).app.accessToken
        _ = try await server.database.execute(
            "update account set required_factor = 'passkey' where id = \(account.id)")
        let kept = try await call(.delete, "\(Self.path)/\(stolen.name)", token: token)
        let still = try await thief.whoIsIn()
        _ = try await server.passkey(of: account)
        let gone = try await call(.delete, "\(Self.path)/\(stolen.name)", token: token)

        #expect(kept.outcome == "409 access_denied" && still != nil)
        #expect(gone.status == 204)
        #expect(try await thief.whoIsIn() == nil)
    }

    @Test(
        "a name that is none is 400",
        arguments: [["name": ""], ["name": " "], ["name": "a\nb"], ["name": 1], [:]] as [JSONObject])
    func name(_ body: JSONObject) async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(),
            passkey = try await server.passkey(of: account)
        let token = try await Phone.registered(in: server).liquidApp(as: account.username).app.accessToken
        let reply = try await call(.patch, "\(Self.path)/\(passkey.name)", .object(body), token: token)
        #expect(reply.outcome == "400 invalid_request")
    }

    @Test("no token, one of the service itself, one without the scope, and one of another service open nothing")
    func refused() async throws {
        let server = try TestServer.ofSuite, phone = try await Phone.registered(in: server)
        let narrow = try await phone.liquidApp(scope: "com.liquidauth.signaling"),
            other = try await phone.tiqrApp().app.accessToken
        let none = try await server.get(Self.path),
            scope = try await call(.get, token: narrow.app.accessToken),
            foreign = try await call(.get, token: other),
            service = try await server.get(
                Self.path, headers: phone.dpop(.get, Self.path, token: narrow.service.accessToken)),
            bare = try await call(.get, token: narrow.service.accessToken)

        #expect(none.outcome == "401 invalid_token" && none.headers[.wwwAuthenticate] != nil)
        #expect(
            scope.outcome == "403 insufficient_scope"
                && scope.headers[.wwwAuthenticate]?.contains("org.w3.webauthn") == true)
        #expect(foreign.outcome == "401 invalid_token" && service.outcome == "403 insufficient_scope")
        #expect(bare.outcome == "401 invalid_token")
    }

    @Test("removing takes a login of the last ten minutes, and looking does not")
    func fresh() async throws {
        try await TestServer.with { server in
            let account = try await server.newResident(), passkey = try await server.passkey(of: account)
            let app = try await Phone.registered(in: server).liquidApp(as: account.username).app
            server.time.advance(601)
            let headers: HTTPFields = [.authorization: "Bearer \(app.accessToken)"]
            let old = try await server.send(.delete, "\(Self.path)/\(passkey.name)", headers: headers)
            let read = try await server.get(Self.path, headers: headers)

            #expect(old.outcome == "401 insufficient_user_authentication")
            #expect(old.headers[.wwwAuthenticate]?.contains("max_age=\"600\"") == true)
            #expect(read.status == 200)
        }
    }

    @Test("who was written down for an earlier registration of the service is found by the pseudonym of this one")
    func registeredAgain() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(),
            passkey = try await server.passkey(of: account)
        _ = try await server.database.execute(
            """
            insert into liquid_person (subject, account, created_at)
                select 'earlier ' || a.id, a.id, '2000-01-01' from account a where a.id = \(account.id)
            """)
        let token = try await Phone.registered(in: server).liquidApp(as: account.username).app.accessToken
        let listed = try await call(.get, token: token), again = try await call(.get, token: token)
        let known: Int = try await server.database.value(
            "select count(*) from liquid_person where account = \(account.id)")
        #expect(names(listed) == [passkey.name] && names(again) == [passkey.name] && known == 2)
    }

    @Test("a revoked token opens nothing any more")
    func over() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident()
        let tokens = try await Phone.registered(in: server).liquidApp(as: account.username)
        let before = try await call(.get, token: tokens.app.accessToken)
        let known: Int = try await server.database.value(
            "select count(*) from liquid_person where account = \(account.id)")
        let row = try #require(NodeID(tokens.app.jti))
        let family: NodeID = try await server.database.value("select family from token where id = \(row)")
        try await server.parts.revocation.revoke(.token(family), by: .server)
        let after = try await call(.get, token: tokens.app.accessToken)

        #expect(before.status == 200 && known == 1 && after.outcome == "401 invalid_token")
    }
}
