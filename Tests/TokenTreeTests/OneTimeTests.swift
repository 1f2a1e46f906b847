import Base
import Database
import Foundation
import TestSupport
import Testing

@testable import TokenTree

@Suite("token-tree.md rule 5: identifiers that work once")
struct OneTimeTests {
    @Test(
        "the first claim wins, all later ones lose; another expiry of the same identifier is another claim's business")
    func once() async throws {
        try await TestTree.with { (tree) async throws in
            let expires = tree.time.now + 300

            #expect(try await tree.oneTime.claim("jti", namespace: "dpop", expires: expires))
            #expect(try await !tree.oneTime.claim("jti", namespace: "dpop", expires: expires))
        }
    }

    @Test("namespaces do not collide, not even where their texts run together")
    func namespaces() async throws {
        try await TestTree.with { (tree) async throws in
            let expires = tree.time.now + 300

            for (jti, namespace) in [("a", "b"), ("b", "a"), ("", "ba"), ("ba", ""), ("1:ba", ""), ("A", "b")] {
                #expect(
                    try await tree.oneTime.claim(jti, namespace: namespace, expires: expires), "\(namespace) \(jti)")
            }
        }
    }

    @Test("a claim in a transaction that rolls back was none")
    func rollback() async throws {
        try await TestTree.with { tree in
            let expires = tree.time.now + 300

            let inside = try await tree.database.rollingBack {
                try await tree.oneTime.claim("jti", namespace: "n", expires: expires, in: $0)
            }

            #expect(inside)
            #expect(try await tree.oneTime.claim("jti", namespace: "n", expires: expires))
        }
    }

    /// Asks again where another transaction had the identifier for a second, as on a machine that is busy.
    private static func patiently(_ claim: () async throws -> Bool) async throws -> Bool {
        while true {
            do { return try await claim() } catch DatabaseError.server(sqlState: "55P03", message: _) { continue }
        }
    }

    @Test("of 50 claims at once one wins: 200 rounds")
    func race() async throws {
        try await TestTree.with { tree in
            let expires = tree.time.now + 300
            for round in 0..<200 {
                let won = try await crowd(50) { number in
                    guard number % 5 == 0 else {
                        return try await Self.patiently {
                            try await tree.oneTime.claim("\(round)", namespace: "race", expires: expires)
                        }
                    }
                    return try await tree.database.atomically {
                        try await tree.oneTime.claim("\(round)", namespace: "race", expires: expires, in: $0)
                    }
                }
                #expect(won.count { $0 } == 1, "round \(round)")
            }
            #expect(try await tree.database.value("select count(*) from one_time") == 200)
        }
    }

    @Test(
        """
        an identifier that a transaction has claimed is waited for a second and is then an error; those who claimed \
        others meanwhile have theirs
        """
    )
    func held() async throws {
        try await TestTree.with(connections: 2) { tree in
            let expires = tree.time.now + 300

            let told = try await tree.database.rollingBack { transaction -> [String] in
                let inside = try await tree.oneTime.claim("held", namespace: "n", expires: expires, in: transaction)
                let others = try await crowd(4) { number -> String in
                    do {
                        let id = number == 2 ? "held" : "\(number)"
                        return "\(try await tree.oneTime.claim(id, namespace: "n", expires: expires))"
                    } catch DatabaseError.server(sqlState: let state, message: _) {
                        return state
                    }
                }
                return ["\(inside)"] + others
            }
            let after = try await tree.oneTime.claim("held", namespace: "n", expires: expires)
            let patience: String = try await tree.database.value("select current_setting('lock_timeout')")

            #expect(told == ["true", "true", "true", "55P03", "true"] && after)
            #expect(patience == "0", "the setting is the statement's alone")
        }
    }

    @Test("of 50 that use one code at once one gets it: 200 rounds")
    func codes() async throws {
        try await TestTree.with { tree in
            let instance = try await tree.instance(), secret = [UInt8](repeating: 3, count: 32)
            let body = TokenBody(
                realm: "idp", kind: .code, parent: instance.row.family, anchor: instance.row.body.anchor)
            for round in 0..<200 {
                let code = try await tree.store.issue(
                    TokenDraft(body, inherited: instance.row.lineage, lifetime: 60, secret: secret)
                ).row.id
                let won = try await crowd(50) { _ in
                    try await tree.store.use(code, secret: secret, in: tree.database) != nil
                }
                #expect(won.count { $0 } == 1, "round \(round)")
            }
        }
    }
}
