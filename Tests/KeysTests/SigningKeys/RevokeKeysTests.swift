import Base
import Database
import Foundation
import Testing

@testable import Keys

@Suite("signing keys that others may hold")
struct RevokeKeysTests {
    private let time = SettableClock()
    private let day: TimeInterval = 86_400

    private func revoke(_ kid: String, _ keys: SigningKeys, _ schema: TestSchema) async throws -> SigningKeys.Revoked {
        try await schema.database.transaction { try await keys.revoke(kid, $0) }
    }

    private func kids(_ keys: SigningKeys) async throws -> [String] {
        try await keys.published()["keys"]?.array?.compactMap { $0["kid"]?.string } ?? []
    }

    @Test(
        """
        an active key counts for nothing at once, nor does the next; fresh ones sign and are published; no private \
        half is left
        """
    )
    func active() async throws {
        try await TestSchema.with { schema in
            let keys = try schema.keys(time), other = try schema.keys(time, database: schema.database)
            try await keys.ensure()
            let active = try #require(try await keys.only(.active, in: schema)),
                next = try #require(try await keys.only(.next, in: schema)), token = try await keys.token()
            time.advance(60)

            let revoked = try await revoke(active.kid, keys, schema)

            #expect(!revoked.already && revoked.kids == [active.kid, next.kid])
            for process in [keys, other] {
                #expect(try await !process.verify(token))
                #expect(try await Set(kids(process)) == [revoked.active, revoked.next])
                #expect(try await process.token().kid == revoked.active)
                #expect(try await process.verify(process.token()))
            }
            let rows = try await SigningKeys.list(schema.database)
            #expect(rows.filter { $0.status == .revoked }.map(\.kid).sorted() == [active.kid, next.kid].sorted())
            #expect(rows.filter { $0.status == .revoked }.allSatisfy { $0.sealed.isEmpty && $0.retireAt == time.now })
        }
    }

    @Test("the next key, signed with by its thief, is not trusted when its time comes")
    func stolenNext() async throws {
        try await TestSchema.with { schema in
            let keys = try schema.keys(time)
            try await keys.ensure()
            let active = try #require(try await keys.only(.active, in: schema)),
                next = try #require(try await keys.only(.next, in: schema))
            let stolen = try await PrivateSigningKey(pem: keys.open(next), algorithm: .es256)
            let forged = try JWT(Signer(key: stolen).token(header: #"{"alg":"ES256","kid":"\#(next.kid)"}"#)),
                honest = try await keys.token()

            let revoked = try await revoke(next.kid, keys, schema)
            time.advance(day)

            #expect(revoked.kids == [next.kid])
            #expect(try await !keys.verify(forged))
            #expect(try await keys.verify(honest), "the active key retires, and what it signed stays good")
            #expect(try await keys.token().kid == revoked.active && revoked.active != active.kid)
        }
    }

    @Test("a retiring key's tokens are refused; a retired one is noted; neither a second time")
    func old() async throws {
        try await TestSchema.with { schema in
            let keys = try schema.keys(time)
            try await keys.ensure()
            let first = try #require(try await keys.only(.active, in: schema)), token = try await keys.token()
            _ = try await schema.database.transaction { try await keys.rotate(now: true, $0) }
            #expect(try await keys.verify(token))

            #expect(try await revoke(first.kid, keys, schema).already == false)
            let again = try await revoke(first.kid, keys, schema)

            #expect(try await !keys.verify(token))
            #expect(
                try await SigningKeys.origin(of: token, schema.database)?.kid == first.kid,
                "it is still known whose it was")
            let parts = token.compact.split(separator: ".").map(String.init)
            #expect(try await SigningKeys.origin(of: JWT("\(parts[0]).e30.\(parts[2])"), schema.database) == nil)
            #expect(again.already && again.kids.isEmpty && again.active != nil && again.next != nil)
            try await schema.database.execute("update signing_key set status = 'retired' where kid = \(first.kid)")
            let before = try await kids(keys)
            #expect(try await revoke(first.kid, keys, schema).kids == [first.kid])
            #expect(try await kids(keys) == before)
        }
    }

    @Test("an unknown kid is an error and changes nothing; a dry run neither")
    func nothing() async throws {
        try await TestSchema.with { schema in
            let keys = try schema.keys(time)
            try await keys.ensure()
            let token = try await keys.token(), before = try await kids(keys), kid = try #require(token.kid)

            await #expect(throws: SigningKeys.Failure.unknownKey(kid: "unknown")) {
                try await revoke("unknown", keys, schema)
            }
            #expect(try await schema.database.rollingBack { try await keys.revoke(kid, $0) }.kids.count == 2)

            #expect(try await kids(keys) == before)
            #expect(try await keys.verify(token))
        }
    }

