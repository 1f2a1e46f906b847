/// Somebody else's directory that knows passwords: asked before our own hashes.
public struct PasswordDirectory: Sendable {
    /// The account of who typed this name with this password, made or brought up to date by what the directory says;
    /// `nil` where it is not their password there, or the name is none of its. Throws where the directory is away,
    /// which says nothing about anybody.
    public typealias Account = @Sendable (_ username: String, _ password: String) async throws -> Accounts.Account?

    public let account: Account

    public init(account: @escaping Account) { self.account = account }
}
