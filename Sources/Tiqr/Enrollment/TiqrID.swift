import Base
import Database
import TokenTree

/// Identifiers of enrollments and authentications, which only their owners get to know.
enum TiqrID {
    /// 160 bits, in letters that every path takes.
    static func fresh(_ randomness: Randomness) -> String { Hexadecimal.encode(randomness.bytes(20)) }

    /// Whether what row `x` was begun under has ended: by the lineage of its family as it reads now, since an upgrade
    /// moves it; else as it was.
    static let isRevoked: SQL =
        "exists (select from revocation r where r.node = any (\(TokenBoundRow.lineage)))"
}
