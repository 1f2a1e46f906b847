import Accounts
import Base
import Foundation
import OAuth
import TestSupport
import Testing
import Vocabulary

@Suite("/authorize: which logins need a second factor", .server)
struct FactorStepTests {
    private static let mfa = "https://refeds.org/profile/mfa", sfa = "https://refeds.org/profile/sfa"
    private static let essential = "{\"id_token\":{\"acr\":{\"essential\":true,\"values\":[\"\(mfa)\"]}}}"
    private static let either = "{\"id_token\":{\"acr\":{\"essential\":true,\"values\":[\"\(sfa)\",\"\(mfa)\"]}}}"

    /// What `/authorize` says to this browser, in a word: a page, `consent`, or the error at the client.
    private func step(
        _ app: WebApp, _ context: BrowserSessionContext, _ changes: KeyValuePairs<String, String?> = [:]
    ) async throws -> String {
        let draft = AuthorizationDraft(app.id, changes: changes)
        let parameters = OAuthParameters(Dictionary(draft.parameters, uniquingKeysWith: { $1 }))
        do {
            return word(try await app.server.web.authorize.begin(parameters, context))
        } catch let refusal as AuthorizationRefusal {
            return refusal.error.code.rawValue
        }
    }

    private func word(_ step: AuthorizeEndpoint.Step) -> String {
        switch step {
        case .login: "login"
        case .factor(_, let page): page
        case .consent: "consent"
        case .answer: "answer"
        }
    }

