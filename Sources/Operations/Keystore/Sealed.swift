import Base
import Database

/// A sealed value as it stands in a row, and the id of the master key that sealed it.
struct Sealed: Sendable {
    let bytes: [UInt8]
    let by: String

    init(bytes: [UInt8], by: String) { (self.bytes, self.by) = (bytes, by) }

    /// `nil` for NULL.
    init?(_ row: Row, _ column: String, by keyColumn: String) throws(DatabaseError) {
        let found: [UInt8]? = try row(column), name: String? = try row(keyColumn)
        guard let found, let name else { return nil }
        self.init(bytes: found, by: name)
    }
}

/// A secret that this process cannot open: it was started with another master key, or the secrets were not sealed anew
/// when that changed.
public struct ForeignSeal: Error, CustomStringConvertible {
    let place: String, by: String, ours: String
    public var description: String { "\(place) is sealed by master key \(by), and this process has \(ours)" }
}
