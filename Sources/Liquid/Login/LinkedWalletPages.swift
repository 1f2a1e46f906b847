import Accounts
import Base
import HTTP
import OAuth
import Pages
import Passkeys
import Vocabulary

extension LoginMethod {
    /// Brings no factor of its own (a linked wallet's passkey is one of `Passkeys`), but what such a wallet opened, and
    /// ending it, which is for whoever is logged in.
    static func linkedWallets(_ wallets: LinkedWallets) -> LoginMethod {
        LoginMethod(
            factors: [],
            pages: { web in
                [
                    BrowserRequest.revoke("/account/wallets/end", "Ends a session of a linked wallet", web, .ended) {
                        browser, session in
                        do {
                            try await wallets.end(
                                try browser.parameters.required("session"), of: session.account.id, actor: browser.actor
                            )
                        } catch PasskeyRefusal.notFound {
                            throw OAuthError(.notFound, "no such session of your wallets")
                        }
                    }.asking("session!")
                ]
            },
            sections: { account, language in
                guard try await wallets.areThere(of: account.id) else { return [] }
                return [.openedPages(try await wallets.sessions(of: account.id).map { OpenedPage($0) }, language)]
            })
    }
}

extension OpenedPage {
    init(_ opened: WalletSession) {
        let session = opened.session
        self.init(
            id: session.id, origins: opened.origins, device: opened.device, isWallet: session.entered == .credential,
            since: session.createdAt,
            lastSeen: session.lastSeen)
    }
}
