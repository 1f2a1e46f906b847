import Accounts
import Base
import Database
import Foundation
import TestSupport
import Testing

@Suite("Folding of user names")
struct FoldingTests {
    /// Every scalar that some folding changes.
    private static let folded: [Unicode.Scalar] = (0x21...0x10FFFF).compactMap { Unicode.Scalar($0) }.filter { scalar in
        let properties = scalar.properties
        return !properties.isWhitespace
            && (properties.changesWhenCaseFolded || properties.changesWhenNFKCCaseFolded
                || properties.changesWhenLowercased
                || properties.changesWhenUppercased || properties.changesWhenTitlecased)
    }

    private func create(
        _ name: String, _ store: AccountStore, in executor: any SQLExecutor
    ) async throws -> AccountStore.Refused? {
        do {
            _ = try await store.create(
                username: name, password: PasswordHash(encoded: "x"), change: AccountChange(), in: executor)
            return nil
        } catch let refused as AccountStore.Refused {
            return refused
        }
    }

    private static func spellings(_ name: String) -> Set<String> {
        var all: Set<String> = [name, name.lowercased(), name.uppercased(), name.capitalized]
        for spelling in all {
            all.formUnion([
                spelling.decomposedStringWithCanonicalMapping, spelling.precomposedStringWithCompatibilityMapping,
            ])
        }
        return all
    }

    @Test(
        """
        the key of a key is itself, for every scalar that folding changes; in whatever case or form a name is typed \
        that can be given, its key is one
        """
    )
    func key() {
        #expect(FoldingTests.folded.count > 2_500)
        for scalar in FoldingTests.folded {
            let name = "a\(scalar)b", key = Username.key(name)

            #expect(
                Array(Username.key(key).utf8) == Array(key.utf8),
                "U+\(String(scalar.value, radix: 16)) is not folded once for all")
            guard Username.isStable(name) else { continue }
            let keys = Set(FoldingTests.spellings(name).map { Array(Username.key($0).utf8) })
            #expect(keys == [Array(key.utf8)], "U+\(String(scalar.value, radix: 16)) has several keys")
        }
    }

    @Test(
        """
        what PostgreSQL compares is what Swift made: every scalar that can be given is found as it was typed, and \
        given once; the others are refused
        """
    )
    func everyScalar() async throws {
        try await TestDatabase.with { test in
            let store = AccountStore(clock: SettableClock().clock), database = test.database
            try await withThrowingTaskGroup(of: Void.self) { group in
                for lane in 0..<4 {
                    group.addTask {
                        for scalar in stride(from: lane, to: FoldingTests.folded.count, by: 4).map({
                            FoldingTests.folded[$0]
                        }) {
                            let name = "n\(scalar.value)-\(scalar)",
                                refused = try await create(name, store, in: database)
                            guard Username.isStable(name) else {
                                #expect(refused == .unstableUsername || refused == .badUsername, "\(name)")
                                continue
                            }
                            #expect(refused == nil, "\(name)")
                            let upper = name.uppercased(), found = try await store.find(upper, in: database)
                            #expect(found?.username == name, "\(name) typed as \(upper)")
                            let stored: String = try await database.value(
                                "select username_key from account where id = \(found?.id)")
                            #expect(Array(stored.utf8) == Array(Username.key(upper).utf8))
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test(
        "names that fold in more than one way are refused",
        arguments: ["İda", "ſam", "\u{212A}ate", "groß", "νίκος", "ａda", "ﬁn", "ıda", "ǅ", "Å"])
    func unstable(name: String) async throws {
        try await TestDatabase.with { test in
            let store = AccountStore(clock: SettableClock().clock), angstrom = name == "Å" ? "\u{212B}" : name
            let refused = try await create(angstrom, store, in: test.database)
            #expect(refused == .unstableUsername)
        }
    }

    @Test(
        "a name is given once, in whatever form it is asked for again",
        arguments: [("ada", "ADA"), ("Zoë", "ZOE\u{308}"), ("дарья", "ДАРЬЯ")])
    func once(first: String, again: String) async throws {
        try await TestDatabase.with { test in
            let store = AccountStore(clock: SettableClock().clock)
            let given = try await create(first, store, in: test.database),
                refused = try await create(again, store, in: test.database)
            #expect(given == nil && (refused == .usernameTaken(again) || refused == .unstableUsername))
            #expect(try await store.find(again, in: test.database)?.username == first)
        }
    }

    @Test(
        """
        accounts of before are found as they always were, get their keys, and one whose key another has stays what \
        it is
        """
    )
    func before() async throws {
        try await TestDatabase.with { test in
            let store = AccountStore(clock: SettableClock().clock), database = test.database
            for name in ["Straße", "ſam", "Sam", "İda"] {
                _ = try await database.execute(
                    """
                    insert into account (id, username, password, created_at)
                        values (\(UUID()), \(name), 'x', \(Date(numericDate: 1_700_000_000)))
                    """)
            }
            func find(_ typed: [String]) async throws -> [String?] {
                var found: [String?] = []
                for name in typed { found.append(try await store.find(name, in: database)?.username) }
                return found
            }

            let early = try await find(["Straße", "ſam", "sam", "İda"])
            let filled = try await store.fillKeys(in: database), again = try await store.fillKeys(in: database)
            let late = try await find(["Straße", "STRASSE", "ſam", "İda"]),
                both = try await find(["Sam", "sam", "SAM"])

            #expect(early == ["Straße", "ſam", "Sam", "İda"] && filled == 3 && again == 0)
            #expect(late == ["Straße", "Straße", "ſam", "İda"])
            #expect(both.first == "Sam" && Set(both).isSubset(of: ["Sam", "ſam"]))
        }
    }
}
