/// Whether two texts are one, as PostgreSQL, HTTP and signatures have it.
///
/// Swift's `==`, `contains`, `Set` and `Dictionary` go by canonical equivalence: `é` is `e` with an accent, U+212A is
/// `K`, U+037E is `;`. And a `Character` is all that stands in one place: U+0301 behind a comma, or U+0600 before it,
/// makes another `Character` of it, which no `split` finds. So texts from outside that say who somebody is, or where a
/// part of a text ends, are compared and cut by their bytes.
extension StringProtocol {
    /// Byte by byte.
    public func isSame(as other: some StringProtocol) -> Bool { utf8.elementsEqual(other.utf8) }
}

extension Optional where Wrapped == String {
    /// Byte by byte; nothing is the same as nothing.
    public func isSame(as other: String?) -> Bool {
        switch (self, other) {
        case (let one?, let other?): one.isSame(as: other)
        case (nil, nil): true
        case (nil, _?), (_?, nil): false
        }
    }
}
