import Base
import Database
import Foundation
import Testing

@testable import Keys

@Suite("rotation and the master key, by the operator")
struct RotateKeysTests {
    private let time = SettableClock()
    private let other = try? MasterKey(SecretBytes([UInt8](repeating: 2, count: 32)))

    @Test("without now the next key must have been announced for a day")
    func announced() async throws {
        try await TestSchema.with { schema in
            let keys = try schema.keys(time)
            try await keys.ensure()
            let active = try #require(try await keys.only(.active, in: schema)),
                next = try #require(try await keys.only(.next, in: schema))

            await #expect(throws: SigningKeys.Failure.notAnnounced(kid: next.kid, until: next.notBefore)) {
                try await schema.database.transaction { try await keys.rotate(now: false, $0) }
            }
            time.advance(86_400)
            let rotation = try await schema.database.transaction { try await keys.rotate(now: false, $0) }

            #expect(rotation.active == [next.kid])
            #expect(rotation.retiring == [active.kid])
            #expect(rotation.next.count == 1)
            #expect(try await keys.token().kid == next.kid)
        }
    }

    @Test("a dry run changes nothing")
    func dryRun() async throws {
        try await TestSchema.with { schema in
            let keys = try schema.keys(time)
            try await keys.ensure()
            let before = try await keys.list(schema.database).map(\.kid)

            let rotation = try await schema.database.rollingBack { try await keys.rotate(now: true, $0) }

            #expect(rotation.retiring.count == 1)
            #expect(try await keys.list(schema.database).map(\.kid) == before)
        }
    }

    @Test("rotating at once from two places leaves one active and one next key")
    func race() async throws {
        try await TestSchema.with { schema in
            let keys = try schema.keys(time)
            try await keys.ensure()

            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask { _ = try await schema.database.transaction { try await keys.rotate(now: true, $0) } }
                }
                try await group.waitForAll()
            }

            let rows = try await keys.list(schema.database)
            #expect(rows.filter { $0.status == .active }.count == 1)
            #expect(rows.filter { $0.status == .next }.count == 1)
            #expect(rows.filter { $0.status == .retiring }.count == 4)
        }
    }

    @Test("another master key signs nothing and destroys nothing, says why, and still verifies")
    func wrongMasterKey() async throws {
        try await TestSchema.with { schema in
            let right = try schema.keys(time), wrong = try schema.keys(time, masterKey: other)
            try await right.ensure()
            let token = try await right.token(), active = try #require(try await right.only(.active, in: schema))
            let expected = SigningKeys.Failure.wrongMasterKey(
                kid: active.kid, sealedBy: try #require(TestSchema.masterKey).id, ours: try #require(other).id)

            await #expect(throws: expected) { try await wrong.sign(type: "JWT", claims: [:]) }
            await #expect(throws: expected) { try await wrong.ensure() }
            #expect(expected.description.contains("pando admin keys rotate --now"))
            #expect(expected.description.contains("Start it with the master key that it had before"))
            #expect(try await wrong.verify(token))
            #expect(try await wrong.published() == right.published())
        }
    }

    @Test("after the loss of the master key, rotating with now makes new keys, and old tokens stay good")
    func lostMasterKey() async throws {
        try await TestSchema.with { schema in
            let before = try schema.keys(time), after = try schema.keys(time, masterKey: other)
            try await before.ensure()
            let old = try await before.token()

            await #expect(throws: SigningKeys.Failure.self) {
                try await schema.database.transaction { try await after.rotate(now: false, $0) }
            }
            _ = try await schema.database.transaction { try await after.rotate(now: true, $0) }
            try await after.ensure()

            #expect(try await after.verify(old))
            #expect(try await after.token().kid != old.kid)
        }
    }

    @Test("a private half moved to another row does not open, and is called damaged")
    func damaged() async throws {
        try await TestSchema.with { schema in
            let keys = try schema.keys(time)
            try await keys.ensure()
            let active = try #require(try await keys.only(.active, in: schema)),
                next = try #require(try await keys.only(.next, in: schema))

            try await schema.database.execute(
                "update signing_key set private = \(next.sealed) where kid = \(active.kid)")

            await #expect(throws: SigningKeys.Failure.damaged(kid: active.kid)) {
                try await schema.keys(time).sign(type: "JWT", claims: [:])
            }
        }
    }

    @Test("resealing moves the keys under a new master key, and only that one opens them afterwards")
    func reseal() async throws {
        try await TestSchema.with { schema in
            let before = try schema.keys(time), successor = try #require(other)
            try await before.ensure()
            let kid = try await before.token().kid

            let count = try await schema.database.transaction { try await before.reseal(under: successor, $0) }

            #expect(count == 2)
            #expect(try await schema.keys(time, masterKey: other).token().kid == kid)
            await #expect(throws: SigningKeys.Failure.self) { try await schema.keys(time).token() }
            #expect(try await schema.database.transaction { try await before.reseal(under: successor, $0) } == 0)
        }
    }
}
