import Base
import Database
import Foundation
import Synchronization
import TestSupport
import Testing
import TokenTree

@Suite("token-tree.md: the key that signs is an ancestor")
struct SignerTests {
    /// The room of keys in small: the truth is in the database, and memory is told late or never.
    private final class Keys: Sendable {
        let memory = Mutex("k1")

        /// `asked` runs before each answer.
        func signer(asked: @escaping @Sendable (_ certain: Bool) async throws -> Void = { _ in }) -> TokenStore.Signer {
            { certain, executor in
                try await asked(certain)
                guard certain else { return self.memory.withLock { $0 } }
                return try await executor.query("select value #>> '{}' as kid from setting where name = 'signer'").first
                    .map { try $0("kid") }
            }
        }

        func remember(_ kid: String) { memory.withLock { $0 = kid } }
    }

    private func with(_ body: (TestTree, Keys) async throws -> Void) async throws {
        let keys = Keys()
        try await TestTree.with(signer: keys.signer()) { tree in
            try await sign("k1", tree.database, tree)
            try await body(tree, keys)
        }
    }

    private func sign(_ kid: String, _ executor: any SQLExecutor, _ tree: TestTree) async throws {
        try await executor.execute(
            """
            insert into setting (name, value, changed_at) values ('signer', to_jsonb(\(kid)::text), \(tree.time.now))
            on conflict (name) do update set value = excluded.value
            """)
    }

    /// Another key signs, and the old one's tree is revoked, in one transaction. Nobody is told.
    private func revoke(_ old: String, for new: String, _ tree: TestTree) async throws {
        try await tree.database.atomically { transaction in
            try await sign(new, transaction, tree)
            try await tree.revocation.revoke(.virtual(Ancestor(.signer, old)), by: .server, in: transaction)
        }
    }

    private func generation(_ kid: String, _ tree: TestTree) async throws -> NodeID? {
        try await TreeView(store: tree.store).generation(of: Ancestor(.signer, kid), in: tree.database)
    }

    /// Tokens below a generation of that key that is open, whatever its number.
    private func live(below kid: String, _ tree: TestTree) async throws -> Int {
        try await tree.database.value(
            """
            select count(*) from token t join ancestor a on a.kind = 'signer' and a.name = \(kid)
                and a.id = any (t.lineage)
            where not exists (select from revocation r where r.node = any (t.lineage))
            """)
    }

    @Test("it comes behind what a draft adds, once: a level adds another only when another signs")
    func place() async throws {
        try await with { tree, keys in
            let instance = try await tree.instance(), pat = try await tree.child(of: instance)
            let first = try #require(try await generation("k1", tree))
            try await sign("k2", tree.database, tree)
            keys.remember("k2")
            let account = try await tree.store.generations(of: [Ancestor(.account, "ada")])
            let body = TokenBody(
                realm: "idp", kind: .personalAccessToken, parent: instance.row.family, anchor: instance.row.body.anchor)
            let
                later = try await tree.store.issue(
                    TokenDraft(body, inherited: instance.row.lineage, added: account, lifetime: 60)),
                below = try await tree.child(of: later)
            let second = try #require(try await generation("k2", tree))

            #expect(instance.row.lineage.count == 6 && instance.row.lineage[4] == first)
            #expect(pat.row.lineage == instance.row.lineage + [pat.row.id])
            #expect(later.row.lineage == instance.row.lineage + account + [second, later.row.id])
            #expect(below.row.lineage == later.row.lineage + [below.row.id])
            for token in [instance, pat, later, below] {
                let found = try #require(try await tree.store.find(token.row.id))
                #expect(found.lineage == token.row.lineage && !found.isRevoked)
            }
        }
    }

