import Base
import Database
import Foundation
import TestSupport
import Testing

@testable import TokenTree

@Suite("token-tree.md: tokens that are issued together are written together")
struct IssueGatheringTests {
    @Test("every lineage is locked root first, each node once")
    func order() {
        let nodes = (0..<6).map { NodeID(digestOf: "node \($0)") }
        let lineages = [[nodes[0], nodes[1], nodes[4]], [nodes[0], nodes[2], nodes[3], nodes[4]], [nodes[5]]]

        let order = IssueGathering.order(lineages)

        #expect(order.count == 6 && Set(order) == Set(nodes))
        for lineage in lineages {
            let places = lineage.compactMap { order.firstIndex(of: $0) }
            #expect(places == places.sorted() && places.count == lineage.count)
        }
    }

    @Test("each learns its own outcome: of many at once those below what is revoked are refused, and no others")
    func outcomes() async throws {
        try await TestTree.with { tree in
            let whole = try await tree.child(of: tree.instance()), cut = try await tree.child(of: tree.instance("lost"))
            try await tree.revocation.revoke(.token(cut.row.family), by: .server)

            let issued = try await crowd(200) { number in
                do {
                    return try await tree.child(of: number % 3 == 0 ? cut : whole, .assertion).row.id as NodeID?
                } catch is AncestorRevoked {
                    return nil
                }
            }

            for (number, id) in issued.enumerated() { #expect((id == nil) == (number % 3 == 0)) }
            #expect(Set(issued.compactMap(\.self)).count == issued.count { $0 != nil })
            let rows: Int = try await tree.database.value("select count(*) from token where kind = 'assertion'")
            #expect(rows == issued.count { $0 != nil })
        }
    }

    @Test("only those that differ in nothing but identifier and times are one statement")
    func alike() {
        let nodes = (0..<3).map { NodeID(digestOf: "node \($0)") }
        func token(
            _ client: String = "machine", scope: String? = "read", below: Int = 1, when condition: SQL = "1 = 1",
            refresh: TokenDraft.Refresh? = nil, secret: [UInt8]? = nil, signer: Int = 2
        ) -> TokenInsertion {
            let body = TokenBody(
                realm: "idp", kind: .accessToken, parent: nil, anchor: nodes[0], client: client, scope: scope)
            return TokenInsertion(
                draft: TokenDraft(
                    body, inherited: [], added: [nodes[0], nodes[below]], lifetime: 60, refresh: refresh,
                    secret: secret, condition: condition),
                id: NodeID(endless: .system), signer: .init(kid: "key", id: nodes[signer]), isRemembered: true,
                now: Date(), expires: Date().addingTimeInterval(60))
        }

        #expect(token().isLike(token()))
        for other in [
            token("another"), token(scope: "read write"), token(scope: nil), token(below: 2), token(signer: 1),
            token(when: "1 = \(1)"), token(when: "1 = \(2)"), token(refresh: .init()), token(secret: [1]),
        ] {
            #expect(!token().isLike(other) && !other.isLike(token()))
        }
        #expect(!token(when: "1 = \(1)").isLike(token(when: "1 = \(2)")))
        #expect(!token(refresh: .init()).isLike(token(refresh: .init())), "each has a family of its own")
    }

    @Test("a draft whose condition does not hold is not issued, and is told apart from one that is revoked")
    func condition() async throws {
        try await TestTree.with { tree in
            let ancestors = [Ancestor.epoch, Ancestor(.client, "machine")]
            func draft(_ generations: [NodeID], _ condition: SQL) -> TokenDraft {
                TokenDraft(
                    TokenBody(realm: "idp", kind: .accessToken, parent: nil, anchor: generations[1]), inherited: [],
                    added: generations, lifetime: 60, condition: condition)
            }

            _ = try await tree.store.issue(below: ancestors) { draft($0, "1 = 1") }
            await #expect(throws: ConditionFailed.self) {
                _ = try await tree.store.issue(below: ancestors) { draft($0, "1 = 2") }
            }

            let rows: Int = try await tree.database.value("select count(*) from token where kind = 'access_token'")
            #expect(rows == 1)
        }
    }

    @Test("an identifier is used up by the one token that is made with it, and by no refusal")
    func using() async throws {
        try await TestTree.with { tree in
            let whole = try await tree.child(of: tree.instance()), cut = try await tree.child(of: tree.instance("lost"))
            try await tree.revocation.revoke(.token(cut.row.family), by: .server)
            let once = NodeID(
                oneTime: "assertion 1", namespace: "test", expires: tree.time.now.addingTimeInterval(60))
            @Sendable func issue(below parent: IssuedToken, _ condition: SQL = "1 = 1") async throws -> NodeID {
                let body = TokenBody(
                    realm: "learn", kind: .serviceToken, parent: parent.row.family, anchor: parent.row.body.anchor)
                return try await tree.store.issue(
                    TokenDraft(
                        body, inherited: parent.row.lineage, lifetime: 60, refresh: .init(), condition: condition,
                        using: once)
                ).row.id
            }

            await #expect(throws: ConditionFailed.self) { _ = try await issue(below: whole, "1 = 2") }
            await #expect(throws: AncestorRevoked.self) { _ = try await issue(below: cut) }
            let unused: Int = try await tree.database.value("select count(*) from one_time")
            #expect(unused == 0)
            let made = try await crowd(100) { _ in
                do { return try await issue(below: whole) as NodeID? } catch is AlreadyUsed { return nil }
            }

            #expect(made.compactMap(\.self).count == 1)
            await #expect(throws: AlreadyUsed.self) { _ = try await issue(below: whole) }
            await #expect(throws: AlreadyUsed.self) { _ = try await issue(below: cut) }
            let rows: Int = try await tree.database.value("select count(*) from token where kind = 'service_token'")
            #expect(rows == 1)
        }
    }

