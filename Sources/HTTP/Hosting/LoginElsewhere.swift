import OAuth
import Pages

/// How people log in who have no password here, or do not want to type it: at somebody else's server, which says who
/// they are.
public struct LoginElsewhere: Sendable {
    /// What a browser remembers of a login by one of these doors, and what a notice calls such a way to log in.
    public static let way = "institution"

    /// Doors on the page with the password; none where nobody else is known.
    public let doors: @Sendable (LoginPlace, Language) async throws -> [LoginAlternative]
    /// A path of ours to go to in place of the page with the password, where a request names the institution.
    public let shortcut: @Sendable (LoginPlace, _ institution: String) async throws -> String?
    /// A link that logs out there too, for who has just been logged out here: the id of the session that has ended.
    public let farewell: @Sendable (_ session: String, Language) async throws -> PageLink?
    /// Takes away that one of a person's is known elsewhere, by what a notice of it named.
    public let remove: SecondFactor.Removal

    public init(
        doors: @escaping @Sendable (LoginPlace, Language) async throws -> [LoginAlternative],
        shortcut: @escaping @Sendable (LoginPlace, _ institution: String) async throws -> String?,
        farewell: @escaping @Sendable (_ session: String, Language) async throws -> PageLink?,
        remove: @escaping SecondFactor.Removal
    ) {
        (self.doors, self.shortcut, self.farewell, self.remove) = (doors, shortcut, farewell, remove)
    }
}