    @Test(
        """
        its revocation ends all below, refresh tokens too, and tells the services; what is issued under the next key \
        lives
        """
    )
    func revoke() async throws {
        try await with { tree, keys in
            let instance = try await tree.instance(),
                pat = try await tree.child(of: instance, refresh: .init(), reaches: "learn")
            try await sign("k2", tree.database, tree)
            keys.remember("k2")
            let other = try await tree.instance("other"), below = try await tree.child(of: instance)

            let revoked = try await tree.revocation.revoke(.virtual(Ancestor(.signer, "k1")), by: .server)

            #expect(!revoked.already && revoked.services == ["learn"])
            for token in [instance, pat, below] { #expect(try await !tree.isLive(token)) }
            guard case .refused = try await tree.rotate(pat.refreshToken) else {
                return #expect(Bool(false), "a family under the key outlived it")
            }
            #expect(try await tree.isLive(other))
            await #expect(throws: AncestorRevoked.self) { try await tree.child(of: instance) }
            let row = try #require(try await tree.store.find(below.row.id))
            #expect(try await Verdict(of: row, at: tree.time.now, in: tree.database).cause?.node == "signer:k1")
        }
    }

    @Test("a family that began under an older key goes on under it, whoever signs its tokens")
    func family() async throws {
        try await with { tree, keys in
            let pat = try await tree.child(of: tree.instance(), refresh: .init())
            try await sign("k2", tree.database, tree)
            keys.remember("k2")
            guard case .child(let rotated) = try await tree.rotate(pat.refreshToken) else {
                return #expect(Bool(false), "rotation")
            }
            _ = try await tree.instance("other")

            try await tree.revocation.revoke(.virtual(Ancestor(.signer, "k2")), by: .server)

            #expect(rotated.row.lineage == pat.row.lineage)
            #expect(try await tree.isLive(rotated))
        }
    }

    @Test("a process that has not been told of the end of a key issues under the new one", arguments: [true, false])
    func untold(_ hasIssued: Bool) async throws {
        try await with { tree, _ in
            let memory = Keys(), process = tree.another(signer: memory.signer())
            if hasIssued { _ = try await process.instance("before") }
            _ = try await tree.instance("elsewhere")
            try await revoke("k1", for: "k2", tree)

            let after = try await process.instance("after"), again = try await process.child(of: after)

            let second = try #require(try await generation("k2", tree))
            #expect(after.row.lineage.contains(second) && again.row.lineage.contains(second))
            for token in [after, again] { #expect(try await tree.isLive(token)) }
            #expect(try await live(below: "k1", tree) == 0)
            #expect(memory.memory.withLock { $0 } == "k1", "it is still wrong")
        }
    }

    @Test(
        "a key that ends between the question who signs and the opening of its generation has nothing below it",
        arguments: [true, false])
    func between(_ isInTransaction: Bool) async throws {
        try await with { tree, _ in
            let end = Mutex(true), memory = Keys()
            let process = tree.another(
                signer: memory.signer(asked: { certain in
                    if !certain,
                        end.withLock({
                            let first = $0
                            $0 = false
                            return first
                        })
                    {
                        try await revoke("k1", for: "k2", tree)
                    }
                }))

            let token =
                isInTransaction
                ? try await tree.database.atomically { transaction in
                    let body = TokenBody(
                        realm: "idp", kind: .accessToken, parent: nil, anchor: NodeID(endless: .system))
                    return try await process.store.issue(TokenDraft(body, inherited: [], lifetime: 60), in: transaction)
                } : try await process.instance()

            #expect(token.row.lineage.contains(try #require(try await generation("k2", tree))))
            #expect(try await tree.isLive(token))
            #expect(try await live(below: "k1", tree) == 0)
        }
    }

    @Test("a generation that was opened by a transaction which failed is not taken for an open one")
    func rolledBack() async throws {
        struct Undone: Error {}
        try await with { tree, _ in
            await #expect(throws: Undone.self) {
                try await tree.database.transaction { transaction in
                    let body = TokenBody(
                        realm: "idp", kind: .accessToken, parent: nil, anchor: NodeID(endless: .system))
                    _ = try await tree.store.issue(TokenDraft(body, inherited: [], lifetime: 60), in: transaction)
                    throw Undone()
                }
            }
            #expect(try await generation("k1", tree) == nil)

            let token = try await tree.instance()
            try await tree.revocation.revoke(.virtual(Ancestor(.signer, "k1")), by: .server)

            #expect(try await !tree.isLive(token))
        }
    }

    @Test("a generation whose opener commits while something else is being refused under it is taken after all")
    func committedMeanwhile() async throws {
        try await with { tree, _ in
            let (opened, hasOpened) = AsyncStream.makeStream(of: Void.self),
                (released, release) = AsyncStream.makeStream(of: Void.self), opener = Mutex<Task<Void, any Error>?>(nil)
            // From the second question on that wants to be certain: the first is the opener's own.
            let questions = Mutex(0)
            let process = tree.another(
                signer: Keys().signer(asked: { certain in
                    guard certain,
                        questions.withLock({
                            $0 += 1
                            return $0
                        }) == 2
                    else { return }
                    release.finish()
                    try await opener.withLock { $0 }?.value
                }))
            let task = Task {
                defer { hasOpened.finish() }
                try await tree.database.transaction { transaction in
                    let body = TokenBody(
                        realm: "idp", kind: .accessToken, parent: nil, anchor: NodeID(endless: .system))
                    _ = try await process.store.issue(TokenDraft(body, inherited: [], lifetime: 60), in: transaction)
                    hasOpened.finish()
                    for await _ in released {}
                }
            }
            opener.withLock { $0 = task }
            for await _ in opened {}

            let token = try await process.instance()

            let first = try #require(try await generation("k1", tree))
            #expect(token.row.lineage.contains(first))
            #expect(try await tree.isLive(token))
            #expect(try await tree.database.value("select count(*) from revocation") == 0)
        }
    }

    @Test("a key under which nothing was issued is revoked as well, once")
    func unused() async throws {
        try await with { tree, _ in
            let first = try await tree.revocation.revoke(.virtual(Ancestor(.signer, "k1")), by: .server)
            let second = try await tree.revocation.revoke(.virtual(Ancestor(.signer, "k1")), by: .server)

            #expect(!first.already && second.already && second.revokedAt == first.revokedAt)
            #expect(try await tree.database.value("select count(*) from revocation where label = 'signer:k1'") == 1)
        }
    }

    @Test("while one key signs, issuing takes no more statements than without")
    func cost() async throws {
        let log = CapturedLog(), keys = Keys()
        try await TestTree.with(logger: log.logger, signer: keys.signer()) { tree in
            try await sign("k1", tree.database, tree)
            let pat = try await tree.child(of: tree.instance())
            let before = log.all.count

            _ = try await tree.child(of: pat)

            let statements = log.all[before...].filter { $0.contains(" sql ") }
            #expect(
                statements.count == 2 && statements[0].contains("pg_advisory_xact_lock_shared")
                    && statements[1].contains("insert into token"), "\(statements)")
        }
    }

