import Base
import Database
import Foundation
import TestSupport
import Testing
import Tiqr
import TokenTree

@Suite("backoffice.md: what belongs to whom in tiqr")
struct TiqrBelongingTests {
    private static func refuses(_ status: Int, _ body: () async throws -> Void) async -> Bool {
        do { try await body() } catch { return (error as? TiqrRefusal)?.status == status }
        return false
    }

    @Test("what one client made does not exist for another")
    func strangers() async throws {
        try await TiqrFixture.with { fixture in
            let phone = try await fixture.enroll(), started = try await fixture.challenge(phone),
                service = fixture.service, stranger = TiqrFixture.stranger
            let id = started.view.id, enrollment = phone.enrollment, identity = phone.identity

            let refused = [
                await Self.refuses(404) { _ = try await service.enrollment(enrollment, for: stranger) },
                await Self.refuses(404) { try await service.cancelEnrollment(enrollment, for: stranger) },
                await Self.refuses(404) { _ = try await service.authentication(id, for: stranger) },
                await Self.refuses(404) { try await service.cancelAuthentication(id, for: stranger) },
                await Self.refuses(404) { _ = try await service.identity(identity, for: stranger) },
                await Self.refuses(404) { try await service.block(identity, minutes: 1, for: stranger) },
                await Self.refuses(404) { try await service.unblock(identity, for: stranger) },
                await Self.refuses(404) { try await service.remove(identity, for: stranger) },
                await Self.refuses(404) {
                    _ = try await service.startAuthentication(AuthenticationDraft(identity: identity), by: stranger)
                },
            ]
            let page = try await service.identities(externalID: nil, after: nil, for: stranger)

            #expect(refused.allSatisfy { $0 })
            #expect(page.identities.isEmpty)
            let answer = try await fixture.send(try phone.right(started), phone, to: started)
            #expect(answer == .authenticated)
        }
    }

    /// An app token as a service issues it: refreshable, in the name of `ada`.
    private func appToken(_ fixture: TiqrFixture) async throws -> (TiqrCaller, TokenRow) {
        let instance = try await fixture.tree.instance()
        let token = try await fixture.tree.child(of: instance, .appToken, refresh: .init()).row
        return (.app(person: "ada", token: token, actor: AuditActor(name: "bundle:app")), token)
    }

    @Test("two apps of one person see the same, another person's app nothing")
    func people() async throws {
        try await TiqrFixture.with { fixture in
            let (app, token) = try await appToken(fixture), phone = try await fixture.enroll(for: app)
            let sibling = TiqrCaller.app(person: "ada", token: token, actor: AuditActor(name: "bundle:other"))
            let bob = TiqrCaller.app(person: "bob", token: token, actor: AuditActor(name: "bundle:app"))

            let seen = try await fixture.service.identity(phone.identity, for: sibling)

            #expect(seen.identity == phone.identity)
            let refused = await Self.refuses(404) { _ = try await fixture.service.identity(phone.identity, for: bob) }
            #expect(refused)
        }
    }

    @Test(
        """
        when the app token is revoked, what it began ends: the metadata, the registration, the login; the phone that \
        it enrolled stays
        """,
        arguments: [true, false])
    func revoked(aboveIt: Bool) async throws {
        try await TiqrFixture.with { fixture in
            let (app, token) = try await appToken(fixture), phone = try await fixture.enroll(for: app)
            let unread = try await fixture.service.startEnrollment(EnrollmentDraft(displayName: "Ada"), by: app)
            let read = try await fixture.service.startEnrollment(EnrollmentDraft(displayName: "Ada"), by: app)
            let secret = try await fixture.scan(read), login = try await fixture.challenge(phone, for: app)

            try await fixture.tree.revocation.revoke(
                aboveIt ? .virtual(Ancestor(.instance, "phone")) : .token(token.family), by: .server)

            let metadata = try await fixture.service.metadata(
                key: TiqrFixture.value("enrollment_key", in: unread.metadataURL))
            let fresh = EnrolledPhone(
                enrollment: read.view.id, identity: read.view.identity, secret: .random(count: 32))
            let registered = try await fixture.service.register(secret: secret, form: fresh.registration, origin: nil)
            let answer = try await fixture.send(try phone.right(login), phone, to: login)
            #expect(metadata == nil)
            #expect(registered.responseCode == 101)
            #expect(answer == .invalidChallenge)
            let status = try await fixture.service.authentication(login.view.id, for: app).status
            #expect(status == .cancelled)
            let identity = try await fixture.service.identity(phone.identity, for: app)
            #expect(identity.status == .new)
        }
    }

    @Test("an answer that comes while the app token is being revoked waits, and is refused")
    func revokedMeanwhile() async throws {
        try await TiqrFixture.with { fixture in
            let (app, token) = try await appToken(fixture), phone = try await fixture.enroll(for: app),
                login = try await fixture.challenge(phone, for: app)
            let right = try phone.right(login)

            let answering = try await fixture.database.transaction { transaction in
                _ = try await fixture.tree.revocation.revoke(.token(token.family), by: .server, in: transaction)
                let answering = Task { try await fixture.send(right, phone, to: login) }
                try await untilSomebodyWaits(for: token.family, fixture)
                return answering
            }
            let answer = try await answering.value,
                status = try await fixture.service.authentication(login.view.id, for: app).status

            #expect(answer == .invalidChallenge && status == .cancelled)
        }
    }

    private func untilSomebodyWaits(for node: NodeID, _ fixture: TiqrFixture) async throws {
        for _ in 0..<6_000 {
            let waiting: Int = try await fixture.database.value(
                """
                select count(*) from pg_locks where locktype = 'advisory' and not granted
                    and (classid::bigint << 32 | objid::bigint) = \(node.lockNumber)
                """)
            if waiting > 0 { return }
            try await Task.sleep(for: .milliseconds(5))
        }
        Issue.record("nobody waited for the lock of \(node)")
    }

    @Test("an operator sees everything and begins nothing")
    func operators() async throws {
        try await TiqrFixture.with { fixture in
            let phone = try await fixture.enroll()

            let page = try await fixture.service.identities(externalID: nil, after: nil, for: TiqrFixture.operators)

            #expect(page.identities.map(\.identity) == [phone.identity])
            let refused = await Self.refuses(400) {
                _ = try await fixture.service.startAuthentication(AuthenticationDraft(), by: TiqrFixture.operators)
            }
            #expect(refused)
        }
    }

    @Test("a list comes in pages, each identity once")
    func pages() async throws {
        try await TiqrFixture.with { fixture in
            _ = try await fixture.service.allIdentifiers()
            try await fixture.database.execute(
                """
                insert into tiqr_identity (identity, owner, identifier, suite, display_name, secret, sealed_by,
                    created_at)
                select 'identity-' || n, 'client:shop', 'id.example', 'x', 'x', '', 'x', now()
                    from generate_series(1, 250) n
                """)
            var names: [String] = [], after: String?
            repeat {
                let page = try await fixture.service.identities(externalID: nil, after: after, for: TiqrFixture.shop)
                names += page.identities.map(\.identity)
                after = page.next
            } while after != nil

            #expect(names.count == 250 && Set(names).count == 250)
        }
    }
}
