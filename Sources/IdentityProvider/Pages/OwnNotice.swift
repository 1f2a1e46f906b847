import Pages

extension AccountNotice {
    static let disconnected = AccountNotice("disconnected") { $0.own.account.disconnected }
    static let withdrawn = AccountNotice("withdrawn") { $0.own.account.withdrawn }
    static let passwordChanged = AccountNotice("password") { $0.own.account.passwordChanged }
    static let branchEnded = AccountNotice("branch-ended") { $0.branches.tree.ended }
    static let othersEnded = AccountNotice("others-ended") { $0.branches.tree.othersEnded }
    static let toldEmptied = AccountNotice("told-emptied") { $0.branches.told.emptied }
    static let usedEmptied = AccountNotice("used-emptied") { $0.branches.told.emptied }

    /// Those of what every account has.
    static let ofAccount = [
        disconnected, withdrawn, ended, passwordChanged, branchEnded, othersEnded, toldEmptied,
        usedEmptied,
    ]
}
