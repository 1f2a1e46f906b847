import Base
import Database
import Foundation
import TestSupport
import Testing

@testable import Tiqr

@Suite("decisions.md, tiqr 8: importing from the old server's PostgreSQL while it runs")
struct TiqrLiveImportTests {
    /// The database of the test, as `--from` has it.
    static func source(_ fixture: TiqrFixture) throws -> LiveSource {
        let conninfo = fixture.tree.conninfo
        guard !conninfo.contains("://") else { return .postgresql(conninfo) }
        // Of two of a name the last one counts to libpq; a URL may have one.
        var items = ["sslmode": "prefer"]
        for item in conninfo.split(separator: " ") {
            let sides = item.split(separator: "=", maxSplits: 1).map(String.init)
            items[sides[0]] = LiveURL.encoded(sides.count == 2 ? sides[1] : "")
        }
        return try LiveSource("postgresql://?" + items.map { "\($0.key)=\($0.value)" }.joined(separator: "&"))
    }

    static func read(
        _ fixture: TiqrFixture, users: String = "tiqruser", secrets: String? = nil
    ) async throws -> LiveTables {
        try await source(fixture).read(
            LiveTables.Names(users: users, secrets: secrets), password: nil, logger: .quiet)
    }

    @Test(
        """
        users and secrets of two tables become identities, more than a cursor brings at once; what else the tables \
        have is not read
        """
    )
    func imports() async throws {
        try await TiqrFixture.with { fixture in
            let hex = StoredSecretTests.hex
            try await fixture.database.execute(
                """
                create table tiqruser (id serial primary key, "UserID" text unique, displayname text,
                    loginattempts int, tmpblocktimestamp bigint, blocked boolean, notes bytea)
                """)
            try await fixture.database.execute("create table \"odd\"\"secret\" (secret text, userid text primary key)")
            try await fixture.database.execute(
                """
                insert into tiqruser ("UserID", displayname, loginattempts, blocked)
                    values ('ada', 'Ada Ü', 3, false), ('bob', '', null, true), ('c d', null, 0, false)
                """)
            try await fixture.database.execute(
                """
                insert into tiqruser ("UserID") select 'u' || to_char(g, 'FM0000') from generate_series(1, 300) g
                """)
            try await fixture.database.execute(
                """
                insert into "odd""secret" (userid, secret)
                    select "UserID", \(hex) from tiqruser union all values ('gone', \(hex))
                """)

            let tables = try await Self.read(fixture, secrets: "odd\"secret")
            let report = try await TiqrImportTests.bring(
                tables.users, secrets: tables.secrets, to: fixture, TiqrImportTests.plan())

            #expect(report.count(.imported) == 302 && report.count(.refused) == 1 && report.unusedSecrets == 1)
            #expect(report.problems.first?.line == 3 && report.problems.first?.userID == "c d")
            #expect(!tables.users.columns.contains("notes") && !tables.users.columns.contains("secret"))
            let ada = try await fixture.service.identity("ada", for: TiqrFixture.shop),
                bob = try await fixture.service.identity("bob", for: TiqrFixture.shop)
            #expect(ada.displayName == "Ada Ü" && ada.attemptsLeft == 2 && ada.status == .active)
            #expect(bob.displayName == "bob" && bob.status == .blocked)
            let left: Int = try await fixture.database.value("select count(*) from tiqruser")
            #expect(left == 303)
        }
    }

    @Test("secrets may stand with the users; a table or a column that is not there is told")
    func refused() async throws {
        try await TiqrFixture.with { fixture in
            try await fixture.database.execute("create table \"user\" (userid text, secret text)")
            try await fixture.database.execute("create table bare (userid text)")
            try await fixture.database.execute("create table nameless (secret text)")

            let tables = try await Self.read(fixture, users: "user")

            #expect(tables.users.lines.isEmpty && tables.secrets == nil)
            #expect(tables.users.columns == ["userid", "secret"])
            for (users, secrets, failure) in [
                ("tiqruser", nil, LiveFailure.noTable("tiqruser")), ("USER", nil, .noTable("USER")),
                ("user", "no", .noTable("no")), ("public.user", nil, .noTable("public.user")),
                ("bare", nil, .noColumn("secret", table: "bare")),
                ("nameless", nil, .noColumn("userid", table: "nameless")),
                ("bare", "nameless", .noColumn("userid", table: "nameless")),
            ] as [(String, String?, LiveFailure)] {
                await #expect(throws: failure) { try await Self.read(fixture, users: users, secrets: secrets) }
            }
        }
    }

    @Test("a database that is not there is unreachable, and its password is in no message")
    func unreachable() async throws {
        let url = LiveSource.url("postgresql://old@127.0.0.1:1/tiqr?connect_timeout=2", password: "hunter/2&\u{FC}")

        let failure = await #expect(throws: LiveFailure.self) {
            try await PostgreSQLTables.read(
                LiveTables.Names(users: "tiqruser", secrets: nil), at: url, logger: .quiet, patience: 0.5)
        }

        #expect(url.hasSuffix("&password=hunter%2F2%26%C3%BC"))
        guard case .unreachable(let reason) = try #require(failure) else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(reason.contains("127.0.0.1") && !reason.contains("hunter"))
    }
}
