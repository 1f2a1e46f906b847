import Accounts
import Base
import Database
import Foundation
import TestSupport
import Testing
import TokenTree

@testable import Tiqr

@Suite("decisions.md, tiqr 8: importing the phones of another server")
struct TiqrImportTests {
    static let suite = "OCRA-1:HOTP-SHA1-6:QH10-S", host = "old.example"
    static let admin = AuditActor(name: "admin:root", reason: "moving in")

    static func plan(
        _ owner: ImportPlan.Owner = .client("shop"), suite: String = TiqrImportTests.suite,
        identifier: String = TiqrImportTests.host,
        people: [String: String]? = nil, temporaryBlock: Int = 0, only: Set<String> = []
    ) throws -> ImportPlan {
        ImportPlan(
            identifier: identifier, displayName: "Old", suite: suite, owner: owner, people: people,
            keys: try StoredSecretTests.keys(),
            temporaryBlock: temporaryBlock, only: only)
    }

    /// A phone of the old server.
    static func phone(_ name: String) -> EnrolledPhone {
        EnrolledPhone(enrollment: "", identity: name, secret: [UInt8].random(count: 32))
    }

    static func users(_ phones: [EnrolledPhone]) throws -> ExportedTable {
        try ExportedTable(
            "userid\tdisplayname\tsecret\n"
                + phones.map { "\($0.identity)\tAda\t\(Hexadecimal.encode($0.secret))\n" }.joined())
    }

    static func bring(
        _ users: ExportedTable, secrets: ExportedTable? = nil, to fixture: TiqrFixture, _ plan: ImportPlan,
        isDryRun: Bool = false
    ) async throws -> ImportReport {
        try await TiqrImport(fixture.service, plan: plan, actor: admin).run(
            users: users, secrets: secrets, isDryRun: isDryRun)
    }

    static func identities(_ fixture: TiqrFixture) async throws -> Int {
        try await fixture.database.value("select count(*) from tiqr_identity")
    }

    @Test(
        """
        phones with plain and encrypted secrets in a table of their own log in as before, by the suite with the bare \
        S, and count as used
        """
    )
    func logsIn() async throws {
        try await TiqrFixture.with { fixture in
            let encrypted = EnrolledPhone(
                enrollment: "", identity: "u-1", secret: try #require(Hexadecimal.decode(StoredSecretTests.hex)))
            let plain = Self.phone("u-2"), sealed = try #require(StoredSecretTests.sealed["aes-256-gcm"])
            let users = try ExportedTable(
                "userid,displayname,notificationtype,notificationaddress\nu-1,Ada,APNS,a1b2\nu-2,Bob,GCM,(null)\n")
            let hex = Hexadecimal.encode(plain.secret)
            let secrets = try ExportedTable(
                """
                secret,userid\nopenssl:aes-256-gcm:k256:\(sealed),u-1\nplain:\(hex),u-2\n\(StoredSecretTests.hex),go\
                ne\n
                """
            )

            let report = try await Self.bring(users, secrets: secrets, to: fixture, Self.plan())

            #expect(report.count(.imported) == 2 && report.problems.isEmpty && report.unusedSecrets == 1)
            let first = try await fixture.service.identity("u-1", for: TiqrFixture.shop),
                second = try await fixture.service.identity("u-2", for: TiqrFixture.shop)
            #expect(
                first.status == .active && first.externalID == "u-1" && first.suite == Self.suite
                    && first.identifier == Self.host && first.push)
            #expect(second.displayName == "Bob" && !second.push && second.attemptsLeft == 5)
            for phone in [encrypted, plain] {
                let started = try await fixture.challenge(phone),
                    answer = try await fixture.send(try phone.right(started, suite: Self.suite), phone, to: started)
                #expect(answer == .authenticated)
            }
            let stored: [UInt8] = try await fixture.database.value(
                "select secret from tiqr_identity where identity = 'u-2'")
            #expect(!Hexadecimal.encode(stored).contains(Hexadecimal.encode(plain.secret)))
            let lines: Int = try await fixture.database.value(
                """
                select count(*) from audit where action = 'tiqr.import' and actor = 'admin:root'
                    and reason = 'moving in'
                """
            )
            #expect(lines == 2)
        }
    }

    @Test("a dry run tells the same and changes nothing, neither identities nor the identifier nor the trail")
    func dryRun() async throws {
        try await TiqrFixture.with { fixture in
            let users = try ExportedTable("userid,secret\nada,\(StoredSecretTests.hex)\nb@d,\(StoredSecretTests.hex)\n")

            let dry = try await Self.bring(users, to: fixture, Self.plan(), isDryRun: true)
            let left: Int = try await fixture.database.value(
                """
                select (select count(*) from tiqr_identity) + (select count(*)
                    from tiqr_identifier) + (select count(*) from audit where action like 'tiqr.%')
                """)
            let real = try await Self.bring(users, to: fixture, Self.plan())

            #expect(left == 0)
            #expect(dry.json == real.json)
            #expect(dry.count(.imported) == 1 && dry.count(.refused) == 1)
        }
    }