    @Test("a token that works once is used up by the one that is made of it, which is its child, and by no refusal")
    func redeeming() async throws {
        try await TestTree.with { tree in
            let parent = try await tree.instance(), secret = Digest.sha256("secret")
            func code(_ lifetime: TimeInterval = 60) async throws -> NodeID {
                let body = TokenBody(
                    realm: "idp", kind: .code, parent: parent.row.family, anchor: parent.row.body.anchor)
                return try await tree.store.issue(
                    TokenDraft(body, inherited: parent.row.lineage, lifetime: lifetime, secret: secret)
                ).row.id
            }
            @Sendable func redeem(
                _ code: NodeID, secret: [UInt8] = Digest.sha256("secret"), _ condition: SQL = "1 = 1"
            ) async throws -> NodeID? {
                let body = TokenBody(
                    realm: "idp", kind: .accessToken, parent: nil, anchor: parent.row.body.anchor)
                do {
                    return try await tree.store.issue(
                        TokenDraft(
                            body, inherited: parent.row.lineage, lifetime: 60, refresh: .init(), condition: condition,
                            redeeming: OneTimeToken(id: code, secret: secret))
                    ).row.id
                } catch is ConditionFailed {
                    return nil
                }
            }
            let shared = try await code(), other = try await code(), revoked = try await code(),
                late = try await code(1)
            try await tree.revocation.revoke(.token(revoked), by: .server)
            tree.time.advance(1)

            #expect(try await redeem(shared, "1 = 2") == nil)
            #expect(try await redeem(shared, secret: Digest.sha256("guess")) == nil)
            #expect(try await redeem(revoked) == nil)
            #expect(try await redeem(late) == nil)
            #expect(try await tree.store.find(shared)?.usedAt == nil)
            let made = try await crowd(100) { try await redeem($0 == 50 ? other : shared) }

            let winners = made.enumerated().filter { $0.offset != 50 }.compactMap(\.element)
            #expect(winners.count == 1 && made[50] != nil)
            let row = try #require(try await tree.store.find(shared))
            #expect(row.usedAt != nil && row.child == winners.first)
            #expect(try await tree.store.find(other)?.child == made[50])
            #expect(try await redeem(parent.row.id) == nil, "no token that works once")
            let orphan = try await code()
            try await tree.revocation.revoke(.token(parent.row.family), by: .server)
            #expect(try await redeem(orphan) == nil)
            #expect(try await tree.store.find(orphan)?.usedAt == nil)
            let rows: Int = try await tree.database.value("select count(*) from token where kind = 'access_token'"),
                families: Int = try await tree.database.value("select count(*) from family where kind = 'access_token'")
            #expect(rows == 2 && families == 2)
        }
    }

    @Test("who waits for a revocation that is not over keeps no others waiting, and is refused when it is")
    func patience() async throws {
        try await TestTree.with { tree in
            let whole = try await tree.child(of: tree.instance()),
                held = try await tree.child(of: tree.instance("held"))
            let (others, waiting) = try await tree.database.atomically { transaction in
                _ = try await tree.revocation.revoke(.token(held.row.family), by: .server, in: transaction)
                let waiting = Task { try await tree.child(of: held, .assertion) }
                return (try await crowd(100) { _ in try await tree.child(of: whole, .assertion) }, waiting)
            }

            #expect(others.count == 100, "issued before the revocation was over")
            await #expect(throws: AncestorRevoked.self) { try await waiting.value }
        }
    }

    @Test("families that are rotated at once get a child each, and one that is held keeps no others waiting")
    func rotations() async throws {
        try await TestTree.with { tree in
            let phone = try await tree.instance()
            let families = try await crowd(100) { _ in try await tree.child(of: phone, refresh: .init()) }
            let held = try await tree.child(of: phone, refresh: .init())
            func child(_ rotation: RefreshFamily.Rotation) throws -> IssuedToken {
                guard case .child(let issued) = rotation else { throw AncestorRevoked() }
                return issued
            }

            let (rotations, waiting) = try await tree.database.atomically { transaction in
                _ = try await transaction.query("select id from family where id = \(held.row.family) for update")
                let waiting = Task { try await tree.rotate(held.refreshToken) }
                return (try await crowd(100) { try await tree.rotate(families[$0].refreshToken) }, waiting)
            }

            let children = try rotations.map(child)
            #expect(children.map(\.row.family) == families.map(\.row.family), "rotated before the other was free")
            for child in children { #expect(try await tree.isLive(child.row.id)) }
            #expect(try child(try await waiting.value).row.family == held.row.family)
        }
    }
}
