import Accounts
import Base
import Database
import Foundation
import HTTPTypes
import Operations
import Push
import Synchronization
import TestSupport
import Testing
import Tiqr
import TokenTree

/// As `OneMoreTests`, for what workers, starts and the command line do in rounds or batches.
@Suite("One more than every limit: rounds and batches")
struct OneMoreWorkerTests {
    /// What arrived outside, each by what tells it from the others.
    private final class Arrived: Sendable {
        private let names = Mutex<[String]>([])
        var all: [String] { names.withLock { $0 } }
        func add(_ name: String?) { names.withLock { $0.append(name ?? "") } }
    }

    private func count(_ server: TestServer, _ sql: SQL) async throws -> Int { try await server.database.value(sql) }

    // MARK: Senders

    @Test("pushes to phones that log in are sent in rounds until none is left")
    func phoneLogins() async throws {
        let arrived = Arrived()
        let http = PushHTTP { request in
            arrived.add((try? JSONReader.read(request.body))?["data"]?["challenge"]?.string)
            return PushHTTP.Answer(status: 204, body: [])
        }
        let webhook = PushWebhook(
            url: "https://push.example.org", secret: Randomness.system.secret(), http: http, clock: .system)
        try await TestServer.with(options: TestServerOptions(pushes: PushRoutes(webhook: webhook))) { server in
            let party = try await TiqrParty.movedIn(server), identity = try await party.enroll(TiqrPhone(server))
            _ = try await party.startAuthentication(["identity": .string(identity.name), "push": true])
            _ = try await server.database.batch([Self.authentications, Self.loginPushes])
            let sender = PushSender(server.parts.tiqr, logger: .quiet)

            let rounds = [try await sender.sendDue(), try await sender.sendDue(), try await sender.sendDue()]

            #expect(rounds == [32, 1, 0])
            #expect(arrived.all.count == 33 && Set(arrived.all).count == 33)
            #expect(try await count(server, "select count(*) from tiqr_push") == 0)
        }
    }

    private static let authentications: SQL = """
        insert into tiqr_authentication select (jsonb_populate_record(x, jsonb_build_object(
            'id', 'more' || g, 'session_hash', sha256(convert_to('more' || g, 'UTF8'))))).*
        from tiqr_authentication x cross join generate_series(1, 32) g
        """

    private static let loginPushes: SQL = """
        insert into tiqr_push select (jsonb_populate_record(p, jsonb_build_object('authentication', 'more' || g))).*
        from tiqr_push p cross join generate_series(1, 32) g
        """

    @Test("pushes of operations are sent in rounds until none is left")
    func operationPushes() async throws {
        try await TestServer.with { server in
            let party = try await OperationsParty.movedIn(server), arrived = Arrived(), now = server.time.now
            _ = try await party.phone()
            _ = try await server.database.batch([
                "update phone_registration set push_platform = 'apns', push_token = 'token'",
                """
                insert into phone_push (id, registration, payload, created_at, expires_at, next_try)
                select 'more' || g, r.id, json_build_object('title', 'more' || g, 'payload', json_build_object()),
                    \(now), \(now.addingTimeInterval(600)), \(now)
                from phone_registration r cross join generate_series(1, 33) g
                """,
            ])
            let delivery = PhonePushDelivery { push in
                arrived.add(push.title)
                return .delivered
            }
            let sender = PhonePushSender(server.parts.operations, delivery: delivery, logger: .quiet)

            let rounds = [try await sender.sendDue(), try await sender.sendDue(), try await sender.sendDue()]

            #expect(rounds == [32, 1, 0])
            #expect(arrived.all.count == 33 && Set(arrived.all).count == 33)
            #expect(try await count(server, "select count(*) from phone_push") == 0)
        }
    }

    /// 33 events that are due, of so many callbacks in turn.
    private func makeEvents(callbacks: Int, in server: TestServer) async throws {
        let party = try await OperationsParty.movedIn(server), now = server.time.now
        for number in 1...callbacks {
            let url = JSONValue.string("https://bank.example.org/hook/\(number)")
            let made = try await party.call(.post, "/v2/callbacks", ["url": url, "events": ["operation"]])
            try #require(made.status == 201, "callback: \(made.body)")
        }
        _ = try await server.database.execute(
            """
            insert into operations_callback_event (id, callback, type, subject, body, created_at, next_try, first_try)
            select 'more' || row_number() over (), c.id, 'operation.created', 'more', '{}', \(now), \(now), \(now)
            from operations_callback c cross join generate_series(1, 33) g order by g, c.id limit 33
            """)
    }

    private static let delivered: SQL = """
        select count(*) from operations_callback_event where delivered_at is not null and next_try is null
        """

    @Test(
        "callbacks are sent in rounds until none is left, four of each at once",
        arguments: [
            (9, [32, 1, 0]), (1, [4, 4, 4, 4, 4, 4, 4, 4, 1, 0]),
        ])
    func callbacks(number: Int, expected: [Int]) async throws {
        try await TestServer.with { server in
            let arrived = Arrived()
            try await makeEvents(callbacks: number, in: server)
            let http = CallbackHTTP { request in
                arrived.add(request.headers.first { $0.name == "webhook-id" }?.value)
                return 204
            }
            let sender = CallbackSender(server.parts.operations, http: http, logger: .quiet)

            var rounds: [Int] = []
            repeat { rounds.append(try await sender.sendDue()) } while rounds.last != 0 && rounds.count < 20

            #expect(rounds == expected)
            #expect(arrived.all.count == 33 && Set(arrived.all).count == 33)
            #expect(try await count(server, Self.delivered) == 33)
        }
    }

