import Base
import Foundation

/// The one place where user names are folded. What is stored (`account.username_key`), looked up and counted is the
/// key; PostgreSQL compares its bytes and folds nothing, since what its `lower()` does depends on the locale of the
/// database, and differs from Swift's for İ, ſ, K and others.
public enum Username {
    /// What a name is compared by: NFKC, upper case, lower case, as often as that changes it (nearly NFKC_Casefold of
    /// Unicode Standard Annex 31). What differs in case, width or composition alone has one key; the key of a key is
    /// itself.
    public static func key(_ name: String) -> String {
        var key = name
        for _ in 0..<4 {
            let folded = key.precomposedStringWithCompatibilityMapping.uppercased().lowercased()
                .precomposedStringWithCompatibilityMapping
            guard !isSame(folded, key) else { break }
            key = folded
        }
        return key
    }

    /// Why a name cannot be given to a new account; `nil` for 1 to 64 characters without blanks or control characters;
    /// not a UUID, which would name another account; and one that folds in one way only, whoever folds it: written in
    /// NFKC, whose key is its plain lower case. İ, ſ, K, ß and ς are none. Names that are there already stay good,
    /// whatever is in them.
    static func objection(to name: String) -> AccountStore.Refused? {
        let isNamely =
            (1...64).contains(name.count) && UUID(uuidString: name) == nil
            && name.unicodeScalars.allSatisfy {
                !$0.properties.isWhitespace && $0.properties.generalCategory != .control
            }
        guard isNamely else { return .badUsername }
        return isStable(name) ? nil : .unstableUsername
    }

    /// Whoever folds it comes to the same: no letter becomes two (İ), stands for another (ſ), or has two small forms
    /// (ς).
    public static func isStable(_ name: String) -> Bool {
        name.unicodeScalars.allSatisfy { $0.properties.lowercaseMapping.unicodeScalars.count == 1 }
            && isSame(name.precomposedStringWithCompatibilityMapping, name) && isSame(name.lowercased(), key(name))
    }

    /// Has no compatibility forms (ａ, ª, 𝐚). Those are given to nobody, and are no other spelling of somebody's name:
    /// typed, they stand for an account of before that is written so, or for nobody.
    static func isPlain(_ name: String) -> Bool {
        isSame(name.precomposedStringWithCompatibilityMapping, name.precomposedStringWithCanonicalMapping)
    }

    /// As counters know a name that nobody has: people type passwords there, so not by itself.
    static func nobody(_ name: String) -> String {
        "nobody:" + Base64URL.encode(Digest.sha256("user name \(key(name))").prefix(12))
    }

    /// By bytes: Swift's own equality is canonical equivalence.
    private static func isSame(_ one: String, _ other: String) -> Bool { one.utf8.elementsEqual(other.utf8) }
}
