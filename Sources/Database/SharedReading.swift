/// Rows that are asked for by key while others of their kind are being read: one statement reads them all
/// (`where id = any (…)`), sent after each of them was asked for. Nothing is kept.
///
/// Keys that are equal are one. Text from outside is given as its bytes, which PostgreSQL compares: Swift takes `K` and
/// the sign of the kelvin for equal.
public final class SharedReading<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// Keys of one statement.
    public static var most: Int { 64 }

    private let reads: GroupCommit<Key, Value?>

    /// `read` gives what there is of at most `most` different keys. `name` is what is read, in the plural.
    public init(_ name: String, read: @escaping @Sendable ([Key]) async throws -> [(Key, Value)]) {
        reads = GroupCommit(name, lanes: 3, most: SharedReading.most) { keys in
            let found = Dictionary(try await read(Array(Set(keys)))) { first, _ in first }
            return keys.map { found[$0] }
        }
    }

    /// `nil`: there is none. Throws what reading throws, and `unavailable` where very many wait.
    public func find(_ key: Key) async throws -> Value? { try await reads.commit(key) }
}
