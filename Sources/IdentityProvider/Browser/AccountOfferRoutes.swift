import Accounts
import HTTP
import OAuth
import Pages

/// What the account page offers: a way to log in that is better than the one that somebody has, of those of `logins`.
enum AccountOfferRoutes {
    static func endpoint(_ web: WebSide) -> Endpoint {
        BrowserRequest.post(
            "/account/decline", "Something that the account page offered is not wanted", web,
            purpose: { _ in "account" }
        ) { browser in
            guard let session = browser.context.session else {
                return browser.redirect("\(web.issuer)/login?return_to=/account")
            }
            try await web.account.decline(try browser.parameters.required("offer"), session)
            return browser.redirect("\(web.issuer)/account")
        }.asking("offer!")
    }

    /// The first that they have not declined. For who has another factor that shows two by itself: whoever has none
    /// reads in its own section how to set one up.
    static func offer(
        _ account: Account, _ logins: [LoginMethod], _ language: Language, _ web: WebSide
    ) async throws -> AccountOffer? {
        var offers: [AccountOffer] = []
        for login in logins {
            if let offer = try await login.offer?(account, language) { offers.append(offer) }
        }
        guard !offers.isEmpty else { return nil }
        let enrolled = try await web.enrolledFactors(of: account.id).filter { $0.isWhole && !$0.isReserve }
        guard !enrolled.isEmpty else { return nil }
        let declined = try await web.account.declined(account.id)
        return offers.first { offer in
            !declined.contains(offer.word) && !enrolled.contains { $0.name == offer.word }
        }
    }
}
