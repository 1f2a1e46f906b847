import Base
import Database
import Foundation
import TestSupport
import Testing
import Tiqr
import TokenTree

@Suite("cli.md: what operators do with tiqr identities")
struct TiqrOperatorTests {
    static let admin = AuditActor(name: "admin:root", origin: "cli", reason: "lost")

    @Test("an operator sees everybody's, by owner, external id and page, and each with its owner")
    func list() async throws {
        try await TiqrFixture.with { fixture in
            let administration = TiqrAdministration(fixture.service, fixture.tree.revocation, actor: Self.admin)
            _ = try await fixture.enroll(externalID: "ada")
            let second = try await fixture.enroll(for: TiqrFixture.stranger, externalID: "ada")
            _ = try await fixture.enroll(externalID: "bob")

            let all = try await administration.list(limit: 10, in: fixture.database),
                ada = try await administration.list(externalID: "ada", limit: 10, in: fixture.database)
            let strangers = try await administration.list(owner: "client:stranger", limit: 10, in: fixture.database)
            let first = try await administration.list(limit: 1, in: fixture.database)
            let rest = try await administration.list(
                after: first.first?.identity.identity, limit: 10, in: fixture.database)

            #expect(all.count == 3 && ada.count == 2 && first.count == 1 && rest.count == 2)
            #expect(strangers.map(\.identity.identity) == [second.identity])
            #expect(strangers.first?.json["owner"] == "client:stranger")
            #expect(Set(all.map(\.identity.identity)) == Set((first + rest).map(\.identity.identity)))
        }
    }

    @Test(
        """
        saying a thing twice is already done; blocks refuse the phone, removal forgets it, and each leaves a line \
        with its reason
        """
    )
    func changes() async throws {
        try await TiqrFixture.with { fixture in
            let administration = TiqrAdministration(fixture.service, fixture.tree.revocation, actor: Self.admin),
                phone = try await fixture.enroll(), name = phone.identity
            func change<Value: Sendable>(_ body: @Sendable (Transaction) async throws -> Value) async throws -> Value {
                try await fixture.database.atomically(body)
            }
            let fresh = try await change { try await administration.unblock(name, in: $0).already }
            let first = try await change { try await administration.block(name, minutes: nil, in: $0).already }
            let second = try await change { try await administration.block(name, minutes: nil, in: $0).already }
            let started = try await fixture.challenge(phone),
                blocked = try await fixture.send(try phone.right(started), phone, to: started)
            let ended = try await change { try await administration.unblock(name, in: $0).already }
            let hour = try await change {
                try await administration.block(name, minutes: 60, in: $0).became.identity.blockedUntil
            }
            let undone = try await fixture.database.rollingBack {
                try await administration.remove(name, in: $0).identity.identity.identity
            }
            let still = try await administration.find(name, in: fixture.database).identity.status
            let removed = try await change { try await administration.remove(name, in: $0) }

            #expect(fresh && !first && second && !ended)
            #expect(blocked == .blocked(minutes: 1_440))
            #expect(hour == fixture.time.now.addingTimeInterval(3_600))
            #expect(
                undone == name && still == .blocked && removed.identity.owner == "client:shop"
                    && removed.browsers == nil, "no account logs in with it")
            await #expect(throws: TiqrRefusal.notFound("there is no tiqr identity \(name)")) {
                try await administration.find(name, in: fixture.database)
            }
            await #expect { try await administration.remove(name, in: fixture.database) } throws: {
                ($0 as? TiqrRefusal)?.status == 404
            }
            let lines: Int = try await fixture.database.value(
                """
                select count(*) from audit where actor = 'admin:root' and reason = 'lost'
                    and action in ('tiqr.block', 'tiqr.unblock', 'tiqr.remove')
                """)
            #expect(lines == 6)
        }
    }

    @Test("odd minutes are refused and change nothing")
    func minutes() async throws {
        try await TiqrFixture.with { fixture in
            let administration = TiqrAdministration(fixture.service, fixture.tree.revocation, actor: Self.admin),
                name = try await fixture.enroll().identity

            await #expect {
                try await fixture.database.atomically {
                    try await administration.block(name, minutes: 0, in: $0).already
                }
            } throws: {
                ($0 as? TiqrRefusal)?.status == 400
            }
            let status = try await administration.find(name, in: fixture.database).identity.status
            #expect(status == .new)
        }
    }

    @Test(
        """
        what is under way ends with a change of the master key; a key that sealed nothing here is refused before \
        anything has changed
        """
    )
    func resealing() async throws {
        try await TiqrFixture.with { fixture in
            let phone = try await fixture.enroll(), started = try await fixture.challenge(phone),
                successor = try TiqrFixture.key(2)
            let waiting = try await fixture.service.startEnrollment(
                EnrollmentDraft(displayName: "Late"), by: TiqrFixture.shop)
            let stranger = TiqrSecrets(master: try TiqrFixture.key(3), clock: fixture.time.clock),
                own = TiqrSecrets(master: try TiqrFixture.key(1), clock: fixture.time.clock)
            await #expect(throws: OtherMasterKey.self) {
                try await fixture.database.atomically { try await stranger.reseal(under: successor, in: $0) }
            }
            let untouched: Int = try await fixture.database.value(
                "select count(*) from tiqr_identity where sealed_by = \(try TiqrFixture.key(1).id)")

            let count = try await fixture.database.atomically { try await own.reseal(under: successor, in: $0) }

            #expect(untouched == 1 && count == 1)
            let moved = TiqrFixture(tree: fixture.tree, service: fixture.another(master: successor)),
                status = try await moved.status(started)
            let enrollment = try await moved.service.enrollment(waiting.view.id, for: TiqrFixture.shop).status
            let metadata = try await moved.service.metadata(
                key: TiqrFixture.value("enrollment_key", in: waiting.metadataURL))
            let late = try await moved.send(try phone.right(started), phone, to: started)
            #expect(status == .cancelled && enrollment == .cancelled && metadata == nil && late == .invalidChallenge)
            let fresh = try await moved.challenge(phone),
                answer = try await moved.send(try phone.right(fresh), phone, to: fresh)
            #expect(answer == .authenticated)
        }
    }
}
