import Base
import Database
import Foundation
import Testing

@testable import Keys

@Suite("signing keys in memory")
struct WatchKeysTests {
    private let time = SettableClock()

    private func published(_ keys: SigningKeys) async throws -> Int {
        try await keys.published()["keys"]?.array?.count ?? 0
    }

    /// A change that nobody is told of.
    private func retireInSilence(_ schema: TestSchema) async throws {
        try await schema.database.execute("update signing_key set status = 'retired' where status = 'next'")
    }

    @Test("nobody listening, every use reads the table")
    func readsThrough() async throws {
        try await TestSchema.with { schema in
            let keys = try schema.keys(time)
            try await keys.ensure()
            #expect(try await published(keys) == 2)

            try await retireInSilence(schema)

            #expect(try await published(keys) == 1)
        }
    }

    @Test("while listening, memory serves until a notification comes")
    func listens() async throws {
        try await TestSchema.with { schema in
            try await schema.listening(time) { keys in
                // Whoever is told that it listens may come before what it reads then.
                #expect(try await published(keys) == 2)
                try await retireInSilence(schema)
                #expect(try await published(keys) == 2)
                _ = try await schema.database.query("select 1 from (select pg_notify(\(schema.channel), '')) n")
                #expect(try await eventually { try await published(keys) == 1 })
            }
        }
    }

    @Test("a lost listener costs no change: it is read through, and read again when it is back")
    func lost() async throws {
        try await TestSchema.with { schema in
            try await schema.listening(time) { keys in
                try await retireInSilence(schema)
                #expect(try await published(keys) == 2)

                // What is changed after the loss may be later than the next reading, and nobody would tell of it.
                let ended = try await schema.database.query(
                    """
                    select pid from pg_stat_activity where query ilike \("listen \"" + schema.channel + "\"%")
                        and pg_terminate_backend(pid)
                    """)
                #expect(ended.count == 1)

                #expect(try await eventually { try await published(keys) == 1 })
                #expect(try await eventually { await keys.isCertain })
            }
        }
    }

    @Test("a kid that is not in memory is looked for in the table once a second at most")
    func unknownKid() async throws {
        try await TestSchema.with { schema in
            try await schema.listening(time) { keys in
                let hidden = try await Signer().key
                let jwt = try JWT(
                    Signer(key: hidden).token(header: #"{"alg":"ES256","kid":"\#(hidden.publicKey.thumbprint)"}"#))
                let invented = try JWT(Signer(key: hidden).token(header: #"{"alg":"ES256","kid":"invented"}"#))

                #expect(try await !keys.verify(invented))
                try await schema.activateInSilence(hidden, at: time.now)
                #expect(try await !keys.verify(jwt))
                time.advance(1)
                #expect(try await keys.verify(jwt))
                #expect(try await !keys.verify(invented))
            }
        }
    }
}
