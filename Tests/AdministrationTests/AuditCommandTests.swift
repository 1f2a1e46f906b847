import Administration
import Base
import Foundation
import TestSupport
import Testing
import TokenTree

@Suite("audit verify, show, prove, heads and export")
struct AuditCommandTests {
    @Test("a revoked node is proved by its line, and the path from it leads to the day's head")
    func prove() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn()
            let before = server.time.now
            server.time.advance(60)
            _ = try await server.object("tokens revoke", ["node": .string("instance:\(phone.clientID)")])
            for number in 0..<3 {
                _ = try await server.object("apps create", ["app": .string("org.example.a\(number)"), "name": "A"])
            }
            let asked: JSONObject = [
                "node": .string("instance:\(phone.clientID)"), "at": .string(server.time.now.rfc3339), "path": true,
            ]
            #expect(try await server.refusal("audit prove", asked) == .conflict)
            #expect(try await server.object("audit chain")["lines"]?.integer ?? 0 >= 4)

            let proof = try await server.object("audit prove", asked)

            func bytes(_ name: String) throws -> [UInt8] {
                try #require(proof[name]?.string.flatMap { Hexadecimal.decode($0) })
            }
            var hash = AuditLink.hash(try bytes("previous"), try bytes("digest"))
            #expect(try hash == bytes("hash") && proof["line"]?["action"] == "revoke")
            let path = try #require(proof["path"]?.strings)
            for digest in path { hash = AuditLink.hash(hash, Hexadecimal.decode(digest) ?? []) }
            #expect(try hash == bytes("head") && path.count >= 3)

            // What hung below it is proved by the same line.
            let token = try #require(
                try await server.database.query(
                    "select id from token where kind = 'pat' limit 1"
                ).first.map { try $0("id", as: NodeID.self) })
            let below = try await server.object(
                "audit prove", ["node": .string("token:\(token)"), "at": .string(server.time.now.rfc3339)])
            #expect(below["place"] == proof["place"] && !pat.accessToken.isEmpty)
            #expect(
                try await server.refusal(
                    "audit prove",
                    ["node": .string("instance:\(phone.clientID)"), "at": .string(before.rfc3339)]) == .notFound)
            #expect(
                try await server.refusal(
                    "audit prove", ["node": .string("token:\(token)"), "at": .string(before.rfc3339)]) == .notFound)
            #expect(try await server.refusal("audit prove", ["node": "account:ada", "at": "yesterday"]) == .invalid)
        }
    }

    @Test("an export is heads and lines, page by page as in one; a line is shown with its place")
    func export() async throws {
        try await TestServer.with { server in
            for number in 0..<5 {
                _ = try await server.object("apps create", ["app": .string("org.example.a\(number)"), "name": "A"])
            }
            _ = try await server.object("audit chain")

            let whole = try await server.items("audit export"), heads = try await server.items("audit heads")
            var pages: [JSONValue] = [], after: String?
            repeat {
                let page = try await server.administer(
                    "audit export", ["limit": 2, "after": JSONValue(after)])
                guard case .list(let items, let next) = page else { break }
                #expect(items.count <= 2)
                (pages, after) = (pages + items, next)
            } while after != nil

            #expect(pages == whole && whole.count >= 6 && heads.count == 1 && whole.first == heads.first)
            let id = try #require(whole.last?["id"]?.integer)
            let shown = try await server.object("audit show", ["id": .integer(id)])
            #expect(shown["chain"]?["hash"] == whole.last?["hash"] && shown["action"] == "apps.create")
            #expect(try await server.object("audit verify")["intact"] == true)
            #expect(try await server.refusal("audit show", ["id": 999_999]) == .notFound)
            #expect(try await server.refusal("audit export", ["after": "x"]) == .invalid)
            #expect(try await server.refusal("audit verify", ["day": "2026-02-31"]) == .invalid)
            #expect(try await server.refusal("audit verify", ["day": "2026-02-03", "since": "2026-02-01"]) == .usage)
        }
    }
}
