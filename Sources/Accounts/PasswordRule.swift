import Foundation

/// What a new password must be (NIST SP 800-63B-4, 3.1.1.2): long enough, not among those that are tried first, and not
/// made of names.
///
/// Asked when a password is set, in the pages and by the command line. Passwords that were set earlier go on working.
public struct PasswordRule: Sendable {
    public enum Refusal: Error, Sendable, Equatable {
        case short(minimum: Int)
        /// Longer than a login takes.
        case long
        case common
        /// Little is left of it without the person's names or the service's.
        case ofName
    }

    /// Characters, as people count them (decisions.md, The server 4).
    public static let minimum = 12
    /// Bytes of UTF-8: what login forms and apps may send.
    public static let most = 1_024
    /// A name of two letters is in most sentences.
    private static let shortestName = 3
    /// So many characters must be left when names are taken out: the rest is what an attacker who knows the person has
    /// to guess.
    private static let leastBesideNames = 8

    private let serviceNames: [String]
    private let common: @Sendable () throws -> CommonPasswords

    /// `common` is read for each new password: these are rare, and a list can be renewed while the server runs.
    public init(serviceNames: [String], common: @escaping @Sendable () throws -> CommonPasswords) {
        (self.serviceNames, self.common) = (serviceNames, common)
    }

    /// Throws a `Refusal`, or `CommonPasswords.Unreadable`: without the list no password is taken.
    /// `names`: the username and what else the person is called; of an e-mail address the part before the `@` counts.
    public func check(_ password: String, names: [String]) throws {
        guard password.count >= PasswordRule.minimum else { throw Refusal.short(minimum: PasswordRule.minimum) }
        guard password.utf8.count <= PasswordRule.most else { throw Refusal.long }
        let folded = PasswordRule.folded(password)
        guard try !common().contains(folded) else { throw Refusal.common }
        let words = PasswordRule.words(in: names + serviceNames)
        var rest = folded
        for word in words { rest = rest.replacing(word, with: "") }
        guard rest == folded || rest.count >= PasswordRule.leastBesideNames else { throw Refusal.ofName }
    }

    /// Reads the list once, so that a server without it does not start.
    public func prepare() throws { _ = try common() }

    /// One spelling for all widths, ligatures and cases of a text (NFKC; UAX 15, UAX 21). By way of capitals, so that ß
    /// and ſ fold too.
    public static func folded(_ text: String) -> String {
        text.precomposedStringWithCompatibilityMapping.uppercased().lowercased()
            .precomposedStringWithCompatibilityMapping
    }

    /// The names as wholes, in their parts (`anna.muster`), and each backwards; the longest first, so that no part
    /// breaks a whole.
    private static func words(in names: [String]) -> [String] {
        var words: Set<String> = []
        for name in names {
            let whole = folded(String(name.prefix { $0 != "@" }))
            let parts = whole.split { !$0.isLetter && !$0.isNumber }.map(String.init)
            for word in [whole] + parts where word.count >= shortestName {
                words.formUnion([word, String(word.reversed())])
            }
        }
        return words.sorted { ($0.count, $0) > ($1.count, $1) }
    }
}

extension Account {
    /// What the person is called, for `PasswordRule`.
    public var names: [String] { [username, email, name, givenName, familyName].compactMap(\.self) }
}
