import Base
import Database
import Foundation
import Testing

@testable import Keys

@Suite("signing keys in PostgreSQL")
struct SigningKeysTests {
    private let time = SettableClock()
    private let day: TimeInterval = 86_400

    @Test("a token has alg, typ, kid first, and is verified by the published key of its kid")
    func sign() async throws {
        try await TestSchema.with { schema in
            let keys = try schema.keys(time)
            try await keys.ensure()

            let jwt = try JWT(
                await keys.sign(
                    type: "at+jwt", claims: ["sub": "ada", "n": 1], header: ["x": 1, "alg": "none", "kid": "x"]))
            let published = try await JSONWebKey.set(keys.published())

            #expect(jwt.header.names == ["alg", "typ", "kid", "x"])
            #expect(jwt.algorithm == "ES256")
            #expect(jwt.claims == ["sub": "ada", "n": 1])
            #expect(jwt.isSigned(by: try #require(published.first { $0.kid == jwt.kid })))
            #expect(published.count == 2)
            #expect(
                published.allSatisfy { $0.kid == $0.thumbprint && $0.json["use"] == "sig" && $0.json["alg"] == "ES256" }
            )
            #expect(try await keys.verify(jwt))
        }
    }

    @Test(
        "every algorithm can be configured; one that is not is refused",
        arguments: [SigningAlgorithm.edDSA, .ed25519, .rs256, .es384, .es512, .ps256])
    func algorithms(_ algorithm: SigningAlgorithm) async throws {
        try await TestSchema.with { schema in
            let keys = try schema.keys(time, settings: .init(algorithms: [.es256, algorithm]))
            try await keys.ensure()

            let jwt = try JWT(await keys.sign(type: "JWT", claims: [:], algorithm: algorithm))

            #expect(jwt.algorithm == algorithm.rawValue)
            #expect(try await keys.verify(jwt))
            #expect(try await schema.keys(time).verify(jwt))
            await #expect(throws: SigningKeys.Failure.noActiveKey(.rs512)) {
                try await keys.sign(type: "JWT", claims: [:], algorithm: .rs512)
            }
        }
    }

    @Test("without kid, with a foreign kid, with another key's kid, or changed, a token is not ours")
    func foreign() async throws {
        try await TestSchema.with { schema in
            let keys = try schema.keys(time)
            try await keys.ensure()
            let stranger = try await Signer()
            let active = try #require(try await keys.only(.active, in: schema)),
                next = try #require(try await keys.only(.next, in: schema))
            let ours = try await keys.token().compact.split(separator: ".").map(String.init)

            for header in [
                #"{"alg":"ES256"}"#, #"{"alg":"ES256","kid":"unknown"}"#, #"{"alg":"ES256","kid":"\#(active.kid)"}"#,
            ] {
                #expect(try await !keys.verify(JWT(stranger.token(header: header))))
            }
            let moved = Base64URL.encode(#"{"alg":"ES256","typ":"at+jwt","kid":"\#(next.kid)"}"#.utf8)
            #expect(try await !keys.verify(JWT("\(moved).\(ours[1]).\(ours[2])")))
            #expect(try await !keys.verify(JWT("\(ours[0]).e30.\(ours[2])")))
        }
    }

    @Test("over its life a key is next, active, retiring, retired; its tokens are good until the end of retention")
    func life() async throws {
        try await TestSchema.with { schema in
            let keys = try schema.keys(time)
            try await keys.ensure()
            let first = try #require(try await keys.only(.active, in: schema)),
                second = try #require(try await keys.only(.next, in: schema))
            let old = try await keys.token()

            time.advance(90 * day)
            try await keys.ensure()
            let new = try await keys.token()
            #expect(new.kid == second.kid)
            #expect(try await keys.only(.retiring, in: schema)?.kid == first.kid)
            #expect(try await keys.only(.retiring, in: schema)?.sealed.isEmpty == true)
            #expect(try await keys.verify(old))
            #expect(try await keys.published()["keys"]?.array?.map { $0["kid"]?.string }.last == first.kid)

            time.advance(400 * day)
            #expect(try await !keys.verify(old))
            #expect(try await keys.published()["keys"]?.array?.count == 2)
            try await keys.ensure()
            let retired = try await schema.database.query(
                "select kid from signing_key where status = 'retired' and kid = \(first.kid)")
            #expect(retired.count == 1)
            // The second is 400 days old by now and retiring.
            #expect(try await keys.verify(new))
        }
    }

    @Test("a next key verifies from its first second on, as another process may sign with it already")
    func nextVerifies() async throws {
        try await TestSchema.with { schema in
            let keys = try schema.keys(time)
            try await keys.ensure()
            let next = try #require(try await keys.only(.next, in: schema))
            let key = try await PrivateSigningKey(pem: keys.open(next), algorithm: .es256)
            let jwt = try JWT(Signer(key: key).token(header: #"{"alg":"ES256","kid":"\#(next.kid)"}"#))

            #expect(try await !keys.verify(jwt))
            time.advance(day)
            #expect(try await keys.verify(jwt))
        }
    }

    @Test("processes that start at once make one active and one next key, and later rotate once")
    func race() async throws {
        try await TestSchema.with { schema in
            let databases = (0..<6).map { _ in schema.another() }
            let processes = try databases.map {
                try schema.keys(time, database: $0, settings: .init(algorithms: [.es256, .edDSA]))
            }

            func ensureAtOnce() async throws {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for process in processes { group.addTask { try await process.ensure() } }
                    try await group.waitForAll()
                }
            }

            try await ensureAtOnce()
            let rows = try await SigningKeys.list(schema.database)
            #expect(rows.count == 4)
            #expect(Set(rows.map { $0.alg + $0.status.rawValue }).count == 4)
            let token = try await processes[0].token()
            for process in processes { #expect(try await process.verify(token)) }

            time.advance(90 * day)
            try await ensureAtOnce()
            let later = try await SigningKeys.list(schema.database)
            #expect(later.count == 6)
            #expect(Set(later.map { $0.alg + $0.status.rawValue }).count == 6)
            for process in processes { #expect(try await process.verify(token)) }
            for database in databases { await database.close() }
        }
    }
}
