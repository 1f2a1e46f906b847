import Accounts
import Base
import HTTP
import OAuth
import Pages
import Passkeys
import Vocabulary

extension LoginMethod {
    /// A linked wallet's passkey is a factor of `Passkeys`; here is what such a wallet opened, and ending it, which is
    /// for whoever is logged in. With `codes`, where wallets log in at this process, logging in by a code that they
    /// scan.
    static func linkedWallets(_ wallets: LinkedWallets, _ codes: WalletCodeLogin?) -> LoginMethod {
        LoginMethod(
            factors: codes.map { [.walletCode($0)] } ?? [],
            pages: { web in
                let byCode = codes.map { WalletCodeRoutes.endpoints(WalletCodeContext(codes: $0, web: web)) } ?? []
                return byCode + [
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
            },
            apps: OpenAPIAppLogin(
                shown: codes == nil ? [] : [("wallet-code:object", "What to show for a wallet: `link`, `expires_at`.")])
        )
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