    private func raised(
        _ context: BrowserSessionContext, _ account: Account, by methods: [String] = ["mfa", "swk"],
        factor: String? = "tiqr",
        in server: TestServer
    ) async throws -> BrowserSessionContext {
        let attempt = try await server.web.attempts.open(
            "tiqr", subject: "q", account: account.id, then: "/account", browser: context.browser)
        let cookie = try await server.web.login.complete(
            account.id, by: factor, methods: methods, using: attempt, context)
        return try await server.browserContext(context, cookie: try #require(cookie))
    }

    @Test(
        """
        an account that asks leads to its phone, and without one to
            where it is enrolled; with both factors on, once and no more
        """,
        arguments: [Account.RequiredFactor.any, .tiqr])
    func required(_ factor: Account.RequiredFactor) async throws {
        let server = try TestServer.ofSuite, app = try await server.webApp(),
            account = try await server.newResident(requires: factor)
        let context = try await server.browserContext(as: account)

        let bare = try await step(app, context), silent = try await step(app, context, ["prompt": "none"])
        _ = try await server.enrollPhone(of: account, answering: false)
        let unproven = try await step(app, context)
        _ = try await server.enrollPhone(of: account)
        let enrolled = try await step(app, context), silentToo = try await step(app, context, ["prompt": "none"])
        let after = try await step(app, try await raised(context, account, in: server))

        #expect(bare == "/account/phones/add" && unproven == "/account/phones/add" && enrolled == "/login/tiqr")
        #expect(silent == "login_required" && silentToo == "login_required" && after == "consent")
    }

    @Test(
        "a passkey that an account asks for is met by a passkey alone, however strong the login is otherwise",
        arguments: ["tiqr", "operations", "wallet", "wallet-code", nil])
    func passkey(_ factor: String?) async throws {
        let server = try TestServer.ofSuite, app = try await server.webApp(),
            account = try await server.newResident(requires: .passkey)
        _ = try await server.enrollPhone(of: account)

        let context = try await server.browserContext(as: account), told = try await step(app, context)
        let strong = try await raised(context, account, factor: factor, in: server),
            withPhone = try await step(app, strong)
        let session = try #require(strong.session), before = try await server.web.detour(session, to: "/account")
        _ = try await server.passkey(of: account)
        let enrolled = try await step(app, strong), silent = try await step(app, strong, ["prompt": "none"]),
            then = try await server.web.detour(session, to: "/account")
        let shown = try await raised(strong, account, by: ["mfa", "swk", "user"], factor: "passkey", in: server),
            after = try await step(app, shown)

        #expect(
            told == "/account/passkeys/add" && withPhone == told && before == ServerParts.root + told,
            "a phone is no passkey")
        #expect(
            enrolled == "/login/passkey" && silent == "login_required"
                && then == ServerParts.root + "/login/passkey?return_to=%2Faccount" && after == "consent")
    }

    @Test("a phone that an account asks for is met by a phone and not by a passkey; any is met by each")
    func phone() async throws {
        let server = try TestServer.ofSuite, app = try await server.webApp()
        let strict = try await server.newResident(requires: .tiqr), easy = try await server.newResident(requires: .any)
        for account in [strict, easy] { _ = try await server.enrollPhone(of: account) }
        let first = try await server.browserContext(as: strict), second = try await server.browserContext(as: easy),
            methods = ["mfa", "swk", "user"]

        let byPasskey = try await step(app, try await raised(first, strict, by: methods, factor: "passkey", in: server))
        let easily = try await step(app, try await raised(second, easy, by: methods, factor: "passkey", in: server))
        let other = try await server.browserContext(as: strict),
            byOperations = try await step(app, try await raised(other, strict, factor: "operations", in: server))

        let third = try await server.browserContext(as: strict), fourth = try await server.browserContext(as: easy)
        let byWallet = try await step(
            app, try await raised(third, strict, by: ["swk", "user"], factor: "wallet", in: server))
        let easilyToo = try await step(
            app, try await raised(fourth, easy, by: ["swk", "user"], factor: "wallet", in: server))

        let fifth = try await server.browserContext(as: strict),
            byCode = try await step(
                app, try await raised(fifth, strict, by: ["swk", "user"], factor: "wallet-code", in: server))

        #expect(byPasskey == "/login/tiqr" && easily == "consent" && byOperations == "consent")
        #expect(
            byWallet == "/login/tiqr" && byCode == byWallet && easilyToo == "consent",
            "beside the password a wallet's key meets any, and no phone")
    }

    @Test("where a phone is asked for and only the kind that approves is there, that one is asked")
    func approving() async throws {
        let server = try TestServer.ofSuite, app = try await server.webApp(),
            account = try await server.newResident(requires: .tiqr)
        _ = try await server.approver(of: account)

        let asked = try await step(app, try await server.browserContext(as: account))

        #expect(asked == "/login/approval")
    }

    @Test("a request that wishes for two factors gets them of who has them, and never fails for it")
    func wished() async throws {
        let server = try TestServer.ofSuite, app = try await server.webApp(), account = try await server.newResident(),
            context = try await server.browserContext(as: account)
        let mfa = FactorStepTests.mfa, sfa = FactorStepTests.sfa

        let bare = try await step(app, context, ["acr_values": mfa])
        _ = try await server.enrollPhone(of: account)
        let enrolled = try await step(app, context, ["acr_values": mfa]),
            preferred = try await step(app, context, ["acr_values": "\(mfa) \(sfa)"])
        let second = try await step(app, context, ["acr_values": "\(sfa) \(mfa)"]),
            unasked = try await step(app, context)
        let silent = try await step(app, context, ["acr_values": mfa, "prompt": "none"])
        let after = try await step(app, try await raised(context, account, in: server), ["acr_values": mfa])

        #expect(bare == "consent" && enrolled == "/login/tiqr" && preferred == "/login/tiqr")
        #expect(second == "consent" && unasked == "consent" && silent == "consent_required" && after == "consent")
    }

    @Test("a request that insists is refused where nobody can, and leads to the phone of who has one")
    func essential() async throws {
        let server = try TestServer.ofSuite, app = try await server.webApp(), account = try await server.newResident(),
            context = try await server.browserContext(as: account)

        let bare = try await step(app, context, ["claims": FactorStepTests.essential]),
            content = try await step(app, context, ["claims": FactorStepTests.either])
        _ = try await server.enrollPhone(of: account)
        let enrolled = try await step(app, context, ["claims": FactorStepTests.essential])
        let silent = try await step(app, context, ["claims": FactorStepTests.essential, "prompt": "none"])
        let after = try await step(
            app, try await raised(context, account, in: server), ["claims": FactorStepTests.essential])

        #expect(bare == "unmet_authentication_requirements" && content == "consent")
        #expect(enrolled == "/login/tiqr" && silent == "login_required" && after == "consent")
    }

    @Test("consent does not stand in for a factor; with it the ID token tells both, and when")
    func told() async throws {
        try await TestServer.with { server in
            let app = try await server.webApp(), account = try await server.newResident(requires: .any),
                context = try await server.browserContext(as: account)
            _ = try await server.enrollPhone(of: account)
            let draft = AuthorizationDraft(app.id),
                parameters = OAuthParameters(Dictionary(draft.parameters, uniquingKeysWith: { $1 }))
            guard case .factor(let reference, _) = try await server.web.authorize.begin(parameters, context) else {
                throw Unexpected()
            }

            let hurried = await #expect(throws: AuthorizationRefusal.self) {
                _ = try await server.web.authorize.consented(reference, allowed: true, context)
            }
            server.time.advance(30)
            let strong = try await raised(context, account, in: server)
            let next = word(try await server.web.authorize.resume(reference, strong))
            let url = try await server.web.authorize.consented(reference, allowed: true, strong)
            let tokens = try await app.redeem(Browser.Place.outside(url).answer["code"])

            let told = claims(of: tokens["id_token"] ?? ""), access = claims(of: tokens.accessToken)
            #expect(hurried != nil && next == "consent" && tokens.outcome == "200")
            #expect(
                told["amr"] == ["mfa", "pwd", "swk"] && told["acr"] == .string(FactorStepTests.mfa)
                    && told["auth_time"] == .integer(server.now))
            #expect(access["amr"] == told["amr"] && access["acr"] == told["acr"])
        }
    }

    @Test("a login by phone answers prompt=login and an old login, as a password does")
    func fresh() async throws {
        try await TestServer.with { server in
            let app = try await server.webApp(), account = try await server.newResident(),
                context = try await server.browserContext(as: account)
            let draft = AuthorizationDraft(app.id, changes: ["max_age": "60"]),
                parameters = OAuthParameters(Dictionary(draft.parameters, uniquingKeysWith: { $1 }))
            server.time.advance(120)
            guard case .login(let reference, let again) = try await server.web.authorize.begin(parameters, context)
            else { throw Unexpected() }

            server.time.advance(1)
            let next = word(
                try await server.web.authorize.resume(reference, try await raised(context, account, in: server)))

            #expect(again && next == "consent")
        }
    }

    @Test(
        """
        where a new login of two factors is wanted, the
            morning's second factor does not stand in beside a new password
        """
    )
    func stale() async throws {
        try await TestServer.with { server in
            let app = try await server.webApp(), account = try await server.newResident(),
                morning = try await server.browserContext(as: account)
            _ = try await server.enrollPhone(of: account)
            let strong = try await raised(morning, account, in: server)
            let draft = AuthorizationDraft(app.id, changes: ["claims": FactorStepTests.essential, "max_age": "60"])
            let parameters = OAuthParameters(Dictionary(draft.parameters, uniquingKeysWith: { $1 }))
            server.time.advance(3_600)
            guard case .login(let reference, _) = try await server.web.authorize.begin(parameters, strong) else {
                throw Unexpected()
            }

            server.time.advance(1)
            let typed = try await raised(strong, account, by: ["pwd"], factor: nil, in: server),
                asked = word(try await server.web.authorize.resume(reference, typed))
            let scanned = try await raised(typed, account, in: server),
                then = word(try await server.web.authorize.resume(reference, scanned))

            #expect(asked == "/login/tiqr" && then == "consent")
        }
    }

    @Test("a device is not allowed in by one factor where the account asks for two")
    func device() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(requires: .any)
        let app = try await server.webApp(
            "Television", method: .none, redirectURIs: [], scope: "openid",
            grants: ["urn:ietf:params:oauth:grant-type:device_code"])
        let begun = try await server.post("/device_authorization", ["client_id": app.id]),
            code = begun["user_code"] ?? ""
        let context = try await server.browserContext(as: account), session = try #require(context.session)
        let waiting = try #require(try await server.web.devices.find(code, session, context))

        let bare = try await server.web.detour(session, to: "/device?user_code=\(code)")
        await #expect(throws: OAuthError.self) {
            _ = try await server.web.decide(waiting, allow: true, session, context)
        }
        _ = try await server.enrollPhone(of: account)
        let enrolled = try await server.web.detour(session, to: "/device?user_code=\(code)")
        let strong = try await raised(context, account, in: server), raisedSession = try #require(strong.session)
        let none = try await server.web.detour(raisedSession, to: "/device"),
            isDecided = try await server.web.decide(waiting, allow: true, raisedSession, strong)

        #expect(
            bare == ServerParts.root + "/account/phones/add"
                && enrolled == ServerParts.root + "/login/tiqr?return_to=%2Fdevice%3Fuser_code%3D\(code)")
        #expect(none == nil && isDecided)
    }

    private struct Unexpected: Error {}
}
