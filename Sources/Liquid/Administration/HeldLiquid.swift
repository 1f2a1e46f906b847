import Accounts
import Database
import Foundation
import HTTP
import Pages

extension HeldData {
    /// Wallets that a person linked to their account, and where these are logged in.
    static let liquid = [wallets, sessions]

    private static let wallets = HeldData(
        AccountHolding("wallets", in: "liquid_wallet", tells: "address handle created_at", newest: "created_at") {
            "x.address in (\(linked($0)))"
        }
    ) {
        switch $0 {
        case .en: "Wallets"
        case .de: "Wallets"
        case .fr: "Portefeuilles"
        case .it: "Wallet"
        }
    }

    private static let sessions = HeldData(
        AccountHolding(
            "wallet_sessions", in: "liquid_session",
            tells: "id wallet credential entered device origin created_at last_seen expires_at",
            withholds: [
                "secret": AccountHolding.secret, "old_secret": AccountHolding.secret,
                "old_until": AccountHolding.internals, "rotates": AccountHolding.internals,
                "lineage": AccountHolding.internals, "begun_by": AccountHolding.internals,
                "token_until": "when a socket of an app ends at the latest: tokens are told with their apps",
            ], newest: "created_at"
        ) { "x.wallet in (\(linked($0)))" }
    ) {
        switch $0 {
        case .en: "What your wallets opened"
        case .de: "Was Ihre Wallets geöffnet haben"
        case .fr: "Ce que vos portefeuilles ont ouvert"
        case .it: "Ciò che i Suoi wallet hanno aperto"
        }
    }

    private static func linked(_ account: UUID) -> SQL {
        """
        select p.wallet from passkey_link l join passkey p on p.id = l.credential where l.account = \(account)
        """
    }
}