    // MARK: Housekeeping and starts

    @Test("logins of which nobody remembers the session are forgotten, and what one round leaves the next one takes")
    func logins() async throws {
        try await TestServer.with { server in
            let account = try await server.newResident(), sessions = SessionStore(clock: server.time.clock)
            let events: SQL = "select count(*) from authentication_event where account = \(account.id)"
            let old = server.time.now.addingTimeInterval(-401 * 86_400)
            _ = try await server.database.execute(
                """
                insert into authentication_event (id, account, methods, at)
                select gen_random_uuid(), \(account.id), array['pwd'], \(old)
                from generate_series(1, 10001) g
                """)

            try await sessions.forget(in: server.database)
            let first = try await count(server, events)
            try await sessions.forget(in: server.database)

            #expect(first == 1)
            #expect(try await count(server, events) == 0)
        }
    }

    @Test("all accounts of before get their keys in one go, though more were made in one moment than are read at once")
    func keys() async throws {
        try await TestServer.with { server in
            let store = AccountStore(clock: server.time.clock)
            _ = try await server.database.execute(
                """
                insert into account (id, username, password, created_at)
                select gen_random_uuid(), 'More' || g, 'x', timestamptz '2026-01-01 00:00:00.123457+00'
                from generate_series(1, 501) g
                """)

            let filled = try await store.fillKeys(in: server.database)

            #expect(filled == 501)
            #expect(try await count(server, "select count(*) from account where username_key is null") == 0)
            #expect(try await store.find("MORE501", in: server.database)?.username == "More501")
        }
    }

    // MARK: Another master key

    private static func key(_ byte: UInt8) throws -> MasterKey {
        try MasterKey(SecretBytes([UInt8](repeating: byte, count: 32)))
    }

    private static let names = (1...501).map { "more\($0)" }

    /// What is sealed for each of `names` at its place in a table, as hexadecimal digits.
    private static func sealed(_ place: String) throws -> [String] {
        let master = try key(1)
        return try names.map { Hexadecimal.encode(try master.seal(SecretBytes($0.utf8), row: "\(place) \($0)")) }
    }

    /// Of `names` those whose secret the other key opens.
    private static func opened(_ rows: [Row], at place: String) throws -> Set<String> {
        let master = try key(2)
        return try Set(
            rows.map { row -> String in
                let name: String = try row("name"), secret: [UInt8] = try row("secret")
                return try master.open(secret, row: "\(place) \(name)") == SecretBytes(name.utf8) ? name : ""
            })
    }

    @Test("all secrets of phones that log in are sealed anew under another master key")
    func phoneSecrets() async throws {
        try await TestServer.with { server in
            let (old, new, place) = (try Self.key(1), try Self.key(2), "tiqr_identity")
            _ = try await server.database.batch([
                """
                insert into tiqr_identifier (identifier, display_name, suite, created_at)
                values ('more.example', 'More', 'OCRA-1:HOTP-SHA1-6:QH10-S', now())
                """,
                """
                insert into tiqr_identity
                    (identity, owner, identifier, suite, display_name, secret, sealed_by, created_at)
                select n.name, 'client:more', 'more.example', 'OCRA-1:HOTP-SHA1-6:QH10-S', 'More',
                    decode(n.secret, 'hex'), \(old.id), now()
                from unnest(\(Self.names), \(try Self.sealed(place))) as n (name, secret)
                """,
            ])
            let secrets = TiqrSecrets(master: old, clock: server.time.clock)

            let resealed = try await server.database.atomically { try await secrets.reseal(under: new, in: $0) }

            #expect(resealed == 501)
            #expect(try await count(server, "select count(*) from tiqr_identity where sealed_by <> \(new.id)") == 0)
            let rows = try await server.database.query("select identity as name, secret from tiqr_identity")
            #expect(try Self.opened(rows, at: place) == Set(Self.names))
        }
    }

    @Test("all secrets of operations are sealed anew under another master key")
    func operationSecrets() async throws {
        try await TestServer.with { server in
            let (old, new, place) = (try Self.key(1), try Self.key(2), "operations_callback.secret")
            _ = try await server.database.execute(
                """
                insert into operations_callback (id, owner, url, events, secret, sealed_by, created_at)
                select n.name, 'client:more', 'https://bank.example.org/hook', array['operation'],
                    decode(n.secret, 'hex'), \(old.id), now()
                from unnest(\(Self.names), \(try Self.sealed(place))) as n (name, secret)
                """)
            let secrets = OperationsSecrets(master: old, clock: server.time.clock)

            let resealed = try await server.database.atomically { try await secrets.reseal(under: new, in: $0) }

            #expect(resealed >= 501)
            let left: SQL = "select count(*) from operations_callback where sealed_by <> \(new.id)"
            #expect(try await count(server, left) == 0)
            let rows = try await server.database.query("select id as name, secret from operations_callback")
            #expect(try Self.opened(rows, at: place) == Set(Self.names))
        }
    }
}
