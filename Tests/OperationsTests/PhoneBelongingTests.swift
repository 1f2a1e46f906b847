import Base
import Database
import Foundation
import TestSupport
import Testing
import TokenTree

@testable import Operations
@testable import PowerAuth

@Suite("backoffice.md: applications and registrations, and what belongs to whom")
struct PhoneBelongingTests {
    // MARK: Applications

    @Test(
        """
        the same application again is the same; versions are switched, and the configuration is that of the newest \
        supported
        """
    )
    func applications() async throws {
        try await PhoneFixture.with { fixture in
            let again = try await fixture.service.addApplication(
                try ApplicationDraft(appID: "bank-app", name: "Another name"), by: PhoneFixture.bank)
            let first = fixture.sdkConfig,
                second = try await fixture.service.addVersion(of: "bank-app", by: PhoneFixture.bank)
            let newest = try #require(second.json["versions"]?.array?.first?["applicationKey"]?.string)
            let back = try await fixture.service.setSupported(
                false, version: newest, of: "bank-app", by: PhoneFixture.bank)
            let listed = try await fixture.service.applications(for: PhoneFixture.bank)

            #expect(
                !again.isNew && again.application.json["name"]?.string == "Bank" && again.application.sdkConfig == first
            )
            #expect(second.sdkConfig != first && second.json["versions"]?.array?.count == 2 && back.sdkConfig == first)
            #expect(listed.map { $0.json["appId"]?.string } == ["bank-app"])
            let unknown = await backOfficeRefusal {
                _ = try await fixture.service.setSupported(true, version: "AAAA", of: "bank-app", by: PhoneFixture.bank)
            }
            #expect(unknown == "ERROR_REQUEST")
        }
    }

    @Test("who has two applications must say which; who has none hears so; twenty at once make one")
    func choosing() async throws {
        try await PhoneFixture.with { fixture in
            let service = fixture.service
            _ = try await crowd(20) { _ in
                try await service.addApplication(
                    try ApplicationDraft(appID: "second", name: "Second"), by: PhoneFixture.bank
                ).isNew
            }
            let none = await backOfficeRefusal { _ = try await fixture.start(by: PhoneFixture.stranger) }
            let many = await backOfficeRefusal { _ = try await fixture.start() }
            let foreign = await backOfficeRefusal {
                _ = try await fixture.start(appID: "bank-app", by: PhoneFixture.stranger)
            }
            let chosen = try await fixture.start(appID: "second").registration

            #expect(
                none == "ERROR_APPLICATION_NOT_FOUND" && many == "ERROR_REQUEST"
                    && foreign == "ERROR_APPLICATION_NOT_FOUND" && chosen.appID == "second")
            let rows: Int = try await fixture.database.value("select count(*) from phone_application")
            #expect(rows == 2)
        }
    }

    @Test(
        "ids of applications are letters, digits and four marks",
        arguments: ["", "a b", "ä", "a/b", String(repeating: "a", count: 101)])
    func applicationIDs(id: String) {
        #expect(throws: BackOfficeRefusal.self) { try ApplicationDraft(["appId": .string(id)]) }
    }

    // MARK: Registrations

    @Test("what one client made does not exist for another; the operator sees it and begins nothing")
    func strangers() async throws {
        try await PhoneFixture.with { fixture in
            let phone = try await fixture.activated(), id = phone.activationID, service = fixture.service
            var codes: [String?] = []
            for id in [id, "00000000-0000-4000-8000-000000000000"] {
                codes.append(
                    await backOfficeRefusal { _ = try await service.registration(id, for: PhoneFixture.stranger) })
                codes.append(
                    await backOfficeRefusal {
                        _ = try await service.commit(id, RegistrationCommit(), by: PhoneFixture.stranger)
                    })
                codes.append(
                    await backOfficeRefusal { _ = try await service.change(id, .remove, by: PhoneFixture.stranger) })
            }
            let theirs = try await service.registrations(userID: "ada", for: PhoneFixture.stranger)
            let ours = try await service.registrations(userID: "ada", for: PhoneFixture.bank)
            let seen = try await service.registration(id, for: PhoneFixture.operators)
            let begun = await backOfficeRefusal { _ = try await fixture.start(by: PhoneFixture.operators) }

            #expect(codes == [String?](repeating: "ERROR_REGISTRATION_NOT_FOUND", count: 6))
            #expect(
                theirs.registrations.isEmpty && ours.registrations.map(\.id) == [id] && ours.next == nil
                    && seen.state == .active && begun == "ERROR_REQUEST")
        }
    }

    @Test(
        """
        a user's registrations come a hundred at a time, the newest first, each once, also those of one moment; a \
        page begins behind nobody else's
        """
    )
    func pages() async throws {
        try await PhoneFixture.with { fixture in
            let first = try await fixture.start().registration.id, bobs = try await fixture.start("bob").registration.id
            try await fixture.database.execute(
                """
                insert into phone_registration (id, application, owner, user_id, commit_phase, code_hash,
                    expires_at, created_at)
                select gen_random_uuid()::text, r.application, r.owner, r.user_id, r.commit_phase,
                    sha256(convert_to(n::text, 'UTF8')), r.expires_at,
                    r.created_at + (n / 30) * interval '1 second'
                from phone_registration r, generate_series(1, 204) n where r.id = \(first)
                """)
            func page(after: String?) async throws -> RegistrationPage {
                try await fixture.service.registrations(userID: "ada", after: after, for: PhoneFixture.bank)
            }

            let (one, foreign) = (try await page(after: nil), try await page(after: bobs)),
                two = try await page(after: one.next), three = try await page(after: two.next)
            let all = (one.registrations + two.registrations + three.registrations), times = all.map(\.createdAt)

            #expect(
                one.registrations.count == 100 && two.registrations.count == 100 && three.registrations.count == 5
                    && three.next == nil)
            #expect(
                Set(all.map(\.id)).count == 205 && times == times.sorted(by: >)
                    && one.next == one.registrations.last?.id)
            #expect(foreign.registrations.isEmpty && foreign.next == nil)
        }
    }

    @Test(
        """
        an app registers phones of its own person in the server's application; its token's end ends what has no phone \
        yet
        """
    )
    func apps() async throws {
        try await PhoneFixture.with { fixture in
            let instance = try await fixture.tree.instance(),
                token = try await fixture.tree.child(of: instance, .appToken, refresh: .init()).row
            let app = OperationsCaller.app(person: "pseudonym", token: token, actor: AuditActor(name: "bundle:app"))
            let started = try await fixture.service.startRegistration(try PhoneRegistrationDraft(userID: nil), by: app)
            let open = try await fixture.service.startRegistration(
                try PhoneRegistrationDraft(userID: "pseudonym", commitPhase: .onKeyExchange), by: app)
            let other = await backOfficeRefusal { _ = try await fixture.start("bob", by: app) }
            let managing = await backOfficeRefusal { _ = try await fixture.service.applications(for: app) }
            let config = try #require(try await fixture.service.idpApplication().sdkConfig)
            var phone = try fixture.phone(config: config), late = try fixture.phone(config: config)
            try await phone.activate(open.qrText)
            try await fixture.tree.revocation.revoke(.token(token.family), by: .server)

            let refused = await refusal { try await late.activate(started.qrText) }
            let states = try await fixture.service.registrations(userID: nil, for: app).registrations.map {
                "\($0.id) \($0.state)"
            }.sorted()

            #expect(other == "ERROR_REQUEST" && managing == "ERROR_REQUEST" && started.registration.appID == "pando")
            #expect(refused == .refused(status: 400, code: "ERR_ACTIVATION"))
            #expect(states == ["\(open.registration.id) active", "\(started.registration.id) removed"].sorted())
        }
    }

    @Test("an app blocks and removes, and unblocks nothing: who has phone and token would try PINs without end")
    func appsUnblock() async throws {
        try await PhoneFixture.with { fixture in
            let token = try await fixture.tree.child(of: try await fixture.tree.instance(), .appToken, refresh: .init())
                .row
            let app = OperationsCaller.app(person: "pseudonym", token: token, actor: AuditActor(name: "bundle:app"))
            let started = try await fixture.service.startRegistration(
                try PhoneRegistrationDraft(userID: nil, commitPhase: .onKeyExchange), by: app)
            let id = started.registration.id
            let config = try #require(try await fixture.service.idpApplication().sdkConfig)
            var phone = try fixture.phone(config: config)
            try await phone.activate(started.qrText)
            for _ in 0..<4 { _ = try await phone.validate(isWrong: true) }

            let active = await backOfficeRefusal { _ = try await fixture.service.change(id, .unblock, by: app) }
            _ = try await fixture.service.change(id, .block(reason: "LOST"), by: app)
            let blocked = await backOfficeRefusal { _ = try await fixture.service.change(id, .unblock, by: app) }
            let after = try await fixture.service.registration(id, for: app)
            let removed = try await fixture.service.change(id, .remove, by: app).state

            #expect(active == "ERROR_REGISTRATION_NOT_ALLOWED" && blocked == "ERROR_REGISTRATION_NOT_ALLOWED")
            #expect(after.state == .blocked && after.failed == 4 && removed == .removed)
        }
    }

    @Test(
        "drafts that are refused",
        arguments: [
            ["userId": ""], ["userId": "a\u{0}b"], ["userId": 1], ["userId": "a", "otpValidation": "ON_COMMIT"],
            ["userId": "a", "otp": ""],
            ["userId": "a", "otp": "1", "otpValidation": "LATER"], ["userId": "a", "commitPhase": "NEVER"],
            ["userId": "a", "flags": "x"], ["userId": "a", "flags": [""]],
            ["userId": "a", "otp": "1", "otpValidation": "ON_COMMIT", "commitPhase": "ON_KEY_EXCHANGE"],
            ["userId": "a", "timestampRegistrationExpire": 1],
            ["userId": "a", "timestampRegistrationExpire": 4_000_000_000_000], [:], [],
        ] as [JSONValue])
    func drafts(body: JSONValue) async throws {
        try await PhoneFixture.with { fixture in
            let code = await backOfficeRefusal {
                _ = try await fixture.service.startRegistration(try PhoneRegistrationDraft(body), by: PhoneFixture.bank)
            }
            let rows: Int = try await fixture.database.value("select count(*) from phone_registration")
            #expect(code == "ERROR_REQUEST" && rows == 0)
        }
    }

    // MARK: Secrets, events, housekeeping

    @Test("no secret stands in the database, and one moved to another's row opens nothing")
    func bound() async throws {
        try await PhoneFixture.with { fixture in
            var phone = try await fixture.activated(), other = try await fixture.activated(user: "bob")
            try await fixture.database.execute(
                """
                update phone_registration r set server_private = o.server_private from phone_registration o
                where r.id = \(phone.activationID) and o.id = \(other.activationID)
                """)

            await #expect(throws: MasterKey.Unsealable.self) { _ = try await phone.validate() }
            let valid = try await other.validate()
            #expect(valid.isOK)
        }
    }

    @Test(
        """
        all secrets are sealed anew under another master key; before that a process with the other key refuses \
        nobody, it fails
        """
    )
    func reseal() async throws {
        try await PhoneFixture.with { fixture in
            var phone = try await fixture.activated()
            _ = try await phone.createToken()
            _ = try await fixture.start(otp: "4711", at: .onCommit)
            let successor = try PhoneFixture.key(2), moved = fixture.another(master: successor), early = moved.post
            let header = phone.text(try phone.sign("/pa/signature/validate", Array("{}".utf8)))
            await #expect(throws: (any Error).self) {
                _ = try await early("/pa/v3/signature/validate", header, Array("{}".utf8))
            }

            let count = try await fixture.database.transaction { transaction in
                try await fixture.service.reseal(under: successor, in: transaction)
            }
            let again = try await fixture.database.transaction { transaction in
                try await fixture.service.reseal(under: successor, in: transaction)
            }

            // Master pair, version, server's pair, password, token, and the temporary keys of the exchange and of the
            // token.
            #expect(count == 7 && again == 0)
            let reply = try await early("/pa/v3/signature/validate", header, Array("{}".utf8))
            #expect(reply.isOK)
        }
    }

    @Test("every change is told in its transaction, failed attempts too")
    func events() async throws {
        let events = RegistrationEvents { event, executor in
            try await executor.execute(
                """
                insert into audit (at, actor, action, outcome, detail)
                    values (now(), 'test', 'told', \(event.kind.rawValue), \(JSONValue.object([:])))
                """)
        }
        try await PhoneFixture.with(events: events) { fixture in
            var phone = try fixture.phone()
            try await phone.activate(try await fixture.start().qrText)
            _ = try await fixture.service.commit(phone.activationID, RegistrationCommit(), by: PhoneFixture.bank)
            for _ in 0..<5 { _ = try await phone.validate(isWrong: true) }
            _ = try await fixture.service.change(phone.activationID, .unblock, by: PhoneFixture.bank)
            _ = try await fixture.service.change(phone.activationID, .flags(["VIP"]), by: PhoneFixture.bank)
            _ = try await phone.removeActivation()

            let told = try await fixture.database.query("select outcome from audit where action = 'told' order by id")
                .map { try $0("outcome") as String }
            let failed = [String](repeating: "registration.failed_attempt", count: 5)
            #expect(
                told == ["registration.created", "registration.exchanged", "registration.active"] + failed
                    + ["registration.blocked", "registration.unblocked", "registration.flags", "registration.removed"])
        }
    }

    @Test(
        """
        old temporary keys, codes that nobody used and exchanges that nobody committed are tidied away; phones in \
        use stay
        """
    )
    func tidying() async throws {
        try await PhoneFixture.with { fixture in
            let phone = try await fixture.activated(), unused = try await fixture.start().registration.id
            var waiting = try fixture.phone()
            try await waiting.activate(try await fixture.start("bob").qrText)
            fixture.time.advance(600)
            try await fixture.service.tidy()
            let stored = try await fixture.database.query("select state from phone_registration order by state").map {
                try $0("state") as String
            }
            let keys: Int = try await fixture.database.value("select count(*) from phone_temporary_key")
            let seen = try await fixture.service.registration(unused, for: PhoneFixture.bank).state
            fixture.time.advance(30 * 86_400 + 1)
            try await fixture.service.tidy()

            let left = try await fixture.database.query("select state from phone_registration order by state").map {
                try $0("state") as String
            }
            let state = try await fixture.state(phone)
            #expect(stored == ["ACTIVE", "REMOVED", "REMOVED"] && keys == 0 && seen == .removed)
            #expect(left == ["ACTIVE", "REMOVED"] && state == .active)
        }
    }

    @Test(
        """
        what was removed goes with its keys after 90 days, and not before; its phone hears noise then, as of one \
        that never was
        """
    )
    func removedForLong() async throws {
        try await PhoneFixture.with { fixture in
            var gone = try await fixture.activated()
            let kept = try await fixture.activated(user: "bob")
            _ = try await gone.createToken()
            _ = try await fixture.service.change(gone.activationID, .remove, by: PhoneFixture.bank)
            fixture.time.advance(90 * 86_400)
            try await fixture.service.tidy()
            let early = try await gone.status()
            fixture.time.advance(1)
            try await fixture.service.tidy()

            let late = try await gone.status(), state = try await fixture.state(kept)
            let unknown = await backOfficeRefusal { _ = try await fixture.state(gone) }
            let rows: Int = try await fixture.database.value("select count(*) from phone_registration")
            #expect(early?.state == .removed && late == nil && unknown == "ERROR_REGISTRATION_NOT_FOUND")
            #expect(rows == 1 && state == .active)
        }
    }

    @Test("a database that does not answer is no refusal, for phones and for the back office")
    func databaseDown() async throws {
        try await PhoneFixture.with { fixture in
            let down = Database(
                .init(
                    connectionString: "host=127.0.0.1 port=1 dbname=none", connections: 1, connectTimeout: 1,
                    waitLimit: 1), logger: .quiet)
            let service = PhoneFixture.service(fixture.tree, down, master: try PhoneFixture.key(1)),
                phone = try await fixture.activated()
            let some = Base64Text.encode([UInt8](repeating: 1, count: 16))
            let signature = SignatureHeader(
                version: .v33, activationID: phone.activationID, applicationKey: phone.applicationKey, nonce: some,
                type: .possession,
                signature: some)
            let request = PowerAuthRequest(authorization: signature.text, body: Array("{}".utf8))

            await #expect(throws: DatabaseError.self) { _ = try await service.answer(.signatureValidate, request) }
            await #expect(throws: DatabaseError.self) {
                _ = try await service.answer(PowerAuthEndpoint.tokenCreate, request)
            }
            await #expect(throws: DatabaseError.self) {
                _ = try await service.registration(phone.activationID, for: PhoneFixture.bank)
            }
            await down.close()
        }
    }
}
