import Foundation
import Testing

@testable import Keys

@Suite("rotation, decided on rows and a time")
struct RotationPlanTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)
    private let settings = SigningKeys.Settings()

    private func row(
        _ kid: String, _ status: SigningKeyRow.Status, age: TimeInterval, sealedBy: String = "m",
        retireIn: TimeInterval? = nil
    ) -> SigningKeyRow {
        SigningKeyRow(
            kid: kid, alg: .es256, status: status, createdAt: now - age,
            notBefore: now - age + (status == .next ? settings.announcement : 0),
            retireAt: retireIn.map { now + $0 }, sealedBy: sealedBy)
    }

    private func due(_ rows: [SigningKeyRow]) throws -> [RotationPlan.Step] {
        try RotationPlan.due(rows, settings, master: "m", now: now)
    }

    private func forced(_ immediately: Bool, _ rows: [SigningKeyRow]) throws -> [RotationPlan.Step] {
        try RotationPlan.forced(now: immediately, rows, settings, master: "m", now: now)
    }

    @Test("an empty table gets an active and a next key per algorithm")
    func empty() throws {
        #expect(try due([]) == [.make(.es256, .active), .make(.es256, .next)])
        #expect(try RotationPlan.due([], .init(algorithms: [.es256, .edDSA]), master: "m", now: now).count == 4)
        #expect(try forced(false, []) == [.make(.es256, .active), .make(.es256, .next)])
    }

    @Test("a young active key stays; a next key is made when it is missing")
    func young() throws {
        #expect(try due([row("a", .active, age: 60), row("b", .next, age: 60)]).isEmpty)
        #expect(try due([row("a", .active, age: 60)]) == [.make(.es256, .next)])
        #expect(try due([row("b", .next, age: 60)]) == [.promote(kid: "b"), .make(.es256, .next)])
    }

    @Test("an active key past its lifetime turns once the next was announced long enough, and not a second before")
    func old() throws {
        let turn: [RotationPlan.Step] = [.retire(kid: "a"), .promote(kid: "b"), .make(.es256, .next)]

        #expect(
            try due([row("a", .active, age: settings.lifetime), row("b", .next, age: settings.announcement)]) == turn)
        #expect(
            try due([row("a", .active, age: settings.lifetime - 1), row("b", .next, age: settings.announcement)])
                .isEmpty)
        #expect(
            try due([row("a", .active, age: settings.lifetime), row("b", .next, age: settings.announcement - 1)])
                .isEmpty)
    }

    @Test("a retiring key is forgotten when its last token has expired")
    func retiring() throws {
        let rows = [row("a", .active, age: 60), row("b", .next, age: 60)]

        #expect(try due(rows + [row("c", .retiring, age: 60, retireIn: 0)]) == [.forget(kid: "c")])
        #expect(try due(rows + [row("c", .retiring, age: 60, retireIn: 1)]).isEmpty)
    }

    @Test("by hand: refused while the next key is too young, and the refusal says when; at once with now")
    func byHand() throws {
        let rows = [row("a", .active, age: 60), row("b", .next, age: 60)]

        #expect(throws: SigningKeys.Failure.notAnnounced(kid: "b", until: now - 60 + settings.announcement)) {
            try forced(false, rows)
        }
        #expect(throws: SigningKeys.Failure.notAnnounced(kid: nil, until: now + settings.announcement)) {
            try forced(false, [rows[0]])
        }
        #expect(try forced(true, rows) == [.retire(kid: "a"), .promote(kid: "b"), .make(.es256, .next)])
        #expect(try forced(true, [rows[0]]) == [.retire(kid: "a"), .make(.es256, .active), .make(.es256, .next)])
        #expect(try forced(false, [rows[0], row("b", .next, age: settings.announcement)]).first == .retire(kid: "a"))
    }

    @Test("another master key is never written over, but by hand with now")
    func foreign() throws {
        let active = row("a", .active, age: 60, sealedBy: "x"), next = row("b", .next, age: 60, sealedBy: "x")

        #expect(throws: SigningKeys.Failure.wrongMasterKey(kid: "a", sealedBy: "x", ours: "m")) {
            try due([active, next])
        }
        #expect(throws: SigningKeys.Failure.wrongMasterKey(kid: "b", sealedBy: "x", ours: "m")) { try due([next]) }
        #expect(throws: SigningKeys.Failure.wrongMasterKey(kid: "b", sealedBy: "x", ours: "m")) {
            try forced(false, [active, next])
        }
        #expect(
            try forced(true, [active, next]) == [
                .discard(kid: "b"), .retire(kid: "a"), .make(.es256, .active), .make(.es256, .next),
            ])
    }

    @Test("by hand, one algorithm alone may be turned")
    func onlyOne() throws {
        let steps = try RotationPlan.forced(
            now: true, only: .edDSA, [row("a", .active, age: 60), row("b", .next, age: 60)],
            .init(algorithms: [.es256, .edDSA]),
            master: "m", now: now)

        #expect(steps == [.make(.edDSA, .active), .make(.edDSA, .next)])
    }

    @Test(
        "a compromised key takes the next one with it, an active one retires, and fresh ones are made",
        arguments: [
            ("active", SigningKeyRow.Status.active, [RotationPlan.Step.revoke(kid: "active"), .revoke(kid: "next")]),
            ("next", .next, [.revoke(kid: "next"), .retire(kid: "active")]),
            ("retiring", .retiring, [.revoke(kid: "retiring"), .revoke(kid: "next"), .retire(kid: "active")]),
        ])
    func compromised(_ kid: String, _ status: SigningKeyRow.Status, _ steps: [RotationPlan.Step]) {
        let rows = [
            row("retiring", .retiring, age: 90, retireIn: 60), row("active", .active, age: 60),
            row("next", .next, age: 60, sealedBy: "x"),
        ]

        #expect(
            RotationPlan.compromised(row(kid, status, age: 60), rows, settings) == steps + [
                .make(.es256, .active), .make(.es256, .next),
            ])
    }

    @Test(
        """
        of a retired key nothing but the key ends; of a revoked one nothing more; of an algorithm that nobody uses \
        none is made
        """
    )
    func compromisedLate() {
        let rows = [row("active", .active, age: 60), row("next", .next, age: 60)],
            old = row("old", .retiring, age: 60, retireIn: 60)

        #expect(RotationPlan.compromised(row("old", .retired, age: 60), rows, settings) == [.revoke(kid: "old")])
        #expect(RotationPlan.compromised(row("old", .revoked, age: 60), rows, settings).isEmpty)
        #expect(RotationPlan.compromised(old, [old], .init(algorithms: [.rs256])) == [.revoke(kid: "old")])
        #expect(
            RotationPlan.compromised(rows[0], [rows[0]], .init(algorithms: [.rs256])).count == 3,
            "another process uses it")
    }

    @Test("keys of an algorithm that is not configured are let be")
    func otherAlgorithm() throws {
        let rows = [row("a", .active, age: settings.lifetime), row("b", .next, age: settings.announcement)]

        #expect(try RotationPlan.due(rows, .init(algorithms: []), master: "m", now: now).isEmpty)
    }
}
