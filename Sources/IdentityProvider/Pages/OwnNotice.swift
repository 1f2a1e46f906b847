import Pages

extension AccountNotice {
    static let disconnected = AccountNotice("disconnected") { $0.own.account.disconnected }
    static let withdrawn = AccountNotice("withdrawn") { $0.own.account.withdrawn }
    static let passwordChanged = AccountNotice("password") { $0.own.account.passwordChanged }

    /// Those of what every account has.
    static let ofAccount = [disconnected, withdrawn, ended, passwordChanged]
}
