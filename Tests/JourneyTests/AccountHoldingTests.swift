import Accounts
import Database
import HTTP
import OAuth
import Server
import TestSupport
import Testing

/// The schema, read: nothing about people is forgotten in the export of their own data.
@Suite("What is held on people, table by table")
struct AccountHoldingTests {
    private static let holdings = AccountHolding.ofPeople + Product.all.flatMap(\.held).map(\.holding)

    /// Tables that tell something about somebody and are not exported.
    private static let leftOut = [
        "ancestor": "names of nodes and their numbers: whoever they are about is exported with its own table",
        "revocation": "numbers of nodes that ended; the audit trail says the same in words",
        "reach": "numbers of nodes, and services that were told of them",
        "outbox": "pseudonyms, until a service has been told",
        "logout_delivery": "pseudonyms, until an application has been told",
        "liquid_person": "pseudonyms that apps know, made of the account's number alone",
        "attempt": "wrong answers of the last hour, counted; the audit trail has them",
        "tiqr_push": "a phone that is just being rung",
        "phone_push": "a phone that is just being rung",
        "phone_token": "secrets of phones",
        "phone_temporary_key": "keys of a few minutes",
        "phone_offline_nonce": "numbers that were used",
        "signalling_link": "wallets that look for one another, of minutes, under names of one use",
        "authorization_request": "what an application asked for, of minutes, before anybody is known",
    ]

    /// Names of columns that hold a person, whichever table they stand in.
    private static let personal = ["account", "account_id", "user_id", "external_id", "email", "username"]

    private func columns(_ database: Database) async throws -> [String: Set<String>] {
        let rows = try await database.query(
            """
            select c.table_name::text as name, c.column_name::text as member
            from information_schema.columns c join pg_class p on p.relname = c.table_name
                and p.relnamespace = current_schema()::regnamespace
            where c.table_schema = current_schema() and p.relkind in ('r', 'p') and not p.relispartition
            """)
        var columns: [String: Set<String>] = [:]
        for row in rows { columns[try row("name"), default: []].insert(try row("member")) }
        return columns
    }

    /// Tables with a foreign key to `account`, or a column that is named after a person.
    private func aboutPeople(_ database: Database) async throws -> Set<String> {
        let keys: [String] = try await database.query(
            """
            select distinct c.relname::text as name from pg_constraint k join pg_class c on c.oid = k.conrelid
            where k.contype = 'f' and k.confrelid = 'account'::regclass
            """
        ).map { try $0("name") }
        let named = try await columns(database).filter { !$0.value.isDisjoint(with: Self.personal) }.keys
        return Set(keys).union(named)
    }

    @Test("each table that refers to an account is exported, or named with a reason why it is not")
    func tables() async throws {
        try await TestDatabase.with { test in
            let known = Set(Self.holdings.map(\.table)).union(Self.leftOut.keys)
            let forgotten = try await aboutPeople(test.database).subtracting(known)
            let gone = known.subtracting(try await columns(test.database).keys)

            #expect(forgotten.sorted() == [], "tell of them in an AccountHolding, or say here why not")
            #expect(gone.sorted() == [], "named, and not there")
            #expect(!Self.leftOut.values.contains(""))
        }
    }

    @Test("each column of a table that is exported is told, or withheld for a reason")
    func members() async throws {
        try await TestDatabase.with { test in
            let columns = try await columns(test.database)
            for holding in Self.holdings {
                let told = Set(holding.columns), withheld = Set(holding.withheld.keys), table = holding.table
                let there = columns[table] ?? []

                #expect(there.subtracting(told.union(withheld)).sorted() == [], "of \(table), decided by nobody")
                #expect(told.union(withheld).subtracting(there).sorted() == [], "of \(table), and not there")
                #expect(told.isDisjoint(with: withheld) && !holding.withheld.values.contains(""))
            }
        }
    }

    @Test("no secret, hash or seal is told of any table")
    func secrets() {
        let told = Set(Self.holdings.flatMap(\.columns))
        let hidden = ["secret", "password", "sealed", "private", "hash", "lineage", "token", "seed"]

        for column in told { #expect(!hidden.contains { column.contains($0) && column != "mobile_token_data" }) }
    }

    @Test("a new table about people is found")
    func bites() async throws {
        try await TestDatabase.with { test in
            try await test.database.execute(
                "create table raffle_ticket (id text primary key, account uuid not null references account)")
            let known = Set(Self.holdings.map(\.table)).union(Self.leftOut.keys)

            #expect(try await aboutPeople(test.database).subtracting(known) == ["raffle_ticket"])
        }
    }

    @Test("members have names of their own")
    func names() {
        #expect(Set(Self.holdings.map(\.member)).count == Self.holdings.count)
    }
}
