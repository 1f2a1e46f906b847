import Base
import Database
import Foundation
import TestSupport
import Testing
import TokenTree

@Suite("token-tree.md rule 4; RFC 9700, 4.14.2: refresh tokens")
struct RefreshTests {
    /// What a rotation came to, so that it can be compared.
    private enum Came: Equatable { case child(NodeID, String?), refused, reused, otherScope(String?), elsewhere }

    private func rotate(
        _ tree: TestTree, _ text: String?, jkt: String? = "jkt", client: String? = nil, scope: String? = nil
    ) async throws -> Came {
        switch try await tree.rotate(text, jkt: jkt, client: client, scope: scope) {
        case .child(let issued): .child(issued.row.id, issued.refreshToken)
        case .refused: .refused
        case .otherScope(let granted): .otherScope(granted)
        case .otherResource, .resourceClosed: .elsewhere
        case .reused(let family):
            // As the grant does.
            try await endFamily(tree, family)
        }
    }

    private func endFamily(_ tree: TestTree, _ family: NodeID) async throws -> Came {
        try await tree.revocation.revoke(.token(family), by: .server)
        return .reused
    }

    private func child(_ came: Came) throws -> (id: NodeID, refresh: String) {
        guard case .child(let id, let text?) = came else { throw Unexpected(came: "\(came)") }
        return (id, text)
    }

    private struct Unexpected: Error { let came: String }

    @Test("each rotation gives a new token of the same family; the one before lives on until it expires")
    func rotation() async throws {
        try await TestTree.with { tree in
            let pat = try await tree.child(of: tree.instance(), refresh: .init())

            let first = try child(try await rotate(tree, pat.refreshToken))
            tree.time.advance(60)
            let second = try child(try await rotate(tree, first.refresh))

            #expect(Set([pat.row.id, first.id, second.id]).count == 3)
            for id in [pat.row.id, first.id, second.id] { #expect(try await tree.isLive(id)) }
            #expect(try await tree.store.find(second.id)?.family == pat.row.family)
            #expect(try await tree.store.find(second.id)?.lineage == pat.row.lineage)
        }
    }

    @Test("inside the grace window the same token gives the same child", arguments: [0.0, 9.9, 10])
    func grace(_ seconds: TimeInterval) async throws {
        try await TestTree.with { tree in
            let pat = try await tree.child(of: tree.instance(), refresh: .init())
            let first = try await rotate(tree, pat.refreshToken)

            tree.time.advance(seconds)

            #expect(try await rotate(tree, pat.refreshToken) == first)
            #expect(try await tree.isLive(pat))
        }
    }

    @Test("after the window reuse ends the family, its newest token included")
    func reuse() async throws {
        try await TestTree.with { tree in
            let instance = try await tree.instance(), pat = try await tree.child(of: instance, refresh: .init())
            let first = try child(try await rotate(tree, pat.refreshToken))

            tree.time.advance(10.1)
            #expect(try await rotate(tree, pat.refreshToken) == .reused)

            #expect(try await !tree.isLive(pat.row.id))
            #expect(try await !tree.isLive(first.id))
            #expect(try await rotate(tree, first.refresh) == .refused)
            #expect(try await tree.isLive(instance))
        }
    }

    @Test("inside the window, but after the child was used, reuse ends the family")
    func reuseOfGrandparent() async throws {
        try await TestTree.with { tree in
            let pat = try await tree.child(of: tree.instance(), refresh: .init())
            let first = try child(try await rotate(tree, pat.refreshToken)),
                second = try child(try await rotate(tree, first.refresh))

            #expect(try await rotate(tree, pat.refreshToken) == .reused)

            #expect(try await !tree.isLive(second.id))
        }
    }

    @Test("a wrong key, realm or client neither uses nor ends anything")
    func wrongHolder() async throws {
        try await TestTree.with { tree in
            let pat = try await tree.child(of: tree.instance(), refresh: .init())

            #expect(try await rotate(tree, pat.refreshToken, jkt: "another") == .refused)
            #expect(try await rotate(tree, pat.refreshToken, client: "another") == .refused)
            let families = RefreshFamily(store: tree.store),
                shown = try #require(try await families.find(pat.refreshToken ?? ""))
            let elsewhere = try await families.rotate(
                shown, realm: "learn", jkt: "jkt", lifetime: 60, admits: { _ in true })
            guard case .refused = elsewhere else { throw Unexpected(came: "another realm was accepted") }

            let first = try child(try await rotate(tree, pat.refreshToken, client: "phone"))
            tree.time.advance(60)
            #expect(try await rotate(tree, pat.refreshToken, jkt: "another") == .refused)
            #expect(try await tree.isLive(first.id))
        }
    }

    @Test("what this server did not make is nothing: changed, cut short, of another server")
    func forged() async throws {
        try await TestTree.with { tree in
            let pat = try await tree.child(of: tree.instance(), refresh: .init()), text = try #require(pat.refreshToken)
            let foreign = RefreshToken(family: pat.row.family, sequence: 0).text(
                key: SecretBytes([UInt8](repeating: 8, count: 32)))
            var bytes = try #require(Base64URL.decode(text))
            bytes[19] ^= 1

            for forged in [
                foreign, Base64URL.encode(bytes), String(text.dropLast(4)), text + "AAAA", "", "not a token",
            ] {
                #expect(try await rotate(tree, forged) == .refused)
            }
            #expect(try await tree.isLive(pat))
            #expect(
                RefreshToken(text, key: SecretBytes([UInt8](repeating: 7, count: 32)))
                    == RefreshToken(family: pat.row.family, sequence: 0))
        }
    }

    @Test("a family below a revoked node, and one idle for too long, is refused")
    func deadFamily() async throws {
        try await TestTree.with { tree in
            let instance = try await tree.instance()
            let revoked = try await tree.child(of: instance, refresh: .init()),
                idle = try await tree.child(of: tree.instance("other"), refresh: .init(idle: 100))

            try await tree.revocation.revoke(.virtual(Ancestor(.instance, "phone")), by: .server)
            #expect(try await rotate(tree, revoked.refreshToken) == .refused)
            tree.time.advance(99)
            let again = try child(try await rotate(tree, idle.refreshToken))
            tree.time.advance(99)
            let later = try child(try await rotate(tree, again.refresh))
            tree.time.advance(100)
            #expect(try await rotate(tree, later.refresh) == .refused)
        }
    }

    @Test("50 rotations at once give one child: 200 rounds")
    func race() async throws {
        try await TestTree.with { tree in
            let pat = try await tree.child(of: tree.instance(), refresh: .init())
            var text = pat.refreshToken
            for round in 0..<200 {
                let shown = text
                let came = try await crowd(50) { _ in try await rotate(tree, shown) }

                #expect(came.allSatisfy { $0 == came[0] }, "round \(round)")
                text = try child(came[0]).refresh
                tree.time.advance(1)
            }
            #expect(try await tree.database.value("select count(*) from token where family = \(pat.row.family)") == 201)
            #expect(
                try await tree.database.value("select sequence from family where id = \(pat.row.family)") == Int32(200))
        }
    }
}
