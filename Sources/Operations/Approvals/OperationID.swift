import Base
import Database
import Foundation
import TokenTree

/// Identifiers of operations, templates, messages and callbacks.
enum OperationID {
    /// A random UUID (RFC 9562, 5.4) in lower case: what the apps expect, and short in QR codes.
    static func fresh(_ randomness: Randomness) -> String {
        var b = randomness.bytes(16)
        b[6] = b[6] & 0x0F | 0x40
        b[8] = b[8] & 0x3F | 0x80
        let uuid = UUID(
            uuid: (b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15])
        )
        return uuid.uuidString.lowercased()
    }

    /// Whether what row `x` was begun under ended while the operation could still be decided: by the lineage of its
    /// family as it reads now, since an upgrade moves it; else as it was.
    static let isRevoked: SQL = """
        exists (select from revocation r where r.node = any (\(TokenBoundRow.lineage))
                and r.revoked_at <= coalesce(x.finished_at, x.expires_at))
        """
}
