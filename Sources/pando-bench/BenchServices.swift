import Base
import Database
import Federation
import Foundation
import Server
import TokenTree
import Vocabulary

/// What fills the index before discovery is measured: some hundred different sets of protocols, and copies of their
/// services by Zipf's law.
struct BenchServices: Sendable {
    /// Different sets of ordinary services.
    static let sets = 600
    /// What is asked for: each family has the same ten services, however large the index is, so that answers are of one
    /// size.
    static let families = 40
    static let familySize = 10
    /// The protocols of one family, the most frequent ones of all; a question names two of them and the family.
    static let familyNames = 36
    /// Before anything is copied.
    static let fewest = sets + families * familySize
    /// Names that ordinary sets are drawn from.
    private static let names = 300
    /// Rows of one statement, which has a time limit.
    private static let portion = 20_000

    let composition: Composition

    private var database: Database { composition.database }

    static func name(_ number: Int) -> String { "org.bench.p\(number)" }
    static func family(_ number: Int) -> String { "org.bench.family\(number)" }

    /// One service for each set, and the families: 1,000 services.
    func fillFirst() async throws {
        var draw = BenchDraw()
        for number in 0..<BenchServices.sets {
            var offered: Set<String> = []
            while offered.count < 3 + number % 6 {
                offered.insert(BenchServices.name(draw.skewed(below: BenchServices.names)))
            }
            try await add("set-\(number)", offering: offered.sorted())
        }
        let frequent = (0..<BenchServices.familyNames).map(BenchServices.name)
        for family in 0..<BenchServices.families {
            for member in 0..<BenchServices.familySize {
                try await add("family-\(family)-\(member)", offering: frequent + [BenchServices.family(family)])
            }
        }
        try await analyse()
    }

    /// Copies of ordinary services, until there are `count` in all.
    func fill(to count: Int) async throws {
        // Whatever the columns are: discovery keeps more than one form of a document.
        let columns: [String] = try await database.query(
            """
            select attname::text as name from pg_attribute
            where attrelid = 'service_document'::regclass and attnum > 0 and not attisdropped and attgenerated = ''
                and attidentity = '' and attname <> 'service'
            """
        ).map { try $0("name") }
        let copied = columns.map { "d.\(identifier: $0)" as SQL }.joined(separator: ", ")
        let written = columns.map { "\(identifier: $0)" as SQL }.joined(separator: ", ")
        for first in stride(from: BenchServices.fewest + 1, through: count, by: BenchServices.portion) {
            let last = min(first + BenchServices.portion - 1, count)
            _ = try await database.execute(
                """
                insert into service (id, name, base, status, client, token_endpoint, events_endpoint, listed_at,
                    created_at, changed_at)
                select 'bench-copy-' || n, 'Copy ' || n, 'https://copy-' || n || '.bench.example', s.status, s.client,
                    'https://copy-' || n || '.bench.example/token',
                        'https://copy-' || n || '.bench.example/events', s.listed_at, s.created_at, s.changed_at
                from generate_series(\(first)::integer, \(last)::integer) n
                    join service s on s.id = 'bench-set-' || \(BenchServices.drawn)
                """)
            _ = try await database.execute(
                """
                insert into service_document (service, \(written))
                select 'bench-copy-' || n, \(copied)
                from generate_series(\(first)::integer, \(last)::integer) n
                    join service_document d on d.service = 'bench-set-' || \(BenchServices.drawn)
                """)
        }
        try await analyse()
        // As when services change: what was answered before is forgotten.
        _ = try await database.query("select pg_notify('pando_federation', 'bench-set-0')")
    }

    /// The set of the n-th copy: evenly spread bits, bent so that few sets have most services.
    private static let drawn: SQL =
        "floor(600 * power(('x' || substr(md5(n::text), 1, 7))::bit(28)::integer::float8 / 268435456, 3))::integer"

    private func add(_ name: String, offering protocols: [String]) async throws {
        let id = "bench-\(name)", base = "https://\(name).bench.example", now = composition.clock.now(),
            all = ["org.ietf.oauth2"] + protocols
        // A document of some 700 bytes, however many names it is found by.
        let apis = all.prefix(4).map {
            ServiceAPI(name: $0, link: base + "/" + $0, version: "1.0", docs: "https://docs.bench.example/" + $0)
        }
        let document = ServiceDocument(
            engineName: "Bench \(name)", engineLink: "https://engine.bench.example", homePageLink: base, apis: apis)
        try await database.atomically { transaction in
            _ = try await transaction.execute(
                """
                insert into service (id, name, base, status, client, token_endpoint, events_endpoint, listed_at,
                    created_at, changed_at)
                select \(id), \(name), \(base), 'active', min(c.id), \(base + "/token"), \(base + "/events"),
                    \(now), \(now), \(now) from client c
                """)
            _ = try await transaction.execute(
                """
                insert into service_document (service, state, next_try, last_ok)
                    values (\(id), 'ok', \(now.addingTimeInterval(86_400)), \(now))
                """)
            _ = try await transaction.batch(ServiceListing.put(document.json, protocols: all, of: id, at: now))
        }
    }

    private func analyse() async throws {
        for table in ["service", "service_document", "protocol_set"] {
            _ = try await database.execute("vacuum (analyze) \(identifier: table)")
        }
    }
}

/// Numbers that look drawn and are the same in every run (SplitMix64).
struct BenchDraw {
    private var state: UInt64 = 4

    /// Small numbers far more often than large ones.
    mutating func skewed(below limit: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        let even = Double((mixed ^ (mixed >> 31)) >> 11) / 9_007_199_254_740_992
        return Int(Double(limit) * even * even * even)
    }
}
