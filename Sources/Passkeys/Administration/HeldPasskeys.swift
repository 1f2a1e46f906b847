import Accounts
import HTTP
import Pages

extension HeldData {
    /// Passkeys of the IdP's people, wallets that they linked, and what is under way with either.
    static let passkeys = [handles, passkeysOfOwn, links, ceremonies]

    private static let handles = HeldData(
        AccountHolding("passkey_user", in: "passkey_user", tells: "account handle created_at", newest: "created_at") {
            "x.account = \($0)"
        }
    ) {
        switch $0 {
        case .en: "Your name for passkeys"
        case .de: "Ihr Name für Passkeys"
        case .fr: "Votre nom pour les passkeys"
        case .it: "Il Suo nome per le passkey"
        }
    }

    private static let passkeysOfOwn = HeldData(
        AccountHolding(
            "passkeys", in: "passkey",
            tells: """
                id flow account wallet name device cose_key algorithm sign_count flagged_at uv_initialized \
                backup_eligible backed_up model transports format attestation_type trust attestation_object created_at \
                last_used_at
                """, newest: "created_at"
        ) {
            """
            x.id in (select k.id from passkey k where k.account = \($0)
                union select l.credential from passkey_link l where l.account = \($0))
            """
        }
    ) {
        switch $0 {
        case .en: "Passkeys, and those of linked wallets"
        case .de: "Passkeys, auch die verknüpfter Wallets"
        case .fr: "Passkeys, y compris ceux des portefeuilles liés"
        case .it: "Passkey, anche quelle dei wallet collegati"
        }
    }

    private static let links = HeldData(
        AccountHolding("wallet_links", in: "passkey_link", tells: "credential account linked_at", newest: "linked_at") {
            "x.account = \($0)"
        }
    ) {
        switch $0 {
        case .en: "Linked wallets"
        case .de: "Verknüpfte Wallets"
        case .fr: "Portefeuilles liés"
        case .it: "Wallet collegati"
        }
    }

    private static let ceremonies = HeldData(
        AccountHolding(
            "passkey_ceremonies", in: "webauthn_challenge", tells: "purpose account credential created_at expires_at",
            withholds: ["holder": AccountHolding.secret, "challenge": AccountHolding.secret], newest: "created_at"
        ) { "x.account = \($0)" }
    ) {
        switch $0 {
        case .en: "Passkeys in the last minutes"
        case .de: "Passkeys in den letzten Minuten"
        case .fr: "Passkeys des dernières minutes"
        case .it: "Passkey degli ultimi minuti"
        }
    }
}
