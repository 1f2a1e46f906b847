import Base
import Foundation
import HTTPTypes
import Operations
import TestSupport
import Testing

@Suite("operations: the back office, over HTTP", .server)
struct OperationsBackOfficeTests {
    /// The routes of relying services alone (†), then those of apps too.
    private static let own: [(HTTPRequest.Method, String)] = [
        (.post, "/v2/applications"), (.get, "/v2/applications"), (.get, "/v2/applications/bank"),
        (.post, "/v2/applications/bank/versions"),
        (.put, "/v2/applications/bank/versions/x"), (.get, "/v2/applications/bank/push"),
        (.put, "/v2/applications/bank/push/hms"), (.delete, "/v2/applications/bank/push/hms"),
        (.put, "/v2/applications/bank/blocks"), (.post, "/v2/templates"), (.get, "/v2/templates"),
        (.get, "/v2/templates/x"), (.put, "/v2/templates/x"),
        (.delete, "/v2/templates/x"), (.post, "/v2/callbacks"), (.get, "/v2/callbacks"), (.get, "/v2/callbacks/x"),
        (.delete, "/v2/callbacks/x"),
        (.get, "/v2/callbacks/x/events"), (.post, "/v2/callbacks/x/redeliver"),
    ]
    private static let shared: [(HTTPRequest.Method, String)] = [
        (.post, "/v2/registrations"), (.get, "/v2/registrations"), (.get, "/v2/registrations/x"),
        (.post, "/v2/registrations/x/commit"), (.put, "/v2/registrations/x"),
        (.delete, "/v2/registrations/x"), (.post, "/v2/operations"), (.get, "/v2/operations"),
        (.get, "/v2/operations/x"), (.delete, "/v2/operations/x"),
        (.get, "/v2/operations/x/proximity"), (.get, "/v2/operations/x/offline/qr"),
        (.post, "/v2/operations/x/offline/otp"), (.post, "/v2/inbox/messages"),
    ]

    private static func body(_ method: HTTPRequest.Method) -> JSONValue? {
        method == .post || method == .put ? .object([:]) : Optional.none
    }

