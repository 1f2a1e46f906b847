import Base
import Database
import Foundation
import TestSupport
import Testing

@testable import TokenTree

@Suite("token-tree.md: tokens that are revoked together are one transaction")
struct RevocationGatheringTests {
    @Test("of many at once each dies, by its own actor, and its services are told; what was not named lives")
    func outcomes() async throws {
        try await TestTree.with { tree in
            let above = try await tree.child(of: tree.instance()), spared = try await tree.child(of: above, .assertion)
            let tokens = try await crowd(100) { number in
                try await tree.child(of: above, .accessToken, reaches: number % 4 == 0 ? "service \(number)" : nil)
            }

            let outcomes = try await crowd(100) { number in
                try await tree.revocation.revoke(
                    .token(tokens[number].row.family),
                    by: AuditActor(name: "client:\(number)", origin: number % 2 == 0 ? "192.0.2.1" : nil))
            }

            for (number, token) in tokens.enumerated() {
                let told = number % 4 == 0 ? ["service \(number)"] : []
                #expect(try await !tree.isLive(token))
                #expect(!outcomes[number].already && outcomes[number].revokedAt != nil)
                #expect(outcomes[number].services == told)
                #expect(tree.announced.services(of: token.row.family) == told)
            }
            for token in [above, spared] { #expect(try await tree.isLive(token)) }
            let lines = try await tree.database.query(
                "select actor, origin, node, reason from audit where action = 'revoke' order by actor")
            let said = try lines.map { line in
                [try line("actor"), try line("origin", as: String?.self) ?? "-", try line("node") as String]
            }
            let due = tokens.enumerated().map { number, token in
                ["client:\(number)", number % 2 == 0 ? "192.0.2.1" : "-", Node.token(token.row.family).label]
            }
            #expect(Set(said) == Set(due) && said.count == due.count)
            #expect(try lines.allSatisfy { try $0("reason", as: String?.self) == nil })
        }
    }

    @Test("of many who revoke one token one has done it, and all learn when")
    func once() async throws {
        try await TestTree.with { tree in
            let token = try await tree.child(of: tree.instance(), reaches: "viewer")

            let outcomes = try await crowd(50) { _ in
                try await tree.revocation.revoke(.token(token.row.family), by: .server)
            }

            #expect(outcomes.count { !$0.already } == 1)
            #expect(Set(outcomes.map(\.revokedAt)).count == 1 && outcomes[0].revokedAt != nil)
            #expect(outcomes.flatMap(\.services) == ["viewer"])
            #expect(tree.announced.services(of: token.row.family) == ["viewer"])
            let lines: Int = try await tree.database.value("select count(*) from audit where action = 'revoke'")
            #expect(lines == 1)
        }
    }

    @Test("who waits for a token that is being issued below keeps no others waiting, and tells its service")
    func patience() async throws {
        try await TestTree.with { tree in
            let above = try await tree.child(of: tree.instance())
            let tokens = try await crowd(100) { _ in try await tree.child(of: above, .accessToken) }
            let busy = try await tree.child(of: above, .accessToken)

            let waiting = try await tree.database.atomically { transaction in
                _ = try await tree.child(of: busy, .assertion, reaches: "viewer", in: transaction)
                let waiting = Task { try await tree.revocation.revoke(.token(busy.row.family), by: .server) }
                _ = try await crowd(100) { number in
                    try await tree.revocation.revoke(.token(tokens[number].row.family), by: .server)
                }
                for token in tokens { #expect(try await !tree.isLive(token)) }
                #expect(try await tree.isLive(busy))
                return waiting
            }

            #expect(try await waiting.value.services == ["viewer"])
            #expect(try await !tree.isLive(busy))
        }
    }

    @Test("where a service cannot be told, nothing is revoked, and those that came with it are")
    func failing() async throws {
        try await TestTree.with { tree in
            let above = try await tree.child(of: tree.instance())
            let reaching = try await tree.child(of: above, .accessToken, reaches: "viewer")
            let others = try await crowd(50) { _ in try await tree.child(of: above, .accessToken) }
            struct Untold: Error {}
            let revocation = Revocation(store: tree.store) { _, _, _ in throw Untold() }

            let failed = try await crowd(51) { number in
                do {
                    let token = number < 50 ? others[number] : reaching
                    _ = try await revocation.revoke(.token(token.row.family), by: .server)
                    return false
                } catch is Untold {
                    return true
                }
            }

            #expect(failed == [Bool](repeating: false, count: 50) + [true])
            #expect(try await tree.isLive(reaching))
            for token in others { #expect(try await !tree.isLive(token)) }
        }
    }
}
