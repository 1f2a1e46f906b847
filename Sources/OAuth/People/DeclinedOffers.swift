import Accounts
import Database
import Foundation
import Vocabulary

/// What somebody was offered on their account page and does not want: not offered again.
extension OwnAccount {
    public func declined(_ account: UUID) async throws -> [String] {
        try await database.query("select a.offers_declined from account a where a.id = \(account)").first.map {
            try $0("offers_declined")
        } ?? []
    }

    /// `offer` is the name of a factor, known here or not; no more of them than anybody is offered.
    public func decline(_ offer: String, _ session: BrowserSession) async throws {
        guard offer.wholeMatch(of: #/[a-z]{1,32}/#) != nil else {
            throw OAuthError(.invalidRequest, "offer is the word of an offer")
        }
        _ = try await database.execute(
            """
            update account set offers_declined = offers_declined || \(offer)::text
            where id = \(session.account.id) and not \(offer)::text = any (offers_declined)
                and cardinality(offers_declined) < 16
            """)
    }
}
