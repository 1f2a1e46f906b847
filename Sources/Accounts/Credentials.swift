import Base
import Database

/// An account, its password as a hash, and the generation of `password:ACCOUNT` in the token tree that stands for this
/// very password: read in one statement, and changed in one transaction, so the two belong together.
struct Credentials: Sendable {
    let account: Account
    let hash: PasswordHash
    /// `nil` where nothing was begun with it yet.
    let generation: NodeID?

    init(_ row: Row) throws(DatabaseError) {
        account = try Account(row)
        (hash, generation) = (PasswordHash(encoded: try row("password")), try row("generation"))
    }
}