    @Test("issuing races the end of keys: nothing lives below a key that has ended, 20 keys, 30 at once, 3 each")
    func race() async throws {
        try await with { tree, keys in
            for round in 1...20 {
                let (old, new) = ("k\(round)", "k\(round + 1)")
                // Every other process is told in time; this one after the round.
                let late = Keys(), process = tree.another(signer: late.signer())
                late.remember(old)

                async let minted: [Void] = crowd(30) { number in
                    let place = number % 2 == 0 ? tree : process
                    for turn in 0..<3 {
                        guard (number + turn) % 3 == 0 else {
                            _ = try await place.instance("\(round) \(number) \(turn)")
                            continue
                        }
                        _ = try await tree.database.atomically { transaction in
                            let lineage = try await place.store.generations(
                                of: [.epoch, Ancestor(.client, "\(number)")], in: transaction)
                            let body = TokenBody(realm: "idp", kind: .accessToken, parent: nil, anchor: lineage[1])
                            return try await place.store.issue(
                                TokenDraft(body, inherited: [], added: lineage, lifetime: 60), in: transaction)
                        }
                    }
                }
                try await revoke(old, for: new, tree)
                keys.remember(new)
                _ = try await minted

                #expect(try await live(below: old, tree) == 0, "round \(round)")
            }
            let below: Int = try await tree.database.value(
                """
                select count(*) from token t where exists (select from revocation r where r.label like 'signer:%'
                    and r.node = any (t.lineage))
                """
            )
            let alive: Int = try await tree.database.value(
                """
                select count(*) from token t where not exists (select from revocation r
                    where r.node = any (t.lineage))
                """
            )
            print("issuing against the end of keys: \(below) under the old key, \(alive) under the new")
            #expect(below + alive == 20 * 30 * 3 && below > 0)
        }
    }
}