    @Test("every algorithm has an active and a next key; turning or revoking one leaves the others alone")
    func algorithms() async throws {
        try await TestSchema.with { schema in
            let keys = try schema.keys(time, settings: .init(algorithms: [.es256, .edDSA, .rs256]))
            try await keys.ensure()
            func signing() async throws -> [String: String] {
                var kids: [String: String] = [:]
                for algorithm in keys.algorithms {
                    kids[algorithm.rawValue] = try JWT(await keys.sign(type: "JWT", claims: [:], algorithm: algorithm))
                        .kid
                }
                return kids
            }
            let first = try await signing(),
                token = try JWT(await keys.sign(type: "JWT", claims: [:], algorithm: .rs256))

            let all = try await schema.database.transaction { try await keys.rotate(now: true, $0) }
            let second = try await signing()
            #expect(
                all.active == ["ES256", "EdDSA", "RS256"].map { second[$0] } && all.next.count == 3
                    && Set(all.retiring) == Set(first.values))
            #expect(try await keys.verify(token))

            _ = try await schema.database.transaction { try await keys.rotate(now: true, only: .edDSA, $0) }
            let third = try await signing()
            #expect(
                third["EdDSA"] != second["EdDSA"] && third["ES256"] == second["ES256"]
                    && third["RS256"] == second["RS256"])

            let revoked = try await revoke(try #require(first["RS256"]), keys, schema)
            let fourth = try await signing()
            #expect(
                revoked.active == fourth["RS256"] && fourth["RS256"] != third["RS256"]
                    && fourth["ES256"] == third["ES256"] && fourth["EdDSA"] == third["EdDSA"])
            #expect(try await !keys.verify(token))
            #expect(
                try await kids(keys).count == 3 * 2 + 3 + 1,
                "three pairs; retiring are ES256 once, EdDSA twice, RS256 once: the second")
        }
    }

    @Test("revoking and rotating at once leaves one active and one next key, and the revoked one out")
    func race() async throws {
        try await TestSchema.with { schema in
            let keys = try schema.keys(time)
            try await keys.ensure()
            let kid = try #require(try await keys.only(.active, in: schema)).kid

            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<6 {
                    group.addTask {
                        _ = try await schema.database.transaction { transaction in
                            if number % 2 == 0 {
                                _ = try await keys.rotate(now: true, transaction)
                            } else {
                                _ = try await keys.revoke(kid, transaction)
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }

            let rows = try await SigningKeys.list(schema.database)
            #expect(rows.count { $0.status == .active } == 1 && rows.count { $0.status == .next } == 1)
            #expect(rows.first { $0.kid == kid }?.status == .revoked)
            #expect(try await !kids(keys).contains(kid))
        }
    }

    @Test("a process that listens is told: it refuses, publishes and signs anew")
    func told() async throws {
        try await TestSchema.with { schema in
            try await schema.listening(time) { other in
                let keys = try schema.keys(time), token = try await keys.token()
                #expect(try await other.verify(token))

                let revoked = try await revoke(try #require(token.kid), keys, schema)

                #expect(try await eventually { try await !other.verify(token) })
                #expect(try await eventually { try await other.token().kid == revoked.active })
                #expect(try await Set(kids(other)) == [revoked.active, revoked.next])
            }
        }
    }

    @Test(
        """
        who signs is known from memory while listening, and from the table when it must be certain; then signing \
        follows
        """
    )
    func signer() async throws {
        try await TestSchema.with { schema in
            let empty = try schema.keys(time)
            await #expect(throws: SigningKeys.Failure.noActiveKey(.es256)) {
                try await empty.signer(certain: false, in: schema.database)
            }
            try await schema.listening(time) { keys in
                let first = try #require(try await keys.only(.active, in: schema)).kid,
                    second = try #require(try await keys.only(.next, in: schema)).kid
                // In silence: nobody is told.
                try await schema.database.execute("update signing_key set status = 'retiring' where kid = \(first)")
                try await schema.database.execute("update signing_key set status = 'active' where kid = \(second)")

                #expect(try await keys.signer(certain: false, in: schema.database) == first)
                #expect(try await keys.token().kid == first)
                #expect(try await keys.signer(certain: true, in: schema.database) == second)
                #expect(try await keys.token().kid == second)
                #expect(try await keys.signer(certain: false, in: schema.database) == second)
            }
        }
    }

    @Test("a crowd with tokens by a key that a process has not been told of is let in as one")
    func crowdWithNewKey() async throws {
        try await TestSchema.with { schema in
            try await schema.listening(time) { keys in
                let hidden = try await Signer().key
                let jwt = try JWT(
                    Signer(key: hidden).token(header: #"{"alg":"ES256","kid":"\#(hidden.publicKey.thumbprint)"}"#))
                try await schema.activateInSilence(hidden, at: time.now)

                let good = try await withThrowingTaskGroup(of: Bool.self) { group in
                    for _ in 0..<50 { group.addTask { try await keys.verify(jwt) } }
                    return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
                }

                #expect(good == 50)
            }
        }
    }
}