    @Test(
        """
        what is there is left as it is: already with the same secret, a conflict with another, or when it is \
        somebody else's
        """
    )
    func again() async throws {
        try await TiqrFixture.with { fixture in
            let phone = Self.phone("ada"), users = try Self.users([phone])
            _ = try await Self.bring(users, to: fixture, Self.plan())
            try await fixture.service.block("ada", minutes: nil, for: TiqrFixture.operators)
            let before: [UInt8] = try await fixture.database.value(
                "select secret from tiqr_identity where identity = 'ada'")

            let again = try await Self.bring(users, to: fixture, Self.plan())
            let otherSecret = try await Self.bring(Self.users([Self.phone("ada")]), to: fixture, Self.plan())
            let otherOwner = try await Self.bring(users, to: fixture, Self.plan(.client("stranger")))
            let otherPerson = try await Self.bring(users, to: fixture, Self.plan(people: ["ada": "somebody"]))
            let otherIdentifier = try await Self.bring(users, to: fixture, Self.plan(identifier: "older.example"))

            #expect(again.count(.already) == 1 && again.problems.isEmpty)
            for (report, word) in [
                (otherSecret, "another secret"), (otherOwner, "of client:shop"), (otherPerson, "another person"),
                (otherIdentifier, "for old.example"),
            ] {
                #expect(
                    report.count(.conflict) == 1 && report.problems.first?.reason?.contains(word) == true, "\(word)")
            }
            let after: [UInt8] = try await fixture.database.value(
                "select secret from tiqr_identity where identity = 'ada'")
            let status = try await fixture.service.identity("ada", for: TiqrFixture.shop).status
            #expect(after == before && status == .blocked)
        }
    }

    @Test("an import of several batches that stopped in the middle is begun again")
    func batches() async throws {
        try await TiqrFixture.with { fixture in
            let phones = (0..<(TiqrImport.batchSize * 2 + 3)).map { Self.phone("u\($0)") }
            _ = try await Self.bring(Self.users(Array(phones.prefix(TiqrImport.batchSize))), to: fixture, Self.plan())

            let report = try await Self.bring(Self.users(phones), to: fixture, Self.plan())

            #expect(
                report.count(.already) == TiqrImport.batchSize && report.count(.imported) == TiqrImport.batchSize + 3)
            #expect(report.items.map(\.line) == Array(2..<(phones.count + 2)))
            let rows = try await Self.identities(fixture)
            #expect(rows == phones.count)
        }
    }

    @Test("wrong answers and blocks come along by the old rules")
    func blocks() async throws {
        try await TiqrFixture.with { fixture in
            let now = fixture.time.now.numericDate, secret = StoredSecretTests.hex
            let users = try ExportedTable(
                """
                userid,secret,loginattempts,tmpblocktimestamp,tmpblockattempts,blocked
                tries,\(secret),3,,,0
                many,\(secret),7,,,0
                lately,\(secret),0,\(now - 300),2,f
                once,\(secret),0,\(now - 1_200),1,0
                never,\(secret),0,,0,t
                """)

            let report = try await Self.bring(users, to: fixture, Self.plan(temporaryBlock: 10))

            #expect(report.count(.imported) == 5)
            func identity(_ name: String) async throws -> TiqrIdentity {
                try await fixture.service.identity(name, for: TiqrFixture.shop)
            }
            let (tries, many, lately) = (
                try await identity("tries"), try await identity("many"), try await identity("lately")
            )
            let (once, never) = (try await identity("once"), try await identity("never"))
            #expect(tries.attemptsLeft == 2 && many.attemptsLeft == 1 && tries.status == .active)
            #expect(lately.status == .blocked && lately.blockedUntil == fixture.time.now.addingTimeInterval(300))
            #expect(once.status == .active && never.status == .blocked && never.blockedUntil == nil)
            fixture.time.advance(301)
            let phone = EnrolledPhone(
                enrollment: "", identity: "lately", secret: try #require(Hexadecimal.decode(secret)))
            let started = try await fixture.challenge(phone),
                right = Int(try phone.right(started, suite: Self.suite)) ?? 0
            var last: LoginAnswer?
            for distance in 1...5 {
                let digits = String((right + distance) % 1_000_000)
                last = try await fixture.send(
                    String(repeating: "0", count: 6 - digits.count) + digits, phone, to: started)
            }
            #expect(last == .blocked(minutes: 40), "two blocks before this one")
        }
    }

    @Test("phones of the server belong to accounts: by username, or as the table of people has it, as username or UUID")
    func server() async throws {
        try await TiqrFixture.with { fixture in
            let store = AccountStore(clock: fixture.time.clock), password = PasswordHash(encoded: "x")
            let ada = try await store.create(
                username: "ada", password: password, change: AccountChange(), in: fixture.database)
            let bob = try await store.create(
                username: "bob", password: password, change: AccountChange(), in: fixture.database)

            let byName = try await Self.bring(
                Self.users([Self.phone("Ada"), Self.phone("nobody")]), to: fixture, Self.plan(.identityProvider))
            let people = ["x1": "ada", "x2": bob.id.uuidString, "x3": "nobody"]
            let byTable = try await Self.bring(
                Self.users(["x1", "x2", "x3", "bob"].map { Self.phone($0) }), to: fixture,
                Self.plan(.identityProvider, people: people))

            #expect(
                byName.items.map(\.outcome) == [.imported, .refused]
                    && byTable.items.map(\.outcome) == [.imported, .imported, .refused, .refused])
            let rows = try await TiqrAdministration(fixture.service, fixture.tree.revocation, actor: Self.admin).list(
                owner: "house", limit: 10, in: fixture.database)
            let owned = Dictionary(
                uniqueKeysWithValues: rows.map { ($0.identity.identity, $0.identity.externalID ?? "") })
            #expect(
                owned == [
                    "Ada": ada.id.uuidString.lowercased(), "x1": ada.id.uuidString.lowercased(),
                    "x2": bob.id.uuidString.lowercased(),
                ])
        }
    }

    @Test(
        "a row that cannot stand is refused with its line and reason, and never with its secret",
        arguments: [
            (",SECRET,,,", "no userid"), ("a b,SECRET,,,", "other letters"), ("..,SECRET,,,", "other letters"),
            ("\(String(repeating: "a", count: 129)),SECRET,,,", "more than 128"),
            ("ada,,,,", "no secret"), ("ada,SECRETx,,,", "not hexadecimal"),
            ("ada,SECRET,many,,", "loginattempts is not a number"),
            ("ada,SECRET,,2026-11-21 10:00:00,", "tmpblocktimestamp is not a number"),
            ("ada,SECRET,,1800000000000,", "not in seconds"),
            ("ada,SECRET,,,maybe", "neither yes nor no"),
        ])
    func refusedRows(row: String, reason: String) async throws {
        try await TiqrFixture.with { fixture in
            let secret = StoredSecretTests.hex
            let users = try ExportedTable(
                "userid,secret,loginattempts,tmpblocktimestamp,blocked\n"
                    + "good,\(secret),,,\n\(row.replacing("SECRET", with: secret))\n"
            )

            let report = try await Self.bring(users, to: fixture, Self.plan())

            let problem = try #require(report.problems.first)
            #expect(report.count(.imported) == 1 && report.problems.count == 1)
            #expect(
                problem.line == 3 && problem.outcome == .refused && problem.reason?.contains(reason) == true,
                "\(problem.reason ?? "")")
            #expect(!JSONValue.object(report.json).text.contains(secret))
        }
    }

    @Test(
        """
        the second row of a userid is refused; only those asked for are looked at; a name that cannot be shown gives \
        way to the userid
        """
    )
    func choice() async throws {
        try await TiqrFixture.with { fixture in
            let hex = StoredSecretTests.hex
            let users = try ExportedTable(
                """
                userid\tdisplayname\tsecret\tnotificationtype\tnotificationaddress
                ada\tA\\0da\t\(hex)\tAPNS\ta1\\0b2
                ada\tAda\t\(hex)\tAPNS\ta1b2
                bob\tBob\tnone\tNULL\tNULL
                """)

            let report = try await Self.bring(users, to: fixture, Self.plan(only: ["ada"]))

            #expect(
                report.items.map(\.outcome) == [.imported, .refused]
                    && report.problems.first?.reason?.contains("twice") == true)
            let identity = try await fixture.service.identity("ada", for: TiqrFixture.shop)
            #expect(identity.displayName == "ada" && !identity.push)
        }
    }

    @Test(
        """
        a suite that the identifier does not have, or that no phone can do, a bad identifier, missing columns and \
        odd minutes refuse the whole
        """
    )
    func refusedWhole() async throws {
        try await TiqrFixture.with { fixture in
            _ = try await fixture.service.allIdentifiers()
            let users = try Self.users([Self.phone("ada")]), bare = try ExportedTable("userid,displayname\nada,Ada\n")
            let nameless = try ExportedTable("user,secret\nada,00\n")
            func status(_ users: ExportedTable, secrets: ExportedTable? = nil, _ plan: ImportPlan) async throws -> Int {
                do {
                    _ = try await Self.bring(users, secrets: secrets, to: fixture, plan)
                    return 200
                } catch let refusal as TiqrRefusal {
                    return refusal.status
                } catch is ExportedTable.Malformed {
                    return 415
                }
            }
            let found = [
                try await status(users, Self.plan(identifier: "id.example")),
                try await status(users, Self.plan(suite: "OCRA-1:HOTP-SHA1-6:QN10-S")),
                try await status(users, Self.plan(identifier: "Old.example:80")),
                try await status(users, Self.plan(temporaryBlock: -1)),
                try await status(bare, Self.plan()), try await status(nameless, Self.plan()),
                try await status(bare, secrets: nameless, Self.plan()),
            ]

            #expect(found == [409, 400, 400, 400, 415, 415, 415])
            let rows = try await Self.identities(fixture)
            #expect(rows == 0)
        }
    }
}
