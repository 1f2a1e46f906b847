import Pages

extension AccountNotice {
    static let passkeyAdded = AccountNotice("passkey-added") { $0.passkey.added }
    /// It is not found by a device, only by whoever has been named.
    static let passkeyAddedByName = AccountNotice("passkey-added-by-name") { $0.passkey.addedByName }
    static let passkeyLinked = AccountNotice("passkey-linked") { $0.passkey.linked }
    static let passkeyRenamed = AccountNotice("passkey-renamed") { $0.passkey.renamed }
    static let passkeyRemoved = AccountNotice("passkey-removed") { $0.passkey.removed }
    static let passkeyUnlinked = AccountNotice("passkey-unlinked") { $0.passkey.unlinked }
    static let passkeyKept = AccountNotice("passkey-kept", isProblem: true) { $0.passkey.last }

    static let ofPasskeys = [
        passkeyAdded, passkeyAddedByName, passkeyLinked, passkeyRenamed, passkeyRemoved, passkeyUnlinked, passkeyKept,
    ]
}
