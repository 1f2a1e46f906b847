import Base
import Database
import Foundation
import TestSupport
import Testing
import Tiqr
import TokenTree

@Suite("decisions.md, tiqr 9: secrets at rest, identifiers, waiting")
struct TiqrSecretTests {
    @Test("no secret stands in the database, and one moved to another's row opens nothing")
    func bound() async throws {
        try await TiqrFixture.with { fixture in
            let victim = try await fixture.enroll(), thief = try await fixture.enroll()
            let sealed: [UInt8] = try await fixture.database.value(
                "select secret from tiqr_identity where identity = \(victim.identity)")
            #expect(!Hexadecimal.encode(sealed).contains(Hexadecimal.encode(victim.secret)))
            try await fixture.database.execute(
                """
                update tiqr_identity set secret = (select secret from tiqr_identity
                    where identity = \(thief.identity)) where identity = \(victim.identity)
                """)

            let started = try await fixture.challenge(victim)
            let stolen = EnrolledPhone(enrollment: "", identity: victim.identity, secret: thief.secret)

            await #expect(throws: MasterKey.Unsealable.self) {
                try await fixture.send(try stolen.right(started), stolen, to: started)
            }
            let status = try await fixture.status(started)
            #expect(status == .pending)
        }
    }

    @Test(
        """
        secrets are sealed anew under another master key; before that a process with the other key refuses nobody, \
        it fails
        """
    )
    func reseal() async throws {
        try await TiqrFixture.with { fixture in
            let phones = [try await fixture.enroll(), try await fixture.enroll()], successor = try TiqrFixture.key(2)
            let later = fixture.another(master: successor), moved = TiqrFixture(tree: fixture.tree, service: later)
            let early = try await moved.challenge(phones[0])
            await #expect { try await moved.send(try phones[0].right(early), phones[0], to: early) } throws: {
                !($0 is TiqrRefusal)
            }

            let secrets = TiqrSecrets(master: try TiqrFixture.key(1), clock: fixture.time.clock)
            let count = try await fixture.database.transaction { transaction in
                try await secrets.reseal(under: successor, in: transaction)
            }
            let again = try await fixture.database.transaction { transaction in
                try await secrets.reseal(under: successor, in: transaction)
            }

            #expect(count == 2 && again == 0)
            for phone in phones {
                let started = try await moved.challenge(phone)
                let answer = try await moved.send(try phone.right(started), phone, to: started)
                #expect(answer == .authenticated)
            }
            let left: Int = try await fixture.database.value(
                "select count(*) from tiqr_identity where sealed_by <> \(successor.id)")
            #expect(left == 0)
        }
    }

    @Test("a service identifier keeps its suite for ever, in SQL too; the issuer's own is there from the start")
    func identifiers() async throws {
        try await TiqrFixture.with { fixture in
            let suite = "OCRA-1:HOTP-SHA256-8:QH10-S064"
            func add(_ suite: String) async throws -> (suite: String, isNew: Bool) {
                let added = try await fixture.service.addIdentifier(
                    IdentifierDraft(identifier: "desk.example", displayName: "Desk", suite: suite), by: TiqrFixture.shop
                )
                return (added.identifier.suite, added.isNew)
            }
            let first = try await add(suite), again = try await add(suite)
            #expect(first.suite == suite && first.isNew)
            #expect(again.suite == suite && !again.isNew)
            await #expect { try await add("OCRA-1:HOTP-SHA1-6:QH10-S064") } throws: {
                ($0 as? TiqrRefusal)?.status == 409
            }
            await #expect(throws: DatabaseError.violation(constraint: "tiqr_suite_is_frozen")) {
                try await fixture.database.execute(
                    "update tiqr_identifier set suite = 'x' where identifier = 'desk.example'")
            }
            let all = try await fixture.service.allIdentifiers()
            #expect(all.map(\.identifier) == ["id.example", "desk.example"])
            #expect(all.map(\.isDefault) == [true, false])

            let phone = try await fixture.enroll(identifier: "desk.example"),
                started = try await fixture.challenge(phone)
            let answer = try await fixture.send(try phone.right(started, suite: suite), phone, to: started)
            #expect(answer == .authenticated)
        }
    }

    @Test(
        "identifiers and suites that an app cannot do are refused",
        arguments: [
            ("Upper.example.org", "OCRA-1:HOTP-SHA1-6:QH10-S064"), ("a b", "OCRA-1:HOTP-SHA1-6:QH10-S064"),
            ("h.example:8080", "OCRA-1:HOTP-SHA1-6:QH10-S064"),
            ("", "OCRA-1:HOTP-SHA1-6:QH10-S064"), ("-a.example", "OCRA-1:HOTP-SHA1-6:QH10-S064"),
            ("a..example", "OCRA-1:HOTP-SHA1-6:QH10-S064"),
            ("odd.example", ""), ("odd.example", "OCRA-1:HOTP-MD5-6:QH10-S064"),
            ("odd.example", "OCRA-1:HOTP-SHA1-10:QH10-S064"),
            ("odd.example", "OCRA-1:HOTP-SHA1-6:QN10-S064"), ("odd.example", "OCRA-1:HOTP-SHA1-6:QH10"),
            ("odd.example", "OCRA-1:HOTP-SHA1-6:C-QH10-S064"),
        ])
    func refusedIdentifiers(identifier: String, suite: String) async throws {
        try await TiqrFixture.with { fixture in
            let draft = IdentifierDraft(identifier: identifier, displayName: "Odd", suite: suite)

            await #expect { try await fixture.service.addIdentifier(draft, by: TiqrFixture.shop) } throws: {
                ($0 as? TiqrRefusal)?.status == 400
            }
            let rows: Int = try await fixture.database.value("select count(*) from tiqr_identifier")
            #expect(rows == 0)
        }
    }

    @Test("who waits is woken by an answer that another replica took, and not held when the change came first")
    func waiting() async throws {
        try await TiqrFixture.with { fixture in
            let replica = fixture.another(master: try TiqrFixture.key(1)),
                elsewhere = TiqrFixture(tree: fixture.tree, service: replica)
            let phone = try await fixture.enroll(), started = try await fixture.challenge(phone),
                right = try phone.right(started)
            let listening = Task { await fixture.service.changes.run(on: fixture.database) }
            defer { listening.cancel() }

            async let held = fixture.service.authentication(
                started.view.id, for: TiqrFixture.shop, unlike: started.view.etag, within: 60)
            let answer = try await elsewhere.send(right, phone, to: started)
            let woken = try await held
            let late = try await fixture.service.authentication(
                started.view.id, for: TiqrFixture.shop, unlike: started.view.etag, within: 60)

            #expect(answer == .authenticated)
            #expect(woken.status == .authenticated)
            #expect(late.status == .authenticated && late.etag != started.view.etag)
        }
    }

    @Test("waiting ends by itself with the state as it was, and never for a stranger")
    func waitingInVain() async throws {
        try await TiqrFixture.with { fixture in
            let started = try await fixture.challenge(try await fixture.enroll())

            let view = try await fixture.service.authentication(
                started.view.id, for: TiqrFixture.shop, unlike: started.view.etag, within: 1)

            #expect(view.etag == started.view.etag)
            await #expect(throws: TiqrRefusal.self) {
                try await fixture.service.authentication(
                    started.view.id, for: TiqrFixture.stranger, unlike: nil, within: 60)
            }
        }
    }

    @Test("logins of the server that nobody answered go within the hour, those of services after a day")
    func unanswered() async throws {
        try await TiqrFixture.with { fixture in
            let server = try await TiqrLogin(fixture.service).begin(
                nil, phone: nil, to: nil, push: false, below: [], actor: .server
            ).view.id
            let served = try await fixture.challenge(try await fixture.enroll()).view.id
            fixture.time.advance(2_900)
            try await fixture.service.tidy()
            let early: [String] = try await fixture.database.query("select id from tiqr_authentication").map {
                try $0("id")
            }
            fixture.time.advance(200)
            try await fixture.service.tidy()
            let late: [String] = try await fixture.database.query("select id from tiqr_authentication").map {
                try $0("id")
            }

            #expect(Set(early) == [server, served] && late == [served])
        }
    }

    @Test("what is long over is deleted; identities stay")
    func tidying() async throws {
        try await TiqrFixture.with { fixture in
            let phone = try await fixture.enroll()
            _ = try await fixture.challenge(phone)
            fixture.time.advance(2 * 86_400)
            try await fixture.service.tidy()
            let (enrollments, authentications): (Int, Int) = (
                try await fixture.database.value("select count(*) from tiqr_enrollment"),
                try await fixture.database.value("select count(*) from tiqr_authentication")
            )
            fixture.time.advance(30 * 86_400)
            try await fixture.service.tidy()

            #expect(enrollments == 1 && authentications == 0)
            let rows: Int = try await fixture.database.value("select count(*) from tiqr_enrollment")
            #expect(rows == 0)
            let identity = try await fixture.service.identity(phone.identity, for: TiqrFixture.shop)
            #expect(identity.identity == phone.identity)
        }
    }
}
