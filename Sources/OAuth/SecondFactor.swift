import Accounts
import Base
import Database
import Foundation
import TokenTree
import Vocabulary

/// A second factor as the IdP knows it, whatever room stands behind it. The composition builds it; nothing here knows a
/// phone.
public struct SecondFactor: Sendable {
    /// What became of an answer that an app waits for without a browser.
    public enum Progress: Sendable {
        case pending(JSONObject)
        /// Who answered, and the `amr` values (RFC 8176) that the answer proved. `stands`: what answered is still
        /// theirs, asked in the transaction of the login.
        case done(account: UUID, methods: [String], stands: @Sendable (any SQLExecutor) async throws -> Bool)
        case failed(OAuthError)
    }

    /// The app that a login without a browser is for: the instance, its address, and what it hangs from: what it asks
    /// ends with that.
    public struct Requester: Sendable {
        public let client: String
        public let origin: String?
        public let lineage: [NodeID]
    }

    /// As accounts name what they require: `tiqr`, `passkey`; or a name of its own: `operations`, `wallet`,
    /// `wallet-code`. Which of them meets what: `FactorDemand`.
    public let name: String
    /// One answer shows two factors. Otherwise it shows possession alone, and the password has to stand beside it.
    public let isWhole: Bool
    /// Path of the page that asks for it; takes `request=REF` or `return_to=PATH`.
    public let page: String
    /// Path of the page where one is enrolled; takes `request=REF`.
    public let enrollmentPage: String?
    /// The page with the password asks for it itself, so no button leads to it from there.
    public let isOnPasswordPage: Bool
    /// It stands in for others that the person has: where the last of them goes, it does not count.
    public let isReserve: Bool
    /// What a button says that leads to its page, in the language of a tag (RFC 5646).
    public let button: @Sendable (_ language: String) -> String
    /// What a link says that leads to `enrollmentPage` from where another factor is set up.
    public let enrollmentLink: (@Sendable (_ language: String) -> String)?
    public let isEnrolled: @Sendable (UUID, any SQLExecutor) async throws -> Bool
    /// Begins a question to this person. `shown` is what the app shows.
    public let begin:
        @Sendable (_ account: Account, _ asker: Requester) async throws -> (subject: String, shown: JSONObject)
    /// Takes one of a person's away, by its id there, without asking whether they need one; nothing where it is gone.
    public typealias Removal =
        @Sendable (_ id: String, _ account: UUID, _ actor: AuditActor, any SQLExecutor) async throws -> Void
    public let remove: Removal?
    /// Reads the answer, or takes it from the parameters; waits for it at most `wait` seconds.
    public let progress:
        @Sendable (_ subject: String, _ account: UUID, _ parameters: OAuthParameters, _ asker: Requester, _ wait: Int)
            async throws -> Progress

    public init(
        name: String, isWhole: Bool = true, page: String, enrollmentPage: String?, isOnPasswordPage: Bool = false,
        isReserve: Bool = false, button: @escaping @Sendable (_ language: String) -> String,
        enrollmentLink: (@Sendable (_ language: String) -> String)? = nil,
        isEnrolled: @escaping @Sendable (UUID, any SQLExecutor) async throws -> Bool,
        begin:
            @escaping @Sendable (_ account: Account, _ asker: Requester) async throws -> (
                subject: String, shown: JSONObject
            ),
        progress:
            @escaping @Sendable (
                _ subject: String, _ account: UUID, _ parameters: OAuthParameters, _ asker: Requester, _ wait: Int
            ) async throws -> Progress,
        remove: Removal? = nil
    ) {
        (self.name, self.isWhole, self.page, self.enrollmentPage) = (name, isWhole, page, enrollmentPage)
        (self.isOnPasswordPage, self.button, self.enrollmentLink) = (isOnPasswordPage, button, enrollmentLink)
        (self.isReserve, self.remove) = (isReserve, remove)
        (self.isEnrolled, self.begin, self.progress) = (isEnrolled, begin, progress)
    }

    /// A question that nobody can answer any more; the app may ask another one.
    public static func over(_ cause: String, factor: String) -> OAuthError {
        OAuthError(.accessDenied, "\(cause); begin again with factor=\(factor)")
    }
}