    @Test(
        "no route opens without a live token for operations",
        arguments: ["none", "nonsense", "basic", "another resource", "the IdP's", "revoked"])
    func locked(_ what: String) async throws {
        let server = try TestServer.ofSuite, party = try await OperationsParty.movedIn(server)
        let foreign = try await OperationsParty.ask(server, party.client, resource: ServerParts.base)
        let own = try await OperationsParty.ask(server, party.client, resource: nil)
        let authorization: String? =
            switch what {
            case "none": nil
            case "nonsense": "Bearer nonsense"
            case "basic": party.client.basic[.authorization]
            case "another resource": "Bearer \(foreign.accessToken)"
            case "the IdP's": "Bearer \(own.accessToken)"
            default: "Bearer \(party.token)"
            }
        if what == "revoked" {
            let revoked = try await server.post("/revoke", ["token": party.token], headers: party.client.basic)
            #expect(revoked.status == 200)
        }

        for (method, path) in Self.own + Self.shared {
            var headers: HTTPFields = [.contentType: "application/json"]
            headers[.authorization] = authorization
            let reply = try await server.send(
                method, OperationsParty.path + path, headers: headers, body: Self.body(method)?.bytes)
            let challenges = reply.headers[values: .wwwAuthenticate]
            #expect(
                reply.outcome == "401 invalid_token"
                    && challenges.contains { $0.hasPrefix("Bearer error=\"invalid_token\"") },
                "\(method) \(path): \(reply.body)")
        }
    }

    @Test("another scope reaches nothing")
    func scope() async throws {
        let server = try TestServer.ofSuite, party = try await OperationsParty.movedIn(server, scope: "org.tiqr.auth")

        for (method, path) in Self.own + Self.shared {
            let reply = try await party.call(method, path, Self.body(method))
            #expect(
                reply.outcome == "403 insufficient_scope" && reply["scope"] == OperationsParty.scope,
                "\(method) \(path)")
        }
    }

    @Test("client id and secret open the back office where the operator allows it, and only for a client that may")
    func basic() async throws {
        try await TestServer.with(options: TestServerOptions(takesBasic: true)) { server in
            let party = try await OperationsParty.movedIn(server),
                stranger = try await OperationsParty.movedIn(server, scope: "org.tiqr.auth")
            let right = party.client.basic[.authorization] ?? "", other = stranger.client.basic[.authorization] ?? ""
            let wrong = "Basic " + Data("\(party.client.id):wrong".utf8).base64EncodedString()

            let opened = try await party.call(.get, "/v2/templates", authorization: right),
                refused = try await party.call(.get, "/v2/templates", authorization: wrong)
            let narrow = try await party.call(.get, "/v2/templates", authorization: other),
                byToken = try await party.call(.get, "/v2/templates")

            #expect(
                opened.status == 200 && opened.json["templates"]?.array?.count == 1 && byToken.json == opened.json,
                "the same owner either way")
            #expect(
                refused.outcome == "401 invalid_client"
                    && refused[header: "WWW-Authenticate"]?.hasPrefix("Basic ") == true)
            #expect(narrow.outcome == "403 insufficient_scope")
        }
    }

    @Test("an app is refused where services are alone (†); elsewhere it speaks for its own person")
    func apps() async throws {
        let server = try TestServer.ofSuite, party = try await OperationsParty.movedIn(server),
            app = try await Phone.registered(in: server).operationsApp()
        let bearer = "Bearer \(app.accessToken)"

        for (method, path) in Self.own {
            let reply = try await party.call(method, path, Self.body(method), authorization: bearer)
            #expect(reply.outcome == "403 forbidden", "\(method) \(path)")
        }
        let words: JSONValue = ["title": "Door", "message": "Open?"]
        let begun = try await party.call(
            .post, "/v2/operations", ["template": "approval", "parameters": words], authorization: bearer)
        let listed = try await party.call(.get, "/v2/operations", authorization: bearer), person = begun["userId"] ?? ""
        let other = try await party.call(
            .post, "/v2/operations", ["template": "approval", "userId": "bob", "parameters": words],
            authorization: bearer)
        let unseen = try await party.call(.get, "/v2/operations/\(begun["operationId"] ?? "")")

        #expect(begun.status == 201 && !person.isEmpty && listed.json["operations"]?.array?.count == 1)
        #expect(other.refusal == "400 ERROR_REQUEST" && unseen.refusal == "400 ERROR_OPERATION_NOT_FOUND")
    }

    @Test("applications and versions: one that is there stays, keys of versions are named URL-encoded")
    func applications() async throws {
        let party = try await OperationsParty.movedIn(TestServer.ofSuite)
        let again = try await party.call(.post, "/v2/applications", ["appId": "bank"]),
            added = try await party.call(.post, "/v2/applications/bank/versions")
        let key = added.json["versions"]?.array?.first?["applicationKey"]?.string ?? "",
            letters = CharacterSet.alphanumerics
        let path = "/v2/applications/bank/versions/\(key.addingPercentEncoding(withAllowedCharacters: letters) ?? "")"
        let off = try await party.call(.put, path, ["supported": false]),
            shown = try await party.call(.get, "/v2/applications/bank")
        let all = try await party.call(.get, "/v2/applications")
        let silent = try await party.call(.put, path, [:]), none = try await party.call(.get, "/v2/applications/none")

        #expect(
            again.status == 200 && again["sdkConfig"] == party.sdkConfig && added.status == 201
                && added["sdkConfig"] != party.sdkConfig)
        #expect(
            off.status == 200 && off["sdkConfig"] == party.sdkConfig && shown.json == off.json
                && all.json["applications"]?.array == [shown.json])
        #expect(silent.refusal == "400 ERROR_REQUEST" && none.refusal == "400 ERROR_APPLICATION_NOT_FOUND")
    }

    @Test("templates: made, read, replaced, removed")
    func templates() async throws {
        let party = try await OperationsParty.movedIn(TestServer.ofSuite)
        let twice = try await party.call(.post, "/v2/templates", OperationsParty.payment)
        let renamed = try await party.call(.put, "/v2/templates/other", OperationsParty.payment),
            listed = try await party.call(.get, "/v2/templates")
        let gone = try await party.call(.delete, "/v2/templates/payment"),
            after = try await party.call(.get, "/v2/templates/payment")

        #expect(
            twice.refusal == "409 ERROR_REQUEST" && renamed.refusal == "400 ERROR_REQUEST"
                && listed.json["templates"]?.array?.count == 1)
        #expect(gone.status == 204 && gone.body.isEmpty && after.refusal == "400 ERROR_TEMPLATE_NOT_FOUND")
    }

    @Test("a registration: begun with a picture of its code, committed after the exchange, flagged, blocked, removed")
    func registrations() async throws {
        let party = try await OperationsParty.movedIn(TestServer.ofSuite)
        let started = try await party.call(.post, "/v2/registrations?qr=svg", ["userId": "ada"]),
            id = started["registrationId"] ?? "", path = "/v2/registrations/\(id)"
        let early = try await party.call(.post, path + "/commit")
        var phone = try PowerAuthPhone(sdkConfig: party.sdkConfig, clock: party.server.time.clock, post: party.post)
        try await phone.activate(started["activationQrCodeData"] ?? "")
        let committed = try await party.call(.post, path + "/commit", ["externalUserId": "clerk"]),
            listed = try await party.call(.get, "/v2/registrations?userId=ada")
        let behind = try await party.call(.get, "/v2/registrations?userId=ada&after=\(id)")
        let flagged = try await party.call(.put, path, ["change": "FLAGS", "flags": ["VIP"]]),
            blocked = try await party.call(.put, path, ["change": "BLOCK"])
        let wrong = try await party.call(.put, path, ["change": "EXPLODE"]),
            removed = try await party.call(.delete, path)

        #expect(started.status == 201 && started[header: "Location"] == ServerParts.operationsBase + path)
        #expect(started["qr"]?.hasPrefix("data:image/svg+xml;base64,") == true)
        #expect(early.refusal == "400 ERROR_REGISTRATION_CHANGE" && committed.json == ["status": "ACTIVE"])
        #expect(
            listed.json["registrations"]?.array?.compactMap { $0["registrationId"]?.string } == [id]
                && behind.json == ["registrations": []])
        #expect(
            flagged.json == ["status": "ACTIVE"] && blocked.json == ["status": "BLOCKED"]
                && removed.json == ["status": "REMOVED"])
        #expect(wrong.refusal == "400 ERROR_REQUEST")
        let unpictured = try await party.call(.post, "/v2/registrations?qr=gif", ["userId": "ada"]),
            nobody = try await party.call(.get, "/v2/registrations")
        #expect(unpictured.refusal == "400 ERROR_REQUEST" && nobody.refusal == "400 ERROR_REQUEST")
    }

    @Test("operations are found, their codes shown, and canceled with a reason")
    func operations() async throws {
        let party = try await OperationsParty.movedIn(TestServer.ofSuite),
            order = try await party.order("ada", ["externalId": "x1", "proximityCheckEnabled": true])
        let phone = try await party.phone(), id = order["operationId"] ?? "", path = "/v2/operations/\(id)"
        let found = try await party.call(.get, "/v2/operations?externalId=x1&status=PENDING"),
            code = try await party.call(.get, path + "/proximity?scheme=bank&qr=png")
        let offline = try await party.call(.get, path + "/offline/qr?registrationId=\(phone.activationID)")
        let shared = try await party.call(.get, path + "/offline/qr"),
            chosen = try await party.call(
                .get, path + "/offline/qr?registrationId=\(phone.activationID)&signer=application"),
            refused = try await party.call(.get, path + "/offline/qr?signer=somebody")
        let answer: JSONValue = [
            "otp": "00000000-00000000", "nonce": .string(offline["nonce"] ?? ""),
            "registrationId": .string(phone.activationID),
        ]
        let verdict = try await party.call(.post, path + "/offline/otp", answer)
        let canceled = try await party.call(.delete, path + "?statusReason=changed_mind"),
            late = try await party.call(.delete, path)
        let twice = try await party.call(.get, "/v2/operations?status=PENDING&status=FAILED")

        #expect(
            order[header: "Location"] == ServerParts.operationsBase + path
                && found.json["operations"]?.array?.count == 1)
        #expect(
            code["deeplink"]?.hasPrefix("bank://") == true && code["qr"]?.hasPrefix("data:image/png;base64,") == true)
        #expect(
            offline["operationQrCodeData"]?.hasPrefix(id) == true && verdict.status == 200
                && verdict.json["otpValid"] == false)
        let signers = [offline, shared, chosen].map {
            $0["operationQrCodeData"]?.split(separator: "\n").last?.first
        }
        #expect(signers == ["1", "0", "0"] && refused.refusal == "400 ERROR_REQUEST")
        #expect(canceled["status"] == "CANCELED" && canceled["statusReason"] == "changed_mind")
        #expect(late.refusal == "400 ERROR_OPERATION_STATE_CHANGE" && twice.refusal == "400 ERROR_REQUEST")
    }

    @Test("callbacks: the secret is told once; events are listed, and sent again on request")
    func callbacks() async throws {
        let party = try await OperationsParty.movedIn(TestServer.ofSuite)
        let made = try await party.call(
            .post, "/v2/callbacks", ["url": "https://bank.example.org/hook", "events": ["operation"]])
        let path = "/v2/callbacks/\(made["id"] ?? "")"
        _ = try await party.order()
        let shown = try await party.call(.get, path), all = try await party.call(.get, "/v2/callbacks"),
            events = try await party.call(.get, path + "/events")
        let event = events.json["events"]?.array?.first?["id"]?.string ?? ""
        let again = try await party.call(.post, path + "/redeliver", ["event": .string(event)])
        let unknown = try await party.call(.post, path + "/redeliver", ["event": "none"])
        let plain = try await party.call(.post, "/v2/callbacks", ["url": "http://bank.example.org/hook"])
        let gone = try await party.call(.delete, path), after = try await party.call(.get, path)

        #expect(
            made.status == 201 && made["secret"]?.hasPrefix("whsec_") == true && shown["secret"] == nil
                && all.json["callbacks"]?.array == [shown.json])
        #expect(
            events.json["events"]?.array?.count == 1 && again.json == ["events": 1]
                && unknown.refusal == "400 ERROR_REQUEST")
        #expect(
            plain.refusal == "400 ERROR_REQUEST" && gone.status == 204
                && after.refusal == "400 ERROR_CALLBACK_NOT_FOUND")
    }

    @Test("what one client made does not exist for another")
    func strangers() async throws {
        let server = try TestServer.ofSuite, party = try await OperationsParty.movedIn(server),
            stranger = try await OperationsParty.movedIn(server)
        let order = try await party.order(), phone = try await party.phone(),
            operation = "/v2/operations/\(order["operationId"] ?? "")"
        let routes: [(HTTPRequest.Method, String, JSONValue?, String)] = [
            (.get, operation, Optional.none, "ERROR_OPERATION_NOT_FOUND"),
            (.delete, operation, Optional.none, "ERROR_OPERATION_NOT_FOUND"),
            (.get, operation + "/proximity?scheme=x", Optional.none, "ERROR_OPERATION_NOT_FOUND"),
            (
                .get, operation + "/offline/qr?registrationId=\(phone.activationID)", Optional.none,
                "ERROR_OPERATION_NOT_FOUND"
            ),
            (.get, "/v2/registrations/\(phone.activationID)", Optional.none, "ERROR_REGISTRATION_NOT_FOUND"),
            (.put, "/v2/registrations/\(phone.activationID)", ["change": "BLOCK"], "ERROR_REGISTRATION_NOT_FOUND"),
            (.delete, "/v2/registrations/\(phone.activationID)", Optional.none, "ERROR_REGISTRATION_NOT_FOUND"),
        ]

        for (method, path, body, code) in routes {
            let reply = try await stranger.call(method, path, body)
            #expect(reply.refusal == "400 \(code)", "\(method) \(path)")
        }
        let listed = try await stranger.call(.get, "/v2/operations?userId=ada"),
            still = try await party.call(.get, operation)
        #expect(listed.json == ["operations": []] && still["status"] == "PENDING")
    }

    @Test("bodies and addresses that cannot be are told in the envelope")
    func malformed() async throws {
        let party = try await OperationsParty.movedIn(TestServer.ofSuite)
        func send(_ text: String, _ type: String = "application/json") async throws -> Reply {
            let headers: HTTPFields = [.contentType: type, .authorization: "Bearer \(party.token)"]
            return try await party.server.send(
                .post, OperationsParty.path + "/v2/operations", headers: headers, body: Array(text.utf8))
        }

        for text in [
            "", "{", "[]", #"{"template":7}"#, #"{"template":"a","template":"b"}"#, "{\"template\":\"\\u0000\"}",
        ] {
            let reply = try await send(text)
            #expect(reply.refusal == "400 ERROR_REQUEST" && reply.error == nil, "\(text): \(reply.body)")
        }
        let form = try await send("template=x", "application/x-www-form-urlencoded"),
            large = try await send(String(repeating: " ", count: 64 * 1024 + 1))
        let nowhere = try await party.call(.get, "/v2/none"), otherMethod = try await party.call(.put, "/v2/operations")
        #expect(form.refusal == "415 ERROR_REQUEST" && large.refusal == "413 ERROR_REQUEST")
        #expect(nowhere.refusal == "404 ERROR_REQUEST" && otherMethod.refusal == "405 ERROR_REQUEST")
        #expect(otherMethod[header: "Allow"] == "GET, HEAD, OPTIONS, POST")
    }
}
