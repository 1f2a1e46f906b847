import Pages

extension AccountPage.Notice {
    static let passkeyAdded = AccountPage.Notice("passkey-added") { $0.passkey.added }
    /// It is not found by a device, only by whoever has been named.
    static let passkeyAddedByName = AccountPage.Notice("passkey-added-by-name") { $0.passkey.addedByName }
    static let passkeyLinked = AccountPage.Notice("passkey-linked") { $0.passkey.linked }
    static let passkeyRenamed = AccountPage.Notice("passkey-renamed") { $0.passkey.renamed }
    static let passkeyRemoved = AccountPage.Notice("passkey-removed") { $0.passkey.removed }
    static let passkeyUnlinked = AccountPage.Notice("passkey-unlinked") { $0.passkey.unlinked }
    static let passkeyKept = AccountPage.Notice("passkey-kept", isProblem: true) { $0.passkey.last }

    static let ofPasskeys = [
        passkeyAdded, passkeyAddedByName, passkeyLinked, passkeyRenamed, passkeyRemoved, passkeyUnlinked, passkeyKept,
    ]
}
